/* judge.h: the seam at which a launch is judged, or not. */
#ifndef KGEN_LIBCUDA_JUDGE_H
#define KGEN_LIBCUDA_JUDGE_H

#include "libcuda/module.h"

/* Runs the launch as emu_launch does. A judged one is added to its equals and written down for kgen
 * --exec. */
EmuResult *judge_launch(const Function *function, const EmuLaunch *launch);
#endif
