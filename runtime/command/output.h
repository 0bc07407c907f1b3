/* output.h: a file that an option names; `-` is stdout. */
#ifndef KGEN_COMMAND_OUTPUT_H
#define KGEN_COMMAND_OUTPUT_H

#include "base/text.h"

/* Whether an option's value means stdout. A file of that name is ./- */
bool output_is_stdout(const char *path);

/* Writes the whole text to the file, or adds it to `data`, which goes to stdout as the command
 * ends. False with the reason, without an end of line, in *why. */
bool output_write(const char *path, const char *text, Text *data, Text *why);

#endif
