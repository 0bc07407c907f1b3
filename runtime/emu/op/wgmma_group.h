/* SPDX-License-Identifier: MIT */
/* wgmma_group.h: the four warps of a warpgroup at one wgmma, and their operands. */
#ifndef KGEN_EMU_OP_WGMMA_GROUP_H
#define KGEN_EMU_OP_WGMMA_GROUP_H

#include "emu/op/wgmma_tile.h"
#include "emu/run/state/block.h"

typedef struct {
  const Insn *insn;
  const WgmmaOp *op;
  Block *block;
  Warp *warp[WGMMA_WARPS];
  const Split *split[WGMMA_WARPS];
} WgmmaGroup;

/* An operand's pieces: where they are, and whether that is within shared memory; others are not
 * read. */
typedef struct {
  WgmmaTile tile;
  unsigned count;
  uint32_t at[WGMMA_MAX_PIECES];
  bool valid[WGMMA_MAX_PIECES];
} WgmmaPieces;

typedef struct {
  WgmmaPieces a, b;
  ArithTiles tiles;
} WgmmaOperands;

typedef uint64_t *WgmmaAccumulators[WGMMA_WARPS][WGMMA_MAX_REGISTERS];

/* The four warps, all of which wait at the instruction. */
WgmmaGroup wgmma_group(const Warp *w, const Insn *insn);
/* scale-d: whether the product is added to D. */
bool wgmma_adds(const WgmmaGroup *g);

/* Reads A and B; accesses are counted, and checked for descriptors, bounds, races and proxies. */
void wgmma_read_operands(const WgmmaGroup *g, WgmmaOperands *x);
/* Reads the pieces' bytes, from shared memory or from its undefined bits. */
void wgmma_copy_pieces(const WgmmaPieces *pieces, const uint8_t *from,
                       uint8_t (*line)[WGMMA_BYTES]);

/* The registers of D. */
void wgmma_find_accumulators(const WgmmaGroup *g, WgmmaAccumulators d);
/* Computes D of the operands. */
void wgmma_multiply(const WgmmaGroup *g, const ArithTiles *tiles, WgmmaAccumulators d);

#endif
