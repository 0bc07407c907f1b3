/* SPDX-License-Identifier: MIT */
/* family.h: the reference of each kernel template: how to compute the right answer. */
#ifndef KGEN_JUDGE_FAMILY_H
#define KGEN_JUDGE_FAMILY_H

#include "judge/problem.h"

typedef struct {
  const char *name; /* name of templates/NAME.yaml */
  /* Computes every output's `want` from the inputs, in higher precision, and its `bound`, unless
   * the output must be bit-identical. */
  void (*reference)(Arena *a, const Problem *p);
  bool moves; /* elements are only moved: any bit pattern is a valid input */
} Family;

/* NULL if the runtime has no reference for that template. */
const Family *family_find(const char *name);
/* False, with an error in d, if the spec's template lacks a name that the reference uses. */
bool family_check(const Family *f, Arena *a, Diag *d, const Spec *spec);
/* False, with an error in d, if a buffer of a problem that was built and checked is smaller than
 * the reference needs. */
bool family_fits(const Family *f, Arena *a, Diag *d, const Problem *p);

#endif
