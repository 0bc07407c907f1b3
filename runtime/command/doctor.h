/* doctor.h: kgen --doctor: what kgen needs of this machine, what is there, how to get the rest. */
#ifndef KGEN_COMMAND_DOCTOR_H
#define KGEN_COMMAND_DOCTOR_H

#include "command/options.h"

/* The exit code: 0 if kgen generates, compiles and runs, on a GPU or on the emulator; 2 if it does
 * not generate; 6 if it does not compile or run; 77 if --device cuda asks for a GPU that is not
 * there. */
int doctor_command(Arena *a, const Options *o, Text *data, Text *messages);

#endif
