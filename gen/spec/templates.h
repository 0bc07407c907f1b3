/* SPDX-License-Identifier: MIT */
/* templates.h: the directory of kernel templates. Each of its files is read at most once, and each
 * declaration is parsed at most once, however many specs use it. Not thread-safe. */
#ifndef KGEN_SPEC_TEMPLATES_H
#define KGEN_SPEC_TEMPLATES_H

#include "base/yaml_tree.h"

typedef struct Templates Templates;

/* Opens no file yet; NULL for a NULL dir. The directory's name and everything that is read live as
 * long as the arena. */
Templates *templates_open(Arena *a, const char *dir);
const char *templates_dir(const Templates *t);
/* The names of all NAME.yaml whose name is an identifier, sorted. Returns their number. */
int templates_kernels(Templates *t, const char *const **names);
/* A file of the directory, at most 1 MiB. NULL with errno set if it cannot be read. */
const Source *templates_file(Templates *t, const char *name);
/* The root of NAME.yaml. NULL, with the errors in d, if it cannot be read or parsed. */
const Yaml *templates_declaration(Templates *t, Diag *d, const char *kernel);

#endif
