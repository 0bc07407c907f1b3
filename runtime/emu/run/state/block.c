/* SPDX-License-Identifier: MIT */
#include "emu/run/state/block.h"

void block_thread(const Block *block, uint32_t thread, uint32_t xyz[3]) {
  const uint32_t *size = block->launch->config->block;
  xyz[0] = thread % size[0];
  xyz[1] = thread / size[0] % size[1];
  xyz[2] = thread / size[0] / size[1];
}

void block_index(const Launch *launch, uint64_t number, uint32_t xyz[3]) {
  const uint32_t *grid = launch->config->grid, *cluster = launch->cluster;
  uint64_t which = number / (uint64_t)launch->cluster_blocks;
  uint32_t rank = (uint32_t)(number % (uint64_t)launch->cluster_blocks);
  for (int i = 0; i < 3; i++) {
    const uint32_t clusters = grid[i] / cluster[i];
    xyz[i] = (uint32_t)(which % clusters) * cluster[i] + rank % cluster[i];
    which /= clusters;
    rank /= cluster[i];
  }
}

void block_stop(Block *block) {
  _Atomic uint64_t *by = &block->launch->stopped_by;
  uint64_t lowest = atomic_load(by);
  block->stop = true;
  while (block->number < lowest && !atomic_compare_exchange_weak(by, &lowest, block->number)) {}
}
