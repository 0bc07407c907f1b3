/* judge.h: runs launches, judged or not. */
#ifndef KGEN_LIBCUDA_LAUNCH_JUDGE_H
#define KGEN_LIBCUDA_LAUNCH_JUDGE_H

#include "libcuda/state/module.h"

/* Runs the launch as emu_launch does. A judged launch is added to its group and written for kgen
 * --exec. One that only polls memory is left in *waits, and NULL returned, if `waits` is not NULL.
 */
EmuResult *judge_launch(const Function *function, const EmuLaunch *launch, EmuRun **waits);
/* Goes on with a launch that was left waiting, as emu_run does; NULL if it still waits. */
EmuResult *judge_go_on(const Function *function, EmuRun *run, uint64_t patience);
/* Ends such a launch as it is; if it is judged, by what it did so far. */
void judge_drop(EmuRun *run);
/* Whether a launch may be judged from now on. */
bool judge_expects(void);
/* Writes what is left, as the process ends; at_end: its exit handlers have run. */
void judge_end(bool at_end);

#endif
