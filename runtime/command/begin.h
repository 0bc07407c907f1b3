/* begin.h: help with a first spec: kgen --schema, kgen --init. */
#ifndef KGEN_COMMAND_BEGIN_H
#define KGEN_COMMAND_BEGIN_H

#include "command/options.h"

/* The JSON Schema of specs, with the families of --templates. Returns the exit code. */
int schema_command(Arena *a, const Options *o, Text *data, Text *messages);
/* A commented spec of --init's family. */
int init_command(Arena *a, const Options *o, Text *data, Text *messages);

#endif
