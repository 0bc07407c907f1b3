/* spec_read.h: a spec file, and the family that it names, read into plain structs; every mistake
 * reported at its place. */
#ifndef KGEN_SPEC_SPEC_READ_H
#define KGEN_SPEC_SPEC_READ_H

#include "spec/spec.h"
#include "spec/spec_keys.h"

/* Reads one spec file, and the family that it names. NULL if either has errors, all of which are
 * then in d, with those of every access that could still be read. Never prints, never writes. */
const Spec *spec_read(Arena *a, Diag *d, const char *path, const SpecOptions *options);

/* Whether the family of a spec is wrong even for one that sets nothing. */
bool spec_family_is_broken(const struct SpecReader *of);

/* The keys of a spec's root. */
extern const KeyTable spec_table;

#endif
