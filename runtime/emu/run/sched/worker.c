/* SPDX-License-Identifier: MIT */
/* Executes blocks. A block runs until it ends or only polls. If it only polls, the worker runs
 * others: new blocks, or blocks that waited, because blocks resident on a GPU make progress
 * concurrently. Which block waits for which does not depend on the number of host threads. */
#include "emu/run/sched/worker.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/access/counters.h"
#include "emu/run/sched/barrier.h"
#include "emu/run/sched/block_pool.h"
#include "emu/run/sched/cluster.h"
#include "emu/run/sched/hang.h"
#include "emu/run/sched/resident.h"
#include "emu/run/sched/schedule.h"
#include "emu/run/sched/warp.h"
#include "emu/translate/translate.h"

/* POLL_ROUNDS: polling rounds before a block yields. INITIAL_RESIDENTS: blocks that a worker keeps
 * resident initially. IDLE_BEFORE_SPLIT: idle instructions after which workers that do not hold the
 * lowest-numbered block also split waiting warps. */
enum { POLL_ROUNDS = 16, INITIAL_RESIDENTS = 8, IDLE_BEFORE_SPLIT = 1 << 13 };

#define NOT_RUNNING UINT64_MAX

/* --- a time slice --- */

typedef enum { SLICE_ENDED, SLICE_WAITS, SLICE_SWITCHES } SliceEnd;

/* True if this block must stop because the launch has ended or time is up. Lower-numbered blocks
 * continue, so that the lowest block that fails is found whatever the order in which host threads
 * run blocks. A block that only polls stops too, because the ended block may be what it waits for,
 * unless the launch ended because of such waiting. When time is up, the block it waits for may
 * never start. */
static bool is_over(const Block *block, bool waits) {
  const Launch *launch = block->launch;
  const uint64_t by = atomic_load_explicit(&launch->stopped_by, memory_order_relaxed);
  if (waits && atomic_load(&launch->cut)) return true;
  if (by == NO_BLOCK) return false;
  return by < block->number || (waits && !atomic_load(&launch->out_of_steps));
}

static uint64_t steps_of(const Block *block) {
  uint64_t steps = 0;
  for (int i = 0; i < block->warps; i++) steps += block->warp[i].steps;
  return steps;
}

static bool waits_at_barriers_only(const Warp *w) {
  bool only = w->alive;
  for (int k = 0; k < w->splits; k++) {
    const SplitState state = w->split[k].state;
    only = only && (state == SPLIT_FREE || state == SPLIT_BARRIER);
  }
  return only;
}

/* Lanes that left a loop containing a barrier, and wait only to exit together with the others, exit
 * now: barriers wait only for threads that have not exited [PTX ISA, bar]. */
static bool end_lanes(Block *block) {
  bool any = false;
  for (int i = 0; i < block->warps; i++)
    any |= waits_at_barriers_only(&block->warp[i]) && warp_stop_waiting(&block->warp[i], true);
  return any;
}

/* Splits warps whose lanes wait to reconverge with lanes that wait for them at a barrier or for a
 * lock: threads make independent progress [PTX ISA, since sm_70; observed on an H200]. Not called
 * for a block that waits for another block. */
static bool stop_waiting(Block *block) {
  bool any = false;
  for (int i = 0; i < block->warps; i++) any |= warp_stop_waiting(&block->warp[i], false);
  return any;
}

/* One thread may poll on behalf of its block and pass the result on through shared memory and a
 * barrier. Warps that only take part in that count as waiting, too. */
static bool only_polls(Block *block, bool any) {
  for (int i = 0; any && i < block->warps; i++) {
    Warp *w = &block->warp[i];
    if (w->alive) w->waited += w->followed;
  }
  return any;
}

/* How the warps of a round ran. */
typedef struct {
  bool ran, any_stalled, all_follow;
} Round;

static void run_warp(Block *block, int index, Round *r) {
  Warp *w = &block->warp[index];
  if (!w->alive || !warp_run(w)) return;
  r->ran = true;
  r->any_stalled |= w->stalled;
  r->all_follow &= w->idle_or_at_barrier;
}

static void run_scheduled(Block *block, Round *r) {
  int order[MAX_WARPS];
  const int first = schedule_warps(block, order);
  for (int i = 0; i < first; i++) run_warp(block, order[i], r);
  if (r->ran && !r->all_follow) return;
  for (int i = first; i < block->warps; i++) run_warp(block, order[i], r);
}

/* Runs every warp for one time slice, unless a schedule prefers some; true if all warps only
 * polled. If no warp can run, the block is deadlocked or waits for its cluster. */
static bool run_round(Block *block) {
  Round r = {.all_follow = true};
  const EmuTranslator *translator = block->unchecked ? block->launch->config->translator : NULL;
  const uint64_t before = translator ? steps_of(block) : 0;
  if (block->launch->schedule.number)
    run_scheduled(block, &r);
  else
    for (int i = 0; i < block->warps; i++) run_warp(block, i, &r);
  if (translator) translation_count(block->program, translator, steps_of(block) - before);
  block->blocked = !r.ran && !block->stop && !end_lanes(block) && !stop_waiting(block);
  if (block->blocked && !cluster_runs(block)) {
    hang_report(block);
    block_stop(block);
  }
  return only_polls(block, r.all_follow && (r.any_stalled || !r.ran));
}

/* A block that was already waiting gets only one round. */
static SliceEnd run_slice(Block *block, bool waited) {
  int patience = waited ? 1 : POLL_ROUNDS;
  Launch *launch = block->launch;
  int rounds = launch->schedule.number ? schedule_rounds(launch) : INT_MAX;
  for (int stalled = 0; block->alive && !block->stop;) {
    const bool polls = run_round(block);
    if (!polls) {
      atomic_fetch_add_explicit(&block->launch->progress, 1, memory_order_relaxed);
      patience = POLL_ROUNDS;
    }
    stalled = polls ? stalled + 1 : 0;
    if (!block->stop && is_over(block, stalled >= patience)) return SLICE_ENDED;
    if (block->stop || !block->alive) break;
    if (block->blocked || stalled >= patience) return SLICE_WAITS;
    if (!polls && rounds != INT_MAX && --rounds == 0) return SLICE_SWITCHES;
  }
  if (!block->stop) barrier_check_skipped(block);
  if (!block->alive) resident_finish(block);
  return SLICE_ENDED;
}

/* --- resident blocks --- */

/* Publishes the number of the worker's first block to the other workers. */
static void show_lowest(Worker *worker) {
  atomic_store(&worker->current, worker->residents ? worker->resident[0]->number : NO_BLOCK);
}

static bool is_lowest(const Worker *worker) {
  const Launch *launch = worker->launch;
  for (int i = 0; i < launch->workers; i++) {
    const Worker *other = &launch->worker[i];
    if (other != worker && atomic_load(&other->current) < worker->resident[0]->number) return false;
  }
  return true;
}

static bool reserve_resident(Worker *worker) {
  const int more = worker->launch->cluster_blocks;
  if (worker->residents + more <= worker->capacity) return true;
  const int capacity = 2 * worker->capacity + INITIAL_RESIDENTS + more;
  Block **grown = realloc(worker->resident, (size_t)capacity * sizeof(Block *));
  if (!grown) atomic_store(&worker->launch->out_of_memory, true);
  if (!grown) return false;
  worker->resident = grown;
  worker->capacity = capacity;
  return true;
}

/* True if more blocks may start: not after a failure, and not once the progress callback has
 * returned false. */
static bool goes_on(Launch *launch) {
  const EmuLaunch *c = launch->config;
  if (atomic_load(&launch->stopped_by) != NO_BLOCK || atomic_load(&launch->cut)) return false;
  const uint64_t begun = atomic_load(&launch->next) * (uint64_t)launch->cluster_blocks;
  if (!c->progress || begun >= launch->blocks) return true;
  const bool more = c->progress(c->progress_context, begun, launch->blocks);
  if (!more) atomic_store(&launch->cut, true);
  return more;
}

/* Takes the number of the next cluster. Meanwhile the worker counts as holding block 0, so that no
 * other worker takes its own block for the lowest. */
static uint64_t take_number(Worker *worker) {
  atomic_store(&worker->current, 0);
  return worker_cancel(worker->launch);
}

uint64_t worker_cancel(Launch *launch) {
  const uint64_t number = goes_on(launch) ? atomic_fetch_add(&launch->next, 1) : NO_BLOCK;
  if (number >= launch->blocks / (uint64_t)launch->cluster_blocks) return NO_BLOCK;
  return launch->schedule.number ? schedule_cluster(launch, number) : number;
}

static Cluster *storage_for(Worker *worker) {
  Launch *launch = worker->launch;
  Cluster *kept = block_pool_acquire(launch->pool, launch);
  const WorkerTallies tallies = {worker->access, worker->memo, worker->pending, &worker->findings};
  if (!kept) return resident_new(launch, tallies);
  resident_renew(kept, launch, tallies);
  return kept;
}

/* Starts the blocks of one more cluster and makes it the worker's current one; false if no cluster
 * or no room is left. */
static bool start_next(Worker *worker) {
  Launch *launch = worker->launch;
  const int more = launch->cluster_blocks;
  if (worker->residents && worker->residents + more > worker->limit) return false;
  if (!worker->spare) worker->spare = storage_for(worker);
  const bool room = worker->spare && reserve_resident(worker) &&
                    atomic_load(&launch->residents) + more <= launch->most_residents;
  const uint64_t number = room ? take_number(worker) : NO_BLOCK;
  if (number != NO_BLOCK) {
    Cluster *cluster = worker->spare;
    worker->spare = NULL;
    atomic_fetch_add(&launch->residents, more);
    resident_start(cluster, number);
    worker->at = worker->residents;
    for (int i = 0; i < more; i++) worker->resident[worker->residents++] = cluster->block[i];
  }
  show_lowest(worker);
  return number != NO_BLOCK;
}

static void add_steps(Worker *worker, Block *block) {
  for (int i = 0; i < block->warps; i++) {
    worker->warp_instructions += block->warp[i].steps;
    worker->lane_instructions += block->warp[i].lane_steps;
    block->warp[i].lane_steps = 0;
    for (int some = 0; some < 2; some++) {
      worker->translated[some] += block->warp[i].translated[some];
      block->warp[i].translated[some] = 0;
    }
  }
}

/* Removes a block that has ended. Once all blocks of its cluster have, keeps their storage for the
 * next cluster. */
static void retire(Worker *worker) {
  Block *block = worker->resident[worker->at];
  add_steps(worker, block);
  worker->residents--;
  memmove(&worker->resident[worker->at], &worker->resident[worker->at + 1],
          (size_t)(worker->residents - worker->at) * sizeof(Block *));
  atomic_fetch_sub(&worker->launch->residents, 1);
  block->ended = true;
  if (--block->cluster->running == 0) {
    resident_free(worker->spare);
    worker->spare = block->cluster;
  }
  worker->waiting = 0;
  worker->at = 0;
  show_lowest(worker);
}

/* --- waiting --- */

/* True if all blocks of all workers have only polled since `progress`. */
static bool all_wait(const Launch *launch, uint64_t progress) {
  for (int i = 0; i < launch->workers; i++) {
    const uint64_t since = atomic_load(&launch->worker[i].stalled_at);
    if (since != progress && since != NOT_RUNNING) return false;
  }
  return atomic_load(&launch->progress) == progress;
}

/* The number of idle instructions after which a cluster counts as hung: few if all its warps wait
 * for mbarriers, which unlike a polled clock cannot change by themselves. */
static uint64_t patience_of(const Cluster *cluster, uint64_t most) {
  enum { SOON = 1 << 14 };
  for (int i = 0; i < cluster->blocks; i++) {
    const Block *block = cluster->block[i];
    for (int k = 0; k < block->warps && !block->ended; k++)
      if (block->warp[k].alive && block->warp[k].stalled && !block->warp[k].waits.insn) return most;
  }
  return most < SOON ? most : SOON;
}

/* Reports every mbarrier and barrier that warps are blocked on, since one of them may wait for
 * another's cause, and the first warp that polls something else. Ends the launch. */
static void report_hang(Block *block, uint64_t idle) {
  bool any = false;
  const Warp *polls = NULL;
  if (block->stop || block->ended) return;
  for (int i = 0; i < block->warps; i++) {
    const Warp *w = &block->warp[i];
    any |= w->alive && w->waits.insn;
    if (!polls && w->alive && w->stalled && !w->waits.insn) polls = w;
  }
  if (any) {
    atomic_store(&block->launch->out_of_steps, true);
    hang_report(block);
    block_stop(block);
  }
  if (polls) warp_report_hang(&block->warp[polls->index], idle);
}

/* Counts the instructions executed while all blocks wait. A loop may still end by itself, because
 * the clock advances. */
static void count_idle(Worker *worker) {
  Launch *launch = worker->launch;
  const uint64_t idle =
      atomic_fetch_add(&launch->idle, worker->waited_steps) + worker->waited_steps;
  const uint64_t all = launch->waited + idle;
  const Block *first = worker->resident[0];
  const uint64_t most = patience_of(first->cluster, launch->max_steps);
  const bool for_host = launch->patience && most == launch->max_steps;
  if (for_host && idle > launch->patience) atomic_store(&launch->parked, true);
  if (for_host || all <= most || !is_lowest(worker)) return;
  if (atomic_load(&launch->stopped_by) < first->number) return;
  for (int i = 0; i < first->cluster->blocks; i++) report_hang(first->cluster->block[i], all);
}

/* All blocks wait. Splits lanes that wait for each other, starting with the lowest-numbered block.
 * If that block has none, its worker may hold more blocks, so that others start. */
static void end_waiting(Worker *worker) {
  const Launch *launch = worker->launch;
  const bool lowest = is_lowest(worker);
  if (lowest && stop_waiting(worker->resident[0])) return;
  if (lowest && worker->residents == worker->limit) {
    worker->limit *= 2;
    if (start_next(worker)) return;
  }
  bool any = false;
  const bool parts = lowest || atomic_load(&launch->idle) > IDLE_BEFORE_SPLIT;
  for (int i = 0; parts && i < worker->residents; i++) any |= stop_waiting(worker->resident[i]);
  if (!any) count_idle(worker);
}

/* All blocks of this worker have only polled since waits_since: waits for another worker's
 * progress. */
static void wait_for_change(Worker *worker) {
  Launch *launch = worker->launch;
  const uint64_t progress = worker->waits_since;
  if (atomic_load(&launch->progress) != progress) return;
  if (atomic_exchange(&worker->stalled_at, progress) != progress) atomic_store(&launch->idle, 0);
  sched_yield();
  if (all_wait(launch, progress)) end_waiting(worker);
}

/* Chooses the next block after a time slice that ended by polling: first the other blocks of the
 * cluster, then new and waiting blocks alternately. */
static void schedule_next(Worker *worker, uint64_t progress, uint64_t steps) {
  if (worker->waiting++ == 0) {
    worker->waits_since = progress;
    worker->waited_steps = 0;
  }
  worker->waited_steps += steps;
  Block *const *at = worker->resident + worker->at;
  const bool together = worker->at + 1 < worker->residents && at[0]->cluster == at[1]->cluster;
  if (!together) worker->prefers_new = !worker->prefers_new;
  if (!together && worker->prefers_new && start_next(worker)) return;
  worker->at = (worker->at + 1) % worker->residents;
  if (worker->waiting < worker->residents) return;
  worker->waiting = 0;
  if (!start_next(worker)) wait_for_change(worker);
}

/* A schedule lets other blocks run. */
static void switch_block(Worker *worker) {
  worker->waiting = 0;
  if (!schedule_random(worker->launch, 2) && start_next(worker)) return;
  worker->at = schedule_random(worker->launch, worker->residents);
}

void worker_run(Worker *worker) {
  Launch *launch = worker->launch;
  atomic_store(&worker->stalled_at, 0);
  while (!atomic_load_explicit(&launch->parked, memory_order_relaxed) &&
         (worker->residents || start_next(worker))) {
    Block *block = worker->resident[worker->at];
    const uint64_t progress = atomic_load(&launch->progress), before = steps_of(block);
    const SliceEnd end = run_slice(block, block->waited);
    block->waited = end == SLICE_WAITS;
    if (end == SLICE_ENDED)
      retire(worker);
    else if (end == SLICE_SWITCHES)
      switch_block(worker);
    else
      schedule_next(worker, progress, steps_of(block) - before);
  }
  atomic_store(&worker->stalled_at, NOT_RUNNING);
}

/* --- storage --- */

/* Buffers may have moved in the host's memory. */
void worker_wake(Worker *worker) {
  for (int i = 0; i < worker->residents; i++) {
    Block *block = worker->resident[i];
    block->last_buffer = NULL;
    memset(block->recent, 0, sizeof block->recent);
  }
}

bool worker_open(Worker *worker, Launch *launch) {
  worker->launch = launch;
  worker->limit = INITIAL_RESIDENTS;
  atomic_init(&worker->current, NO_BLOCK);
  atomic_init(&worker->stalled_at, NOT_RUNNING);
  worker->access = calloc((size_t)launch->program->sites * 2 + 1, sizeof *worker->access);
  worker->memo =
      calloc(((size_t)launch->program->sites * 2 + 1) * COUNTER_WAYS, sizeof *worker->memo);
  if (!worker->access || !worker->memo) return false;
  if (launch->config->observer && !launch->unchecked) {
    worker->pending = calloc(1, sizeof *worker->pending);
    if (!worker->pending) return false;
  }
  worker->spare = storage_for(worker);
  return worker->spare != NULL;
}

void worker_stop(Worker *worker) {
  for (int i = 0; i < worker->residents; i++) add_steps(worker, worker->resident[i]);
}

void worker_close(Worker *worker) {
  for (int i = 0; i < worker->residents; i++) {
    Cluster *cluster = worker->resident[i]->cluster;
    if (--cluster->running == 0) resident_free(cluster);
  }
  if (worker->spare) block_pool_release(worker->launch->pool, worker->launch, worker->spare);
  free(worker->findings.found);
  free(worker->resident);
  if (worker->pending) counters_flush(worker->launch, worker->pending);
  free(worker->access);
  free(worker->memo);
}
