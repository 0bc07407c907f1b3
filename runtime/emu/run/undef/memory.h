/* SPDX-License-Identifier: MIT */
/* memory.h: undefined bits in shared and local memory, and their transfer to and from registers.
 * The part of an instruction that moves data is executed again, on the undefined-bit masks instead
 * of the values. */
#ifndef KGEN_EMU_RUN_UNDEF_MEMORY_H
#define KGEN_EMU_RUN_UNDEF_MEMORY_H

#include "emu/run/state/block.h"

/* True if a lane reads an undefined bit from shared or local memory. */
bool undef_is_read(const Warp *w, const Resolved *access, unsigned bytes);
/* The same access, applied to the undefined-bit masks. Lanes in other memory read 0. */
Resolved undef_of_access(const Warp *w, const Resolved *access);
/* Copies of the instruction that operate on masks: with the masks as its first `count` sources;
 * with scratch registers as its results. Valid until the next call. */
Insn undef_sources(Warp *w, const Insn *insn, unsigned count);
Insn undef_results(Warp *w, const Insn *insn);
/* Records the first `count` scratch results as the undefined bits that the access has loaded. */
void undef_loaded(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  uint32_t active);
/* Does all three steps, if the moving part is available as a function. */
typedef void UndefMove(Warp *w, const Insn *insn, const Resolved *access, uint32_t active);
void undef_load(Warp *w, const Insn *insn, unsigned count, UndefMove *move, const Resolved *access,
                unsigned bytes, uint32_t active);

/* Call after a store: value[lane] is the mask of what was stored. */
void undef_stored(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  const uint8_t *const value[LANES]);
/* Call before a read-modify-write. exchanges: memory afterwards holds only the operand. */
void undef_updated(Warp *w, const Insn *insn, const Resolved *access, bool exchanges);
/* The access wrote shared or local memory: all its bits become defined. */
void undef_written(Warp *w, const Resolved *access, unsigned bytes);
/* Reports undefined bits that a lane reads at a generic address; `is` names the data. */
void undef_demand_at(Warp *w, const Insn *insn, unsigned lane, uint64_t address, unsigned bytes,
                     const char *is);
/* The device runtime has written these bytes for a lane: they become defined. */
void undef_define_at(Warp *w, unsigned lane, uint64_t address, unsigned bytes);
/* Reports undefined bits in the accessed shared memory; `is` names the data. */
void undef_demand(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                  const char *is);

#endif
