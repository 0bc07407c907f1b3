/* SPDX-License-Identifier: MIT */
/* lane_data.h: the bytes that each lane of a store writes, and registers of some lanes. */
#ifndef KGEN_EMU_OP_LANE_DATA_H
#define KGEN_EMU_OP_LANE_DATA_H

#include <string.h>

#include "emu/run/state/block.h"

enum { MAX_LANE_BYTES = 32 };

/* Each element is copied as a whole register, so the last one needs room for the rest of its
 * own. */
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

/* Whether a product's results can be written while others are computed: its addends are the sources
 * from `addends` on. */
static inline bool lane_data_is_apart(const Insn *insn, unsigned addends) {
  const bool in_place = insn->n_s - addends == insn->n_d;
  for (unsigned i = 0; i < insn->n_d; i++)
    for (unsigned k = 0; k < insn->n_s; k++)
      if (insn->d[i] == insn->s[k] && (!in_place || k != addends + i)) return false;
  return true;
}

/* Writes a register of the active lanes. */
static inline void lane_data_put(const uint64_t from[LANES], uint64_t *to, uint32_t active) {
  if (active == ALL_LANES)
    memcpy(to, from, LANES * sizeof *to);
  else
    FOR_LANES(lane, active) to[lane] = from[lane];
}

#endif
