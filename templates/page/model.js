'use strict';
/* model.js: the positions of elements and the cost of accesses, by the rules of kgen's C code. The layout
 * formula is the one in templates/layout.h; the bank rules are in docs/explanation/layouts-and-banks.md. A
 * tile is an object written by gen/emit/page_tile.c. An element is identified by its row-major index in the
 * tile. */

const LANES = 32;

function elementCount(tile) { return tile.extent.reduce((n, extent) => n * extent, 1); }

/* The coordinates of an element. */
function coordinatesOf(tile, index) {
  const {extent} = tile, at = new Array(extent.length);
  for (let d = extent.length - 1; d >= 0; d--) {
    at[d] = index % extent[d];
    index = Math.floor(index / extent[d]);
  }
  return at;
}

/* The coordinates that a layout's strides and terms use: the tile's own. A padded one-dimensional tile has
 * two, the row of `period` elements and the column in it. */
function layoutCoordinates(tile, layout, index) {
  if (!layout.period) return coordinatesOf(tile, index);
  return [Math.floor(index / layout.period), index % layout.period];
}

/* The value that a term reads: one coordinate, the row-major index, or all coordinates but the last,
 * flattened. */
function sourceOf(term, coordinates, index, row) {
  const source = term.source ?? 'row';
  if (source === 'index') return index;
  return source === 'row' ? row : coordinates[Number(source.slice(1))];
}

/* The dimension that a term changes: by default the last one. */
function targetOf(term, rank) { return term.target ? Number(term.target.slice(1)) : rank - 1; }

/* The coordinates after the XOR terms. All terms read the unchanged coordinates. */
function swizzledCoordinates(layout, coordinates, index, row) {
  if (!layout.swizzle.length) return coordinates;
  const to = [...coordinates];
  for (const t of layout.swizzle) {
    const value = sourceOf(t, coordinates, index, row);
    to[targetOf(t, to.length)] ^= (t.shift < 0 ? value << -t.shift : value >> t.shift) & t.mask;
  }
  return to;
}

/* An F2-linear layout: each set bit of the row-major index contributes an offset. */
function linearOffset(matrix, index) {
  return matrix.reduce((offset, image, bit) => index >> bit & 1 ? offset ^ image : offset, 0);
}

/* The offset at which an element is stored, in elements. */
function offsetOf(tile, layout, index) {
  if (layout.offsets) return layout.offsets[index];
  if (layout.matrix) return linearOffset(layout.matrix, index);
  const at = layoutCoordinates(tile, layout, index);
  const width = layout.period || tile.extent[tile.extent.length - 1], row = Math.floor(index / width);
  const to = swizzledCoordinates(layout, at, index, row);
  let offset = 0;
  for (let d = 0; d < to.length; d++) offset += to[d] * layout.strides[d];
  return offset;
}

/* The offsets of all elements. */
function offsetsOf(tile, layout) {
  if (layout.offsets) return Int32Array.from(layout.offsets);
  const offsets = new Int32Array(elementCount(tile));
  for (let i = 0; i < offsets.length; i++) offsets[i] = offsetOf(tile, layout, i);
  return offsets;
}

function byteOf(tile, offset) { return offset * tile.element_bytes; }

function bankOf(tile, offset) {
  return Math.floor(byteOf(tile, offset) / tile.banks.bytes) % tile.banks.count;
}

/* The number of bytes in one row across all banks: 128. */
function lineBytes(tile) { return tile.banks.count * tile.banks.bytes; }

/* The number of elements that are added to each row; only strides can add any. */
function padOf(tile, layout) {
  if (layout.offsets || !layout.strides) return 0;
  const rank = tile.extent.length;
  if (rank === 1) return layout.period ? layout.strides[0] - layout.period : 0;
  return layout.strides[rank - 2] - tile.extent[rank - 1];
}

/* True if bits of the index are XORed. */
function hasXor(layout) { return Boolean(layout.matrix || layout.swizzle?.length); }

const spellShift = (name, by) => by ? `(${name} ${by > 0 ? '>>' : '<<'} ${Math.abs(by)})` : name;
const spellTerm = (name, shift, mask) => `(${spellShift(name, shift)} & ${mask})`;

/* The matrix of a linear layout as C: bits that move by the same distance share a shift and a mask. */
function spellMatrix(name, matrix) {
  const masks = new Map();
  matrix.forEach((image, bit) => {
    for (let to = 0; image >> to; to++)
      if (image >> to & 1) masks.set(bit - to, (masks.get(bit - to) ?? 0) | 1 << to);
  });
  return [...masks].map(([shift, mask]) => spellTerm(name, shift, mask)).join(' ^ ');
}

/* The names of a term's sources: the row-major index, all coordinates but the last, flattened, and each
 * coordinate. */
function namesOf(tile, layout) {
  const {dims} = tile, one = dims.length === 1;
  if (!layout.period)
    return {index: one ? dims[0] : 'index', row: dims.length === 2 ? dims[0] : 'row', at: dims};
  const at = [`(${dims[0]} / ${layout.period})`, `${dims[0]} % ${layout.period}`];
  return {index: dims[0], row: at[0], at};
}

/* One coordinate as C, with the terms that change it. */
function spellCoordinate(names, layout, d) {
  const terms = layout.swizzle.filter(t => targetOf(t, names.at.length) === d);
  const name = t => sourceOf(t, names.at, names.index, names.row);
  const xors = terms.map(t => ` ^ ${spellTerm(name(t), t.shift, t.mask)}`).join('');
  const alone = /^\w+$|^\(/.test(names.at[d]);
  return xors || !alone ? `(${names.at[d]}${xors})` : names.at[d];
}

/* A layout as C: "row * 33 + (col ^ ((row >> 1) & 24))". kgen spells the chosen layout itself, in a shorter
 * form if there is one. */
function spellLayout(tile, layout) {
  if (layout.expr) return layout.expr;
  const names = namesOf(tile, layout);
  if (layout.matrix) return spellMatrix(names.index, layout.matrix);
  const parts = names.at.map((_, d) => {
    const at = spellCoordinate(names, layout, d), stride = layout.strides[d];
    return stride === 1 ? at : `${at} * ${stride}`;
  });
  return parts.length === 1 ? parts[0].replace(/^\((.*)\)$/, '$1') : parts.join(' + ');
}

/* --- accesses --- */

/* One instruction: the first element of each lane, -1 for none; the masks of its lane groups; the number of
 * executions. */
function instructionOf(access, i) {
  const [pattern, base, times] = access.instructions[i];
  const {lanes, groups, source} = access.patterns[pattern];
  return {element: lanes.map(delta => delta === null ? -1 : base + delta), groups, source, times: times ?? 1};
}

/* The words that a lane accesses if its first element has that offset. */
function wordsOf(tile, access, offset) {
  const byte = byteOf(tile, offset), last = byte + access.bytes_per_lane - 1;
  const words = [];
  for (let w = Math.floor(byte / tile.banks.bytes); w * tile.banks.bytes <= last; w++) words.push(w);
  return words;
}

/* The lanes of a group of a copy, in the form of copy.js. */
function copyLanes(tile, offsets, instruction, mask) {
  const lanes = [];
  instruction.element.forEach((element, lane) => {
    if (element < 0 || !(mask >>> lane & 1)) return;
    lanes.push({lane, target: byteOf(tile, offsets[element]), source: instruction.source[lane]});
  });
  return lanes;
}

/* The load of the banks for a group of lanes, `mask`. touched[lane]: the banks of each lane. load[bank]: the
 * distinct words of each bank, or the lanes of an atomic. fair: the maximum per bank at the ideal. Then the
 * wavefronts and their ideal and, if there are more than that, the lanes that collide and their bank. */
function loadOf(tile, offsets, access, instruction, mask) {
  const count = tile.banks.count, load = new Array(count).fill(0), touched = [], known = new Set(),
        served = [], same = new Map();
  for (let lane = 0; lane < LANES; lane++) {
    touched.push([]);
    const element = instruction.element[lane];
    if (!(mask >>> lane & 1) || element < 0) continue;
    same.set(element, (same.get(element) ?? 0) + 1);
    for (const word of wordsOf(tile, access, offsets[element])) {
      const bank = word % count, first = !known.has(word);
      known.add(word);
      touched[lane].push(bank);
      if (!first && access.op !== 'atomic') continue;
      load[bank]++;
      served.push({lane, bank});
    }
  }
  const cost = Math.max(...load), bank = load.indexOf(cost),
        even = Math.ceil(same.size * access.bytes_per_lane / lineBytes(tile));
  const fair = access.op === 'atomic' ? Math.max(even, ...same.values()) : even;
  const lanes = served.filter(s => s.bank === bank).map(s => s.lane);
  const banks = {load, touched, fair, cost, ideal: fair, bank, lanes: cost > fair ? lanes : []};
  if (access.op !== 'cp_async') return banks;
  const copy = copyCost(access.cache, copyLanes(tile, offsets, instruction, mask));
  return {...banks, ...copy, bank: null, lanes: copy.cost > copy.ideal ? copy.lanes : []};
}

/* The wavefronts of one instruction, whose groups are served one after another. */
function costOf(tile, offsets, access, i) {
  const instruction = instructionOf(access, i);
  return instruction.groups.reduce(
    (sum, mask) => sum + loadOf(tile, offsets, access, instruction, mask).cost, 0);
}

/* The wavefronts of an access: the sum over its instructions, each multiplied by its number of executions. */
function totalOf(tile, offsets, access) {
  let total = 0;
  for (let i = 0; i < access.instructions.length; i++)
    total += costOf(tile, offsets, access, i) * (access.instructions[i][2] ?? 1);
  return total;
}

/* The costliest group under a layout, which is shown first. If there are very many instructions, repetitions
 * of a known pattern are skipped. */
function worstOf(tile, offsets) {
  const worst = {access: 0, instruction: 0, group: 0, cost: -1};
  const seen = new Set();
  tile.lanes.forEach((access, a) => {
    for (let i = 0; i < access.instructions.length; i++) {
      const pattern = access.instructions[i][0], key = `${a} ${pattern}`;
      if (access.instructions.length > 4096 && seen.has(key)) continue;
      seen.add(key);
      const instruction = instructionOf(access, i);
      instruction.groups.forEach((mask, g) => {
        const {cost} = loadOf(tile, offsets, access, instruction, mask);
        if (cost > worst.cost) Object.assign(worst, {access: a, instruction: i, group: g, cost});
      });
    }
  });
  return worst;
}

/* The lanes that access an element: their number, and {access, instruction, lane} of at most `room` of
 * them. */
function touchesOf(tile, index, room) {
  const found = [];
  let count = 0;
  tile.lanes.forEach((access, a) => {
    const span = Math.max(access.elements, 1);
    access.instructions.forEach(([pattern, base], i) => {
      access.patterns[pattern].lanes.forEach((delta, lane) => {
        if (delta === null || index < base + delta || index >= base + delta + span) return;
        count++;
        if (found.length < room) found.push({access: a, instruction: i, lane});
      });
    });
  });
  return {found, count};
}
