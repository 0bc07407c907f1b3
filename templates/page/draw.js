'use strict';
/* draw.js: creates elements of the page and of its pictures; colours, numbers, copying. */

const SVG = 'http://www.w3.org/2000/svg';

/* Sets the attributes (on...: a listener; false or null: none) and appends the children that are not null. */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}

/* h('p', {class: 'x'}, 'text', child) creates an element of the page, s an element of a picture. */
const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/* Nine stops of viridis, whose lightness grows with the bank: the order remains visible with every kind of
 * colour blindness, and in print. */
const STOPS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121],
  [110, 206, 88], [216, 226, 60]
];

function bankRgb(bank, count) {
  const at = count > 1 ? bank / (count - 1) * (STOPS.length - 1) : 0;
  const i = Math.min(Math.floor(at), STOPS.length - 2), part = at - i;
  return STOPS[i].map((v, k) => Math.round(v + (STOPS[i + 1][k] - v) * part));
}

const bankColor = (bank, count) => `rgb(${bankRgb(bank, count).join(',')})`;

/* A text colour that is legible on a bank's colour: by the luma of BT.601. */
function inkOn(bank, count) {
  const [r, g, b] = bankRgb(bank, count);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#000' : '#fff';
}

const number = new Intl.NumberFormat('en-US', {maximumFractionDigits: 3});
const say = n => n === null || n === undefined ? '–' : number.format(n);
const plural = (n, word) => `${say(n)} ${word}${n === 1 ? '' : 's'}`;

/* True for a cell with a number: such columns are aligned to the right. */
function isNumeric(cell) {
  return /^[★✓✗○–≠=≤]?\s*[\d–]/.test(cell?.textContent ?? String(cell ?? '–'));
}

/* A table. A cell is a text or a node; the first cell of a row is its header. A column of numbers, with its
 * head, is aligned to the right. */
function table(caption, head, rows) {
  const numbers = i => rows.filter(cells => isNumeric(cells[i])).length;
  const numeric = head.map((_, i) => i > 0 && numbers(i) * 2 >= rows.length);
  const place = i => numeric[i] ? 'number' : null;
  const row = cells => h('tr', {},
    cells.map((cell, i) => i ? h('td', {class: place(i)}, cell ?? '') : h('th', {scope: 'row'}, cell ?? '')));
  return h('div', {class: 'scroll'},
    h('table', {}, caption ? h('caption', {}, caption) : null,
      h('thead', {}, h('tr', {}, head.map((text, i) => h('th', {scope: 'col', class: place(i)}, text)))),
      h('tbody', {}, rows.map(row))));
}

/* Fills `body` with the first rows of a list; returns a button that adds the rest, or null. Thousands of rows
 * would take longer to draw than the rest of the page. */
function longList(body, count, row, first = 60) {
  const add = (from, to) => {
    for (let i = from; i < to; i++) body.append(row(i));
  };
  add(0, Math.min(first, count));
  if (count <= first) return null;
  const all = h('button', {type: 'button', class: 'all'}, `Show all ${say(count)}`);
  all.addEventListener('click', () => {
    add(first, count);
    all.remove();
  });
  return all;
}

/* More names than these are offered as a menu, because the buttons would fill the screen. */
const BUTTONS_AT_MOST = 8;

/* Buttons of which one is pressed, or a menu; choose(i) is called with the index. node.press(i) marks i as
 * chosen. */
function choice(label, names, chosen, choose) {
  const head = h('span', {class: 'label'}, label);
  if (names.length > BUTTONS_AT_MOST) {
    const menu = h('select', {'aria-label': label, onchange: e => choose(e.target.selectedIndex)},
      names.map((name, i) => h('option', {selected: i === chosen}, name)));
    const node = h('div', {class: 'choice'}, head, menu);
    node.press = i => {
      menu.selectedIndex = i;
    };
    return node;
  }
  const buttons = names.map(
    (name, i) =>
      h('button', {type: 'button', 'aria-pressed': String(i === chosen), onclick: () => choose(i)}, name));
  const node = h('div', {class: 'choice', role: 'group', 'aria-label': label}, head, buttons);
  node.press = i => buttons.forEach((b, k) => b.setAttribute('aria-pressed', String(k === i)));
  return node;
}

/* Copies a text. If the clipboard is not available, as for local files, uses a selection. */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', {class: 'off', 'aria-hidden': 'true'}, text);
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

/* A button that copies a text. Without a text it is disabled, and `why` is its tooltip. */
function copyButton(name, text, why) {
  const button =
    h('button', {type: 'button', class: 'copy', disabled: !text, title: text || why}, `Copy ${name}`);
  button.addEventListener('click', async () => {
    await toClipboard(text);
    button.textContent = `Copied ${name}`;
    button.dataset.copied = text;
    setTimeout(() => {
      button.textContent = `Copy ${name}`;
    }, 1500);
  });
  return button;
}

/* Horizontal bars, one for each {name, value, text, kind}. */
function bars(label, list, unit) {
  const most = Math.max(...list.map(bar => bar.value));
  return h('div', {
    class: 'bars',
    role: 'img',
    'aria-label': `${label}: ${list.map(b => `${b.name} ${b.text}`).join(', ')} ${unit}`
  },
    list.map(bar => [h('span', {class: 'name'}, bar.name), h('span', {class: 'track'}, h('span', {
      class: `bar ${bar.kind ?? ''}`,
      style: `width:${most ? Math.max(bar.value / most * 100, 0.3) : 0}%`
    })),
               h('span', {class: 'value'}, bar.text, ' ', h('small', {}, unit))]));
}

/* A section with a heading and a description. */
function section(id, title, about, ...children) {
  return h('section', {id, 'aria-labelledby': `${id}-head`}, h('h3', {id: `${id}-head`}, title),
    about ? h('p', {class: 'about'}, about) : null, ...children);
}

/* The page's hatchings: for excess wavefronts, which are then visible without colour, and for padding. */
function hatching() {
  return s('svg', {class: 'off', 'aria-hidden': 'true', width: 0, height: 0},
    s('defs', {},
      s('pattern',
        {id: 'excess', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
        s('rect', {width: 5, height: 5, class: 'excess-ground'}),
        s('rect', {width: 2, height: 5, class: 'excess-line'})),
      s('pattern',
        {id: 'padding', width: 4, height: 4, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
        s('rect', {width: 1.2, height: 4, class: 'padding-line'}))));
}
