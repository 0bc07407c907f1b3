/* SPDX-License-Identifier: MIT */
/* exec_start.h: starts the program with kgen's libcuda.so.1 in place of the driver's. */
#ifndef KGEN_EXEC_EXEC_START_H
#define KGEN_EXEC_EXEC_START_H

#include "base/scratch.h"
#include "command/options.h"

/* The directory of kgen's libcuda.so.1: next to the command as it was built, or where it was
 * installed. NULL, with the reason in *why, if it is in neither. */
const char *exec_library(Arena *a, Diag *diag);

/* Runs the program to its end, in this process's group and with the signal mask from before
 * `session` held signals back. Signals that only kgen receives are passed on. Returns the status as
 * a shell reports it: the exit code, or 128 plus the number of the signal; -1, with the reason in
 * *why, if the program cannot be started. If stdout carries kgen's data, the program's output goes
 * to stderr. */
int exec_start(Arena *a, const Options *o, const Scratch *session, const char *library, Diag *diag);

#endif
