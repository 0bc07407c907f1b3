/* SPDX-License-Identifier: MIT */
/* wmma_shape.h: the shapes of wmma, and the layout of their fragments: those of the mma that ptxas
 * makes of a wmma for sm_80 and newer. */
#ifndef KGEN_EMU_OP_WMMA_SHAPE_H
#define KGEN_EMU_OP_WMMA_SHAPE_H

#include "emu/arith/arith.h"

typedef enum { WMMA_A, WMMA_B, WMMA_C } WmmaMatrix;

typedef struct WmmaShape {
  const char *name;
  uint8_t m, n, k;
  uint8_t mma_m, mma_k;       /* of the mma, whose n is 8 */
  bool swapped;               /* computed as its transpose: n is the mma's m */
  uint64_t operands, addends; /* the types that it has, a bit each */
} WmmaShape;

/* "m16n16k16" and so on, or NULL. */
const WmmaShape *wmma_shape(const char *name);
bool wmma_shape_has(const WmmaShape *shape, WmmaMatrix matrix, ArithType type);

/* A fragment of a matrix in registers, and the matrix in memory. */
typedef struct {
  const WmmaShape *shape;
  WmmaMatrix matrix;
  bool by_column;
  uint8_t bits;      /* of an element */
  uint8_t unit;      /* bytes of a unit: an element, or a register of elements below a byte */
  uint8_t per;       /* units per register */
  uint8_t registers; /* f16 operands have more than the elements need, which repeat */
} WmmaFragment;

WmmaFragment wmma_fragment(const WmmaShape *shape, WmmaMatrix matrix, ArithType type,
                           bool by_column);

/* A place in memory: the index of a line, a row or a column, and of a unit in it. */
typedef struct {
  unsigned line, at;
} WmmaPlace;

/* The lines of the matrix in memory, and the units of each. */
WmmaPlace wmma_extent(const WmmaFragment *f);
/* The place of unit i of a lane's fragment. */
WmmaPlace wmma_place(const WmmaFragment *f, unsigned lane, unsigned i);

/* The places of all units of all lanes. */
enum { WMMA_UNITS = 16 };
typedef struct WmmaMap {
  uint8_t line[WMMA_UNITS][32], at[WMMA_UNITS][32];
} WmmaMap;
void wmma_map(const WmmaFragment *f, WmmaMap *out);

/* How many units of a fragment are contiguous in memory, from every multiple of that number on. */
unsigned wmma_run(const WmmaFragment *f);
/* The number of tiles of the mma along rows, and along columns. */
unsigned wmma_row_tiles(const WmmaShape *shape);
unsigned wmma_column_tiles(const WmmaShape *shape);
/* The number of mma along k of a tile. */
static inline unsigned wmma_steps(const WmmaShape *shape) { return shape->k / shape->mma_k; }

#endif
