/* paths.h: where templates and specs are. */
#ifndef KGEN_COMMAND_PATHS_H
#define KGEN_COMMAND_PATHS_H

#include "base/text.h"

/* The folder of the families, which holds layout.h: `given`, else $KGEN_TEMPLATES, else the first
 * of templates/ here, the installed one and the source's. NULL with *why if there is none. */
const char *paths_templates(Arena *a, const char *given, Text *why);

/* The folder of the measurements that come with kgen; NULL if there is none. */
const char *paths_wisdom(Arena *a);

/* The JSON Schema of specs, beside the command as it was built or where it was installed; NULL if
 * there is none. */
const char *paths_schema(Arena *a);

typedef struct {
  int count;
  const char **path;
} Paths;

/* The spec files that the arguments name: files as they are, folders as all of their *.yaml,
 * sorted. No argument: specs/ here, else the installed or the source's. An argument that is
 * neither, or a folder without a spec, makes count 0, with the reason in *why. */
Paths paths_specs(Arena *a, int args, const char *const *arg, Text *why);

#endif
