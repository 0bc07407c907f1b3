/* SPDX-License-Identifier: MIT */
/* reference.h: computes the right answers for each template: see Family.reference. */
#ifndef KGEN_JUDGE_REFERENCE_REFERENCE_H
#define KGEN_JUDGE_REFERENCE_REFERENCE_H

#include "judge/problem.h"

#define FAMILY(name, reference, kind) void reference_##reference(Arena *a, const Problem *p);
#include "judge/families.def"
#undef FAMILY

#endif
