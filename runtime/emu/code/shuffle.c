/* SPDX-License-Identifier: MIT */
#include "emu/code/shuffle.h"

bool shuffle_source(ShflMode mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from) {
  uint32_t segment = c >> 8 & 31, clamp = c & 31;
  uint32_t first = lane & segment, last = first | (clamp & ~segment);
  int32_t j = (int32_t)lane;
  b &= 31;
  switch (mode) {
  case SHFL_UP: j -= (int32_t)b; break;
  case SHFL_DOWN: j += (int32_t)b; break;
  case SHFL_BFLY: j ^= (int32_t)b; break;
  case SHFL_IDX: j = (int32_t)(first | (b & ~segment)); break;
  }
  bool within = mode == SHFL_UP ? j >= (int32_t)last : j <= (int32_t)last;
  *from = within ? (uint32_t)j & 31 : lane;
  return within;
}

const ShflMap *shuffle_map(Arena *a, ShflMode mode, uint32_t b, uint32_t c) {
  ShflMap *map = ARENA_NEW(a, ShflMap);
  for (uint32_t lane = 0; lane < EMU_LANES; lane++) {
    uint32_t from;
    if (shuffle_source(mode, lane, b, c, &from)) map->within |= 1u << lane;
    map->from[lane] = (uint8_t)from;
  }
  return map;
}
