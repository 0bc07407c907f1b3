/* lane_data.h: the bytes that each lane of a store writes. */
#ifndef KGEN_EMU_LANE_DATA_H
#define KGEN_EMU_LANE_DATA_H

#include <string.h>

#include "emu/run/block.h"

enum { MAX_LANE_BYTES = 32 };

/* Each element is copied as a whole register, so the last one needs room for the rest of
 * its own. */
typedef uint8_t LaneData[LANES][MAX_LANE_BYTES + sizeof(uint64_t)];

/* Copies the elements of each lane's sources, one after the other. */
static inline void lane_data_gather(const Warp *w, const Insn *insn, uint32_t active,
                                    LaneData data) {
  const MemoryOp *op = &insn->memory;
  for (unsigned i = 0; i < op->elements; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) memcpy(data[lane] + i * op->bytes, &s[lane], sizeof s[lane]);
  }
}

#endif
