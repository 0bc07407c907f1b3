/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/special.h"

#include "base/number.h"

enum { WARP_NUMBERS = 64 }; /* warp slots per SM */

static void set_special(Block *block, Special which, uint64_t value) {
  uint64_t *reg = block->special + (size_t)(which - SPECIALS_OF_WARP) * LANES;
  if (reg[0] == value && reg[LANES - 1] == value) return; /* all lanes hold the same value */
  for (int lane = 0; lane < LANES; lane++) reg[lane] = value;
}

/* Sizes are rounded up to the hardware's allocation unit [PTX ISA, %total_smem_size]. */
static void set_shared(Block *block) {
  const uint64_t total = number_up_bytes(block->user_shared, 128);
  set_special(block, SPECIAL_TOTAL_SMEM, total);
  set_special(block, SPECIAL_AGGREGATE_SMEM, total + RESERVED_SHARED);
  set_special(block, SPECIAL_RESERVED_BEGIN, block->reserved_at);
  set_special(block, SPECIAL_RESERVED_0, block->reserved_at);
  set_special(block, SPECIAL_RESERVED_1, block->reserved_at + RESERVED_SHARED / 2);
  set_special(block, SPECIAL_RESERVED_END, block->reserved_at + RESERVED_SHARED);
  set_special(block, SPECIAL_RESERVED_BYTES, RESERVED_SHARED);
}

static void next_thread(const uint32_t size[3], uint32_t xyz[3]) {
  for (int i = 0; i < 3; i++) {
    if (++xyz[i] < size[i]) return;
    xyz[i] = 0;
  }
}

void special_set_warp(Warp *w) {
  uint32_t xyz[3];
  block_thread(w->block, warp_thread(w, 0), xyz);
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint64_t *reg = w->special + lane;
    const uint32_t bit = 1u << lane;
    for (int i = 0; i < 3; i++) reg[(SPECIAL_TID_X + i) * LANES] = xyz[i];
    reg[SPECIAL_LANE * LANES] = lane;
    reg[SPECIAL_WARP * LANES] = (uint64_t)w->index;
    reg[SPECIAL_MASK_EQ * LANES] = bit;
    reg[SPECIAL_MASK_LT * LANES] = bit - 1;
    reg[SPECIAL_MASK_LE * LANES] = (bit - 1) | bit;
    reg[SPECIAL_MASK_GE * LANES] = ~(bit - 1);
    reg[SPECIAL_MASK_GT * LANES] = ~((bit - 1) | bit);
    next_thread(w->block->launch->config->block, xyz);
  }
}

void special_set_fixed(Block *block) {
  const EmuLaunch *config = block->launch->config;
  const uint32_t *cluster = block->launch->cluster;
  for (int i = 0; i < 3; i++) {
    set_special(block, (Special)(SPECIAL_GRID_X + i), config->grid[i]);
    set_special(block, (Special)(SPECIAL_BLOCK_X + i), config->block[i]);
    set_special(block, (Special)(SPECIAL_CLUSTERS_X + i), config->grid[i] / cluster[i]);
    set_special(block, (Special)(SPECIAL_CLUSTER_SIZE_X + i), cluster[i]);
  }
  set_special(block, SPECIAL_WARPS, WARP_NUMBERS);
  set_special(block, SPECIAL_SMS, PROCESSORS);
  set_special(block, SPECIAL_GRID_ID, 1);
  set_special(block, SPECIAL_CLUSTER_RANK, (uint64_t)block->rank);
  set_special(block, SPECIAL_CLUSTER_RANKS, (uint64_t)block->cluster->blocks);
  set_special(block, SPECIAL_EXPLICIT_CLUSTER, block->launch->explicit_cluster);
  set_special(block, SPECIAL_GRID_SPACE_HIGH, block->launch->grid_space >> 32);
  set_special(block, SPECIAL_GRID_SPACE_LOW, (uint32_t)block->launch->grid_space);
  set_special(block, SPECIAL_DYNAMIC_SMEM, config->dynamic_shared);
  set_shared(block);
}

void special_set_block(Block *block) {
  const uint32_t *index = block->index;
  /* Blocks are assigned to SMs round-robin, as on an idle device. */
  set_special(block, SPECIAL_SM, block->number % PROCESSORS);
  const uint32_t *cluster = block->launch->cluster;
  for (int i = 0; i < 3; i++) {
    set_special(block, (Special)(SPECIAL_CTAID_X + i), index[i]);
    set_special(block, (Special)(SPECIAL_CLUSTER_X + i), index[i] / cluster[i]);
    set_special(block, (Special)(SPECIAL_IN_CLUSTER_X + i), index[i] % cluster[i]);
  }
}
