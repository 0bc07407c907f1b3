/*
 * undef_memory.h: undefined bits in shared and local memory, as instructions move them to registers
 * and back: by running the moving part of an instruction once more, on the undefined bits instead
 * of the values.
 */
#ifndef KGEN_EMU_UNDEF_MEMORY_H
#define KGEN_EMU_UNDEF_MEMORY_H

#include "emu/run/block.h"

/* Whether the lanes in shared or local memory read an undefined bit. */
bool undef_is_read(const Warp *w, const Resolved *access, unsigned bytes);
/* The same access of the undefined bits; the lanes that are in other memory find none. */
Resolved undef_of_access(const Warp *w, const Resolved *access);
/* The instruction with undefined bits for its first `count` sources, or with other registers for
 * its results; valid until the next call. */
Insn undef_sources(Warp *w, const Insn *insn, unsigned count);
Insn undef_results(Warp *w, const Insn *insn);
/* Notes the first `count` results of the latter as undefined bits, which the access read. */
void undef_loaded(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  uint32_t active);
/* All three, where the moving part is a function. */
typedef void UndefMove(Warp *w, const Insn *insn, const Resolved *access, uint32_t active);
void undef_load(Warp *w, const Insn *insn, unsigned count, UndefMove *move, const Resolved *access,
                unsigned bytes, uint32_t active);

/* After a store: value[lane] are the undefined bits of what it stored. */
void undef_stored(Warp *w, const Insn *insn, unsigned count, const Resolved *access, unsigned bytes,
                  const uint8_t *const value[LANES]);
/* Before a read-modify-write. exchanges: memory then holds the operand alone. */
void undef_updated(Warp *w, const Insn *insn, const Resolved *access, bool exchanges);
/* The access wrote shared or local memory, all bits of it. */
void undef_written(Warp *w, const Resolved *access, unsigned bytes);
/* What a lane finds at a generic address must be defined: tells what it `is`. */
void undef_demand_at(Warp *w, const Insn *insn, unsigned lane, uint64_t address, unsigned bytes,
                     const char *is);
/* What a lane finds there has been written by the device runtime. */
void undef_define_at(Warp *w, unsigned lane, uint64_t address, unsigned bytes);
/* What of shared memory is undefined must not be: tells what it `is`. */
void undef_demand(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                  const char *is);

#endif
