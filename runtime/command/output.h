/* SPDX-License-Identifier: MIT */
/* output.h: a file that an option names; `-` is stdout. */
#ifndef KGEN_COMMAND_OUTPUT_H
#define KGEN_COMMAND_OUTPUT_H

#include "base/diag.h"

/* True if an option's value means stdout. ./- names a file called "-". */
bool output_is_stdout(const char *path);

/* Writes the whole text to the file, or appends it to `data`, which goes to stdout when the command
 * ends. False, with the reason without a line end in *why. */
bool output_write(const char *path, const char *text, Text *data, Diag *diag);

#endif
