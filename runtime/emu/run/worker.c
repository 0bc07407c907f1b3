/* Executing blocks one after the other. */
#include "emu/run/worker.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/barrier.h"
#include "emu/run/global_race.h"
#include "emu/run/order.h"
#include "emu/run/race.h"
#include "emu/run/special.h"
#include "emu/run/warp.h"

/* --- blocks --- */

static uint32_t lanes_of_warp(const Block *block, int index) {
  uint32_t lanes = block->threads - (uint32_t)index * LANES;
  return lanes >= LANES ? ALL_LANES : (1u << lanes) - 1;
}

static void start_block(Block *block, uint64_t number) {
  block->number = number;
  block_index(block->launch->config, number, block->index);
  block->alive = block->threads;
  block->barriers_done = 0;
  block->stalled = 0;
  block->stop = false;
  memset(block->barrier, 0, sizeof block->barrier);
  memset(block->shared, 0, block->shared_bytes);
  memset(block->undefined, 0xff, block->shared_bytes);
  free(block->undefined_from);
  block->undefined_from = NULL;
  order_start(block->order, (uint32_t)number);
  race_start(block->race);
  for (int i = 0; i < block->warps; i++) {
    Warp *w = &block->warp[i];
    warp_start(w, &block->program->function[0], lanes_of_warp(block, i));
    special_set_block(w);
  }
}

static void finish_block(Worker *worker) {
  for (int i = 0; i < worker->block.warps; i++) {
    Warp *w = &worker->block.warp[i];
    worker->warp_instructions += w->steps;
    worker->lane_instructions += w->lane_steps;
    w->lane_steps = 0;
  }
}

static bool earlier_block_runs(const Block *block) {
  const Launch *launch = block->launch;
  for (int i = 0; i < launch->workers; i++) {
    const Worker *other = &launch->worker[i];
    if (atomic_load(&other->current) < block->number) return true;
  }
  return false;
}

/* Lanes that poll for what a waiting lane of their warp would do, such as releasing a lock, would
 * poll for ever: threads make progress independently [PTX ISA, since sm_70]. But where a block
 * waits for an earlier one there is nothing to do but to wait, and no warp may fall apart over it.
 */
static void watch_polling(Block *block, bool all_stalled) {
  enum { PATIENCE = 16 };
  block->stalled = all_stalled ? block->stalled + 1 : 0;
  if (block->stalled < PATIENCE) return;
  if (earlier_block_runs(block)) {
    sched_yield();
    return;
  }
  block->stalled = 0;
  for (int i = 0; i < block->warps; i++) warp_stop_waiting(&block->warp[i]);
}

/* Where another block has ended the launch. Earlier blocks go on, so that the first one to fail is
 * found whatever the order in which host threads run them; but not if they only wait, maybe for
 * that block, unless it is waiting itself that ended it. */
static bool is_over(const Block *block, bool all_stalled) {
  const Launch *launch = block->launch;
  const uint64_t by = atomic_load_explicit(&launch->stopped_by, memory_order_relaxed);
  if (by == NO_BLOCK) return false;
  return by < block->number || (all_stalled && !atomic_load(&launch->out_of_steps));
}

/* Warps take turns; a round in which none could run means that all wait for what cannot happen. */
static void run_block(Block *block) {
  while (block->alive && !block->stop) {
    bool ran = false, all_stalled = true;
    for (int i = 0; i < block->warps; i++) {
      Warp *w = &block->warp[i];
      if (!w->alive || !warp_run(w)) continue;
      ran = true;
      all_stalled &= w->stalled;
    }
    if (!ran && !block->stop) barrier_deadlock(block);
    watch_polling(block, all_stalled);
    if (!block->stop && is_over(block, all_stalled)) return;
  }
  if (!block->stop) barrier_check_skipped(block);
}

static bool goes_on(Launch *launch) {
  const EmuLaunch *c = launch->config;
  if (atomic_load(&launch->stopped_by) != NO_BLOCK) return false;
  const uint64_t begun = atomic_load(&launch->next);
  return !c->progress || begun >= launch->blocks ||
         c->progress(c->progress_context, begun, launch->blocks);
}

/* While a worker takes its next block it counts as running an early one: none is overlooked. */
static uint64_t next_block(Worker *worker) {
  Launch *launch = worker->launch;
  atomic_store(&worker->current, 0);
  uint64_t number = goes_on(launch) ? atomic_fetch_add(&launch->next, 1) : NO_BLOCK;
  if (number >= launch->blocks) number = NO_BLOCK;
  atomic_store(&worker->current, number);
  return number;
}

void worker_run(Worker *worker) {
  for (uint64_t number; (number = next_block(worker)) != NO_BLOCK;) {
    start_block(&worker->block, number);
    run_block(&worker->block);
    finish_block(worker);
  }
}

/* --- storage --- */

static bool open_warp(Warp *w, Block *block, int index) {
  w->block = block;
  w->index = index;
  w->code = block->program->insn;
  w->special = calloc((size_t)SPECIALS * LANES, sizeof *w->special);
  w->base[BANK_CONST] = block->launch->consts;
  if (!w->special || !warp_reserve(w, &block->program->function[0], (Frame){0}, 0)) return false;
  special_set_fixed(w);
  return true;
}

static bool open_block(Block *block) {
  const EmuLaunch *config = block->launch->config;
  block->threads = config->block[0] * config->block[1] * config->block[2];
  block->warps = (int)((block->threads + LANES - 1) / LANES);
  block->shared_bytes = config->dynamic_shared
                            ? block->program->dynamic_offset + config->dynamic_shared
                            : block->program->static_shared;
  block->shared = calloc(1, block->shared_bytes + 16);
  block->undefined = calloc(1, block->shared_bytes + 16);
  block->warp = calloc((size_t)block->warps, sizeof *block->warp);
  block->race = race_new(block->shared_bytes);
  block->order =
      order_new(block->program->uses_fence, global_race_pool(block->launch->global_race));
  bool ok = block->shared && block->undefined && block->warp && block->race && block->order;
  for (int i = 0; ok && i < block->warps; i++) ok = open_warp(&block->warp[i], block, i);
  return ok;
}

bool worker_open(Worker *worker, Launch *launch) {
  Block *block = &worker->block;
  worker->launch = launch;
  atomic_init(&worker->current, NO_BLOCK);
  worker->access = calloc((size_t)launch->program->sites * 2 + 1, sizeof *worker->access);
  block->launch = launch;
  block->program = launch->program;
  block->access = worker->access;
  block->findings = &worker->findings;
  block->memo =
      calloc(((size_t)launch->program->sites * 2 + 1) * COUNTER_WAYS, sizeof *block->memo);
  return worker->access && block->memo && open_block(block);
}

void worker_close(Worker *worker) {
  Block *block = &worker->block;
  for (int i = 0; block->warp && i < block->warps; i++) warp_release(&block->warp[i]);
  free(block->warp);
  free(block->shared);
  free(block->undefined);
  free(block->undefined_from);
  race_free(block->race);
  order_free(block->order);
  free(worker->access);
  free(block->memo);
}
