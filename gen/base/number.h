/* SPDX-License-Identifier: MIT */
/* number.h: arithmetic on sizes and counts. */
#ifndef KGEN_BASE_NUMBER_H
#define KGEN_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

static inline int number_least(int a, int b) { return a < b ? a : b; }

/* The smallest multiple of `unit` that is at least n; n must not be negative. */
static inline int64_t number_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
/* Like number_up(), for sizes and addresses. */
static inline uint64_t number_up_bytes(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

static inline bool number_is_power(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/* The binary logarithm of a power of two. */
static inline int number_log2(int n) { return __builtin_ctz((unsigned)n); }

#endif
