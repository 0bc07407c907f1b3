/* SPDX-License-Identifier: MIT */
/* spec_override.h: values that replace the spec's, or that fill in what it leaves open. */
#ifndef KGEN_SPEC_SPEC_OVERRIDE_H
#define KGEN_SPEC_SPEC_OVERRIDE_H

#include "spec/spec_reader.h"

/* The value set instead of the value with that name, as if it were at loc; NULL: none. own: the
 * spec itself sets it. */
const Yaml *override_value(const SpecReader *r, const char *name, bool own, Loc loc);

/* Lists the values of open settings in the spec, once all values are known. */
void read_overrides(SpecReader *r);

#endif
