/* wmma_shape.h: the shapes of wmma, and where the elements of their fragments lie: as ptxas makes
 * one mma or two of a wmma for sm_80 and newer, whose fragments they are. */
#ifndef KGEN_EMU_WMMA_SHAPE_H
#define KGEN_EMU_WMMA_SHAPE_H

#include "emu/arith/arith.h"

typedef enum { WMMA_A, WMMA_B, WMMA_C } WmmaMatrix;

typedef struct WmmaShape {
  const char *name;
  uint8_t m, n, k;
  uint8_t mma_m;              /* of the mma, whose n is 8 and whose k is this one */
  bool swapped;               /* computed as its transpose: n is the mma's m */
  uint64_t operands, addends; /* types that it has, a bit each */
} WmmaShape;

/* "m16n16k16" and so on, or NULL. */
const WmmaShape *wmma_shape(const char *name);
bool wmma_shape_has(const WmmaShape *shape, WmmaMatrix matrix, ArithType type);

/* A fragment of a matrix as its registers hold it, and the matrix as it lies in memory. */
typedef struct {
  const WmmaShape *shape;
  WmmaMatrix matrix;
  bool by_column;
  uint8_t bits; /* of an element */
  uint8_t unit; /* bytes that go together: an element, or a register of elements below a byte */
  uint8_t per;  /* units of a register */
  uint8_t registers; /* f16 operands have more than the elements need, which repeat */
} WmmaFragment;

WmmaFragment wmma_fragment(const WmmaShape *shape, WmmaMatrix matrix, ArithType type,
                           bool by_column);

/* A place in memory: which line, a row or a column, and which unit of it. */
typedef struct {
  unsigned line, at;
} WmmaPlace;

/* Lines of the matrix in memory, and units of each. */
WmmaPlace wmma_extent(const WmmaFragment *f);
/* Where unit i of a lane's fragment lies. */
WmmaPlace wmma_place(const WmmaFragment *f, unsigned lane, unsigned i);
/* Units of the fragment from an even or any number on that lie side by side in memory. */
unsigned wmma_run(const WmmaFragment *f);
/* Tiles of the mma along its rows, and along its columns. */
unsigned wmma_row_tiles(const WmmaShape *shape);
unsigned wmma_column_tiles(const WmmaShape *shape);

#endif
