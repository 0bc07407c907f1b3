/* lint_place.h: what the command line gives, in the emulator's memory. */
#ifndef KGEN_LINT_PLACE_H
#define KGEN_LINT_PLACE_H

#include "lint/lint_args.h"

/* Checks the arguments against the kernel's parameters, allocates and fills the buffers, and sets
 * the module's variables. Returns one pointer per parameter, as EmuLaunch wants them; NULL with the
 * reason in *why. */
const void *const *lint_place(Arena *a, EmuMemory *memory, EmuModule *module,
                              const EmuKernel *kernel, const LintLaunch *launch, Text *why);

#endif
