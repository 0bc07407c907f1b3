/* warp.h: the scheduler of a warp: lanes diverge at branches, reconverge, and exit. */
#ifndef KGEN_EMU_RUN_SCHED_WARP_H
#define KGEN_EMU_RUN_SCHED_WARP_H

#include "emu/run/state/block.h"

/* Room for a frame of function f at a call depth; false when out of memory or beyond the limits.
 * Moves the registers: set the frame again. */
bool warp_reserve(Warp *w, const FunctionCode *f, Frame frame, int depth);
void warp_release(Warp *w);
/* Starts the warp at the kernel's entry with zeroed registers; storage must be reserved. */
void warp_start(Warp *w, const FunctionCode *kernel, uint32_t initial);
/* Runs until no split is ready or a time slice ends; true if an instruction was executed. */
bool warp_run(Warp *w);
/* Lets lanes at convergence points continue without the others, if `to_end` only those that end
 * there; false if there are none. */
bool warp_stop_waiting(Warp *w, bool to_end);
/* Reports that the warp polls memory, while `idle` instructions of all blocks changed nothing, and
 * ends the launch. */
void warp_report_hang(Warp *w, uint64_t idle);
/* Sends the split's lanes `active` to `target`, the others to `other`; all reconverge at `join`. */
void warp_diverge(Warp *w, uint32_t active, int32_t target, int32_t other, int32_t join);
/* The `active` lanes exit. */
Flow warp_exit(Warp *w, const Insn *insn, uint32_t active);
/* Sets the current split's frame and the pointers that follow from it. */
void warp_set_frame(Warp *w, Frame frame);

#endif
