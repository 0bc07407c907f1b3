/* SPDX-License-Identifier: MIT */
#include "judge/family.h"

#include <string.h>

#include "judge/reference/reference.h"

enum { COMPUTED, MOVED };

static const Family families[] = {
#define FAMILY(name, reference, kind) {#name, reference_##reference, (kind) == MOVED},
#include "judge/families.def"
#undef FAMILY
};

const Family *family_find(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

bool family_check(const Family *f, Arena *a, Diag *d, const Spec *spec) {
  return family_fits(f, a, d, &(Problem){.spec = spec});
}

bool family_fits(const Family *f, Arena *a, Diag *d, const Problem *p) {
  const int before = diag_met(d);
  Problem asked = *p;
  asked.asks = d;
  f->reference(a, &asked);
  return diag_met(d) == before;
}
