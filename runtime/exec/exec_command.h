/* SPDX-License-Identifier: MIT */
/* exec_command.h: kgen --exec: runs any CUDA program on the emulator and checks its launches. */
#ifndef KGEN_EXEC_EXEC_COMMAND_H
#define KGEN_EXEC_EXEC_COMMAND_H

#include "command/options.h"

/* Returns the exit code: the program's own status, or --error-exit if something was found; 2: wrong
 * usage; 6: kgen's libcuda.so.1 is missing. The report goes to *messages, or to *data in a format
 * for programs. */
int exec_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
