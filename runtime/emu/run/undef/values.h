/* SPDX-License-Identifier: MIT */
/*
 * values.h: tracks undefined bits: bits of registers, predicates, shared and local memory that were
 * never written. Copying them is allowed. They are reported, at the instruction that read them from
 * memory, if they decide a branch, are part of an address, are stored to global memory, or are
 * printed.
 *
 * An instruction that computes is executed again with its undefined source bits set in several
 * ways. Result bits that differ are undefined. A warp without undefined bits (w->undefined == 0)
 * skips all of this.
 */
#ifndef KGEN_EMU_RUN_UNDEF_VALUES_H
#define KGEN_EMU_RUN_UNDEF_VALUES_H

#include "emu/run/state/block.h"

/* Executes one instruction of a warp that has undefined bits, for the `active` lanes. */
Flow undef_step(Warp *w, const Insn *insn, uint32_t active);
Flow undef_compute(Warp *w, const Insn *insn, ExecFn body, uint32_t active);

/* Executes the part of an instruction that computes registers and predicates from others. */
static inline Flow undef_run(Warp *w, const Insn *insn, ExecFn body, uint32_t active) {
  return w->undefined ? undef_compute(w, insn, body, active) : body(w, insn, active);
}

#endif
