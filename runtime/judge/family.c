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
  const Loc loc = {.source = spec->source, .line = 1, .col = 1, .width = 1};
  Text missing = text_new(a);
  const Problem asked = {.spec = spec, .missing = &missing};
  f->reference(a, &asked);
  for (const char *name = missing.s, *end; (end = strchr(name, '\n')); name = end + 1)
    diag_error(d, loc, "the reference of family '%s' needs the name '%.*s' in its problem", f->name,
               (int)(end - name), name);
  return missing.len == 0;
}
