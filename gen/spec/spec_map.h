/* SPDX-License-Identifier: MIT */
/* spec_map.h: reads a kernel's tensor map parameter, `const __grid_constant__ CUtensorMap`. */
#ifndef KGEN_SPEC_SPEC_MAP_H
#define KGEN_SPEC_SPEC_MAP_H

#include "spec/spec.h"
#include "spec/spec_value.h"

/* Reads the value of {map: ...} of an argument. names: the names that formulas may use; buffers:
 * the problem's, in order. */
const MapSpec *map_spec_read(const Reader *in, const Names *names, const Yaml *buffers,
                             const Yaml *map);

#endif
