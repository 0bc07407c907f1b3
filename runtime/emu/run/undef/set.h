/* SPDX-License-Identifier: MIT */
/* set.h: the undefined bits of a warp's registers and predicates, and their origins. */
#ifndef KGEN_EMU_RUN_UNDEF_SET_H
#define KGEN_EMU_RUN_UNDEF_SET_H

#include "emu/run/state/block.h"

enum { UNDEF_SCRATCH = 64 }; /* number of registers */

/* For a register: each lane's undefined bits, and the read that they came from. A predicate or the
 * carry flag uses bit 0. */
typedef struct {
  uint32_t lanes; /* mask of the lanes that have undefined bits */
  uint64_t bits[LANES], from[LANES];
} UndefBits;

struct Undef {
  UndefBits **reg, **pred; /* indexed as in the warp's storage; NULL: none so far */
  size_t regs, preds;
  UndefBits *carry;
  Ref ref[UNDEF_SCRATCH]; /* references to the scratch registers in BANK_SCRATCH */
  uint64_t scratch[UNDEF_SCRATCH][LANES];
};

/* Resets the warp: no bits are undefined. */
void undef_start(Warp *w);
void undef_free(Warp *w);
/* Allocates the sets. False if unchecked or out of memory; then nothing is recorded, so that errors
 * may be missed but none are invented. */
bool undef_open(Warp *w);

/* The undefined bits of a register, predicate or the carry flag; NULL: none. */
const UndefBits *undef_of_reg(const Warp *w, Ref ref);
const UndefBits *undef_of_pred(const Warp *w, int32_t slot);
const UndefBits *undef_of_carry(const Warp *w);
/* Sets the undefined bits of the `active` lanes; bits NULL: none. */
void undef_set_reg(Warp *w, Ref ref, uint32_t active, const uint64_t *bits, const uint64_t *from);
void undef_set_pred(Warp *w, int32_t slot, uint32_t active, const uint64_t *bits,
                    const uint64_t *from);
void undef_set_carry(Warp *w, uint32_t active, const uint64_t *bits, const uint64_t *from);

/* Copies the undefined bits of a register from one frame to another. */
void undef_copy(Warp *w, const uint64_t *to, const uint64_t *from, uint32_t active);

/* Flags of an origin: the read was from local memory, not shared; only a part of it was
 * undefined. */
typedef enum { UNDEF_LOCAL = 1, UNDEF_PART = 2 } UndefOrigin;

/* Encodes the origin of undefined bits: the read by a thread, and the address of its first
 * undefined byte; for a shuffle, the lane that does not take part. */
uint64_t undef_origin(const Warp *w, const Insn *insn, unsigned lane, uint64_t byte,
                      UndefOrigin kind);
bool undef_is_part(uint64_t from);
/* The same origin, marked as used for more than a copy. */
uint64_t undef_used(uint64_t from);
/* Reports, at the read in `from`, how `insn` uses the undefined value. */
void undef_report(Warp *w, const Insn *insn, uint64_t from, const char *what);

#endif
