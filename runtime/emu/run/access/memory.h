/* SPDX-License-Identifier: MIT */
/* memory.h: one warp-wide memory access: its state spaces, bounds, alignment, counters and race
 * checks. */
#ifndef KGEN_EMU_RUN_ACCESS_MEMORY_H
#define KGEN_EMU_RUN_ACCESS_MEMORY_H

#include "emu/run/state/block.h"

/* Resolves the addresses of the `active` lanes, `bytes` bytes per lane, and counts the access.
 * Reports lanes that are out of bounds or misaligned. */
void access_resolve(Warp *w, const Insn *insn, EmuAccessKind kind, int space, unsigned bytes,
                    uint32_t active, const uint64_t address[LANES], Resolved *access);
/* Like access_resolve(), for the target of cp.async, whose cost also depends on the addresses
 * `source` that its lanes copy from. */
void access_resolve_copy(Warp *w, const Insn *insn, uint32_t active, const uint64_t address[LANES],
                         const uint64_t source[LANES], Resolved *access);
/* Computes the lane addresses of an instruction's memory operand. */
void access_addresses(const Warp *w, const MemoryOp *op, uint64_t address[LANES]);

/* The host address of `bytes` bytes at a lane's generic address, or NULL if they are out of bounds.
 * Neither counts the access nor checks it for races. */
const uint8_t *access_peek(const Warp *w, unsigned lane, uint64_t address, unsigned bytes);

/* Checks a read for races. */
void access_read(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);
/* Checks a write of value[lane] for races and performs it, in units of `piece` bytes. */
void access_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes, unsigned piece,
                  const uint8_t *const value[LANES]);
/* Like access_read(), for a read of shared or global memory that is known to be within bounds.
 * is_row: each lane's address is the previous lane's plus `bytes`. */
void access_read_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                      const uint64_t address[LANES], bool is_row);
/* Checks a read of constant memory against stores through its global address. */
void access_read_constant(Warp *w, const Insn *insn, unsigned bytes, uint32_t active);
void access_atomic(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes);

#endif
