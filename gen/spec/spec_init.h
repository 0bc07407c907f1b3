/* spec_init.h: a spec to begin with: what a family has by default, and what may be set, with
 * comments from the tables of keys and from the family. */
#ifndef KGEN_SPEC_SPEC_INIT_H
#define KGEN_SPEC_SPEC_INIT_H

#include "spec/templates.h"

/* kernel: a family of that folder, or "none". schema: the path of the JSON Schema, or NULL. False,
 * with the mistake in d, if there is no such family or it cannot be read. */
bool spec_init(Arena *a, Diag *d, Templates *templates, const char *kernel, const char *schema,
               Text *out);

#endif
