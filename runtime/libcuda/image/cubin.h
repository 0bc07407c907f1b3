/* SPDX-License-Identifier: MIT */
/* cubin.h: reads machine code (an ELF file): the PTX that ptxas embeds with -lineinfo and -G, the
 * architecture, and each kernel's number of registers. */
#ifndef KGEN_LIBCUDA_IMAGE_CUBIN_H
#define KGEN_LIBCUDA_IMAGE_CUBIN_H

#include "base/arena.h"

typedef struct {
  const void *data; /* NULL: there is none */
  size_t bytes;     /* SIZE_MAX if the program does not pass the size */
} Cubin;

/* The PTX of a module, or of one of the units linked into it. */
typedef struct {
  const char *ptx; /* NUL-terminated, in the arena */
  size_t bytes;
  Cubin machine;       /* the machine code with the same source; in the arena or in the program's
                          memory */
  const char *section; /* section of the machine code that contains the PTX; NULL: none */
} PtxUnit;

bool cubin_is(const void *image);
/* Extracts the PTX of each unit, at most `room` of them, and returns their number: a linked cubin
 * has several. Its .loc lines are empty. Returns 0 if the cubin was built without -lineinfo, or is
 * damaged. */
int cubin_ptx(Arena *a, Cubin cubin, PtxUnit *out, int room);
/* Returns a section of any 64-bit ELF file, and its size; NULL if there is none. */
const void *cubin_section(Cubin file, const char *name, size_t *bytes);
/* Returns the architecture that was passed to the tool that built the cubin, such as sm_90a; NULL
 * if it is not recorded. */
const char *cubin_arch(Arena *a, Cubin cubin);
/* Returns the registers per thread of that kernel; 0 if the cubin does not contain it. */
int cubin_registers(Cubin cubin, const char *kernel);

#endif
