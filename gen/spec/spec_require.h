/* SPDX-License-Identifier: MIT */
/* spec_require.h: checks a template's requirements on the values of a spec. */
#ifndef KGEN_SPEC_SPEC_REQUIRE_H
#define KGEN_SPEC_SPEC_REQUIRE_H

#include "spec/spec_reader.h"

/* Sets r->unfit if a requirement does not hold. */
void check_requirements(SpecReader *r);

#endif
