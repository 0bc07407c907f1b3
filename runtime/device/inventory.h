/* SPDX-License-Identifier: MIT */
/* inventory.h: the parts of CUDA found on this machine. */
#ifndef KGEN_DEVICE_INVENTORY_H
#define KGEN_DEVICE_INVENTORY_H

#include "base/json.h"

/* One line each: "NVRTC: 13.0, PATH", "headers: DIRECTORY", "nvcc: PATH", "driver: PATH" and
 * "CUPTI: PATH", with "none" and the consequence for a missing part. */
void inventory_print(Arena *a, Text *out);
void inventory_json(Arena *a, Json *j); /* one key each, null for a missing part */

/* "13.0, PATH", and the directory of CUDA's headers; NULL if missing. */
const char *inventory_nvrtc(Arena *a);
const char *inventory_headers(Arena *a);

#endif
