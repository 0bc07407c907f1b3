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
  unsigned m, n;         /* the sum over all blocks */
  bool a_by_mn, b_by_mn; /* MN-major */
  bool negative;         /* products are negated */
} UmmaShape;

/* False, with the reason, if the descriptor contradicts the instruction. */
bool umma_shape(const Tcgen05Op *op, uint32_t descriptor, UmmaShape *shape, char *why, size_t size);

/* Rows of A and D in one block. */
static inline unsigned umma_rows(const UmmaShape *s, unsigned group) { return s->m / group; }

/* How rows and columns of a matrix with `rows` rows in a block are spread over lanes: row i is in
 * lane i, or, of 64 rows in one block, in the lower or upper half of each 32 lanes; of 64 rows in
 * each of two blocks, D's second half of columns is in lanes 64 to 127. */
typedef struct {
  uint32_t lane, column; /* the first row and column */
  unsigned rows, columns;
  bool halved; /* D in two halves of columns */
  bool sparse; /* 16 of each 32 lanes */
} UmmaPlace;

UmmaPlace umma_place(unsigned group, unsigned rows, unsigned columns, uint32_t address, bool is_d);
static inline uint32_t umma_lane(const UmmaPlace *p, unsigned row, unsigned column) {
  if (p->sparse) return p->lane + row / 16 * 32 + row % 16;
  return p->lane + row + (p->halved && column >= p->columns / 2 ? 64 : 0);
}
static inline uint32_t umma_column(const UmmaPlace *p, unsigned column) {
  const unsigned half = p->columns / 2;
  return p->column + (p->halved && column >= half ? column - half : column);
}
/* The boxes that it takes: at most UMMA_MAX_BOXES; returns their number. */
enum { UMMA_MAX_BOXES = 4 };
int umma_boxes(const UmmaPlace *p, TmemBox box[UMMA_MAX_BOXES]);

#endif
