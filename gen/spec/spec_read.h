/* SPDX-License-Identifier: MIT */
/* spec_read.h: reads a spec file, and the template that it names, into plain structs; every error
 * is reported at its location. */
#ifndef KGEN_SPEC_SPEC_READ_H
#define KGEN_SPEC_SPEC_READ_H

#include "spec/spec.h"
#include "spec/spec_keys.h"

/* Reads one spec file and the template that it names. NULL if either has errors, all of which are
 * in d, including errors of every access that could still be read. Never prints, never writes. */
const Spec *spec_read(Arena *a, Diag *d, const char *path, const SpecOptions *options);

/* True if the template of a spec is wrong even for a spec that sets nothing. */
bool spec_family_is_broken(const struct SpecReader *of);

/* The keys of a spec's root. */
extern const KeyTable spec_table;

#endif
