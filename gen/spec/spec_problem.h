/* SPDX-License-Identifier: MIT */
/* spec_problem.h: reads a template's launch: its problem's sizes, buffers, arguments and grid, and
 * the constants of the template. */
#ifndef KGEN_SPEC_SPEC_PROBLEM_H
#define KGEN_SPEC_SPEC_PROBLEM_H

#include "spec/spec_reader.h"

void read_problem(SpecReader *r);
void read_constants(SpecReader *r);

#endif
