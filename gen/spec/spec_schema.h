/* spec_schema.h: the spec language as a JSON Schema (draft 7), for editors, from the tables of keys
 * and the families' declarations. Values that depend on others are left to spec_read. */
#ifndef KGEN_SPEC_SPEC_SCHEMA_H
#define KGEN_SPEC_SPEC_SCHEMA_H

#include "spec/spec_keys.h"
#include "spec/templates.h"

/* With the families of that folder; one that cannot be read counts as one without declarations. */
void spec_schema(Arena *a, Templates *templates, Text *out);

/* Of another kind of file, whose keys a table has. */
void spec_schema_of(const KeyTable *t, const char *title, Text *out);

#endif
