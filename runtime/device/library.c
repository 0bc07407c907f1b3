/* SPDX-License-Identifier: MIT */
#include "device/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const library_nvrtc[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
const char *const library_driver[] = {"libcuda.so.1", NULL};
const char *const library_cupti[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};

const char library_get_nvrtc[] =
    "install the CUDA Toolkit, or pip install nvidia-cuda-nvrtc nvidia-cuda-runtime "
    "nvidia-cuda-crt nvidia-cuda-cccl, and set CUDA_HOME to its folder, such as "
    "site-packages/nvidia/cu13";

static const char *const folder_of[] = {"lib64", "lib", "extras/CUPTI/lib64",
                                        "targets/x86_64-linux/lib"};
enum { FOLDERS = sizeof folder_of / sizeof *folder_of };

static const char *find_below(Arena *a, const char *root, const char *const *names) {
  if (!root || !*root) return NULL;
  for (int f = 0; f < FOLDERS; f++)
    for (int n = 0; names[n]; n++) {
      const char *path = arena_printf(a, "%s/%s/%s", root, folder_of[f], names[n]);
      if (access(path, R_OK) == 0) return path;
    }
  return NULL;
}

/* Directories that may contain the toolkit; environment variables come first. The last is the one
 * that scripts/install fills for this build. */
enum { ROOTS = 4 };
static const char *root(int i) {
  const char *const known[ROOTS] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
                                    KGEN_FETCHED_TOOLKIT};
  return known[i];
}

const char *library_toolkit_file(Arena *a, const char *file) {
  for (int i = 0; i < ROOTS; i++) {
    if (!root(i) || !*root(i)) continue;
    const char *path = arena_printf(a, "%s/%s", root(i), file);
    if (access(path, R_OK) == 0) return path;
  }
  return NULL;
}

static const char *find(Arena *a, const char *const *names) {
  const char *path = NULL;
  for (int i = 0; i < ROOTS && !path; i++) path = find_below(a, root(i), names);
  return path;
}

void *library_open(Arena *a, const char *const *names, Text *why) {
  const char *path = find(a, names);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  for (int n = 0; !library && names[n]; n++) library = dlopen(names[n], RTLD_NOW | RTLD_GLOBAL);
  if (!library) text_puts(why, dlerror());
  return library;
}

const char *library_path(Arena *a, const char *const *names, const char *symbol, Text *why) {
  const char *path = find(a, names);
  if (path) return path;
  void *library = library_open(a, names, why);
  void *inside = library ? dlsym(library, symbol) : NULL;
  Dl_info info;
  if (inside && dladdr(inside, &info)) return info.dli_fname;
  if (library) text_printf(why, "%s: in no library that has a file", symbol);
  return NULL;
}

bool library_symbols(void *library, const Symbol *symbol, int count, void *into, Text *why) {
  for (int i = 0; i < count; i++) {
    void *found = dlsym(library, symbol[i].name);
    if (!found) {
      text_printf(why, "the library has no %s", symbol[i].name);
      return false;
    }
    /* ISO C has no cast from an object pointer to a function pointer. */
    memcpy((char *)into + symbol[i].offset, &found, sizeof found);
  }
  return true;
}
