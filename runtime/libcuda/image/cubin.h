/*
 * cubin.h: what machine code (an ELF file) holds that is of use here: the PTX that it was made of,
 * which ptxas leaves in it with -lineinfo and -G, its architecture, and each kernel's registers.
 */
#ifndef KGEN_LIBCUDA_IMAGE_CUBIN_H
#define KGEN_LIBCUDA_IMAGE_CUBIN_H

#include "base/arena.h"

typedef struct {
  const void *data; /* NULL: there is none */
  size_t bytes;     /* SIZE_MAX where the program does not say */
} Cubin;

/* The PTX of a module, or of one of the units that are linked into it. */
typedef struct {
  const char *ptx; /* NUL-terminated, in the arena */
  size_t bytes;
  Cubin machine;       /* the machine code beside it; in the arena or the program's */
  const char *section; /* of that, which holds the PTX; NULL: none does */
} PtxUnit;

bool cubin_is(const void *image);
/* Extracts the PTX of each unit, at most `room` of them, and returns how many there are: a cubin
 * that was linked has several. Lines of .loc are empty in it. 0 if it was built without -lineinfo,
 * or is damaged. */
int cubin_ptx(Arena *a, Cubin cubin, PtxUnit *out, int room);
/* Returns a section of any ELF file of 64 bits, and its size; NULL if it lacks that. */
const void *cubin_section(Cubin file, const char *name, size_t *bytes);
/* Returns the architecture that the cubin's tool was given, sm_90a, or NULL if it says none. */
const char *cubin_arch(Arena *a, Cubin cubin);
/* Returns the registers of a thread of that kernel, or 0 if the cubin does not hold the kernel. */
int cubin_registers(Cubin cubin, const char *kernel);

#endif
