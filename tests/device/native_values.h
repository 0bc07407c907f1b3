/* SPDX-License-Identifier: MIT */
/* native_values.h: random numbers for the tests of translated kernels, among them those at which
 * instructions go wrong. */
#ifndef KGEN_TESTS_DEVICE_NATIVE_VALUES_H
#define KGEN_TESTS_DEVICE_NATIVE_VALUES_H

#include <stdint.h>

/* 48 bits. */
static inline uint64_t values_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  const uint64_t x = *state ^ *state >> 29;
  return x * 0x9e3779b97f4a7c15u >> 16;
}

static inline int values_pick(uint64_t *state, int n) {
  return (int)(values_next(state) % (uint64_t)n);
}

/* Bounds of integers and shifts, infinities, NaNs and subnormals of all formats; floats near 1;
 * bytes; or any word. */
static inline uint32_t values_word(uint64_t *state) {
  static const uint32_t special[] = {
      0,          1,          2,          31,         32,         33,         63,
      64,         0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x7fffffff,
      0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
      0x7fc00001, 0x7f800001, 0xffc12345, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
      0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000, 0x7ff00000, 0x7ff80000, 0xfff00000,
      0x7ff00001, 0x3ff00000, 0x00100000, 0x00013c00, 0x7c007c01, 0xfc007e00, 0x80000400};
  const uint32_t x = (uint32_t)values_next(state);
  switch (values_pick(state, 4)) {
  case 0: return special[values_pick(state, sizeof special / sizeof *special)];
  case 1: return (x & 0x3fffff) << 9 | 0x3f000000 >> (x >> 28 & 3) | x >> 29 << 29;
  case 2: return x & 255;
  default: return x;
  }
}

#endif
