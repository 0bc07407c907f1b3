/* SPDX-License-Identifier: MIT */
/* spec_init.h: writes a starter spec: a template's defaults and what may be set, with comments from
 * the tables of keys and from the template. */
#ifndef KGEN_SPEC_SPEC_INIT_H
#define KGEN_SPEC_SPEC_INIT_H

#include "spec/templates.h"

/* kernel: a template of that directory, or "none". schema: path of the JSON Schema, or NULL. False,
 * with the error in d, if there is no such template or it cannot be read. */
bool spec_init(Arena *a, Diag *d, Templates *templates, const char *kernel, const char *schema,
               Text *out);

#endif
