/* SPDX-License-Identifier: MIT */
/* kernel.h: selects the kernel of the file. */
#ifndef KGEN_LINT_INPUT_KERNEL_H
#define KGEN_LINT_INPUT_KERNEL_H

#include "emu/emu.h"
#include "lint/input/source.h"

/* The kernel that --kernel names; without --kernel, the only one, if a grid is given. NULL with the
 * reason and a list of kernels in *why. */
const EmuKernel *lint_kernel_find(const LintSource *s, const EmuModule *m, const Options *o,
                                  Diag *why);

#endif
