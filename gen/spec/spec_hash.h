/* spec_hash.h: hashes of what a spec and its family say. */
#ifndef KGEN_SPEC_SPEC_HASH_H
#define KGEN_SPEC_SPEC_HASH_H

#include "spec/spec_reader.h"

/* The hash of a spec whose axes have been read. */
SpecHash spec_hash(const SpecReader *r);

/* The hash of a family's file, without `tune`, which only says what is worth trying. */
uint64_t spec_hash_family(const Yaml *family);

#endif
