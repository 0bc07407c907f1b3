/* family.h: the reference of each kernel family: how to compute the right answer. */
#ifndef KGEN_JUDGE_FAMILY_H
#define KGEN_JUDGE_FAMILY_H

#include "judge/problem.h"

typedef struct {
  const char *name; /* of templates/NAME.yaml */
  /* Computes every output's `want`, and its `bound` unless it must be equal bit for bit, from the
   * inputs, in higher precision. */
  void (*reference)(Arena *a, const Problem *p);
  bool moves; /* elements are moved, not computed with: any bit pattern is an input */
} Family;

/* NULL if the runtime has no reference for that family. */
const Family *family_find(const char *name);
/* False, with an error in d, if the spec's family lacks a name that the reference uses. */
bool family_check(const Family *f, Arena *a, Diag *d, const Spec *spec);
/* False, with an error in d, if a buffer of a problem that was made and checked is smaller than the
 * reference needs. */
bool family_fits(const Family *f, Arena *a, Diag *d, const Problem *p);

#endif
