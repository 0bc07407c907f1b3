/* SPDX-License-Identifier: MIT */
/* spec_lanes.h: reads the elements that the lanes of an access take, its loops, and its
 * frequency. */
#ifndef KGEN_SPEC_SPEC_LANES_H
#define KGEN_SPEC_SPEC_LANES_H

#include "spec/access_reader.h"
#include "spec/spec_keys.h"

/* Readers of keys, for the table of an access; `to` is its AccessReader. */
void read_loops(void *to, const Key *key, const Yaml *value);
void read_when(void *to, const Key *key, const Yaml *value);
void read_at(void *to, const Key *key, const Yaml *value);
void read_from(void *to, const Key *key, const Yaml *value);
void read_lanes(void *to, const Key *key, const Yaml *value);
void read_pattern_key(void *to, const Key *key, const Yaml *value);
void read_times(void *to, const Key *key, const Yaml *value);

#endif
