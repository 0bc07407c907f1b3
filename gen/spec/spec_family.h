/* spec_family.h: the declaration of the family that a spec names. */
#ifndef KGEN_SPEC_SPEC_FAMILY_H
#define KGEN_SPEC_SPEC_FAMILY_H

#include "spec/spec_reader.h"

/* kernel: its name, for its place. Sets r->family, or r->blind if it cannot be read. */
void read_family(SpecReader *r, const Yaml *kernel);

enum { MAX_FAMILIES = 256 };
/* The names of the families in a folder, sorted; returns how many there are. */
int family_names(Arena *a, const char *template_dir, const char *names[MAX_FAMILIES]);

#endif
