/* SPDX-License-Identifier: MIT */
/* doctor.h: kgen --doctor: lists what kgen needs on this machine, what is installed, and how to get
 * the rest. */
#ifndef KGEN_COMMAND_DOCTOR_H
#define KGEN_COMMAND_DOCTOR_H

#include "command/options.h"

/* Returns the exit code. 0: kgen generates, compiles and runs, on a GPU or on the emulator. 2: it
 * cannot generate. 6: it cannot compile or run. 77: --device cuda is given and there is no GPU. */
int doctor_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
