/* SPDX-License-Identifier: MIT */
/* arith_sweep.h: runs one opcode over many operands, 32 lanes at a time, against an oracle. */
#ifndef KGEN_TESTS_EMU_ARITH_SWEEP_H
#define KGEN_TESTS_EMU_ARITH_SWEEP_H

#include "check.h"
#include "emu/arith/arith_mma.h"
#include "emu/arith/arith_resolve.h"

#include <stddef.h>

/* splitmix64; the seed is fixed, so a failure repeats. */
static inline uint64_t sweep_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* An oracle: the expected d of one lane, and its mask if `mask_out` is not NULL. */
typedef uint64_t (*SweepOracle)(const void *context, const uint64_t x[4], bool mask_in,
                                bool *mask_out);

typedef struct Sweep {
  const char *opcode;
  const uint64_t *edges; /* every combination of these, for up to three operands */
  size_t n_edges;
  size_t n_random;
  SweepOracle oracle;
  const void *context;
  bool nan_payload_open; /* f64: any NaN will do */
} Sweep;

typedef struct SweepWarp {
  uint64_t s[4][32], d[32];
  unsigned filled;
  uint64_t random;
} SweepWarp;

static inline uint64_t sweep_low(uint64_t x, unsigned bits) {
  return bits >= 64 ? x : x & ((1ull << bits) - 1);
}

static inline bool sweep_nan64(uint64_t x) { return (x & ~(1ull << 63)) > 0x7ff0000000000000; }

static inline void sweep_check_lane(const Sweep *sweep, const ArithInsn *insn,
                                    const SweepWarp *warp, unsigned i, uint32_t in, uint32_t out) {
  uint64_t x[4] = {0};
  for (unsigned k = 0; k < insn->n_src; k++)
    x[k] = sweep_low(warp->s[k][i], arith_bits((ArithType)insn->src[k]));
  bool mask = false;
  const uint64_t want = sweep->oracle(sweep->context, x, in >> i & 1, &mask);
  const bool open = sweep->nan_payload_open && sweep_nan64(want) && sweep_nan64(warp->d[i]);
  const bool has_value = insn->result != ARITH_MASK;
  CHECK((!has_value || open || warp->d[i] == want) && (out >> i & 1) == mask,
        "%s(%#llx, %#llx, %#llx, %#llx; %u) = %#llx; %u, want %#llx; %u", sweep->opcode,
        (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
        (unsigned long long)x[3], in >> i & 1, (unsigned long long)warp->d[i], out >> i & 1,
        (unsigned long long)want, (unsigned)mask);
}

/* Executes the operands collected so far, with some lanes inactive, in place every other time. */
static inline void sweep_flush(const Sweep *sweep, const ArithInsn *insn, SweepWarp *warp) {
  const uint32_t all = warp->filled == 32 ? UINT32_MAX : (1u << warp->filled) - 1;
  const uint32_t in = (uint32_t)sweep_random(&warp->random);
  SweepWarp ran = *warp;
  const uint64_t *const s[4] = {ran.s[0], ran.s[1], ran.s[2], ran.s[3]};
  const uint64_t *const sources[4] = {warp->s[0], warp->s[1], warp->s[2], warp->s[3]};
  const uint32_t part = all & (uint32_t)sweep_random(&warp->random);
  for (unsigned i = 0; i < 32; i++) warp->d[i] = ran.d[i] = 0xdeadbeef00c0ffee;
  const uint32_t first = insn->fn(insn, warp->d, sources, part, in);
  const uint32_t second = insn->fn(insn, warp->d, sources, all & ~part, in);
  CHECK((first & ~part) == 0 && (second & part) == 0, "%s: mask outside active", sweep->opcode);
  const bool in_place = insn->n_src > 0 && in % 2 == 0;
  insn->fn(insn, in_place ? ran.s[0] : ran.d, s, all, in);
  const uint64_t *again = in_place ? ran.s[0] : ran.d;
  for (unsigned i = 0; i < warp->filled; i++) {
    sweep_check_lane(sweep, insn, warp, i, in, first | second);
    CHECK(insn->result == ARITH_MASK || again[i] == warp->d[i], "%s differs in place",
          sweep->opcode);
  }
  for (unsigned i = warp->filled; i < 32; i++)
    CHECK(warp->d[i] == 0xdeadbeef00c0ffee, "%s wrote an inactive lane", sweep->opcode);
  warp->filled = 0;
}

/* Adds a lane's operands, with noise above their width, which the instruction must ignore. */
static inline void sweep_add(const Sweep *sweep, const ArithInsn *insn, SweepWarp *warp,
                             const uint64_t x[4]) {
  for (unsigned k = 0; k < insn->n_src; k++) {
    const unsigned bits = arith_bits((ArithType)insn->src[k]);
    const uint64_t noise = sweep_random(&warp->random);
    warp->s[k][warp->filled] = bits >= 64 ? x[k] : sweep_low(x[k], bits) | noise << bits;
  }
  if (++warp->filled == 32) sweep_flush(sweep, insn, warp);
}

/* With sanitizers, of three operands a part: each pair of edges meets some of the third. */
static inline void sweep_edges(const Sweep *sweep, const ArithInsn *insn, SweepWarp *warp) {
  const size_t n = sweep->n_edges, n1 = insn->n_src > 1 ? n : 1, n2 = insn->n_src > 2 ? n : 1;
  const size_t step = CHECK_SANITIZED && n2 > 1 ? 8 : 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n1; j++)
      for (size_t k = (i + j) % step; k < n2; k += step)
        sweep_add(sweep, insn, warp,
                  (uint64_t[4]){sweep->edges[i], sweep->edges[j], sweep->edges[k],
                                sweep->edges[(i + j + k) % n]});
}

/* Returns a random value, one near an edge, or a short one, so that all magnitudes occur. */
static inline uint64_t sweep_value(const Sweep *sweep, SweepWarp *warp) {
  const uint64_t r = sweep_random(&warp->random), kind = sweep_random(&warp->random);
  if (kind % 4 == 0) return sweep->edges[r % sweep->n_edges] + (kind >> 8) % 5 - 2;
  if (kind % 4 == 1) return r >> (kind >> 8) % 64;
  return r;
}

/* Runs every combination of the edges, then random operands. */
static inline void sweep_run(const Sweep *sweep) {
  ArithInsn insn;
  const ArithStatus status = arith_resolve(sweep->opcode, &insn);
  CHECK(status == ARITH_OK, "%s does not resolve", sweep->opcode);
  if (status != ARITH_OK) return;
  SweepWarp warp = {.random = 1};
  sweep_edges(sweep, &insn, &warp);
  for (size_t i = 0; i < sweep->n_random / (CHECK_SANITIZED ? 8 : 1); i++) {
    uint64_t x[4];
    for (unsigned k = 0; k < 4; k++) x[k] = sweep_value(sweep, &warp);
    sweep_add(sweep, &insn, &warp, x);
  }
  if (warp.filled > 0) sweep_flush(sweep, &insn, &warp);
}

static const uint64_t kSweepInts[] = {
    0,
    1,
    2,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffff,
    0x800000,
    0xffffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x80000001,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    UINT64_MAX,
};
enum { kSweepIntCount = sizeof kSweepInts / sizeof kSweepInts[0] };

#endif
