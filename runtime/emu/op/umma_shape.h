/* SPDX-License-Identifier: MIT */
/*
 * umma_shape.h: the instruction descriptor of tcgen05.mma, and where its matrices are in tensor
 * memory [PTX ISA, "Instruction descriptor", "Data Path Layout Organization"; CUTLASS
 * mma_sm100_desc.hpp, mma_traits_sm100_frag.hpp]. By the ISA, not measured.
 */
#ifndef KGEN_EMU_OP_UMMA_SHAPE_H
#define KGEN_EMU_OP_UMMA_SHAPE_H

#include "emu/op/tcgen05.h"
#include "emu/op/umma_tile.h"

typedef struct {
  ArithTcgen05 arith;
  unsigned m, n;                      /* the sum over all blocks */
  bool a_by_mn, b_by_mn;              /* MN-major */
  bool negative;                      /* products are negated */
  bool packed;                        /* elements of 4 bits in shared memory have no padding */
  uint8_t scale_a_byte, scale_b_byte; /* the first scale in a word */
} UmmaShape;

/* False, with the reason, if the descriptor contradicts the instruction. */
bool umma_shape(const Tcgen05Op *op, uint32_t descriptor, UmmaShape *shape, char *why, size_t size);

/* Rows of A and D in one block. */
static inline unsigned umma_rows(const UmmaShape *s, unsigned group) { return s->m / group; }

/* Rows and columns of D, or lanes of A in tensor memory, in one block. Row i is in lane i, and of
 * 64 rows in one block without .ws in the lower half of each 32 lanes. D is in `parts` parts of
 * columns, whose lanes follow one another. */
typedef struct {
  uint32_t lane, column; /* the first element */
  unsigned rows, columns, parts;
  bool sparse; /* 16 of each 32 lanes */
} UmmaPlace;

UmmaPlace umma_place(const Tcgen05Op *op, const UmmaShape *shape, uint32_t address,
                     unsigned columns);
static inline uint32_t umma_lane(const UmmaPlace *p, unsigned row, unsigned column) {
  if (p->sparse) return p->lane + row / 16 * 32 + row % 16;
  return p->lane + row + column / (p->columns / p->parts) * p->rows;
}
static inline uint32_t umma_column(const UmmaPlace *p, unsigned column) {
  return p->column + column % (p->columns / p->parts);
}
/* The boxes that it takes: at most UMMA_MAX_BOXES; returns their number. */
enum { UMMA_MAX_BOXES = 4 };
int umma_boxes(const UmmaPlace *p, TmemBox box[UMMA_MAX_BOXES]);

#endif
