/* spec_hash.h: hashes of what a spec and its family say. */
#ifndef KGEN_SPEC_HASH_H
#define KGEN_SPEC_HASH_H

#include "spec/spec_reader.h"

/* Of a spec whose axes are read. */
SpecHash spec_hash(const SpecReader *r);

/* Of a family's file: without what only says what to try. */
uint64_t spec_hash_family(const Yaml *family);

#endif
