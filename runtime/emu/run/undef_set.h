/* undef_set.h: the undefined bits of a warp's registers and predicates, and where they came from.
 */
#ifndef KGEN_EMU_UNDEF_SET_H
#define KGEN_EMU_UNDEF_SET_H

#include "emu/run/block.h"

enum { UNDEF_SCRATCH = 64 }; /* registers */

/* Of a register: which bits of each lane, and the read that they came from; of a predicate or the
 * carry flag bit 0. */
typedef struct {
  uint32_t lanes; /* that have any */
  uint64_t bits[LANES], from[LANES];
} UndefBits;

struct Undef {
  UndefBits **reg, **pred; /* by their place in the warp's storage; NULL: never had any */
  size_t regs, preds;
  UndefBits *carry;
  Ref ref[UNDEF_SCRATCH]; /* of scratch registers, beside which BANK_SCRATCH lies */
  uint64_t scratch[UNDEF_SCRATCH][LANES];
};

/* The warp's registers hold nothing undefined. */
void undef_start(Warp *w);
void undef_free(Warp *w);
/* Room for what is undefined; false when unjudged, or out of memory: nothing is noted, a fault may
 * be overlooked, and none invented. */
bool undef_open(Warp *w);

/* What is undefined of it; NULL: nothing. */
const UndefBits *undef_of_reg(const Warp *w, Ref ref);
const UndefBits *undef_of_pred(const Warp *w, int32_t slot);
const UndefBits *undef_of_carry(const Warp *w);
/* Sets the bits of `active` lanes; bits NULL: nothing is undefined. */
void undef_set_reg(Warp *w, Ref ref, uint32_t active, const uint64_t *bits, const uint64_t *from);
void undef_set_pred(Warp *w, int32_t slot, uint32_t active, const uint64_t *bits,
                    const uint64_t *from);
void undef_set_carry(Warp *w, uint32_t active, const uint64_t *bits, const uint64_t *from);

/* Registers of the warp's storage are copied from one frame to another. */
void undef_copy(Warp *w, const uint64_t *to, const uint64_t *from, uint32_t active);

/* Of a read: of local memory instead of shared; that only part of it was undefined. */
typedef enum { UNDEF_LOCAL = 1, UNDEF_PART = 2 } UndefOrigin;

/* A read by a thread of the block: the address of its first undefined byte; of a shuffle the lane
 * that takes no part. */
uint64_t undef_origin(const Warp *w, const Insn *insn, unsigned lane, uint64_t byte,
                      UndefOrigin kind);
bool undef_is_part(uint64_t from);
/* The same read, of which more than a copy was made. */
uint64_t undef_used(uint64_t from);
/* Tells at that read what becomes of it at `insn`. */
void undef_tell(Warp *w, const Insn *insn, uint64_t from, const char *what);

#endif
