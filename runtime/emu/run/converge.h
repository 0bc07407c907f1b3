/* converge.h: lanes of a warp that wait for one another at an instruction which they execute
 * together. */
#ifndef KGEN_EMU_CONVERGE_H
#define KGEN_EMU_CONVERGE_H

#include "emu/run/block.h"

/* Waits until all living lanes of `member` execute this instruction; then *active is all of them
 * and true is returned. Otherwise the split waits (return FLOW_WAIT). */
bool warp_converge(Warp *w, const Insn *insn, uint32_t member, uint32_t *active);
/* Two splits go on as one if they stand at the same place and nothing else sets them apart. */
void warp_join(const Warp *w, Split *into, Split *split);

#endif
