/* SPDX-License-Identifier: MIT */
#include "device/inventory.h"

#include <string.h>

#include "base/file.h"
#include "device/library.h"
#include "device/nvrtc.h"

const char *inventory_nvrtc(Arena *a) {
  Text ignored = text_new(a);
  const char *path = library_path(a, library_nvrtc, "nvrtcVersion", &ignored);
  const char *version = path ? nvrtc_version(a) : NULL;
  return version ? arena_printf(a, "%s, %s", version, path) : NULL;
}

const char *inventory_headers(Arena *a) {
  const char *header = library_toolkit_file(a, "include/cuda_fp16.h");
  return header ? path_folder(a, header) : NULL;
}

typedef struct {
  const char *name, *key;        /* for people, for programs */
  const char *found, *otherwise; /* NULL: missing, and the consequence */
} Part;

enum { PARTS = 5 };

static void find_parts(Arena *a, Part out[PARTS]) {
  Text ignored = text_new(a);
  const Part part[PARTS] = {
      {"NVRTC", "nvrtc", inventory_nvrtc(a),
       arena_printf(a, "none, so nothing can be compiled: %s", library_get_nvrtc)},
      {"headers", "headers", inventory_headers(a), "none"},
      {"nvcc", "nvcc", library_toolkit_file(a, "bin/nvcc"), "none but what is in $PATH"},
      {"driver", "driver", library_path(a, library_driver, "cuInit", &ignored),
       "none, so kernels run on the emulator"},
      {"CUPTI", "cupti", library_path(a, library_cupti, "cuptiGetResultString", &ignored),
       "none, so a GPU's wavefronts cannot be measured"}};
  memcpy(out, part, sizeof part);
}

void inventory_print(Arena *a, Text *out) {
  Part part[PARTS];
  find_parts(a, part);
  for (int i = 0; i < PARTS; i++)
    text_printf(out, "%s: %s\n", part[i].name, part[i].found ? part[i].found : part[i].otherwise);
}

void inventory_json(Arena *a, Json *j) {
  Part part[PARTS];
  find_parts(a, part);
  for (int i = 0; i < PARTS; i++) json_string(j, part[i].key, part[i].found);
}
