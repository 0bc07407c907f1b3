/* SPDX-License-Identifier: MIT */
/* spec_pattern.h: an access written as a named pattern. */
#ifndef KGEN_SPEC_SPEC_PATTERN_H
#define KGEN_SPEC_SPEC_PATTERN_H

#include "spec/access_reader.h"

/* Writes the loop, `at` and `when` of the pattern; nothing after an error. */
void read_pattern(AccessReader *a, const Yaml *node);

#endif
