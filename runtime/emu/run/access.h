/* access.h: one warp-wide memory access: spaces, bounds, alignment, counters, and what shared
 * memory remembers. */
#ifndef KGEN_EMU_ACCESS_H
#define KGEN_EMU_ACCESS_H

#include "emu/run/block.h"

typedef struct {
  uint32_t valid;         /* lanes whose access is within bounds and aligned */
  uint32_t shared;        /* those of them that are in shared memory */
  uint8_t *host[LANES];   /* of the valid lanes */
  uint64_t offset[LANES]; /* within its space; a device address if global */
} Access;

/* Resolves the addresses of `active` lanes, `bytes` each, and counts the access. Faulty lanes
 * become findings. */
void access_resolve(Warp *w, const Insn *insn, EmuAccessKind kind, int space, unsigned bytes,
                    uint32_t active, const uint64_t address[LANES], Access *access);
/* The addresses of an instruction's memory operand. */
void access_addresses(const Warp *w, const MemoryOp *op, uint64_t address[LANES]);

/* Where a lane finds `bytes` at a generic address, or NULL; neither counted nor checked further. */
const uint8_t *access_peek(const Warp *w, unsigned lane, uint64_t address, unsigned bytes);

/* What a read of shared memory must be checked for: never written, or raced with. */
void access_shared_read(Warp *w, const Insn *insn, const Access *access, unsigned bytes);
/* The same before a write of value[lane]; marks the bytes as written. */
void access_shared_write(Warp *w, const Insn *insn, const Access *access, unsigned bytes,
                         const uint8_t *const value[LANES]);
void access_shared_atomic(Warp *w, const Insn *insn, const Access *access, unsigned bytes);

#endif
