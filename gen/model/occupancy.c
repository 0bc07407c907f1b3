/* SPDX-License-Identifier: MIT */
#include "model/occupancy.h"

#include "base/number.h"

enum { REGISTERS_PER_SM = 65536, REGISTERS_GRAIN = 256, SCHEDULERS = 4 };
enum { SHARED_RESERVED = 1024, SHARED_GRAIN = 128 };

/* Allocation granularity: registers in units of 256 per warp, equally among four schedulers; shared
 * memory in units of 128 bytes, plus 1 KiB per block for the system [CUDA C++ Programming Guide,
 * compute capabilities]. */
int occupancy_blocks(const Arch *arch, int threads, int registers, int64_t shared_bytes) {
  const int warps = (threads + WARP - 1) / WARP;
  const int64_t shared = number_up(shared_bytes + SHARED_RESERVED, SHARED_GRAIN);
  int blocks = number_least(arch->blocks_per_sm, arch->warps_per_sm / warps);
  if (registers) {
    const int per_warp = (int)number_up((int64_t)registers * WARP, REGISTERS_GRAIN);
    blocks = number_least(blocks, REGISTERS_PER_SM / per_warp / SCHEDULERS * SCHEDULERS / warps);
  }
  return number_least(blocks, (int)(arch->shared_per_sm / shared));
}

int64_t occupancy_shared(const Arch *arch, int blocks) {
  return arch->shared_per_sm / blocks / SHARED_GRAIN * SHARED_GRAIN - SHARED_RESERVED;
}
