#include "emu/run/block.h"

void block_thread(const Block *block, uint32_t thread, uint32_t xyz[3]) {
  const uint32_t *size = block->launch->config->block;
  xyz[0] = thread % size[0];
  xyz[1] = thread / size[0] % size[1];
  xyz[2] = thread / size[0] / size[1];
}

void block_index(const EmuLaunch *config, uint64_t number, uint32_t xyz[3]) {
  xyz[0] = (uint32_t)(number % config->grid[0]);
  xyz[1] = (uint32_t)(number / config->grid[0] % config->grid[1]);
  xyz[2] = (uint32_t)(number / config->grid[0] / config->grid[1]);
}

void block_stop(Block *block) {
  _Atomic uint64_t *by = &block->launch->stopped_by;
  uint64_t lowest = atomic_load(by);
  block->stop = true;
  while (block->number < lowest && !atomic_compare_exchange_weak(by, &lowest, block->number)) {}
}
