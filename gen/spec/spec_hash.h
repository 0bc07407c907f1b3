/* SPDX-License-Identifier: MIT */
/* spec_hash.h: hashes of the meaning of a spec and its template. */
#ifndef KGEN_SPEC_SPEC_HASH_H
#define KGEN_SPEC_SPEC_HASH_H

#include "spec/spec_reader.h"

/* The hash of a spec whose axes have been read. */
SpecHash spec_hash(const SpecReader *r);

/* The hash of a template's file, without `tune`, which only lists values worth trying. */
uint64_t spec_hash_family(const Yaml *family);

#endif
