/* spec_instruction.h: what an access's instruction is, what a lane of it moves, how it copies, and
 * which boxes it moves. */
#ifndef KGEN_SPEC_INSTRUCTION_H
#define KGEN_SPEC_INSTRUCTION_H

#include "spec/access_reader.h"
#include "spec/spec_keys.h"

enum { MAX_WEIGHT = 1000000 };

void read_op(AccessReader *a);

/* Of the keys of an access, as a KeyTable reads them; `to` is its AccessReader. */
void read_weight(void *to, const Key *key, const Yaml *value);
void read_vector(void *to, const Key *key, const Yaml *value);
void read_matrices(void *to, const Key *key, const Yaml *value);
void read_cache(void *to, const Key *key, const Yaml *value);
void read_major(void *to, const Key *key, const Yaml *value);
void read_box(void *to, const Key *key, const Yaml *value);

/* Once all keys are read: what a cp.async can copy, and where boxes can come from and go to. */
void check_copy(const AccessReader *a);
void check_boxes(const AccessReader *a);

#endif
