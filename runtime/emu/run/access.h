/* access.h: one warp-wide memory access: spaces, bounds, alignment, counters, and what shared
 * memory remembers. */
#ifndef KGEN_EMU_ACCESS_H
#define KGEN_EMU_ACCESS_H

#include "emu/run/block.h"

/* Resolves the addresses of `active` lanes, `bytes` each, and counts the access. Faulty lanes
 * become findings. */
void access_resolve(Warp *w, const Insn *insn, EmuAccessKind kind, int space, unsigned bytes,
                    uint32_t active, const uint64_t address[LANES], Resolved *access);
/* The same of a cp.async's target, with where its lanes copy from: that is counted, too. */
void access_resolve_copy(Warp *w, const Insn *insn, uint32_t active, const uint64_t address[LANES],
                         const uint64_t source[LANES], Resolved *access);
/* The addresses of an instruction's memory operand. */
void access_addresses(const Warp *w, const MemoryOp *op, uint64_t address[LANES]);

/* Where a lane finds `bytes` at a generic address, or NULL; neither counted nor checked further. */
const uint8_t *access_peek(const Warp *w, unsigned lane, uint64_t address, unsigned bytes);

/* A read is checked for races. */
void access_read(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);
/* The same of a write of value[lane], which it performs, in pieces of `piece` bytes. */
void access_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes, unsigned piece,
                  const uint8_t *const value[LANES]);
/* A read of shared or global memory by all of `active`, within bounds; is_row: where each lies
 * `bytes` behind the one before. */
void access_read_lean(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                      const uint64_t address[LANES], bool is_row);
void access_atomic(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);

#endif
