/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/async/mbarrier.h"
#include "emu/run/race/warpgroup.h"
#include "emu/run/sched/barrier.h"
#include "emu/run/sched/cluster.h"
#include "emu/run/sched/register_pool.h"
#include "emu/run/state/finding.h"

/* --- what each thread of the cluster does --- */

typedef enum {
  AT_BARRIER,
  AT_CLUSTER, /* the cluster's barrier */
  AT_MBARRIER,
  AT_LANES, /* an instruction that lanes of a warp execute together */
  AT_GROUP, /* a wgmma, for the other warps of the warpgroup */
  AT_POOL,  /* setmaxnreg, for registers */
  AT_JOIN,  /* a point at which lanes of a warp reconverge */
  AT_POLL,  /* a loop that reads memory */
  EXITED
} Blocked;

/* Lanes of a warp that are blocked together. */
typedef struct {
  const Warp *warp;
  uint32_t lanes;
  Blocked on;
  const Insn *insn; /* NULL: not known */
  int number;       /* AT_BARRIER */
  Block *owner;     /* AT_MBARRIER, and the offset in its shared memory */
  uint32_t offset;
  uint32_t lacks; /* AT_LANES, AT_JOIN: lanes of the warp that are missing */
} Waiter;

/* The waiters of a cluster, in the order of its warps. */
typedef struct {
  int count, capacity;
  Waiter *all;
} Waiters;

static void add(Waiters *l, Waiter new) {
  if (!new.lanes) return;
  if (l->count == l->capacity) {
    const int capacity = 2 * l->capacity + 64;
    Waiter *grown = realloc(l->all, (size_t)capacity * sizeof *grown);
    if (!grown) atomic_store(&new.warp->block->launch->out_of_memory, true);
    if (!grown) return;
    l->all = grown;
    l->capacity = capacity;
  }
  l->all[l->count++] = new;
}

/* Lanes of the warp that have not come to the split's instruction. */
static uint32_t lacks_of(const Warp *w, const Split *split) {
  uint32_t lacks = split->member & w->alive & ~split->waiting;
  for (int k = 0; k < w->splits; k++) {
    const Split *other = &w->split[k];
    if (other->state == SPLIT_SYNC && other->insn == split->insn) lacks &= ~other->waiting;
  }
  return lacks;
}

static void add_split(Waiters *l, const Warp *w, const Split *split) {
  static const Blocked of_state[] = {[SPLIT_SYNC] = AT_LANES,
                                     [SPLIT_BARRIER] = AT_BARRIER,
                                     [SPLIT_GROUP] = AT_GROUP,
                                     [SPLIT_POOL] = AT_POOL};
  Waiter new = {.warp = w, .lanes = split->mask, .insn = &w->code[split->pc]};
  if (split->state == SPLIT_FREE) return;
  if (split->state == SPLIT_READY) {
    const MbarrierWait *m = &w->waits;
    const bool tests = m->insn && split->mask >> m->lane & 1;
    new.on = tests ? AT_MBARRIER : AT_POLL;
    if (tests) new.insn = m->insn, new.owner = m->owner, new.offset = m->offset;
  } else {
    new.on = of_state[split->state];
    if (split->state != SPLIT_GROUP && split->state != SPLIT_POOL)
      new.insn = split->insn, new.lanes = split->waiting;
    new.number = split->barrier;
    if (new.on == AT_BARRIER &&new.number == CLUSTER_BARRIER) new.on = AT_CLUSTER;
    if (new.on == AT_LANES) new.lacks = lacks_of(w, split);
  }
  add(l, new);
}

static void add_warp(Waiters *l, const Warp *w) {
  for (int k = 0; k < w->splits && w->alive; k++) add_split(l, w, &w->split[k]);
  for (uint64_t rest = w->alive ? w->records : 0; rest; rest &= rest - 1) {
    const Record *r = &w->record[__builtin_ctzll(rest)];
    add(l, (Waiter){.warp = w,
                    .lanes = r->arrived,
                    .on = AT_JOIN,
                    .insn = &w->code[r->pc],
                    .lacks = r->expect & ~r->arrived});
  }
  uint32_t exited = w->initial & ~w->alive;
  while (exited) {
    const Insn *at = w->block->unchecked ? NULL : w->ended_at[lane_first(exited)];
    uint32_t together = 0;
    FOR_LANES(lane, exited)
      if (w->block->unchecked || w->ended_at[lane] == at) together |= 1u << lane;
    add(l, (Waiter){.warp = w, .lanes = together, .on = EXITED, .insn = at});
    exited &= ~together;
  }
}

static Waiters find_waiters(const Cluster *cluster) {
  Waiters l = {0};
  for (int b = 0; b < cluster->blocks; b++)
    for (int i = 0; i < cluster->block[b]->warps; i++) add_warp(&l, &cluster->block[b]->warp[i]);
  return l;
}

/* --- who is missing --- */

static uint32_t not_at_cluster(const Warp *w) {
  uint32_t lanes = 0;
  FOR_LANES(lane, w->alive)
    if (w->cluster_phase[lane] <= w->block->cluster->phase) lanes |= 1u << lane;
  return lanes;
}

/* An mbarrier does not say who is to arrive: the warps that did so in the phase before; in the
 * first phase all that have not arrived, but those that only wait for it. */
static uint32_t not_at_mbarrier(const Waiter *a, const Warp *w) {
  const MbarrierState s = mbarrier_state(a->owner, a->offset);
  const bool own = w->block == a->owner;
  const uint32_t bit = own ? 1u << w->index : 1u << w->block->rank;
  if (!s.missing || (own ? s.warps : s.ranks) & bit) return 0;
  if (s.warps_before || s.ranks_before)
    return (own ? s.warps_before : s.ranks_before) & bit ? w->alive : 0;
  const bool waits = w->waits.insn && w->waits.owner == a->owner && w->waits.offset == a->offset;
  return own && !waits ? w->alive : 0;
}

/* The lanes of a warp that the waiter needs, and that have not arrived. */
static uint32_t missing(const Waiter *a, const Warp *w) {
  switch (a->on) {
  case AT_BARRIER:
    if (w->block != a->warp->block || w->block->barrier[a->number].arrivals >> w->index & 1)
      return 0;
    return w->alive & ~barrier_waiting(w, a->number);
  case AT_CLUSTER: return not_at_cluster(w);
  case AT_MBARRIER: return not_at_mbarrier(a, w);
  case AT_LANES:
  case AT_JOIN: return w == a->warp ? a->lacks : 0;
  case AT_GROUP:
    return w->block == a->warp->block && w->index / WGMMA_WARPS == a->warp->index / WGMMA_WARPS &&
                   w != a->warp
               ? w->alive
               : 0;
  default: return 0;
  }
}

static bool same_target(const Waiter *a, const Waiter *b) {
  if (a->on != b->on) return false;
  switch (a->on) {
  case AT_BARRIER: return a->warp->block == b->warp->block && a->number == b->number;
  case AT_CLUSTER: return true;
  case AT_MBARRIER: return a->owner == b->owner && a->offset == b->offset;
  default: return a->insn == b->insn && a->warp->block == b->warp->block;
  }
}

/* --- in words --- */

enum { PHRASE = 112 };

/* "barrier 0", "the mbarrier at shared 0x400" */
static const char *target_text(const Waiter *a, char out[PHRASE]) {
  switch (a->on) {
  case AT_BARRIER: snprintf(out, PHRASE, "at barrier %d", a->number); break;
  case AT_CLUSTER: snprintf(out, PHRASE, "at the cluster's barrier"); break;
  case AT_MBARRIER:
    snprintf(out, PHRASE, "for phase %llu of the mbarrier at shared 0x%x",
             (unsigned long long)mbarrier_phase(a->owner, a->offset), a->offset);
    break;
  case AT_LANES: snprintf(out, PHRASE, "for other lanes of the warp"); break;
  case AT_GROUP: snprintf(out, PHRASE, "for the other warps of the warpgroup"); break;
  case AT_POOL: snprintf(out, PHRASE, "for registers"); break;
  case AT_JOIN: snprintf(out, PHRASE, "to reconverge with other lanes of the warp"); break;
  default: snprintf(out, PHRASE, "for memory to change");
  }
  return out;
}

/* Waiters that do the same at one instruction. */
typedef struct {
  const Waiter *first;
  uint32_t warps;
  uint32_t threads;
  bool whole; /* all threads of these warps that have not exited */
} Group;

/* " of block (1, 0, 0)", in clusters alone. */
static const char *block_text(const Block *block, char out[48]) {
  const uint32_t *i = block->index;
  out[0] = '\0';
  if (block->cluster->blocks > 1) snprintf(out, 48, " of block (%u, %u, %u)", i[0], i[1], i[2]);
  return out;
}

static const char *group_text(const Group *g, char out[PHRASE + 64]) {
  char warps[WARPS_TEXT], block[48];
  finding_warps(g->warps, warps);
  block_text(g->first->warp->block, block);
  if (g->whole)
    snprintf(out, PHRASE + 64, "%s%s", warps, block);
  else
    snprintf(out, PHRASE + 64, "%u thread%s of %s%s", g->threads, g->threads == 1 ? "" : "s", warps,
             block);
  return out;
}

static bool is_one(const Group *g) {
  return g->whole ? lane_count(g->warps) == 1 : g->threads == 1;
}

/* Adds "warps 4-7 <what> wait here at barrier 1". */
static void put_group(Block *block, const Group *g, const char *what) {
  const Waiter *a = g->first;
  char subject[PHRASE + 64], target[PHRASE];
  group_text(g, subject);
  if (a->on == EXITED)
    finding_where(block, a->insn, "%s%s exited%s", subject, what, a->insn ? " here" : "");
  else if (a->on == AT_POLL && !a->warp->stalled)
    finding_where(block, a->insn, "%s%s %s here", subject, what, is_one(g) ? "is" : "are");
  else
    finding_where(block, a->insn, "%s%s wait%s here %s", subject, what, is_one(g) ? "s" : "",
                  target_text(a, target));
}

/* Takes the waiters, from index `from` on, of the same block at the same instruction and target
 * whose lanes `pick` selects, and marks them in `done`. */
static Group take_group(const Waiters *l, int from, bool *done,
                        uint32_t (*pick)(const Waiter *, const Waiter *), const Waiter *of) {
  const Waiter *a = &l->all[from];
  Group g = {.first = a, .whole = true};
  for (int i = from; i < l->count; i++) {
    const Waiter *b = &l->all[i];
    const uint32_t lanes = pick(of, b);
    if (done[i] || !lanes || !same_target(a, b) || a->insn != b->insn ||
        a->warp->block != b->warp->block)
      continue;
    done[i] = true;
    g.warps |= 1u << b->warp->index;
    g.threads += lane_count(lanes);
    g.whole &= lanes == (b->on == EXITED ? b->warp->initial : b->warp->alive);
  }
  return g;
}

/* Adds the groups that `pick` selects. */
static void put_groups(Block *block, const Waiters *l, const Waiter *of,
                       uint32_t (*pick)(const Waiter *, const Waiter *), const char *what) {
  bool *done = calloc((size_t)l->count + 1, sizeof *done);
  for (int i = 0; done && i < l->count; i++) {
    if (done[i] || !pick(of, &l->all[i])) continue;
    const Group g = take_group(l, i, done, pick, of);
    put_group(block, &g, what);
  }
  free(done);
}

static uint32_t pick_missing(const Waiter *of, const Waiter *b) {
  return b->on == EXITED ? 0 : missing(of, b->warp) & b->lanes;
}

static uint32_t pick_waiting(const Waiter *of, const Waiter *b) {
  return same_target(of, b) ? b->lanes : 0;
}

static uint32_t pick_exited(const Waiter *of, const Waiter *b) {
  return b->on == EXITED && b->warp->block == of->warp->block ? b->lanes : 0;
}

static uint32_t pick_elsewhere(const Waiter *of, const Waiter *b) {
  return b->warp != of->warp && b->warp->block == of->warp->block ? b->lanes : 0;
}

/* --- cycles --- */

/* The shortest way of waiting from a waiter back to itself, as indices that precede each other, by
 * a breadth-first search; its length, or 0. before: room for an index for each waiter. */
static int find_cycle(const Waiters *l, int start, int *before, int *queue) {
  int head = 0, tail = 0, length = 0;
  for (int i = 0; i < l->count; i++) before[i] = -1;
  for (queue[tail++] = start; head < tail && before[start] < 0;) {
    const int at = queue[head++];
    for (int i = 0; i < l->count && before[start] < 0; i++) {
      if (before[i] >= 0 || !pick_missing(&l->all[at], &l->all[i])) continue;
      before[i] = at;
      queue[tail++] = i;
    }
  }
  if (before[start] < 0) return 0;
  for (int i = start;; i = before[i]) {
    length++;
    if (before[i] == start) return length;
  }
}

static void put_hop(Block *block, const Waiter *a, bool first, char *out, size_t size) {
  char target[PHRASE], of[48];
  snprintf(out, size, "%swarp %d%s %s %s (%s)", first ? "cycle of waiting: " : " for ",
           a->warp->index, block_text(a->warp->block, of), first ? "waits" : "that waits",
           target_text(a, target), insn_line_called(block->program, a->insn).text);
}

static void put_cycle(Block *block, const Waiters *l, int start) {
  enum { MAX_HOPS = 4 };
  int *before = malloc((size_t)(2 * l->count + 1) * sizeof *before);
  const int length = before ? find_cycle(l, start, before, before + l->count) : 0;
  char text[sizeof((EmuWhere *)NULL)->text];
  size_t n = 0;
  if (length && length <= MAX_HOPS) {
    int hop[MAX_HOPS];
    for (int i = length - 1, at = before[start]; i >= 0; i--, at = before[at]) hop[i] = at;
    for (int i = 0; i < length && n < sizeof text; i++) {
      put_hop(block, &l->all[hop[i]], i == 0, text + n, sizeof text - n);
      n = strlen(text);
    }
    if (n < sizeof text)
      snprintf(text + n, sizeof text - n, " for warp %d", l->all[start].warp->index);
    finding_where(block, NULL, "%s", text);
  }
  free(before);
}

/* --- findings --- */

/* The first thread that is missing, or else the first that has exited, of the waiter's block; of a
 * cluster's barrier, of any block. */
static const Waiter *first_missing(const Waiters *l, const Waiter *of, uint32_t *thread) {
  uint32_t (*const pick[])(const Waiter *, const Waiter *) = {pick_missing, pick_exited};
  for (int p = 0; p < 2; p++)
    for (int i = 0; i < l->count; i++) {
      const uint32_t lanes = pick[p](of, &l->all[i]);
      if (lanes) *thread = warp_thread(l->all[i].warp, lane_first(lanes));
      if (lanes) return &l->all[i];
    }
  *thread = warp_thread(of->warp, lane_first(of->lanes));
  return NULL;
}

static void describe_barrier(Block *block, const Waiters *l, const Waiter *of, uint32_t thread) {
  const Barrier *b = &block->barrier[of->number];
  const Waiter *first = first_missing(l, of, &thread);
  uint32_t xyz[3];
  char who[80] = "no other thread is left";
  block_thread(block, thread, xyz);
  if (first)
    snprintf(who, sizeof who, "thread (%u, %u, %u) %s", xyz[0], xyz[1], xyz[2],
             first->on == EXITED ? "has exited" : "never arrives");
  finding_describe(block, "deadlock: %u of %u threads have arrived at barrier %d; %s", b->threads,
                   b->expected ? b->expected : block->alive, of->number, who);
  char warps[WARPS_TEXT];
  if (b->arrivals)
    finding_where(block, NULL, "%s arrived without waiting (bar.arrive)",
                  finding_warps(b->arrivals, warps));
}

static void describe_cluster(Block *block) {
  const Cluster *c = block->cluster;
  finding_describe(block,
                   "deadlock: %u of the cluster's %u threads have arrived in phase %u of its "
                   "barrier, the others never do",
                   c->arrived, cluster_threads(c), c->phase);
}

/* Which warps and blocks have arrived in this phase. */
static void put_arrived(Block *block, const MbarrierState *s) {
  char warps[WARPS_TEXT];
  if (s->warps)
    finding_where(block, NULL, "arrived in this phase: %s", finding_warps(s->warps, warps));
  for (int rank = 0; rank < MAX_CLUSTER; rank++) {
    if (!(s->ranks >> rank & 1)) continue;
    const uint32_t *i = block->cluster->block[rank]->index;
    finding_where(block, NULL, "arrived in this phase: block (%u, %u, %u)", i[0], i[1], i[2]);
  }
}

static void describe_mbarrier(Block *block, const Waiter *of) {
  const MbarrierState s = mbarrier_state(of->owner, of->offset);
  char bytes[96] = "";
  if (s.expected_bytes || s.arrived_bytes)
    snprintf(bytes, sizeof bytes, ", %llu of %llu expected bytes have arrived",
             (unsigned long long)s.arrived_bytes, (unsigned long long)s.expected_bytes);
  finding_describe(block,
                   "deadlock: phase %llu of the mbarrier at shared 0x%x (initialized at %s) never "
                   "completes: %u of %u arrivals are missing%s",
                   (unsigned long long)s.phase, of->offset,
                   s.init ? insn_line_called(block->program, s.init).text : "an unknown line",
                   s.missing, s.arrivals, bytes);
  put_arrived(block, &s);
  if (!s.missing && s.expect)
    finding_where(block, s.expect,
                  "the bytes are expected here: no copy that is in flight brings "
                  "them");
}

/* Adds the other sides of a finding about what the waiter is blocked on. */
static void put_sides(Block *block, const Waiters *l, int waiter) {
  const Waiter *of = &l->all[waiter];
  const MbarrierState s =
      of->on == AT_MBARRIER ? mbarrier_state(of->owner, of->offset) : (MbarrierState){0};
  const bool known = s.warps_before || s.ranks_before;
  put_groups(block, l, of, pick_waiting, "");
  put_groups(block, l, of, pick_missing,
             known                   ? ", which arrived in the preceding phase,"
             : of->on == AT_MBARRIER ? ", which did not arrive,"
                                     : ", missing,");
  if (of->on == AT_BARRIER) put_groups(block, l, of, pick_exited, "");
  put_cycle(block, l, waiter);
}

static void report_lanes(Block *block, const Waiters *l, int waiter) {
  const Waiter *of = &l->all[waiter];
  const unsigned lane = lane_first(of->lacks ? of->lacks : of->lanes);
  if (!finding_add(block, EMU_BARRIER, of->insn, warp_thread(of->warp, lane), 1)) return;
  finding_describe(block, "deadlock at %s: lanes 0x%08x wait here, but lane %u never arrives",
                   of->insn->statement->opcode, of->lanes, lane);
  put_sides(block, l, waiter);
}

static void report(Block *block, const Waiters *l, int waiter) {
  const Waiter *of = &l->all[waiter];
  uint32_t thread;
  first_missing(l, of, &thread);
  if (of->on == AT_MBARRIER) thread = warp_thread(of->warp, lane_first(of->lanes));
  if (!finding_add(block, EMU_BARRIER, of->insn, thread, 1)) return;
  if (of->on == AT_BARRIER) describe_barrier(block, l, of, thread);
  if (of->on == AT_CLUSTER) describe_cluster(block);
  if (of->on == AT_MBARRIER) describe_mbarrier(block, of);
  put_sides(block, l, waiter);
}

/* True if an earlier waiter of the block is blocked on the same. */
static bool is_reported(const Waiters *l, int waiter) {
  const Waiter *of = &l->all[waiter];
  for (int i = 0; i < waiter; i++)
    if (l->all[i].warp->block == of->warp->block && same_target(&l->all[i], of)) return true;
  return false;
}

void hang_report(Block *block) {
  const Waiters l = find_waiters(block->cluster);
  for (int i = 0; i < l.count; i++) {
    const Waiter *of = &l.all[i];
    Warp *w = &block->warp[of->warp->index];
    if (of->warp->block != block || is_reported(&l, i)) continue;
    if (of->on <= AT_MBARRIER) report(block, &l, i);
    if (of->on == AT_LANES) report_lanes(block, &l, i);
    for (int k = 0; k < w->splits && (of->on == AT_GROUP || of->on == AT_POOL); k++) {
      if (w->split[k].state == SPLIT_GROUP) warpgroup_report_wait(w, &w->split[k]);
      if (w->split[k].state == SPLIT_POOL) register_pool_report_wait(w, &w->split[k]);
    }
  }
  free(l.all);
}

void hang_add_others(const Warp *w) {
  const Waiters l = find_waiters(w->block->cluster);
  const Waiter of = {.warp = w};
  put_groups(w->block, &l, &of, pick_elsewhere, "");
  free(l.all);
}
