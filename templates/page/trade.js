'use strict';
/* trade.js: draws bytes against wavefronts. Every pad, and every XOR on each pad, is a point. Dotted lines
 * are the sizes above which an SM holds one block fewer; the star is the chosen layout. */

/* The picture's height, its minimum and maximum width, and the margins of the chart in it. */
const CHART = {
  least: 320,
  most: 900,
  height: 340,
  left: 64,
  right: 14,
  top: 26,
  bottom: 40
};

/* A scale from values to positions between `from` and `to` in the picture: logarithmic if the values differ
 * by more than a factor of four, else linear. */
function scaleOf(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values), log = low > 0 && high / low > 4;
  const f = log ? Math.log : v => v, span = f(high) - f(low) || 1;
  const at = v => from + (to - from) * (0.03 + 0.94 * (high === low ? 0.5 : (f(v) - f(low)) / span));
  return {at, low, high, log};
}

/* About `count` round values on a scale. */
function ticksOf(scale, count) {
  if (scale.low === scale.high) return [scale.low];
  if (scale.log) {
    const ticks = [];
    for (let v = 2 ** Math.ceil(Math.log2(scale.low)); v <= scale.high; v *= 2) ticks.push(v);
    const every = Math.ceil(ticks.length / count);
    return ticks.filter((_, i) => i % every === 0);
  }
  const rough = (scale.high - scale.low) / count, unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * unit).find(k => k >= rough), ticks = [];
  for (let v = Math.ceil(scale.low / step) * step; v <= scale.high; v += step) ticks.push(v);
  return ticks;
}

/* A star of five points. */
function starPath(x, y, r) {
  const corner = i => {
    const a = Math.PI * (i / 5 - 0.5), k = i % 2 ? r * 0.45 : r;
    return `${(x + k * Math.cos(a)).toFixed(1)} ${(y + k * Math.sin(a)).toFixed(1)}`;
  };
  return `M${Array.from({length: 10}, (_, i) => corner(i)).join('L')}Z`;
}

/* False for the point of a chosen layout that is an arbitrary map, which is stored with the tile. */
function hasLayout(point) { return Boolean(point.strides || point.matrix || point.offsets); }

/* Joins layouts with equal bytes, wavefronts and kind into one point, represented by the chosen layout, else
 * by the first. */
function gatherPoints(points) {
  const places = new Map();
  for (const p of points) {
    const key = `${p.bytes} ${p.wavefronts} ${hasXor(p)}`, known = places.get(key);
    const layouts = (known?.layouts ?? 0) + p.layouts, best = Boolean(known?.best || p.best);
    places.set(key, {...(known && !p.chosen ? known : p), layouts, best});
  }
  return [...places.values()].sort((a, b) => a.bytes - b.bytes || b.wavefronts - a.wavefronts);
}

class TradeView {
  /* front: from gen/emit/page.c, or made from a sweep's candidates; show(point) is called for the selected
   * point. */
  constructor(tile, front, show, title = 'Bytes against wavefronts') {
    this.tile = tile;
    this.show = show;
    this.points = gatherPoints(front.points.map(p => hasLayout(p) ? p : {...tile.chosen, ...p}));
    this.at = Math.max(0, this.points.findIndex(p => p.chosen));
    this.status = h('div', {class: 'status', 'aria-live': 'polite'});
    this.title = title;
    this.blockSteps = front.steps ?? [];
    this.box = h('div', {class: 'scroll'});
    this.node =
      section('trade', title, this.about(front), this.box, this.status, this.legend(), this.bestTable());
  }

  /* Called once the section is on the page, with the width of its box. */
  start(width) {
    this.width = Math.max(CHART.least, Math.min(CHART.most, width || CHART.most));
    this.x = scaleOf(this.points.map(p => p.bytes), CHART.left, this.width - CHART.right);
    this.y = scaleOf(this.points.map(p => p.wavefronts), CHART.height - CHART.bottom, CHART.top);
    this.ring = s('circle', {class: 'point-at', r: 9, visibility: 'hidden'});
    const name = `${
      plural(this.points.length, 'point')}; arrow keys go from one to the next, Enter shows it in the tile`;
    this.svg = s('svg', {
      width: this.width,
      height: CHART.height,
      viewBox: `0 0 ${this.width} ${CHART.height}`,
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'chart',
      'aria-label': `${this.title}: ${name}`,
      onkeydown: e => this.key(e),
      onpointermove: e => this.point(e),
      onclick: () => this.pick()
    },
      this.axes(), this.steps(this.blockSteps), this.frontLine(), this.marks(), this.ring);
    this.box.replaceChildren(this.svg);
  }

  /* A point's layout as C; kgen spells the chosen one. */
  spell(p) { return p.offset ?? (p.chosen ? this.tile.offset : spellLayout(this.tile, p)); }

  about(front) {
    if (front.exact === undefined) return null;
    const count = this.points.reduce((n, p) => n + p.layouts, 0);
    const all = front.complete ? `Every pad and every XOR of one term, ${plural(count, 'layout')}` :
                                 `The first ${plural(count, 'layout')} of very many`;
    const exact =
      front.exact ? 'The best ones are proven to be the best.' : 'The search for them ended at its limit.';
    return `${all}, and the best XOR of more terms where it is better. ${exact}`;
  }

  axes() {
    const bottom = CHART.height - CHART.bottom, g = s('g', {'font-size': 10.5});
    g.append(
      s('path', {class: 'axis', d: `M${CHART.left} ${CHART.top}V${bottom}H${this.width - CHART.right}`}));
    for (const v of ticksOf(this.x, this.width / 110))
      g.append(s('path', {class: 'axis', d: `M${this.x.at(v)} ${bottom}v4`}),
        s('text', {class: 'faint', x: this.x.at(v), y: bottom + 16, 'text-anchor': 'middle'}, say(v)));
    for (const v of ticksOf(this.y, 6))
      g.append(s('path', {class: 'axis', d: `M${CHART.left} ${this.y.at(v)}h-4`}),
        s('text', {class: 'faint', x: CHART.left - 7, y: this.y.at(v) + 3.5, 'text-anchor': 'end'}, say(v)));
    g.append(s('text',
      {class: 'faint', x: (CHART.left + this.width) / 2, y: CHART.height - 4, 'text-anchor': 'middle'},
      'bytes of the tile'));
    g.append(s('text', {class: 'faint', x: 4, y: 12}, 'wavefronts per block'));
    return g;
  }

  /* The sizes above which an SM holds one block fewer; of lines that are close together, one is labelled. */
  steps(steps) {
    const g = s('g', {'font-size': 10}), left = CHART.left, right = this.width - CHART.right;
    let last = Infinity;
    for (const step of [...steps].reverse()) {
      const x = this.x.at(step.bytes);
      if (!(x > left && x < right)) continue;
      g.append(s('path', {
        class: 'step-line',
        'data-blocks': step.blocks_per_sm,
        d: `M${x} ${CHART.top}V${CHART.height - CHART.bottom}`
      }));
      if (last - x < 66) continue;
      g.append(s('text', {class: 'faint', x: x - 3, y: CHART.top - 4, 'text-anchor': 'end'},
        `≤ ${step.blocks_per_sm} blocks/SM`));
      last = x;
    }
    return g;
  }

  frontLine() {
    const best = this.points.filter(p => p.best);
    if (!best.length) return null;
    const d = best
                .map((p, i) => i ? `H${this.x.at(p.bytes)}V${this.y.at(p.wavefronts)}` :
                                   `M${this.x.at(p.bytes)} ${CHART.top}V${this.y.at(p.wavefronts)}`)
                .join('');
    return s('path', {class: 'front-line', d: `${d}H${this.width - CHART.right}`});
  }

  marks() {
    const chosen = this.points.filter(p => p.chosen), others = this.points.filter(p => !p.chosen);
    return s('g', {}, [...others, ...chosen].map(p => this.markOf(p)));
  }

  markOf(p) {
    const x = this.x.at(p.bytes), y = this.y.at(p.wavefronts), best = p.best ? ' point-best' : '';
    if (p.chosen) return s('path', {class: 'point-chosen', d: starPath(x, y, 11)});
    if (hasXor(p)) return s('path', {class: `point-xor${best}`, d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z`});
    return s('circle', {class: `point-pad${best}`, cx: x, cy: y, r: 4.5});
  }

  legend() {
    const icon = mark => s('svg', {width: 18, height: 16, 'aria-hidden': 'true'}, mark);
    return h('div', {class: 'legend'},
      h('span', {}, icon(s('path', {class: 'point-chosen', d: starPath(9, 8, 8)})), ' chosen'),
      h('span', {}, icon(s('circle', {class: 'point-pad', cx: 9, cy: 8, r: 4.5})), ' strides only'),
      h('span', {}, icon(s('path', {class: 'point-xor', d: 'M9 3l5 5l-5 5l-5 -5z'})), ' with an XOR'),
      h('span', {}, icon(s('path', {class: 'front-line', d: 'M2 3v9h15'})), ' Pareto front'),
      this.blockSteps.length ? h('span', {}, icon(s('path', {class: 'step-line', d: 'M9 1v15'})),
                                 ' beyond it an SM holds one block less') :
                               null);
  }

  bestTable() {
    const rows = this.points.filter(p => p.best || p.chosen)
                   .map(p => [`${p.chosen ? '★ ' : ''}${this.spell(p)}`, say(p.bytes), say(p.wavefronts),
                          say(p.blocks_per_sm)]);
    const all = table(
      'The Pareto front and the chosen layout. Blocks per SM: by shared memory and threads, without registers.',
      ['layout', 'bytes', 'wavefronts', 'blocks/SM'], rows);
    all.classList.toggle('tall', rows.length > 12);
    return all;
  }

  /* --- the reader's point --- */

  point(event) {
    const box = this.svg.getBoundingClientRect(), k = this.width / box.width,
          x = (event.clientX - box.left) * k, y = (event.clientY - box.top) * k;
    let nearest = -1, least = 20 ** 2;
    this.points.forEach((p, i) => {
      const d = (this.x.at(p.bytes) - x) ** 2 + (this.y.at(p.wavefronts) - y) ** 2;
      if (d < least) [nearest, least] = [i, d];
    });
    if (nearest >= 0) this.go(nearest);
  }

  key(event) {
    const last = this.points.length - 1;
    const to = {
      ArrowRight: this.at + 1,
      ArrowUp: this.at + 1,
      ArrowLeft: this.at - 1,
      ArrowDown: this.at - 1,
      Home: 0,
      End: last
    }[event.key];
    if (event.key === 'Enter' || event.key === ' ')
      this.pick();
    else if (to === undefined)
      return;
    else
      this.go(Math.max(0, Math.min(last, to)));
    event.preventDefault();
  }

  go(i) {
    this.at = i;
    const p = this.points[i],
          blocks = p.blocks_per_sm === undefined ? '' : `, ${plural(p.blocks_per_sm, 'block')} per SM`;
    fill(this.ring, {cx: this.x.at(p.bytes), cy: this.y.at(p.wavefronts), visibility: 'visible'}, []);
    this.status.textContent =
      `${this.spell(p)}: ${plural(p.bytes, 'byte')}, ${plural(p.wavefronts, 'wavefront')}${blocks}${
        p.layouts > 1 ? `; ${say(p.layouts)} layouts have this cost` : ''}${p.chosen ? '; chosen' : ''}`;
  }

  pick() {
    if (this.show && this.points[this.at]) this.show(this.points[this.at]);
  }
}
