/* SPDX-License-Identifier: MIT */
/* spec_family.h: reads the declaration of the kernel template that a spec names. */
#ifndef KGEN_SPEC_SPEC_FAMILY_H
#define KGEN_SPEC_SPEC_FAMILY_H

#include "spec/spec_reader.h"

/* kernel: node of the name. Sets r->family, or r->blind if it cannot be read. */
void read_family(SpecReader *r, const Yaml *kernel);

#endif
