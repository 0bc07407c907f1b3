/* SPDX-License-Identifier: MIT */
#include "emit/operand.h"

enum { PATTERN_ROWS = 8 }; /* rows per swizzle pattern of wgmma */

/* The number of bytes from one matrix of the tile to the next. */
static int matrix_bytes(const Tile *t) {
  return (t->rank > 1 ? t->extent[t->rank - 2] : 1) * t->extent[t->rank - 1] * t->dtype->bytes;
}

/* The stride offset and the leading offset of a descriptor. With a swizzle the stride offset is the
 * distance of 8 rows; the leading offset is the distance of two matrices, which the hardware uses
 * only if rows are along m or n. Without a swizzle, 16-byte rows along m or n exchange the two
 * [docs/explanation/layouts-and-banks.md, "TMA and wgmma"]. */
Operand operand_of(const Tile *t, int mode, Major major) {
  const int rows = PATTERN_ROWS * t->extent[t->rank - 1] * t->dtype->bytes;
  const bool changed = major == MAJOR_MN && mode == 0;
  return (Operand){.leading = changed ? rows : matrix_bytes(t),
                   .stride = changed ? matrix_bytes(t) : rows,
                   .mode_field = mode ? 128 / mode - (mode == 32) : 0};
}

/* If rows are along k, k is the tile's last dimension and, if that is shorter than a step, also the
 * dimension before the rows. If rows are along m or n, k counts the rows. One instruction is needed
 * per step of a box. */
OperandSteps operand_steps(const Tile *t, const Access *access) {
  const bool in_rows = access->major == MAJOR_K;
  const int k = t->rank - (in_rows ? 1 : 2), matrix = t->rank - 3;
  const int pitch = (in_rows ? 1 : t->extent[t->rank - 1]) * t->dtype->bytes;
  const int step = WGMMA_K_BYTES / t->dtype->bytes;
  const int within = t->extent[k] < step ? t->extent[k] : step; /* elements within a matrix */
  int matrices = 1, at_once = in_rows ? step / within : matrix >= 0 ? access->box[matrix] : 1;
  for (int d = 0; d <= matrix; d++) matrices *= t->extent[d];
  if (at_once > matrices) at_once = matrices;
  return (OperandSteps){.step = within * (in_rows ? at_once : 1),
                        .steps = t->extent[k] / within,
                        .parts = matrices / at_once,
                        .step_bytes = (int64_t)within * pitch,
                        .part_bytes = (int64_t)at_once * matrix_bytes(t)};
}
