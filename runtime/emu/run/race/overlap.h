/* SPDX-License-Identifier: MIT */
/*
 * overlap.h: finds races between launches that overlap. A launch that depends on another one
 * programmatically may begin once every block of that one has executed
 * griddepcontrol.launch_dependents or has exited. What it does before griddepcontrol.wait is not
 * ordered after what the other one does.
 */
#ifndef KGEN_EMU_RUN_RACE_OVERLAP_H
#define KGEN_EMU_RUN_RACE_OVERLAP_H

#include "emu/run/race/kind.h"
#include "emu/run/state/block.h"

/* The state of a launch that depends on others or triggers dependents; *out is NULL for others.
 * False when out of memory. */
bool overlap_new(const Launch *launch, Overlap **out);
/* Ends it. Returns the trace that the launch leaves, with one reference; or NULL. */
EmuTrace *overlap_end(Overlap *overlap, const Launch *launch);

void overlap_wait(Warp *w, const Insn *insn, uint32_t lanes);
void overlap_trigger(Warp *w, const Insn *insn, uint32_t lanes);

void overlap_check(Warp *w, const Insn *insn, RaceKind kind, bool strong, uint32_t active,
                   const uint64_t at[LANES], uint64_t bytes);

/* An access of some lanes to global memory. strong: it does not race with other strong ones. */
static inline void overlap_access(Warp *w, const Insn *insn, RaceKind kind, bool strong,
                                  uint32_t active, const uint64_t at[LANES], uint64_t bytes) {
  if (w->block->launch->overlap) overlap_check(w, insn, kind, strong, active, at, bytes);
}

#endif
