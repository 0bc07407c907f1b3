/* SPDX-License-Identifier: MIT */
/* spec_schema.h: the spec language as a JSON Schema (draft 7), for editors, from the tables of keys
 * and the templates' declarations. Constraints between values are left to spec_read(). */
#ifndef KGEN_SPEC_SPEC_SCHEMA_H
#define KGEN_SPEC_SPEC_SCHEMA_H

#include "spec/spec_keys.h"
#include "spec/templates.h"

/* Includes the templates of that directory; one that cannot be read counts as having no
 * declarations. */
void spec_schema(Arena *a, Templates *templates, Text *out);

/* For another kind of file, whose keys are in a table. */
void spec_schema_of(const KeyTable *t, const char *title, Text *out);

#endif
