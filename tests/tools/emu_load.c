/* SPDX-License-Identifier: MIT */
/*
 * emu_load FILE.ptx... prints which kernels the emulator executes, a line each: FILE, KERNEL,
 * "runs" or why not, separated by tabs. A file that is not PTX at all has a line without a kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "emu/emu.h"

static void tell(const char *file, const char *kernel, const char *what) {
  printf("%s\t%s\t%s\n", file, kernel, what);
}

static void load(const char *file, const char *text, size_t length) {
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = memory ? emu_load(memory, text, length) : NULL;
  if (!module) die("out of memory");
  int errors, kernels;
  const EmuError *error = emu_errors(module, &errors);
  const EmuKernel *kernel = emu_kernels(module, &kernels);
  for (int i = 0; i < kernels; i++) {
    const bool told = !kernel[i].runnable && kernel[i].errors;
    tell(file, kernel[i].name,
         kernel[i].runnable ? "runs"
         : told             ? error[kernel[i].first_error].message
                            : "refused");
  }
  if (!kernels && errors) tell(file, "", error[0].message);
  emu_unload(module);
  emu_memory_free(memory);
}

int main(int count, char **file) {
  enum { MOST = 1 << 28 };
  for (int i = 1; i < count; i++) {
    Arena *arena = arena_new();
    size_t length;
    const char *text = file_read(arena, file[i], MOST, &length);
    if (text)
      load(file[i], text, length);
    else
      tell(file[i], "", strerror(errno));
    arena_free(arena);
  }
  return 0;
}
