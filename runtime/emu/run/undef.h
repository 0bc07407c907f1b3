/*
 * undef.h: undefined bits: those of registers, predicates, shared and local memory that hold what
 * nothing wrote. Copying them is no fault; it is told where they decide a branch, are part of an
 * address, go to global memory or are printed, at the instruction that read them.
 *
 * What computes is run again on values whose undefined bits are set in several ways: bits of the
 * result that differ are undefined. A warp that holds none, w->undefined being 0, does none of
 * that.
 */
#ifndef KGEN_EMU_UNDEF_H
#define KGEN_EMU_UNDEF_H

#include "emu/run/block.h"

/* One instruction of a warp with undefined bits, by `active` of the split's lanes. */
Flow undef_step(Warp *w, const Insn *insn, uint32_t active);
Flow undef_compute(Warp *w, const Insn *insn, ExecFn body, uint32_t active);

/* The part of an instruction that makes registers and predicates of others. */
static inline Flow undef_run(Warp *w, const Insn *insn, ExecFn body, uint32_t active) {
  return w->undefined ? undef_compute(w, insn, body, active) : body(w, insn, active);
}

#endif
