/* inventory.h: what was found of CUDA on this machine. */
#ifndef KGEN_DEVICE_INVENTORY_H
#define KGEN_DEVICE_INVENTORY_H

#include "base/json.h"

/* One line each: "NVRTC: 13.0, PATH", "headers: FOLDER", "nvcc: PATH", "driver: PATH" and "CUPTI:
 * PATH", with "none" and its consequence for what is missing. */
void inventory_print(Arena *a, Text *out);
void inventory_json(Arena *a, Json *j); /* a key each, null for what is not there */

/* "13.0, PATH", and the folder of CUDA's headers; NULL: there is none. */
const char *inventory_nvrtc(Arena *a);
const char *inventory_headers(Arena *a);

#endif
