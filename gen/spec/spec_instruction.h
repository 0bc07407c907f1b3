/* SPDX-License-Identifier: MIT */
/* spec_instruction.h: reads an access's instruction: the amount per lane, the copy mode, and the
 * boxes. */
#ifndef KGEN_SPEC_SPEC_INSTRUCTION_H
#define KGEN_SPEC_SPEC_INSTRUCTION_H

#include "spec/access_reader.h"
#include "spec/spec_keys.h"

enum { MAX_WEIGHT = 1000000 };

void read_op(AccessReader *a);

/* Readers of keys, for the table of an access; `to` is its AccessReader. */
void read_weight(void *to, const Key *key, const Yaml *value);
void read_vector(void *to, const Key *key, const Yaml *value);
void read_matrices(void *to, const Key *key, const Yaml *value);
void read_trans(void *to, const Key *key, const Yaml *value);
void read_cache(void *to, const Key *key, const Yaml *value);
void read_major(void *to, const Key *key, const Yaml *value);
void read_box(void *to, const Key *key, const Yaml *value);

/* Call after all keys are read: check that cp.async can copy that, and that TMA and wgmma can move
 * such boxes. */
void check_copy(const AccessReader *a);
void check_boxes(const AccessReader *a);

#endif
