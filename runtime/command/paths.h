/* SPDX-License-Identifier: MIT */
/* paths.h: finds templates and specs. */
#ifndef KGEN_COMMAND_PATHS_H
#define KGEN_COMMAND_PATHS_H

#include "base/diag.h"

/* The directory of the kernel templates, which contains layout.h: `given`, else $KGEN_TEMPLATES,
 * else the first of ./templates, the installed directory and the source directory. NULL, with the
 * reason in *why, if there is none. */
const char *paths_templates(Arena *a, const char *given, Diag *diag);

/* The directory of the measurements that are installed with kgen; NULL if there is none. */
const char *paths_wisdom(Arena *a);

/* The JSON Schema of specs: next to the command in the build directory, or installed; NULL if there
 * is none. */
const char *paths_schema(Arena *a);

typedef struct {
  int count;
  const char **path;
} Paths;

/* The spec files that the arguments name. A directory means all its *.yaml files, sorted; no
 * argument means ./specs, else the installed or the source's specs. If an argument does not
 * exist, or is a directory without specs, count is 0 and the reason is in *why. */
Paths paths_specs(Arena *a, int args, const char *const *arg, Diag *diag);

#endif
