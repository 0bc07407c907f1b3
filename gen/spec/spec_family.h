/* spec_family.h: the declaration of the family that a spec names. */
#ifndef KGEN_SPEC_SPEC_FAMILY_H
#define KGEN_SPEC_SPEC_FAMILY_H

#include "spec/spec_reader.h"

/* kernel: its name, for its place. Sets r->family, or r->blind if it cannot be read. */
void read_family(SpecReader *r, const Yaml *kernel);

#endif
