/* SPDX-License-Identifier: MIT */
/* The search for orders that hang: on random operations of three warps its verdict equals the
 * verdict from all interleavings, which other code tries one by one. */
#include "check.h"
#include "emu/run/search/search.h"

enum { WARPS = 3, MOST = 5, CASES = 3000, BARS = 2, NAMED = 2 };

/* --- all interleavings --- */

typedef struct {
  int at[WARPS];
  bool waits[WARPS]; /* it has arrived at a named barrier and waits for the next phase */
  int named_phase[NAMED], named_seen[WARPS];
  int arrived[NAMED];
  int missing[BARS], count[BARS], tx[BARS], flying[BARS], phase[BARS];
} World;

typedef struct {
  int ops[WARPS];
  SyncOp op[WARPS][MOST];
} Case;

static bool is_left(const Case *c, const World *w, int warp) { return w->at[warp] < c->ops[warp]; }

static void complete_named(const Case *c, World *w) {
  int alive = 0;
  for (int i = 0; i < WARPS; i++) alive += is_left(c, w, i) ? LANES : 0;
  for (int i = 0; i < NAMED; i++) {
    const int want = i ? 2 * LANES : alive; /* barrier 0: all threads; barrier 1: 64 */
    if (!w->arrived[i] || w->arrived[i] < want) continue;
    w->arrived[i] = 0;
    w->named_phase[i]++;
  }
}

static void complete(World *w, int bar) {
  if (w->missing[bar] || w->tx[bar]) return;
  w->phase[bar] ^= 1;
  w->missing[bar] = w->count[bar];
}

/* Returns false if the warp cannot run; *excess is set by more arrivals than a phase has. */
static bool run(const Case *c, World *w, int warp, bool *excess) {
  if (!is_left(c, w, warp)) return false;
  const SyncOp *op = &c->op[warp][w->at[warp]];
  const int o = (int)op->object;
  switch (op->kind) {
  case SYNC_BARRIER:
    if (w->waits[warp] && w->named_seen[warp] == w->named_phase[o]) return false;
    if (!w->waits[warp]) {
      w->waits[warp] = true;
      w->named_seen[warp] = w->named_phase[o];
      w->arrived[o] += LANES;
      complete_named(c, w);
      return true;
    }
    w->waits[warp] = false;
    break;
  case SYNC_WAIT:
    if (w->phase[o] == (int)op->value) return false;
    break;
  case SYNC_COPY: w->flying[o] += (int)op->value; break;
  case SYNC_ARRIVE_EXPECT: w->tx[o] += (int)op->value; /* fall through */
  default:
    *excess |= w->missing[o] == 0;
    w->missing[o] -= w->missing[o] > 0;
    complete(w, o);
  }
  w->at[warp]++;
  complete_named(c, w);
  return true;
}

/* True if some order hangs, or has an excess of arrivals. */
static bool is_bad(const Case *c, const World *now) {
  bool any = false, left = false, excess = false;
  for (int i = 0; i < WARPS; i++) {
    World next = *now;
    left |= is_left(c, now, i);
    if (!run(c, &next, i, &excess)) continue;
    any = true;
    if (excess || is_bad(c, &next)) return true;
  }
  for (int i = 0; i < BARS; i++) {
    World next = *now;
    if (!now->flying[i]) continue;
    any = true;
    next.tx[i] -= next.flying[i];
    next.flying[i] = 0;
    complete(&next, i);
    if (is_bad(c, &next)) return true;
  }
  return left && !any;
}

/* --- random cases --- */

static unsigned below(unsigned limit) {
  static unsigned state = 12345;
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % limit;
}

static void make(Case *c, const int count[BARS], SyncLog *log, SyncOp *all) {
  static const SyncKind kinds[] = {SYNC_ARRIVE, SYNC_ARRIVE,  SYNC_WAIT,
                                   SYNC_WAIT,   SYNC_BARRIER, SYNC_ARRIVE_EXPECT};
  log->op = all;
  log->count = 0;
  for (int i = 0; i < BARS; i++)
    all[log->count++] = (SyncOp){SYNC_INIT, 0, 0, 1, (uint32_t)i, (uint32_t)count[i], 0};
  /* a barrier of all warps, after which the random part begins */
  for (int i = 0; i < WARPS; i++) all[log->count++] = (SyncOp){SYNC_BARRIER, 0, i, 1, 0, 0, 0};
  for (int w = 0; w < WARPS; w++) {
    c->ops[w] = 1 + (int)below(MOST - 1);
    for (int i = 0; i < c->ops[w]; i++) {
      SyncOp *op = &c->op[w][i];
      *op = (SyncOp){kinds[below(6)], i + 1, w, 1, below(2), 1, 0};
      if (op->kind == SYNC_WAIT) op->value = below(2);
      if (op->kind == SYNC_BARRIER) op->value = op->object ? 2 * LANES : 0;
      if (op->kind == SYNC_ARRIVE_EXPECT) op->value = 16;
      all[log->count++] = *op;
      if (op->kind != SYNC_ARRIVE_EXPECT || i + 1 == c->ops[w]) continue;
      SyncOp *copy = &c->op[w][++i];
      *copy = (SyncOp){SYNC_COPY, i + 1, w, 1, op->object, 16, 0};
      all[log->count++] = *copy;
    }
  }
}

int main(void) {
  static const uint32_t lanes[WARPS] = {1, 1, 1};
  int bad = 0;
  for (int i = 0; i < CASES; i++) {
    Case c;
    SyncLog log = {0};
    SyncOp all[BARS + WARPS * (MOST + 1)];
    const int count[BARS] = {1 + (int)below(2), 1 + (int)below(2)};
    make(&c, count, &log, all);
    World start = {.missing = {count[0], count[1]}, .count = {count[0], count[1]}};
    const bool want = is_bad(&c, &start);
    const SearchResult got = search_run(&log, WARPS, lanes, 1 << 20);
    CHECK(got.end == SEARCH_PROVED || got.end == SEARCH_HANGS || got.end == SEARCH_OVERFLOW,
          "case %d: end %d", i, (int)got.end);
    CHECK((got.end != SEARCH_PROVED) == want, "case %d: %d, want %d", i, (int)got.end, want);
    bad += want;
  }
  CHECK(bad > 100 && bad < CASES - 100, "%d of %d cases are bad", bad, CASES);
  return check_report("emu_search");
}
