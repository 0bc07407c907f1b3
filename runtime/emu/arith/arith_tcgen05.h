/* SPDX-License-Identifier: MIT */
/*
 * arith_tcgen05.h: one element of D of tcgen05.mma, D = A * B + C.
 *
 * The rule is the one that github.com/sf-tensor/tcgen05 (tcgen05_model/MODEL.md) publishes with
 * words of a B200; nothing here was measured by this project. Products are exact. Products and C
 * are cut towards zero at one exponent, summed exactly, and the sum is rounded once. A NaN is all
 * ones below its sign, and a zero is +0. ISA: PTX ISA, "tcgen05.mma".
 */
#ifndef KGEN_EMU_ARITH_ARITH_TCGEN05_H
#define KGEN_EMU_ARITH_ARITH_TCGEN05_H

#include "emu/arith/arith.h"

enum {
  TCGEN05_MAX_K = 128,  /* elements along k of one instruction: B's of a sparse A of mxf4 */
  TCGEN05_MERGED_K = 16 /* mxf4, mxf4nvf4: elements whose products are summed exactly */
};

typedef enum {
  TCGEN05_F16,
  TCGEN05_BF16,
  TCGEN05_TF32,
  TCGEN05_E4M3,
  TCGEN05_E5M2,
  TCGEN05_E2M3,
  TCGEN05_E3M2,
  TCGEN05_E2M1,
  TCGEN05_U8,
  TCGEN05_S8,
  TCGEN05_TYPES
} Tcgen05Type;

typedef enum { TCGEN05_UNSCALED, TCGEN05_UE8M0, TCGEN05_UE4M3 } Tcgen05Scale;

typedef struct {
  uint8_t a, b;        /* Tcgen05Type */
  uint8_t d;           /* ArithType of C and D: F32, F16 or S32 */
  uint8_t k;           /* number of elements; sparse A: of those that exist */
  uint8_t scale;       /* Tcgen05Scale */
  uint8_t scale_block; /* elements per scale; unused if unscaled */
  bool is_mxf4;        /* kinds mxf4 and mxf4nvf4 */
  bool saturates;      /* S32 alone */
} ArithTcgen05;

/* The elements of a row of A or a column of B, decoded. */
typedef struct {
  int32_t mantissa[TCGEN05_MAX_K];
  int16_t exponent[TCGEN05_MAX_K]; /* encoded exponent; of a zero, far below all others */
  uint8_t class[TCGEN05_MAX_K];    /* finite, infinity or NaN */
  bool any_special;                /* some element is an infinity or a NaN */
} Tcgen05Line;

/* Bits of an element in its container: 4, 6, 8, 16, or 32 for tf32. */
unsigned arith_tcgen05_bits(Tcgen05Type type);
const char *arith_tcgen05_type_name(Tcgen05Type type);

/* Decodes k elements, each in the low bits of a word. */
void arith_tcgen05_line(Tcgen05Type type, unsigned k, const uint32_t *word, Tcgen05Line *line);

/* The bits of D; f16 is in the low half. scale_a, scale_b: one byte per block of elements,
 * NULL if unscaled. */
uint32_t arith_tcgen05_dot(const ArithTcgen05 *op, const Tcgen05Line *a, const Tcgen05Line *b,
                           const uint8_t *scale_a, const uint8_t *scale_b, uint32_t c);

#endif
