'use strict';
/* copy.js: the cost of a cp.async, by the rules of gen/model/cp_async.c
 * [docs/explanation/layouts-and-banks.md, "cp.async"]. Its cost depends on the source addresses as much as on
 * the banks. A lane is {lane, target, source}, in bytes. */

const COPY_LINE = 128, COPY_SECTOR = 32, COPY_HALF = 16;

/* .ca: lanes that share a bank of the target or of the source are serialized. The cost is the maximum number
 * of lanes that are serialized with one lane, itself included. */
function copyCostCa(lanes) {
  const shares = (a, b) => a % COPY_LINE === b % COPY_LINE;
  const apart = x => lanes.filter(y => shares(x.target, y.target) || shares(x.source, y.source)).length;
  return Math.max(0, ...lanes.map(apart));
}

/* .cg: one wavefront for each combination of the two lines, the halves of sectors, and the parity of the
 * sectors' distance. */
function copyCostCg(lanes) {
  const pieces = new Map(), kinds = new Set();
  for (const {target, source} of lanes) {
    const t = Math.floor(target / COPY_SECTOR), s = Math.floor(source / COPY_SECTOR), key = `${t} ${s}`;
    const half = 1 << (Math.floor(target / COPY_HALF) % 2 * 2 + Math.floor(source / COPY_HALF) % 2);
    pieces.set(key, {t, s, halves: (pieces.get(key)?.halves ?? 0) | half});
  }
  const perLine = COPY_LINE / COPY_SECTOR;
  for (const {t, s, halves} of pieces.values())
    kinds.add(`${Math.floor(t / perLine)} ${Math.floor(s / perLine)} ${halves} ${(t ^ s) & 1}`);
  return kinds.size;
}

/* The minimum cost of a group over all targets. .ca: as if the target were the source. .cg: per line of the
 * source, one wavefront for sectors that are copied whole and one for sectors copied by half. If no sector is
 * whole, one for each half. */
function copyIdeal(cache, lanes) {
  if (cache === 'ca') return copyCostCa(lanes.map(x => ({...x, target: x.source})));
  const lines = new Map();
  for (const {source} of lanes) {
    const line = Math.floor(source / COPY_LINE), sector = Math.floor(source / COPY_SECTOR);
    if (!lines.has(line)) lines.set(line, new Map());
    const halves = lines.get(line);
    halves.set(sector, (halves.get(sector) ?? 0) | 1 << Math.floor(source / COPY_HALF) % 2);
  }
  let sum = 0;
  for (const halves of lines.values()) {
    const kinds = new Set(halves.values()), parts = kinds.has(1) + kinds.has(2);
    sum += kinds.has(3) ? 1 + (parts > 0) : parts;
  }
  return sum;
}

/* The cost, the ideal, and one lane per wavefront: the lanes that increase the cost. */
function copyCost(cache, lanes) {
  const costOfSome = cache === 'ca' ? copyCostCa : copyCostCg, waits = [];
  for (let n = 1, cost = 0; n <= lanes.length; n++) {
    const now = costOfSome(lanes.slice(0, n));
    if (now > cost) waits.push(lanes[n - 1].lane);
    cost = now;
  }
  return {cost: costOfSome(lanes), ideal: copyIdeal(cache, lanes), lanes: waits};
}
