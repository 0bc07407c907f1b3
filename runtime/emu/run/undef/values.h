/*
 * values.h: undefined bits: bits of registers, predicates, shared and local memory that were
 * never written. Copying them is no fault. They are reported, at the instruction that read them,
 * when they decide a branch, are part of an address, are stored to global memory, or are
 * printed.
 *
 * Instructions that compute are executed again on values whose undefined bits are set in
 * several ways: bits of the result that differ are undefined. A warp without undefined bits,
 * w->undefined being 0, skips all of this.
 */
#ifndef KGEN_EMU_RUN_UNDEF_VALUES_H
#define KGEN_EMU_RUN_UNDEF_VALUES_H

#include "emu/run/state/block.h"

/* One instruction of a warp with undefined bits, by `active` of the split's lanes. */
Flow undef_step(Warp *w, const Insn *insn, uint32_t active);
Flow undef_compute(Warp *w, const Insn *insn, ExecFn body, uint32_t active);

/* The part of an instruction that computes registers and predicates from others. */
static inline Flow undef_run(Warp *w, const Insn *insn, ExecFn body, uint32_t active) {
  return w->undefined ? undef_compute(w, insn, body, active) : body(w, insn, active);
}

#endif
