'use strict';
/* spec.js: shows a spec: its verdict, and one of its tiles. The parts of a tile share one selection: an
 * access, one of its instructions, a group of lanes, and the element under the cursor. */

/* The wavefronts of all accesses: of the unpadded tile (null if it cannot run), of the chosen layout, and the
 * ideal. */
function totalsOf(accesses) {
  const sum = key => accesses.reduce((n, a) => a[key] === null || n === null ? null : n + a[key], 0);
  return {plain: sum('unswizzled'), now: sum('wavefronts'), ideal: sum('ideal')};
}

/* The report's tiles, each paired with the page's tile, in the same form for specs with one tile and with
 * `tiles:`. */
function tilesOf(spec) {
  return (spec.tiles ?? [spec]).map((report, i) => ({report, tile: spec.page.tiles[i]}));
}

function fact(label, value, kind) {
  return h('div', {class: `fact ${kind ?? ''}`}, h('b', {}, value), h('span', {class: 'label'}, label));
}

/* Says whether a better layout exists. alone: the layout was specified, as in a sweep, and not compared with
 * others. */
function provenFact(report, alone) {
  if (report.minimal) return fact('no layout of the search space is better', '✓ proven', 'good');
  return alone ? fact('not compared with other layouts', 'as set') :
                 fact('a better layout may exist: see below what was searched', '○ not proven');
}

/* A row of facts: wavefronts baseline -> chosen / ideal, bytes, proven or not. */
function verdictStrip(report, alone) {
  const t = totalsOf(report.accesses), free = report.conflict_free, {bytes, pad_bytes: pad} = report.layout;
  return h('div', {class: 'strip'},
    fact('wavefronts: baseline → chosen / ideal',
      `${t.plain === null ? 'cannot run' : say(t.plain)} → ${say(t.now)} / ${say(t.ideal)}`,
      free ? 'good' : 'bad'),
    fact(free ? 'every access is at its ideal' : `${plural(t.now - t.ideal, 'wavefront')} above the ideal`,
      free ? '✓ conflict-free' : '✗ conflicts', free ? 'good' : 'bad'),
    fact(pad ? `${say(pad)} of them padding` : 'no padding', plural(bytes, 'byte')),
    provenFact(report, alone));
}

/* The elements that accesses read without a value, or write twice. */
function coverageNotes(report) {
  const say = {
    unwritten: e => `${plural(e.elements, 'element')} read but written by no access; the first is (${
      e.first.join(', ')}), read by '${e.access}'`,
    rewritten: e =>
      `${plural(e.elements, 'element')} written by two threads with no read in between; the first is (${
        e.first.join(', ')}), by '${e.access}'`
  };
  return (report.coverage ?? []).map(e => h('p', {class: 'bad coverage'}, `✗ ${say[e.kind](e)}`));
}

/* Languages other than C and CuTe. The report has them for the layout that the page opens with. */
const OTHER_LANGUAGES = {
  cutedsl: 'CuTe DSL',
  gluon: 'Gluon',
  tilelang: 'TileLang',
  mojo: 'Mojo'
};

function copyRow(tile) {
  const none = what => `${what} has no form of this layout`;
  const others = Object.entries(OTHER_LANGUAGES).filter(() => tile.as).map(([name,
    title]) => [' ', copyButton(title, tile.as [name].none ? null : tile.as [name], tile.as [name].none)]);
  return h('div', {class: 'row'}, h('code', {}, `offset = ${tile.offset}`),
    h('span', {class: 'tools'}, copyButton('C', tile.c), ' ', copyButton('CuTe', tile.cute, none('CuTe')),
      ' ', copyButton('TMA', tile.tma, none('TMA')), ...others.flat()));
}

/* Everything that is shown of a tile; heads: the names of its two layouts. */
class TileSection {
  constructor(tile, {heads = ['Baseline', 'Chosen'], certificate, front, accessTable} = {}) {
    /* Boxes have no lanes to show. */
    tile = {...tile, lanes: tile.lanes.filter(access => access.instructions.length)};
    this.tile = tile;
    this.heads = heads;
    this.plainOffsets = offsetsOf(tile, tile.plain);
    this.plain = new TileView(tile, heads[0], i => this.point(i));
    this.chosen = new TileView(tile, heads[1], i => this.point(i));
    this.lanesPlain = new LanesView(tile, heads[0]);
    this.lanesChosen = new LanesView(tile, heads[1]);
    this.refused = certificate ?
      new RefusedView(tile, certificate, (layout, w) => this.replace(layout, w), () => this.restore()) :
      null;
    this.trade =
      front ? new TradeView(tile, front, p => p.chosen ? this.restore() : this.replace(p, null)) : null;
    this.node =
      h('div', {}, this.pictures(), tile.lanes.length ? this.instructions(accessTable) : accessTable,
        h('div', {class: 'halves'}, this.refused?.node, this.trade?.node));
  }

  /* Called once the section is on the page, when widths are known. */
  start() {
    const width = this.plain.window.clientWidth || 560, chart = this.trade?.box.clientWidth;
    this.plain.pad = this.chosen.pad = Math.max(0, padOf(this.tile, this.tile.chosen));
    this.plain.fit(width);
    this.chosen.fit(width);
    this.plain.show(this.tile.plain, this.head(this.heads[0], this.tile.plain));
    this.restore();
    this.trade?.start(chart);
    if (!this.tile.lanes.length) return;
    const first = worstOf(this.tile, this.plainOffsets);
    this.select(first.access, first.instruction, first.group);
  }

  head(name, layout) {
    const offset = layout === this.tile.chosen ? this.tile.offset : spellLayout(this.tile, layout);
    return [h('b', {}, name), h('code', {}, offset), ` · ${plural(bytesOf(this.tile, layout), 'byte')}`];
  }

  pictures() {
    const zoom = by => {
      const cell = this.plain.cell + by;
      for (const view of [this.plain, this.chosen]) view.zoom(cell);
    };
    const wheel = h('div', {class: 'row tools'}, h('span', {class: 'label'}, 'cells'),
      h('button', {type: 'button', 'aria-label': 'smaller cells', onclick: () => zoom(-3)}, '−'),
      h('button', {type: 'button', 'aria-label': 'larger cells', onclick: () => zoom(3)}, '+'));
    return section('tile', 'The tile',
      'A cell is an element, its colour and number the bank. Point at one, or go there with the arrow keys.',
      wheel, h('div', {class: 'pair'}, this.plain.node, this.chosen.node), bankLegend(this.tile));
  }

  instructions(accessTable) {
    const {lanes} = this.tile;
    this.accessChoice = choice('access', lanes.map(a => a.name), 0, i => this.select(i, 0, 0));
    this.slider = h('input', {
      type: 'range',
      min: 0,
      max: 0,
      value: 0,
      'aria-label': 'instruction',
      oninput: e => this.select(this.access, Number(e.target.value), this.group)
    });
    this.sliderText = h('output', {class: 'mono'});
    this.groups = h('div', {class: 'groups'});
    const controls = h('div', {}, accessTable, this.accessChoice,
      h('div', {class: 'row'}, h('span', {class: 'label'}, 'instruction'), this.slider, this.sliderText),
      this.groups);
    return section('lanes', 'Lanes and banks',
      'One warp-wide instruction: which lane accesses which bank. Its lanes are marked in the tile above.',
      h('div', {class: 'lanes-parts'}, controls, this.lanesPlain.node, this.lanesChosen.node));
  }

  /* --- the selection --- */

  select(access, instruction, group) {
    const of = this.tile.lanes[access];
    this.access = access;
    this.instruction = Math.min(instruction, of.instructions.length - 1);
    this.now = instructionOf(of, this.instruction);
    this.group = Math.min(group, this.now.groups.length - 1);
    this.accessChoice.press(access);
    fill(this.slider,
      {max: of.instructions.length - 1, 'aria-valuetext': `${of.name}, instruction ${this.instruction}`}, []);
    this.slider.value = this.instruction;
    this.sliderText.textContent = `${this.instruction} of ${of.instructions.length}${
      this.now.times > 1 ? `, run ${say(this.now.times)} times` : ''}`;
    const count = this.now.groups.length;
    this.groups.replaceChildren(count > 1 ?
        choice('group', Array.from({length: count}, (_, g) => String(g)), this.group,
          g => this.select(this.access, this.instruction, g)) :
        h('p', {class: 'about'}, 'All its lanes form one group.'));
    this.drawLanes();
  }

  drawLanes() {
    const access = this.tile.lanes[this.access], mask = this.now.groups[this.group];
    if (mask === undefined) return;
    const rows = [
      [this.plain, this.lanesPlain, this.plainOffsets, this.heads[0]],
      [this.chosen, this.lanesChosen, this.chosen.offsets, this.shown ?? this.heads[1]]
    ];
    for (const [view, lanes, offsets, name] of rows) {
      const load = lanes.show(name, offsets, access, this.now, mask);
      view.mark(this.now.element.flatMap((element, lane) => element >= 0 && mask >>> lane & 1 ?
          [{lane, element, span: Math.max(access.elements, 1), meets: load.lanes.includes(lane)}] :
          []));
    }
  }

  /* Shows another layout instead of the chosen one; a witness selects the lanes that collide. */
  replace(layout, witness) {
    this.shown = witness ? 'Ruled out' : 'Instead';
    this.chosen.show(layout, this.head(this.shown, layout));
    if (!witness) this.refused?.release();
    const access = witness ? this.tile.lanes.findIndex(a => a.name === witness.access) : -1;
    if (access >= 0)
      this.select(access, witness.instruction, witness.group);
    else
      this.drawLanes();
    this.chosen.node.scrollIntoView({block: 'nearest'});
  }

  restore() {
    this.shown = null;
    this.refused?.release();
    this.chosen.show(this.tile.chosen, this.head(this.heads[1], this.tile.chosen));
    if (this.now) this.drawLanes();
  }

  /* Shows the element under the cursor in both tiles. */
  point(index) {
    const {found, count} = touchesOf(this.tile, index, 6);
    const lanes =
      found.map(t => `${this.tile.lanes[t.access].name} ${t.instruction} lane ${t.lane}`).join(', ');
    const more = count > found.length ? ` and ${say(count - found.length)} more` : '';
    const text = count ? `accessed by ${lanes}${more}` : 'no lane accesses it';
    this.plain.setCursor(index, text);
    this.chosen.setCursor(index, text);
  }

  print() {
    for (const view of [this.plain, this.chosen]) {
      view.drawRows(true);
      view.drawNumbers(view.count <= 4096);
    }
  }
}

function accessRows(accesses) {
  return table('Wavefronts per block.',
    ['access', 'op', 'bytes/lane', 'instructions', 'baseline', 'chosen', 'ideal', 'worst group'],
    accesses.map(a => [a.name, a.op, say(a.bytes_per_lane), say(a.instructions),
                   a.unswizzled === null ? 'cannot run' : say(a.unswizzled),
                   h('span', {class: a.wavefronts > a.ideal ? 'bad' : 'good'},
                     `${say(a.wavefronts)}${a.wavefronts > a.ideal ? ' ✗' : ' ✓'}`),
                   say(a.ideal), say(a.worst)]));
}

/* A whole spec. named: with its name as a heading, as one of several. alone: its layout was specified, not
 * solved for. Returns {node, start, print, section}. */
function specView(spec, named, alone = false) {
  const parts = tilesOf(spec).map(({report, tile}) => ({
    report,
    tile,
    view: new TileSection(
      tile, {certificate: report.certificate, front: tile.front, accessTable: accessRows(report.accesses)})
  }));
  let at = 0;
  const strip = h('div', {}), place = h('div', {}), pick = i => {
    at = i;
    const {report, tile, view} = parts[i];
    strip.replaceChildren(verdictStrip(report, alone), ...coverageNotes(report), copyRow(tile));
    place.replaceChildren(view.node);
    view.start();
    tabs?.press(i);
  };
  const tabs = parts.length > 1 ?
    choice('tile', parts.map(({report, tile}) => `${report.name}: ${tile.dtype} [${tile.extent.join(', ')}]`),
      0, pick) :
    null;
  const {tile} = parts[0];
  const about = `${spec.kernel === 'none' ? 'no kernel' : spec.kernel}, ${
    parts.length > 1 ?
      plural(parts.length, 'tile') :
      `${tile.dtype} [${tile.extent.join(', ')}]`}, block [${spec.block.join(', ')}], ${spec.page.arch}`;
  const node = h('article', {id: `spec-${spec.name}`}, named ? h('h2', {}, spec.name) : null,
    h('p', {class: 'about'}, about), tabs, strip, runSection(spec), place);
  return {node, start: () => pick(0), print: () => parts[at].view.print(), section: () => parts[at].view};
}
