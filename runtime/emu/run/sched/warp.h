/* SPDX-License-Identifier: MIT */
/* warp.h: the scheduler of a warp: lanes diverge at branches, reconverge, and exit. */
#ifndef KGEN_EMU_RUN_SCHED_WARP_H
#define KGEN_EMU_RUN_SCHED_WARP_H

#include "emu/run/state/block.h"

/* Makes room for a frame of function f at call depth `depth`; false when out of memory or above the
 * limits. May move the registers: call warp_set_frame() again. */
bool warp_reserve(Warp *w, const FunctionCode *f, Frame frame, int depth);
void warp_release(Warp *w);
/* Starts the warp at the kernel's entry; storage must be reserved. */
void warp_start(Warp *w, const FunctionCode *kernel, uint32_t initial);
/* Runs until the time slice ends or no split is ready; true if an instruction was executed. */
bool warp_run(Warp *w);
/* Lets lanes that wait at a convergence point continue without the others; with `to_end`, only
 * lanes that exit there. Returns false if there are none. */
bool warp_stop_waiting(Warp *w, bool to_end);
/* Reports that the warp polls memory, while `idle` instructions of all blocks changed nothing, and
 * ends the launch. */
void warp_report_hang(Warp *w, uint64_t idle);
/* Sends lanes `active` of the current split to `target` and the others to `other`; all reconverge
 * at `join`. */
void warp_diverge(Warp *w, uint32_t active, int32_t target, int32_t other, int32_t join);
/* Lanes `active` exit. */
Flow warp_exit(Warp *w, const Insn *insn, uint32_t active);
/* Sets the current split's frame and the pointers derived from it. */
void warp_set_frame(Warp *w, Frame frame);

#endif
