/* exec_start.h: the program, started with kgen's libcuda.so.1 in the place of the driver's. */
#ifndef KGEN_EXEC_EXEC_START_H
#define KGEN_EXEC_EXEC_START_H

#include "base/scratch.h"
#include "command/options.h"

/* The directory of kgen's libcuda.so.1: next to the command as it was built, or where it was
 * installed. NULL, with the reason in *why, if it is in neither. */
const char *exec_library(Arena *a, Text *why);

/* Runs it to its end in this process's group, with the signals as they were before `session` held
 * them back; those that come to kgen alone are passed on. Its status as shells have it: its exit
 * code, or 128 and the signal that ended it; -1, with the reason in *why, if it cannot be started.
 * Where stdout carries data of kgen's, what the program prints there goes to stderr. */
int exec_start(Arena *a, const Options *o, const Scratch *session, const char *library, Text *why);

#endif
