/* judge.h: runs launches, judged or not. */
#ifndef KGEN_LIBCUDA_JUDGE_H
#define KGEN_LIBCUDA_JUDGE_H

#include "libcuda/module.h"

/* Runs the launch as emu_launch does. A judged launch is added to its group and written for kgen
 * --exec. */
EmuResult *judge_launch(const Function *function, const EmuLaunch *launch);
#endif
