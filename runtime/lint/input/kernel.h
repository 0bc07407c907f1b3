/* kernel.h: which kernel of the file is meant. */
#ifndef KGEN_LINT_INPUT_KERNEL_H
#define KGEN_LINT_INPUT_KERNEL_H

#include "emu/emu.h"
#include "lint/input/source.h"

/* The kernel that --kernel means; if that is not given but a grid is, the only one. NULL: the
 * reason, with a list of kernels, is in *why. */
const EmuKernel *lint_kernel_find(const LintSource *s, const EmuModule *m, const Options *o,
                                  Diag *why);

#endif
