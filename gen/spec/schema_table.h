/* SPDX-License-Identifier: MIT */
/* schema_table.h: writes the key table of a mapping of the spec language as JSON Schema. Each
 * function writes members of the open object. */
#ifndef KGEN_SPEC_SCHEMA_TABLE_H
#define KGEN_SPEC_SCHEMA_TABLE_H

#include "base/json.h"
#include "spec/spec_keys.h"

/* "type": the given number type, or an expression, which is a string; or null, if there may be
 * gaps. */
void schema_types(Json *j, const char *number, bool gaps);
/* "KEY": false for each key that has a meaning in others of `forms` but not in `form`. */
void schema_forbid(Json *j, const KeyTable *t, unsigned forms, unsigned form);
/* "required": the keys that a mapping of that form must have. */
void schema_required(Json *j, const KeyTable *t, unsigned form);
/* "properties": its keys, and no others. */
void schema_keys(Json *j, const KeyTable *t);
/* All of these, and the keys that exclude each other. */
void schema_table(Json *j, const KeyTable *t, unsigned form);

#endif
