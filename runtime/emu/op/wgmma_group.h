/* wgmma_group.h: the four warps of a warpgroup at one wgmma, and what they multiply. */
#ifndef KGEN_EMU_WGMMA_GROUP_H
#define KGEN_EMU_WGMMA_GROUP_H

#include "emu/op/wgmma_tile.h"
#include "emu/run/block.h"

typedef struct {
  const Insn *insn;
  const WgmmaOp *op;
  Block *block;
  Warp *warp[WGMMA_WARPS];
  const Split *split[WGMMA_WARPS];
} WgmmaGroup;

/* Where its pieces lie; of those beyond shared memory nothing is read. */
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

/* All four wait at the instruction. */
WgmmaGroup wgmma_group(const Warp *w, const Insn *insn);
/* scale-d: whether D is added to. */
bool wgmma_adds(const WgmmaGroup *g);

/* Reads A and B, which is counted and checked: descriptors, bounds, races, proxies. */
void wgmma_read_operands(const WgmmaGroup *g, WgmmaOperands *x);
/* The pieces' bytes, from shared memory or from what is undefined of it. */
void wgmma_copy_pieces(const WgmmaPieces *pieces, const uint8_t *from,
                       uint8_t (*line)[WGMMA_BYTES]);

void wgmma_find_accumulators(const WgmmaGroup *g, WgmmaAccumulators d);
void wgmma_multiply(const WgmmaGroup *g, const ArithTiles *tiles, WgmmaAccumulators d);

#endif
