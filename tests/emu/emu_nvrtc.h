/* SPDX-License-Identifier: MIT */
/* emu_nvrtc.h: the emulator's cases as PTX of NVRTC. */
#ifndef KGEN_TESTS_EMU_EMU_NVRTC_H
#define KGEN_TESTS_EMU_EMU_NVRTC_H

#include "device/nvrtc.h"
#include "emu/emu_run.h"

/* PTX of tests/emu/cases/NAME.cu, or NULL with *why set if there is no NVRTC. A compile error is a
 * failure. */
static inline const char *nvrtc_ptx(Arena *a, const char *name, const char *arch,
                                    const char **source, Text *why) {
  const char *path = arena_printf(a, KGEN_SOURCE_DIR "/tests/emu/cases/%s.cu", name);
  size_t length;
  *source = file_read(a, path, 1 << 20, &length);
  if (!*source) die("cannot read %s", path);
  const char *options[] = {arena_printf(a, "-arch=compute_%s", arch), "-lineinfo", "-std=c++17",
                           "-device-int128", "-DREFUSED_BY_PTXAS"};
  NvrtcSource input = {.name = path, .text = *source, .option = options, .options = 5, .ptx = true};
  NvrtcResult result = {0};
  if (!nvrtc_compile(a, &input, &result, why)) return NULL;
  CHECK(result.accepted, "%s for sm_%s: %s", name, arch, result.log);
  return result.accepted ? result.image : "";
}

static const char *const nvrtc_archs[] = {"80", "90", "120", NULL};

/* Runs the kernels of tests/emu/cases/NAME.cu as compiled for each architecture; returns what the
 * test's main does. */
static inline int nvrtc_cases(const char *test, const char *name, const char *const *archs,
                              void (*run)(Machine *m, const char *source, const char *arch)) {
  Arena *a = arena_new();
  Text why = text_new(a);
  for (; *archs; archs++) {
    const char *source, *ptx = nvrtc_ptx(a, name, *archs, &source, &why);
    if (!ptx) return check_skip(test, why.s);
    Machine m = machine_open(ptx, strlen(ptx));
    run(&m, source, *archs);
    machine_close(&m);
  }
  arena_free(a);
  return check_report(test);
}

#endif
