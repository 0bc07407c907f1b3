#include "device/inventory.h"

#include "base/file.h"
#include "device/library.h"
#include "device/nvrtc.h"

static void line(Text *out, const char *name, const char *found, const char *otherwise) {
  text_printf(out, "%s: %s\n", name, found ? found : otherwise);
}

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

void inventory_print(Arena *a, Text *out) {
  Text ignored = text_new(a);
  line(out, "NVRTC", inventory_nvrtc(a),
       arena_printf(a, "none, so nothing can be compiled: %s", library_get_nvrtc));
  line(out, "headers", inventory_headers(a), "none");
  line(out, "nvcc", library_toolkit_file(a, "bin/nvcc"), "none but what is in $PATH");
  line(out, "driver", library_path(a, library_driver, "cuInit", &ignored),
       "none, so kernels run on the emulator");
  line(out, "CUPTI", library_path(a, library_cupti, "cuptiGetResultString", &ignored),
       "none, so a GPU's wavefronts cannot be measured");
}
