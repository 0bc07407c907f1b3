'use strict';
/* copy.js: what a cp.async costs, by the rules of gen/model/cp_async.c
 * [docs/explanation/layouts-and-banks.md, "cp.async"]: its source decides as much as the banks. A lane
 * is {lane, target, source}, bytes. */

const COPY_LINE = 128, COPY_SECTOR = 32, COPY_HALF = 16;

/* .ca: lanes that meet in a bank of the target or of the source are served apart; the lane that meets most of
 * them sets the cost. */
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

/* What a group costs at least, wherever its target lies. .ca: as if the target were the source. .cg: for each
 * line of the source one wavefront for the sectors that are copied whole and one for those copied by half; if
 * there are no whole ones, one for each half. */
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

/* The cost, the ideal, and a lane for each wavefront: the lanes that make the cost grow. */
function copyCost(cache, lanes) {
  const costOfSome = cache === 'ca' ? copyCostCa : copyCostCg, waits = [];
  for (let n = 1, cost = 0; n <= lanes.length; n++) {
    const now = costOfSome(lanes.slice(0, n));
    if (now > cost) waits.push(lanes[n - 1].lane);
    cost = now;
  }
  return {cost: costOfSome(lanes), ideal: copyIdeal(cache, lanes), lanes: waits};
}
