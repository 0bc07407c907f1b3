'use strict';
/* lanes.js: draws lanes against banks for one instruction under one layout, and below them the words that
 * each bank serves. */

const LANE_CELL = 12, LANE_LEFT = 34, LANE_TOP = 16, BAR_HEIGHT = 84, BAR_GAP = 26;

/* The number of every fourth bank. */
function ruler(count) {
  const style = {class: 'faint', y: LANE_TOP - 5, 'text-anchor': 'middle', 'font-size': 9.5};
  const x = bank => LANE_LEFT + (bank + 0.5) * LANE_CELL;
  return Array.from(
    {length: count}, (_, bank) => bank % 4 ? null : s('text', {...style, x: x(bank)}, String(bank)));
}

/* The square of a lane that takes a word from a bank; crossed out if the bank serves too many words. */
function laneSquare(lane, bank, over, count) {
  const x = LANE_LEFT + bank * LANE_CELL, y = LANE_TOP + lane * LANE_CELL;
  const box = {x: x + 1, y: y + 1, width: LANE_CELL - 2, height: LANE_CELL - 2};
  const name = {class: over ? 'hit over' : 'hit', 'data-lane': lane, 'data-bank': bank};
  const square = s('rect', {...name, ...box, fill: bankColor(bank, count)});
  if (!over) return [square];
  const cross = `M${x + 2} ${y + 2}l8 8m0 -8l-8 8`;
  return [square, s('path', {d: cross, stroke: inkOn(bank, count), 'stroke-width': 1.6})];
}

/* One row per lane; inactive lanes are grey. */
function laneRows(tile, load, mask) {
  const {count} = tile.banks, g = s('g', {});
  const style = {class: 'faint', x: LANE_LEFT - 5, 'text-anchor': 'end', 'font-size': 9.5};
  for (let lane = 0; lane < LANES; lane++) {
    const y = LANE_TOP + lane * LANE_CELL, width = count * LANE_CELL;
    if (!(mask >>> lane & 1)) g.append(s('rect', {class: 'idle', x: LANE_LEFT, y, width, height: LANE_CELL}));
    if (lane % 4 === 0) g.append(s('text', {...style, y: y + 9.5}, String(lane)));
    for (const bank of load.touched[lane])
      g.append(...laneSquare(lane, bank, load.load[bank] > load.fair, count));
  }
  return g;
}

/* One bar per bank, as high as the number of words that it serves; hatched above the line of the ideal. */
function bankBars(tile, load) {
  const base = LANE_TOP + LANES * LANE_CELL + BAR_GAP + BAR_HEIGHT,
        most = Math.max(...load.load, load.fair, 1), unit = BAR_HEIGHT / most;
  const y = n => base - n * unit, right = LANE_LEFT + tile.banks.count * LANE_CELL, g = s('g', {});
  load.load.forEach((n, bank) => {
    const x = LANE_LEFT + bank * LANE_CELL + 1.5, width = LANE_CELL - 3, good = Math.min(n, load.fair);
    if (good)
      g.append(s('rect', {class: 'load-bar', 'data-bank': bank, x, y: y(good), width, height: good * unit}));
    if (n > good)
      g.append(
        s('rect', {class: 'load-excess', 'data-bank': bank, x, y: y(n), width, height: (n - good) * unit}));
  });
  g.append(s('path', {class: 'axis', d: `M${LANE_LEFT} ${base}H${right}`}),
    s('path', {class: 'ideal-line', d: `M${LANE_LEFT} ${y(load.fair)}H${right}`}));
  const mark = (n, text) => s(
    'text', {class: 'faint', x: LANE_LEFT - 5, y: y(n) + 3.5, 'text-anchor': 'end', 'font-size': 9.5}, text);
  g.append(mark(most, String(most)));
  if (most - load.fair > most / 8) g.append(mark(load.fair, String(load.fair)));
  g.append(s('text', {class: 'faint', x: LANE_LEFT, y: base - BAR_HEIGHT - 9, 'font-size': 10},
    `words a bank serves, dashed: the ideal ${load.fair}${most > load.fair ? ', hatched: too many' : ''}`));
  return g;
}

function listLanes(lanes) {
  const shown = lanes.slice(0, 12).join(', ');
  return lanes.length > 12 ? `${shown} and ${lanes.length - 12} more` : shown;
}

/* The same in words, for the caption and for readers who do not see the picture. */
function sayLoad(load) {
  if (load.cost <= load.ideal) return `${plural(load.cost, 'wavefront')}, the ideal`;
  const because = load.bank === null ? 'a wavefront each for lanes' : `bank ${load.bank} serves lanes`;
  return `${plural(load.cost, 'wavefront')}, ideal ${load.ideal}: ${because} ${listLanes(load.lanes)}`;
}

class LanesView {
  constructor(tile, name) {
    this.tile = tile;
    this.name = name;
    this.caption = h('figcaption', {});
    this.box = h('div', {class: 'scroll'});
    this.node = h('figure', {class: 'lanes'}, this.caption, this.box);
  }

  /* Draws the lanes of `mask` under the layout with these offsets, and returns their load. */
  show(name, offsets, access, instruction, mask) {
    const load = loadOf(this.tile, offsets, access, instruction, mask);
    const width = LANE_LEFT + this.tile.banks.count * LANE_CELL + 4,
          height = LANE_TOP + LANES * LANE_CELL + BAR_GAP + BAR_HEIGHT + 6;
    this.caption.replaceChildren(
      h('b', {}, name), h('span', {class: load.cost > load.ideal ? 'bad' : 'good'}, sayLoad(load)));
    this.box.replaceChildren(s('svg', {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `lanes against banks, ${name}: ${sayLoad(load)}`
    },
      ruler(this.tile.banks.count), laneRows(this.tile, load, mask), bankBars(this.tile, load)));
    return load;
  }
}
