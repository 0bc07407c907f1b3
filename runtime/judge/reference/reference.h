/* reference.h: the right answers, family by family: see Family.reference. */
#ifndef KGEN_JUDGE_REFERENCE_REFERENCE_H
#define KGEN_JUDGE_REFERENCE_REFERENCE_H

#include "judge/problem.h"

#define FAMILY(name, reference, kind) void reference_##reference(Arena *a, const Problem *p);
#include "judge/families.def"
#undef FAMILY

#endif
