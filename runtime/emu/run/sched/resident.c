/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/resident.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "emu/run/async/flight.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/global.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/warpgroup.h"
#include "emu/run/sched/register_pool.h"
#include "emu/run/sched/special.h"
#include "emu/run/sched/translated.h"
#include "emu/run/sched/warp.h"
#include "emu/run/state/sync_log.h"
#include "emu/run/tmem/tmem.h"

/* --- storage --- */

/* Allocates zeroed memory aligned to cache lines, so that vectors of registers do not cross
 * lines. */
static void *new_lines(size_t bytes) {
  enum { LINE = 64 };
  void *lines = aligned_alloc(LINE, number_up_bytes(bytes, LINE));
  return lines ? memset(lines, 0, bytes) : NULL;
}

static bool open_warp(Warp *w, Block *block, int index) {
  w->block = block;
  w->index = index;
  w->slot = block->first_slot + index;
  w->code = block->program->insn;
  w->special = new_lines((size_t)SPECIALS_OF_WARP * LANES * sizeof *w->special);
  w->base[BANK_BLOCK] = block->special;
  if (!w->special || !warp_reserve(w, &block->program->function[0], (Frame){0}, 0)) return false;
  special_set_warp(w);
  return true;
}

/* The kernel's arrays begin at 0. The part that the system reserves comes after them, and only
 * exists for kernels that use its address, so that array addresses do not depend on it. */
static void size_shared(Block *block) {
  enum { ALIGN = 128 };
  const EmuLaunch *config = block->launch->config;
  block->user_shared = config->dynamic_shared
                           ? block->program->dynamic_offset + config->dynamic_shared
                           : block->program->static_shared;
  block->reserved_at = (uint32_t)number_up_bytes(block->user_shared, ALIGN);
  block->shared_bytes =
      block->program->uses_reserved ? block->reserved_at + RESERVED_SHARED : block->user_shared;
  block->shared_room = (uint32_t)number_up_bytes(block->shared_bytes, ALIGN);
}

static bool open_block(Block *block) {
  size_shared(block);
  block->shared = new_lines(block->shared_room + NEAR);
  block->undefined = calloc(1, block->shared_room + 16);
  block->warp = calloc((size_t)block->warps, sizeof *block->warp);
  if (!block->unchecked) block->race = race_new(block->shared_room);
  block->special =
      new_lines((size_t)(SPECIALS - SPECIALS_OF_WARP) * LANES * sizeof *block->special);
  bool ok = block->shared && block->undefined && block->warp && block->special &&
            (block->race || block->unchecked);
  for (int i = 0; ok && i < block->warps; i++) ok = open_warp(&block->warp[i], block, i);
  return ok;
}

static void free_block(Block *block) {
  if (!block) return;
  for (int i = 0; block->warp && i < block->warps; i++) warp_release(&block->warp[i]);
  free(block->warp);
  free(block->special);
  free(block->shared);
  free(block->undefined);
  free(block->undefined_from);
  race_free(block->race);
  warpgroup_free(block);
  tmem_free(block);
  flight_free_inbound(block);
  free(block->mbarrier);
  sync_log_drop(block);
  free(block);
}

static Block *new_block(Launch *launch, Cluster *cluster, int rank) {
  const uint32_t *size = launch->config->block;
  Block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  block->launch = launch;
  block->unchecked = launch->unchecked;
  block->program = launch->program;
  block->cluster = cluster;
  block->rank = rank;
  block->order = cluster->order;
  block->threads = size[0] * size[1] * size[2];
  block->warps = (int)((block->threads + LANES - 1) / LANES);
  block->first_slot = rank * (block->warps + 1);
  if (open_block(block)) return block;
  free_block(block);
  return NULL;
}

static Order *new_order(const Launch *launch) {
  const uint32_t *size = launch->config->block;
  const int warps = (int)((size[0] * size[1] * size[2] + LANES - 1) / LANES);
  return order_new(launch->cluster_blocks, warps + 1, launch->program->uses_fence,
                   global_race_pool(launch->global_race), race_catch_up);
}

/* Resets the state that belongs to the previous launch. */
static void renew_block(Block *block, Launch *launch) {
  block->launch = launch;
  block->last_buffer = NULL;
  memset(block->recent, 0, sizeof block->recent);
  memset(block->stride, 0, sizeof block->stride);
  special_set_fixed(block);
  for (int i = 0; i < block->warps; i++) {
    Warp *w = &block->warp[i];
    w->base[BANK_CONST] = launch->consts;
    local_clear(&w->local);
    translated_open(w);
  }
}

void resident_renew(Cluster *cluster, Launch *launch, WorkerTallies tallies) {
  for (int i = 0; i < cluster->blocks; i++) {
    Block *block = cluster->block[i];
    renew_block(block, launch);
    block->access = tallies.access;
    block->memo = tallies.memo;
    block->pending = tallies.pending;
    block->findings = tallies.findings;
  }
}

bool resident_can_renew(const Cluster *cluster) { return order_goes_on(cluster->order); }

size_t resident_bytes(const Cluster *cluster) {
  const Block *block = cluster->block[0];
  const Warp *w = block->warp;
  const size_t of_warp = sizeof *w +
                         (w->slot_capacity + SPECIALS_OF_WARP) * LANES * sizeof *w->slots +
                         (size_t)LANES * w->local.capacity * 2;
  const size_t of_shared = block->unchecked ? 2 : RACE_BYTES;
  return (size_t)cluster->blocks *
         ((size_t)block->warps * of_warp + (size_t)block->shared_bytes * of_shared);
}

Cluster *resident_new(Launch *launch, WorkerTallies tallies) {
  Cluster *cluster = calloc(1, sizeof *cluster);
  if (!cluster) return NULL;
  cluster->blocks = launch->cluster_blocks;
  if (!launch->unchecked) cluster->order = new_order(launch);
  bool ok = cluster->order || launch->unchecked;
  for (int i = 0; ok && i < cluster->blocks; i++) {
    Block *block = cluster->block[i] = new_block(launch, cluster, i);
    ok = block != NULL;
  }
  if (ok) {
    resident_renew(cluster, launch, tallies);
    return cluster;
  }
  resident_free(cluster);
  return NULL;
}

void resident_free(Cluster *cluster) {
  if (!cluster) return;
  for (int i = 0; i < cluster->blocks; i++) free_block(cluster->block[i]);
  order_free(cluster->order);
  free(cluster);
}

/* --- the start and the end --- */

static uint32_t lanes_of_warp(const Block *block, int index) {
  uint32_t lanes = block->threads - (uint32_t)index * LANES;
  return lanes >= LANES ? ALL_LANES : (1u << lanes) - 1;
}

static void start_block(Block *block, uint64_t number) {
  block->number = number;
  block_index(block->launch, number, block->index);
  block->alive = block->threads;
  block->barriers_done = 0;
  block->waited = false;
  block->stop = false;
  block->blocked = block->ended = false;
  if (block->barriers_open) memset(block->barrier, 0, sizeof block->barrier);
  block->barriers_open = 0;
  memset(block->shared, 0, block->shared_room);
  if (!block->unchecked) memset(block->undefined, 0xff, block->user_shared);
  free(block->undefined_from);
  block->undefined_from = NULL;
  race_start(block->race);
  warpgroup_start(block);
  tmem_start(block);
  register_pool_start(block);
  flight_start(block);
  sync_log_begin(block);
  mbarrier_start(block);
  special_set_block(block);
  for (int i = 0; i < block->warps; i++)
    warp_start(&block->warp[i], &block->program->function[0], lanes_of_warp(block, i));
}

void resident_start(Cluster *cluster, uint64_t number) {
  const uint64_t first = number * (uint64_t)cluster->blocks;
  cluster->running = cluster->blocks;
  cluster->arrived = cluster->phase = 0;
  order_start(cluster->order, (uint32_t)first);
  for (int i = 0; i < cluster->blocks; i++) start_block(cluster->block[i], first + (uint64_t)i);
}

void resident_finish(Block *block) {
  if (block->stop) return;
  flight_finish(block);
  tmem_finish(block);
  if (!block->inbounds)
    /* otherwise bytes are still in flight, and flight_finish() has reported that */
    mbarrier_finish(block);
  if (block->cluster->blocks > 1) race_check_remote(block);
  sync_log_end(block);
}

/* --- limits --- */

int resident_most(const Launch *launch) {
  enum { THREADS = 2048, BLOCKS = 32, SHARED = 228 << 10, OWN_SHARED = RESERVED_SHARED };
  const uint32_t *size = launch->config->block;
  const uint32_t threads = (size[0] * size[1] * size[2] + LANES - 1) / LANES * LANES;
  const uint32_t shared = launch->program->dynamic_offset + launch->config->dynamic_shared;
  uint32_t most = THREADS / threads;
  if (most > BLOCKS) most = BLOCKS;
  if (most > SHARED / (shared + OWN_SHARED)) most = SHARED / (shared + OWN_SHARED);
  const int all = (int)(most ? most : 1) * PROCESSORS;
  return all < launch->cluster_blocks ? launch->cluster_blocks : all;
}

unsigned resident_cycles(const Launch *launch) {
  enum { SCHEDULERS = 4, LEAST = 4 };
  const uint32_t *size = launch->config->block;
  const uint64_t warps = ((uint64_t)size[0] * size[1] * size[2] + LANES - 1) / LANES;
  const uint64_t each = (launch->blocks + PROCESSORS - 1) / PROCESSORS;
  const uint64_t most = (uint64_t)launch->most_residents / PROCESSORS;
  const uint64_t cycles = (each < most ? each : most) * warps / SCHEDULERS;
  return cycles > LEAST ? (unsigned)cycles : LEAST;
}
