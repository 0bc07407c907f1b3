/* memory.h: one warp-wide memory access: its state spaces, bounds, alignment and counters,
 * and the race detectors' view of it. */
#ifndef KGEN_EMU_RUN_ACCESS_MEMORY_H
#define KGEN_EMU_RUN_ACCESS_MEMORY_H

#include "emu/run/state/block.h"

/* Resolves the addresses of `active` lanes, `bytes` each, and counts the access. Lanes that are out
 * of bounds or misaligned become findings. */
void access_resolve(Warp *w, const Insn *insn, EmuAccessKind kind, int space, unsigned bytes,
                    uint32_t active, const uint64_t address[LANES], Resolved *access);
/* The same of a cp.async's target, whose cost depends on `source` too, where its lanes copy
 * from. */
void access_resolve_copy(Warp *w, const Insn *insn, uint32_t active, const uint64_t address[LANES],
                         const uint64_t source[LANES], Resolved *access);
/* Computes the addresses of an instruction's memory operand. */
void access_addresses(const Warp *w, const MemoryOp *op, uint64_t address[LANES]);

/* Where `bytes` at a lane's generic address lie on the host, or NULL if they are out of bounds;
 * neither counted nor checked further. */
const uint8_t *access_peek(const Warp *w, unsigned lane, uint64_t address, unsigned bytes);

/* Checks a read for races. */
void access_read(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);
/* The same of a write of value[lane], which this performs, too, in pieces of `piece` bytes. */
void access_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes, unsigned piece,
                  const uint8_t *const value[LANES]);
/* The same of a read of shared or global memory that is known to be within bounds; is_row: each
 * lane's address is `bytes` above that of the lane before. */
void access_read_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                      const uint64_t address[LANES], bool is_row);
void access_atomic(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);

#endif
