/*
 * memory.h: undefined bits in shared and local memory, and their moves to registers and
 * back: the moving part of an instruction is executed again, on the undefined bits instead of
 * the values.
 */
#ifndef KGEN_EMU_RUN_UNDEF_MEMORY_H
#define KGEN_EMU_RUN_UNDEF_MEMORY_H

#include "emu/run/state/block.h"

/* True if a lane in shared or local memory reads an undefined bit. */
bool undef_is_read(const Warp *w, const Resolved *access, unsigned bytes);
/* The same access to the undefined bits; lanes in other memory find none. */
Resolved undef_of_access(const Warp *w, const Resolved *access);
/* The instruction with undefined bits for its first `count` sources, or with other registers for
 * its results; valid until the next call. */
Insn undef_sources(Warp *w, const Insn *insn, unsigned count);
Insn undef_results(Warp *w, const Insn *insn);
/* Records the first `count` results of the latter as the undefined bits that the access read. */
void undef_loaded(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  uint32_t active);
/* All three steps, if the moving part is a function. */
typedef void UndefMove(Warp *w, const Insn *insn, const Resolved *access, uint32_t active);
void undef_load(Warp *w, const Insn *insn, unsigned count, UndefMove *move, const Resolved *access,
                unsigned bytes, uint32_t active);

/* After a store: value[lane] are the undefined bits of what it stored. */
void undef_stored(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  const uint8_t *const value[LANES]);
/* Before a read-modify-write. exchanges: memory then holds the operand alone. */
void undef_updated(Warp *w, const Insn *insn, const Resolved *access, bool exchanges);
/* The access wrote shared or local memory, all of whose bits are then defined. */
void undef_written(Warp *w, const Resolved *access, unsigned bytes);
/* What a lane reads at a generic address must be defined; `is` names it in the report. */
void undef_demand_at(Warp *w, const Insn *insn, unsigned lane, uint64_t address, unsigned bytes,
                     const char *is);
/* The device runtime has written these bytes of a lane. */
void undef_define_at(Warp *w, unsigned lane, uint64_t address, unsigned bytes);
/* Bytes of shared memory must be defined; `is` names them in the report. */
void undef_demand(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                  const char *is);

#endif
