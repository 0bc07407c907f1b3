/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/cluster.h"

#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

uint32_t cluster_threads(const Cluster *cluster) {
  uint32_t threads = 0;
  for (int i = 0; i < cluster->blocks; i++) threads += cluster->block[i]->alive;
  return threads;
}

bool cluster_runs(const Block *block) {
  const Cluster *cluster = block->cluster;
  for (int i = 0; i < cluster->blocks; i++) {
    const Block *other = cluster->block[i];
    if (other != block && other->alive && !other->blocked && !other->stop) return true;
  }
  return false;
}

/* Wakes the splits that wait at the cluster's barrier. */
static void let_go(Block *block) {
  for (int i = 0; i < block->warps; i++) {
    Warp *w = &block->warp[i];
    for (int k = 0; k < w->splits && w->alive; k++) {
      Split *split = &w->split[k];
      if (split->state != SPLIT_BARRIER || split->barrier != CLUSTER_BARRIER) continue;
      split->state = SPLIT_READY; /* it executes its wait again */
    }
  }
  block->blocked = false;
}

void cluster_update(Cluster *cluster) {
  if (!cluster->arrived || cluster->arrived < cluster_threads(cluster)) return;
  cluster->arrived = 0;
  cluster->phase++;
  order_phase(cluster->order, CLUSTER_LOCATION);
  for (int i = 0; i < cluster->blocks; i++) let_go(cluster->block[i]);
}

static void report(Warp *w, const Insn *insn, uint32_t lanes, const char *what) {
  if (lanes && finding_add(w->block, EMU_BARRIER, insn, warp_thread(w, lane_first(lanes)), 1))
    finding_describe(w->block, "%s", what);
}

/* An arrival counts for the current phase. cluster_phase is the phase of the lane's latest arrival
 * plus 1, so it exceeds the current phase if the lane has already arrived in it. */
void cluster_arrive(Warp *w, const Insn *insn, uint32_t active) {
  Cluster *cluster = w->block->cluster;
  uint32_t twice = 0;
  FOR_LANES(lane, active) {
    twice |= (w->cluster_phase[lane] > cluster->phase ? 1u : 0) << lane;
    w->cluster_phase[lane] = cluster->phase + 1;
    w->counted = true;
  }
  report(w, insn, twice, "arrives at the cluster's barrier again without barrier.cluster.wait");
  cluster->arrived += lane_count(active & ~twice);
  cluster_update(cluster);
}

bool cluster_wait(Warp *w, const Insn *insn, uint32_t active) {
  Split *split = w->now;
  uint32_t never = 0, early = 0;
  FOR_LANES(lane, active) {
    never |= (w->cluster_phase[lane] == 0 ? 1u : 0) << lane;
    early |= (w->cluster_phase[lane] > w->block->cluster->phase ? 1u : 0) << lane;
  }
  report(w, insn, never, "waits at the cluster's barrier without barrier.cluster.arrive");
  if (!early) return true;
  split->state = SPLIT_BARRIER;
  split->barrier = CLUSTER_BARRIER;
  split->waiting = active;
  split->insn = insn;
  return false;
}
