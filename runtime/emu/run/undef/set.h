/* set.h: the undefined bits of a warp's registers and predicates, and their origins. */
#ifndef KGEN_EMU_RUN_UNDEF_SET_H
#define KGEN_EMU_RUN_UNDEF_SET_H

#include "emu/run/state/block.h"

enum { UNDEF_SCRATCH = 64 }; /* registers */

/* For a register: the undefined bits of each lane, and the read that they came from; for a
 * predicate or the carry flag in bit 0. */
typedef struct {
  uint32_t lanes; /* registers that have any */
  uint64_t bits[LANES], from[LANES];
} UndefBits;

struct Undef {
  UndefBits **reg, **pred; /* by their place in the warp's storage; NULL: never had any */
  size_t regs, preds;
  UndefBits *carry;
  Ref ref[UNDEF_SCRATCH]; /* of scratch registers, beside which BANK_SCRATCH lies */
  uint64_t scratch[UNDEF_SCRATCH][LANES];
};

/* Resets the warp's registers: no bits are undefined. */
void undef_start(Warp *w);
void undef_free(Warp *w);
/* Makes room for undefined bits. False when unchecked, or when out of memory: then nothing is
 * recorded, so that a fault may be missed but none is invented. */
bool undef_open(Warp *w);

/* Its undefined bits; NULL: none. */
const UndefBits *undef_of_reg(const Warp *w, Ref ref);
const UndefBits *undef_of_pred(const Warp *w, int32_t slot);
const UndefBits *undef_of_carry(const Warp *w);
/* Sets the undefined bits of `active` lanes; bits NULL: none. */
void undef_set_reg(Warp *w, Ref ref, uint32_t active, const uint64_t *bits, const uint64_t *from);
void undef_set_pred(Warp *w, int32_t slot, uint32_t active, const uint64_t *bits,
                    const uint64_t *from);
void undef_set_carry(Warp *w, uint32_t active, const uint64_t *bits, const uint64_t *from);

/* Registers of the warp's storage are copied from one frame to another. */
void undef_copy(Warp *w, const uint64_t *to, const uint64_t *from, uint32_t active);

/* Flags of a read: it was of local memory instead of shared; only part of it was undefined. */
typedef enum { UNDEF_LOCAL = 1, UNDEF_PART = 2 } UndefOrigin;

/* The origin for a read by a thread of the block at the address of its first undefined byte; for a
 * shuffle, the lane that does not take part. */
uint64_t undef_origin(const Warp *w, const Insn *insn, unsigned lane, uint64_t byte,
                      UndefOrigin kind);
bool undef_is_part(uint64_t from);
/* The same read, whose value was used for more than a copy. */
uint64_t undef_used(uint64_t from);
/* Reports at that read how `insn` uses the value. */
void undef_report(Warp *w, const Insn *insn, uint64_t from, const char *what);

#endif
