/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/barrier.h"

#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/warpgroup.h"
#include "emu/run/sched/cluster.h"
#include "emu/run/sched/converge.h"
#include "emu/run/sched/register_pool.h"
#include "emu/run/state/finding.h"

static bool is_complete(const Block *block, const Barrier *barrier) {
  if (!barrier->syncs) return barrier->expected && barrier->in_warps >= barrier->expected;
  if (barrier->expected) return barrier->in_warps >= barrier->expected;
  return barrier->threads >= block->alive;
}

static uint32_t reduction(const Insn *insn, const Barrier *barrier) {
  switch (insn->barrier.mode) {
  case BARRIER_POPC: return barrier->yes;
  case BARRIER_AND: return barrier->yes == barrier->votes ? ALL_LANES : 0;
  default: return barrier->yes ? ALL_LANES : 0;
  }
}

static void deliver(Warp *w, const Split *split, const Barrier *barrier) {
  const Insn *insn = split->insn;
  if (insn->barrier.mode < BARRIER_POPC) return;
  uint32_t result = reduction(insn, barrier);
  uint32_t *pred = w->preds + split->frame.pred;
  if (insn->barrier.mode != BARRIER_POPC) {
    if (insn->p_out[0] < 0) return;
    pred += insn->p_out[0];
    *pred = (*pred & ~split->waiting) | (result & split->waiting);
    return;
  }
  size_t slot = (size_t)split->frame.slot + (insn->d[0] & REF_INDEX);
  FOR_LANES(lane, split->waiting) w->slots[slot * LANES + lane] = result;
}

/* bar.sync requires all lanes of a warp to be at one instruction. On an H200 divergent lanes may
 * continue or hang. */
static void check_divergence(Warp *w, const Split *split) {
  for (int i = 0; i < w->splits; i++) {
    const Split *other = &w->split[i];
    if (other == split || other->state != SPLIT_BARRIER || other->insn == split->insn) continue;
    if (!other->insn->barrier.aligned && !split->insn->barrier.aligned) continue;
    Block *block = w->block;
    if (finding_add(block, EMU_BARRIER, split->insn, warp_thread(w, lane_first(split->waiting)),
                    1)) {
      finding_describe(block, "lanes of one warp wait at different barriers, the others at %s",
                       insn_line(block->program, other->insn).text);
    }
    return;
  }
}

/* Gives the lanes of a warp that wait at the barrier its result; returns the instruction at which
 * they waited. */
static const Insn *deliver_all(Warp *w, int number, const Barrier *barrier) {
  const Insn *insn = NULL;
  for (int k = 0; k < w->splits; k++) {
    const Split *split = &w->split[k];
    if (split->state != SPLIT_BARRIER || split->barrier != number) continue;
    check_divergence(w, split);
    deliver(w, split, barrier);
    insn = split->insn;
    if (w->block->unchecked || barrier->expected) continue;
    FOR_LANES(lane, split->waiting) w->barriers_passed[lane]++;
  }
  return insn;
}

/* Lets the splits of a warp that wait at the barrier continue, merging those that reconverge
 * here. */
static void go_on(Warp *w, int number) {
  uint32_t gone = 0;
  for (int k = 0; k < w->splits; k++) {
    Split *split = &w->split[k];
    if (split->state != SPLIT_BARRIER || split->barrier != number) continue;
    split->state = SPLIT_READY;
    split->pc++;
    for (uint32_t rest = gone; rest && split->state == SPLIT_READY; rest &= rest - 1)
      warp_join(w, &w->split[lane_first(rest)], split);
    if (split->state == SPLIT_READY) gone |= 1u << k;
  }
}

/* Warps that wait for a barrier at one source line. */
typedef struct {
  const Insn *insn;
  uint32_t warps; /* bit mask */
} Side;

enum { MAX_SIDES = 4 };

/* Collects the source lines at which warps wait for the barrier, at most MAX_SIDES of them. */
static int find_sides(const Block *block, int number, uint32_t syncs, Side side[MAX_SIDES]) {
  int sides = 0;
  FOR_LANES(i, syncs) {
    const Warp *w = &block->warp[i];
    for (int k = 0; k < w->splits; k++) {
      const Split *split = &w->split[k];
      if (split->state != SPLIT_BARRIER || split->barrier != number) continue;
      int s = 0;
      while (s < sides && !insn_same_source(block->program, side[s].insn, split->insn)) s++;
      if (s == MAX_SIDES) continue;
      if (s == sides) side[sides++] = (Side){.insn = split->insn};
      side[s].warps |= 1u << i;
    }
  }
  return sides;
}

/* Adds a note if warps wait for one block-wide barrier at several source lines: CUDA C++ requires
 * all threads to reach the same __syncthreads(). The note is at the line that the fewest warps
 * reach. */
static void note_shared(Block *block, int number, uint32_t syncs) {
  Side side[MAX_SIDES];
  const int sides = find_sides(block, number, syncs, side);
  int least = 0;
  for (int s = 1; s < sides; s++) {
    const int fewer = (int)lane_count(side[s].warps) - (int)lane_count(side[least].warps);
    if (fewer < 0 || (fewer == 0 && side[s].insn < side[least].insn)) least = s;
  }
  if (sides < 2) return;
  const uint32_t thread = warp_thread(&block->warp[lane_first(side[least].warps)], 0);
  if (!finding_add_note(block, EMU_BARRIER, side[least].insn, thread, 1)) return;
  char warps[WARPS_TEXT];
  finding_describe(block,
                   "%s of the block wait here, other warps wait for the same barrier at another "
                   "line: one __syncthreads() must be reached by all threads of the block",
                   finding_warps(side[least].warps, warps));
  block->findings->found[block->findings->current].shared = true;
  for (int s = 0; s < sides; s++)
    if (s != least)
      finding_where(block, side[s].insn, "%s wait here for the same barrier",
                    finding_warps(side[s].warps, warps));
}

/* Adds a note if threads exited without reaching a block-wide barrier. PTX waits only for threads
 * that have not exited; CUDA C++ requires all threads of the block to reach it. */
static void note_exited(Block *block, const Insn *insn) {
  const uint32_t exited = block->threads - block->alive;
  const Warp *w = block->warp;
  while (w->alive == w->initial) w++;
  const uint32_t thread = warp_thread(w, lane_first(w->initial & ~w->alive));
  if (finding_add_note(block, EMU_BARRIER, insn, thread, exited))
    finding_describe(block,
                     "%u of the block's %u threads have exited without reaching this barrier: it "
                     "waits only for the others, but __syncthreads() must be reached by all",
                     exited, block->threads);
}

uint32_t barrier_waiting(const Warp *w, int number) {
  uint32_t waiting = 0;
  for (int k = 0; k < w->splits; k++) {
    const Split *split = &w->split[k];
    if (split->state == SPLIT_BARRIER && split->barrier == number) waiting |= split->waiting;
  }
  return waiting;
}

/* Completes the barrier and releases its warps. */
static void let_go(Block *block, int number) {
  const Barrier barrier = block->barrier[number];
  uint32_t waiting[MAX_WARPS] = {0};
  FOR_LANES(i, barrier.syncs) waiting[i] = barrier_waiting(&block->warp[i], number);
  const Insn *insn = NULL;
  if (!barrier.expected && !block->unchecked) note_shared(block, number, barrier.syncs);
  block->barrier[number] = (Barrier){0};
  block->barriers_open &= ~(1u << number);
  FOR_LANES(i, barrier.syncs) {
    insn = deliver_all(&block->warp[i], number, &barrier);
    go_on(&block->warp[i], number);
  }
  if (!barrier.expected && !block->unchecked && block->alive < block->threads)
    note_exited(block, insn);
  if (!barrier.expected) block->barrier_insn[block->barriers_done++ % BARRIER_HISTORY] = insn;
  if (lane_count(barrier.syncs) == (uint32_t)block->warps) race_block_barrier(block->race);
  order_warps(block, waiting, number);
}

void barrier_update(Block *block, int number) {
  const Barrier *barrier = &block->barrier[number];
  if (is_complete(block, barrier)) let_go(block, number);
}

void barrier_lanes_exit(Warp *w, const Insn *insn, uint32_t active) {
  w->block->alive -= lane_count(active);
  w->alive &= ~active;
  if (!w->block->unchecked) {
    if (insn->end.after_barrier) w->ended_after |= active;
    FOR_LANES(lane, active) w->ended_at[lane] = insn;
  }
  FOR_LANES(i, w->block->barriers_open) barrier_update(w->block, (int)i);
  cluster_update(w->block->cluster);
}

/* --- threads that skip a barrier --- */

/* True if control flow leads from the barrier to the exit `end`. Since sm_70 barriers do not wait
 * for exited threads [PTX ISA, bar]. Warps with different roles may therefore exit at different
 * points and use barriers of their own; but a thread that exits after another role's barrier
 * bypassed it. */
static bool leads_to(const Insn *barrier, const Insn *end) {
  if (barrier->function != end->function) return true;
  return end->end.barriers >> barrier->barrier.bit & 1;
}

/* The first barrier that the lane bypassed, or NULL. */
static const Insn *skipped_by(const Block *block, const Warp *w, unsigned lane) {
  uint32_t passed = w->barriers_passed[lane];
  if (block->barriers_done - passed > BARRIER_HISTORY) return NULL;
  for (; passed < block->barriers_done; passed++) {
    const Insn *insn = block->barrier_insn[passed % BARRIER_HISTORY];
    if (leads_to(insn, w->ended_at[lane])) return insn;
  }
  return NULL;
}

void barrier_check_skipped(Block *block) {
  if (block->unchecked) return;
  for (int i = 0; i < block->warps; i++) {
    const Warp *w = &block->warp[i];
    FOR_LANES(lane, w->ended_after) {
      const Insn *insn = skipped_by(block, w, lane);
      if (!insn || !finding_add(block, EMU_BARRIER, insn, warp_thread(w, lane), 1)) continue;
      finding_describe(block, "a thread bypassed this barrier, at which others waited, and exited");
    }
  }
}
