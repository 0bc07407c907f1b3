/* SPDX-License-Identifier: MIT */
/* judge.h: runs launches, checked or unchecked. */
#ifndef KGEN_LIBCUDA_LAUNCH_JUDGE_H
#define KGEN_LIBCUDA_LAUNCH_JUDGE_H

#include "libcuda/state/module.h"

/* Runs the launch like emu_launch(). A checked launch is added to its group, which is written for
 * kgen --exec. If `waits` is not NULL, a launch that only polls memory is left in *waits, and NULL
 * is returned. */
EmuResult *judge_launch(const Function *function, const EmuLaunch *launch, EmuRun **waits);
/* Continues a launch that was left waiting, like emu_run(); NULL if it still waits. */
EmuResult *judge_go_on(const Function *function, EmuRun *run, uint64_t patience);
/* Ends a waiting launch in its current state; a checked launch is recorded as far as it ran. */
void judge_drop(EmuRun *run);
/* True if later launches may be checked. */
bool judge_expects(void);
/* Writes the remaining groups when the process ends. at_end: the exit handlers have run. */
void judge_end(bool at_end);

#endif
