#include "emu/run/special.h"

enum { WARP_NUMBERS = 64 }; /* of a processor */

static void set_special(Warp *w, Special which, uint64_t value) {
  uint64_t *reg = w->special + (size_t)which * LANES;
  if (reg[0] == value && reg[LANES - 1] == value)
    return; /* all lanes hold what the last one does */
  for (int lane = 0; lane < LANES; lane++) reg[lane] = value;
}

/* Sizes are told in the units that the hardware allots [PTX ISA, %total_smem_size]. */
static void set_shared(Warp *w) {
  enum { UNIT = 128 };
  const Block *block = w->block;
  const uint32_t total = (block->user_shared + UNIT - 1) / UNIT * UNIT;
  set_special(w, SPECIAL_TOTAL_SMEM, total);
  set_special(w, SPECIAL_AGGREGATE_SMEM, total + RESERVED_SHARED);
  set_special(w, SPECIAL_RESERVED_BEGIN, block->reserved_at);
  set_special(w, SPECIAL_RESERVED_0, block->reserved_at);
  set_special(w, SPECIAL_RESERVED_1, block->reserved_at + RESERVED_SHARED / 2);
  set_special(w, SPECIAL_RESERVED_END, block->reserved_at + RESERVED_SHARED);
  set_special(w, SPECIAL_RESERVED_BYTES, RESERVED_SHARED);
}

void special_set_fixed(Warp *w) {
  const EmuLaunch *config = w->block->launch->config;
  const uint32_t *cluster = w->block->launch->cluster;
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint32_t xyz[3];
    block_thread(w->block, warp_thread(w, lane), xyz);
    uint64_t *reg = w->special + lane;
    uint32_t bit = 1u << lane;
    for (int i = 0; i < 3; i++) reg[(SPECIAL_TID_X + i) * LANES] = xyz[i];
    reg[SPECIAL_LANE * LANES] = lane;
    reg[SPECIAL_MASK_EQ * LANES] = bit;
    reg[SPECIAL_MASK_LT * LANES] = bit - 1;
    reg[SPECIAL_MASK_LE * LANES] = (bit - 1) | bit;
    reg[SPECIAL_MASK_GE * LANES] = ~(bit - 1);
    reg[SPECIAL_MASK_GT * LANES] = ~((bit - 1) | bit);
  }
  for (int i = 0; i < 3; i++) {
    set_special(w, (Special)(SPECIAL_GRID_X + i), config->grid[i]);
    set_special(w, (Special)(SPECIAL_BLOCK_X + i), config->block[i]);
    set_special(w, (Special)(SPECIAL_CLUSTERS_X + i), config->grid[i] / cluster[i]);
    set_special(w, (Special)(SPECIAL_CLUSTER_SIZE_X + i), cluster[i]);
  }
  set_special(w, SPECIAL_WARP, (uint64_t)w->index);
  set_special(w, SPECIAL_WARPS, WARP_NUMBERS);
  set_special(w, SPECIAL_SMS, PROCESSORS);
  set_special(w, SPECIAL_GRID_ID, 1);
  set_special(w, SPECIAL_CLUSTER_RANK, (uint64_t)w->block->rank);
  set_special(w, SPECIAL_CLUSTER_RANKS, (uint64_t)w->block->cluster->blocks);
  set_special(w, SPECIAL_EXPLICIT_CLUSTER, w->block->launch->explicit_cluster);
  set_special(w, SPECIAL_GRID_SPACE_HIGH, w->block->launch->grid_space >> 32);
  set_special(w, SPECIAL_GRID_SPACE_LOW, (uint32_t)w->block->launch->grid_space);
  set_special(w, SPECIAL_DYNAMIC_SMEM, config->dynamic_shared);
  set_shared(w);
}

void special_set_block(Warp *w) {
  const uint32_t *index = w->block->index;
  /* Blocks go round the processors, as they do on an empty device. */
  set_special(w, SPECIAL_SM, w->block->number % PROCESSORS);
  const uint32_t *cluster = w->block->launch->cluster;
  for (int i = 0; i < 3; i++) {
    set_special(w, (Special)(SPECIAL_CTAID_X + i), index[i]);
    set_special(w, (Special)(SPECIAL_CLUSTER_X + i), index[i] / cluster[i]);
    set_special(w, (Special)(SPECIAL_IN_CLUSTER_X + i), index[i] % cluster[i]);
  }
}
