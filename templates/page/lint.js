'use strict';
/* lint.js: shows a checked kernel: its source with the cost of each line, now and with the fixes, and each
 * array with conflicts as a tile before and after its fix. */

const keyOf = place => `${place.file ?? ''}:${place.line}`;

/* The number of wavefronts that the fixes save on each line, counted on the tiles. */
function savingsOf(arrays) {
  const saved = new Map();
  for (const tile of arrays.filter(a => a.lanes)) {
    const plain = offsetsOf(tile, tile.plain), chosen = offsetsOf(tile, tile.chosen);
    tile.lanes.forEach((access, i) => {
      const key = keyOf(tile.places[i]);
      saved.set(key, (saved.get(key) ?? 0) + totalOf(tile, plain, access) - totalOf(tile, chosen, access));
    });
  }
  return saved;
}

/* The accesses, findings and notes of each line: {shared, global, findings, notes, contended}. */
function costsOf(lint) {
  const lines = new Map();
  const at = place => {
    if (!lines.has(keyOf(place)))
      lines.set(keyOf(place), {shared: [], global: [], findings: [], notes: [], contended: []});
    return lines.get(keyOf(place));
  };
  for (const access of lint.accesses) at(access).shared.push(access);
  for (const access of lint.global) at(access).global.push(access);
  for (const finding of lint.findings) at(finding).findings.push(finding);
  for (const note of lint.notes) at(note).notes.push(note);
  for (const word of lint.contended) at(word).contended.push(word);
  return lines;
}

const sumOf = (list, key) => list.reduce((n, x) => n + x[key], 0);

/* Three cells: a line's wavefronts, the number above the ideal, and the number of those that remain with the
 * fixes. */
function wavefrontCells(costs, saved) {
  if (!costs?.shared.length) return ['', '', ''];
  const now = sumOf(costs.shared, 'wavefronts'), ideal = sumOf(costs.shared, 'ideal'), over = now - ideal;
  if (!over) return [say(now), '✓ 0', ''];
  const left = Math.max(0, over - saved);
  return [
    say(now), h('span', {class: saved ? 'gone' : 'bad'}, `✗ ${say(over)}`),
    saved ? h('span', {class: left ? 'bad' : 'fixed'}, `${left ? '✗' : '✓'} ${say(left)}`) :
            h('span', {class: 'bad'}, `✗ ${say(over)}`)
  ];
}

function sectorCell(costs) {
  if (!costs?.global.length) return '';
  const sectors = sumOf(costs.global, 'sectors'), ideal = sumOf(costs.global, 'ideal_sectors');
  return h('span', {class: sectors >= 2 * ideal ? 'bad' : ''},
    `${sectors >= 2 * ideal ? '✗ ' : ''}${say(sectors)} / ${say(ideal)}`);
}

/* The calls by which inlined code came to the line, without duplicates. */
function trailsOf(costs, file) {
  const places = list => list.map(at => `${at.file ?? file}:${at.line}`).join(', ');
  const trails = [...costs.findings, ...costs.notes, ...costs.shared, ...costs.global].flatMap(
    row => [row.inlined?.length ? `code of ${places(row.inlined)}` : null,
      row.called_from?.length ? `called from ${places(row.called_from)}` : null,
      row.also_called_from?.length ? `also called from ${places(row.also_called_from)}` : null]);
  return [...new Set(trails.filter(text => text))];
}

function notesOf(costs, file) {
  const foundText = (mark, f) => {
    const where = `thread (${f.thread.join(', ')}) of block (${f.block.join(', ')})`;
    return `${mark} ${f.kind}: ${f.message}; ${where}${f.count > 1 ? `, the first of ${say(f.count)}` : ''}`;
  };
  const others = f => (f.where ?? []).map(w => w.line ? `${w.file ?? file}:${w.line}: ${w.text}` : w.text);
  const notes = [
    ...costs.findings.flatMap(f => [foundText('⚠', f), ...others(f)]),
    ...costs.notes.flatMap(f => [foundText('note:', f), ...others(f)])
  ];
  for (const word of costs.contended)
    notes.push(`contended word: ${say(word.updates)} of ${say(word.all_updates)} atomic updates go to byte ${
      say(word.offset)} of ${word.buffer ?? 'device memory'}`);
  for (const a of costs.shared) {
    if (a.why) notes.push(a.why);
    if (a.remedy) notes.push(a.remedy);
    if (a.worst_lanes.length)
      notes.push(`${a.op} of ${a.bytes_per_lane} bytes: one bank serves lanes ${
        listLanes(a.worst_lanes)}, one after another`);
  }
  return [...notes, ...trailsOf(costs, file)];
}

/* The heads of the columns before the source; on a narrow page, the words before the figures below the
 * line. */
const gutterHeads = ['wavefronts', 'too many', 'with fixes', 'sectors / ideal'];

/* The rows of one part of a file: each line with its figures, and its notes below it. */
function sourceRows(part, file, costs, saved) {
  return part.lines.flatMap((text, i) => {
    const line = part.first + i, place = {file: part.file, line}, cost = costs.get(keyOf(place));
    const over = cost && sumOf(cost.shared, 'wavefronts') > sumOf(cost.shared, 'ideal');
    const hot = over || cost?.findings.length || cost?.notes.length || cost?.contended.length ||
      cost?.shared.some(a => a.remedy);
    const gutter = [...wavefrontCells(cost, saved.get(keyOf(place)) ?? 0), sectorCell(cost)];
    const row = h('tr', {id: `line-${part.file ?? ''}-${line}`, class: hot ? 'hot' : null},
      gutter.map((cell, i) => h('td', {'data-head': gutterHeads[i]}, cell)),
      h('th', {class: 'no', scope: 'row'}, String(line)), h('td', {class: 'text'}, text || ' '));
    const notes = cost && hot ?
      notesOf(cost, file).map(note => h('tr', {class: 'note'}, h('td', {colspan: 6}, h('div', {}, note)))) :
      [];
    return [row, ...notes];
  });
}

function sourceTable(part, file, costs, saved) {
  const heads = [...gutterHeads, '', part.file ?? file];
  return h('div', {
    class: 'source',
    tabindex: 0,
    role: 'region',
    'aria-label': `source of ${part.file ?? file}, with what its lines cost`
  },
    h('table', {},
      h('thead', {},
        h('tr', {}, heads.map((text, i) => h('th', {scope: 'col', class: i === 5 ? 'text' : null}, text)))),
      h('tbody', {}, sourceRows(part, file, costs, saved))));
}

function lintStrip(lint) {
  const fixes = lint.arrays.filter(a => a.fix), sum = key => sumOf(fixes, key),
        sectors = sumOf(lint.global, 'sectors'), ideal = sumOf(lint.global, 'ideal_sectors');
  return h('div', {class: 'strip'},
    fact('wavefronts above the ideal',
      lint.conflicts ? `✗ ${say(lint.conflicts)} conflicts` : '✓ no conflict',
      lint.conflicts ? 'bad' : 'good'),
    fixes.length ? fact(`of ${fixes.map(f => f.name).join(', ')}, with the fixes; ideal ${say(sum('ideal'))}`,
                     `${say(sum('wavefronts'))} → ${say(sum('fixed_wavefronts'))} wavefronts`, 'good') :
                   null,
    fact('races, faults and the like',
      lint.findings.length ? `✗ ${plural(lint.findings.length, 'finding')}` : '✓ no finding',
      lint.findings.length ? 'bad' : 'good'),
    lint.notes.length ? fact('legal, but probably unintended', plural(lint.notes.length, 'note'), '') : null,
    lint.global.length ?
      fact(`sectors of global memory, ideal ${say(ideal)}`, say(sectors), sectors >= 2 * ideal ? 'bad' : '') :
      null);
}

/* The accesses of an array by line, operation and width. An unrolled loop has dozens of accesses on one line;
 * these are shown as one access with all of their instructions. */
function lanesByLine(tile) {
  const lines = new Map();
  tile.lanes.forEach((access, i) => {
    const {file, line} = tile.places[i], key = `${file ?? ''}:${line} ${access.op} ${access.bytes_per_lane}`;
    const all = lines.get(key);
    if (!all) {
      const name = `${file ? `${file}:` : 'line '}${line}, ${access.op}`;
      lines.set(
        key, {...access, name, patterns: [...access.patterns], instructions: [...access.instructions]});
      return;
    }
    const first = all.patterns.length;
    all.patterns.push(...access.patterns);
    all.instructions.push(...access.instructions.map(([p, ...rest]) => [first + p, ...rest]));
  });
  const merged = [...lines.values()], twice = a => merged.filter(b => b.name === a.name).length > 1;
  return merged.map(
    a => ({...a, name: twice(a) ? `${a.name} of ${plural(a.bytes_per_lane, 'byte')}` : a.name}));
}

/* An array before and after its fix; without a fix, the current layout twice. */
function arrayView(array, tile) {
  const about = array.fix ?
    [
      h('p', {}, h('b', {}, 'Fix: '), h('code', {}, array.fix)),
      array.alternative ? h('p', {}, h('b', {}, 'Or: '), h('code', {}, array.alternative)) : null
    ] :
    h('p', {}, h('b', {}, 'No fix: '), array.why_none);
  const head = h('div', {}, h('h2', {}, array.name),
    h('p', {class: 'about'},
      `${plural(array.bytes, 'byte')} of shared memory, ${say(array.wavefronts)} wavefronts${
        array.fix ? ` → ${say(array.fixed_wavefronts)}` :
                    ''}, ideal ${say(array.ideal)}${array.sampled ? ', of a sample of its patterns' : ''}`),
    about,
    array.fix && tile.lanes ?
      h('div', {class: 'row tools'}, copyButton('fix', array.fix), copyButton('C', tile.c),
        copyButton('CuTe', tile.cute, 'CuTe has no form of this layout'),
        copyButton('TMA', tile.tma, 'TMA has no mode of this layout')) :
      null);
  if (!tile.lanes) return {node: h('article', {}, head), start: () => {}, print: () => {}};
  const view = new TileSection({...tile, lanes: lanesByLine(tile)},
    {heads: array.fix ? ['As it is', 'With the fix'] : ['As it is', 'As it is']});
  return {
    node: h('article', {}, head, view.node),
    start: () => view.start(),
    print: () => view.print(),
    view
  };
}

function lintPage(data) {
  const {lint} = data.report, costs = costsOf(lint),
        saved = savingsOf(data.arrays.map((tile, i) => lint.arrays[i].fix ? tile : {}));
  const views = lint.arrays.map((array, i) => arrayView(array, data.arrays[i]));
  const place = h('div', {});
  let at = 0;
  const pick = i => {
    at = i;
    place.replaceChildren(views[i].node);
    views[i].start();
    tabs?.press(i);
  };
  const tabs = views.length > 1 ? choice('array', lint.arrays.map(a => a.name), 0, pick) : null;
  const about =
    'Too many: wavefronts above the ideal, as it is and with the fixes below. Sectors: of global memory, beside what would do.';
  const node = h('div', {},
    h('p', {class: 'about'}, `${lint.file}, ${data.arch}, ${plural(lint.blocks_run, 'block')} run`),
    lintStrip(lint),
    section(
      'source', 'The source', about, data.sources.map(part => sourceTable(part, lint.file, costs, saved))),
    tabs, place);
  return {
    title: lint.kernel,
    node,
    start: () => views.length && pick(0),
    print: () => views[at]?.print(),
    section: () => views[at]?.view,
    source: () => [{path: lint.file, text: null}]
  };
}
