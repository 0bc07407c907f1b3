/* judge.h: the seam at which a launch is judged. */
#ifndef KGEN_LIBCUDA_JUDGE_H
#define KGEN_LIBCUDA_JUDGE_H

#include "libcuda/module.h"

/* Runs the launch as emu_launch does. */
EmuResult *judge_launch(const Function *function, const EmuLaunch *launch);

#endif
