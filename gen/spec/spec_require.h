/* spec_require.h: what a family requires of the values that a spec gives it. */
#ifndef KGEN_SPEC_SPEC_REQUIRE_H
#define KGEN_SPEC_SPEC_REQUIRE_H

#include "spec/spec_reader.h"

/* Sets r->unfit where one does not hold. */
void check_requirements(SpecReader *r);

#endif
