/* SPDX-License-Identifier: MIT */
/* spec_blame.h: maps an error in a template's file to the spec line that caused it. A formula of
 * the template fails, or one of its accesses leaves the tile, because of a value in the spec; the
 * error is reported at that value. */
#ifndef KGEN_SPEC_SPEC_BLAME_H
#define KGEN_SPEC_SPEC_BLAME_H

#include "spec/spec_reader.h"

/* The first value in the spec that a formula of the template reads, directly, through a let, or
 * through the template's own values; if it reads none, the kernel's name. */
Loc blame_formula(const SpecReader *r, const char *formula);
/* The values that a formula reads, directly or through a let: "d1 = 24, vector = 16". */
const char *blame_readings(const SpecReader *r, const char *formula);

/* Diverts errors in the template's file from here on; returns the Diag that collects them. */
Diag *blame_begin(const SpecReader *r, Diag *d);
/* Reports the first of these errors at the spec's line, unless another error was reported there or
 * a requirement failed; if the template itself is broken, reports all of them at their own
 * locations. */
void blame_end(const SpecReader *r, Diag *d, Diag *kept, bool broken);

#endif
