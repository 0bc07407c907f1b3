/* spec_override.h: values that replace the spec's, or that fill in what it leaves open. */
#ifndef KGEN_SPEC_SPEC_OVERRIDE_H
#define KGEN_SPEC_SPEC_OVERRIDE_H

#include "spec/spec_reader.h"

/* What is set instead of the value of that name, as if it stood at loc; NULL: nothing is. own: the
 * spec itself says it. */
const Yaml *override_value(const SpecReader *r, const char *name, bool own, Loc loc);

/* Lists in the spec what open settings have set, once all values are known. */
void read_overrides(SpecReader *r);

#endif
