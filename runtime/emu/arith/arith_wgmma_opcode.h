/* SPDX-License-Identifier: MIT */
/* arith_wgmma_opcode.h: the shapes and types of wgmma.mma_async, and its operands. */
#ifndef KGEN_EMU_ARITH_ARITH_WGMMA_OPCODE_H
#define KGEN_EMU_ARITH_ARITH_WGMMA_OPCODE_H

#include "emu/arith/arith.h"

enum {
  WGMMA_WARPS = 4,
  WGMMA_ROWS = 64, /* rows of A and D */
  WGMMA_WARP_ROWS = WGMMA_ROWS / WGMMA_WARPS,
  WGMMA_MAX_COLUMNS = 256,
  WGMMA_BYTES = 32,      /* bytes per row of A or column of B, whatever the type */
  WGMMA_A_REGISTERS = 4, /* registers per lane, if A is in registers */
  WGMMA_MAX_REGISTERS = WGMMA_MAX_COLUMNS / 2
};

/* A resolved wgmma.mma_async: D = A * B, or A * B + D. */
typedef struct {
  uint16_t n;
  uint8_t n_d;        /* accumulator registers per lane, all 32-bit */
  uint8_t a, b, d;    /* ArithType of the elements; ARITH_PRED for .b1 */
  bool is_float;      /* the operands may be negated */
  bool may_transpose; /* 16-bit types */
  bool satfinite;
} ArithWgmma;

/* Resolves opcodes such as "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16". f16, bf16,
 * tf32, e4m3 and e5m2 allow all n from 8 to 256; s8, u8 and b1 no odd multiple of 8 above 24. */
ArithStatus arith_resolve_wgmma(const char *opcode, ArithWgmma *op);

/* Rows of A and columns of B, each with consecutive elements of k. */
typedef struct {
  uint8_t a[WGMMA_ROWS][WGMMA_BYTES], b[WGMMA_MAX_COLUMNS][WGMMA_BYTES];
} ArithTiles;

/* Options that each execution may set. */
typedef struct {
  bool adds;     /* D = A * B + D; else D = A * B */
  bool negative; /* products are negated */
} ArithWgmmaMode;

#endif
