/* SPDX-License-Identifier: MIT */
/* begin.h: help with a first spec: kgen --schema, kgen --init. */
#ifndef KGEN_COMMAND_BEGIN_H
#define KGEN_COMMAND_BEGIN_H

#include "command/options.h"

/* Prints the JSON Schema of specs, including the kernel templates of --templates. Returns the exit
 * code. */
int schema_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);
/* Prints a commented spec for the kernel template of --init. */
int init_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
