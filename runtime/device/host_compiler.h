/* SPDX-License-Identifier: MIT */
/* host_compiler.h: runs the system's C compiler, for kernels that the emulator has translated. */
#ifndef KGEN_DEVICE_HOST_COMPILER_H
#define KGEN_DEVICE_HOST_COMPILER_H

#include <sys/types.h>

#include "base/scratch.h"

/* Limits of memory and processor time for a compiler: one that needs more fails, and the kernel
 * stays interpreted. */
enum { HOST_COMPILER_KIB = 3 << 20, HOST_COMPILER_S = 120 };

/* $CC, cc, gcc, clang: those that $PATH has, each once, as absolute paths; NULL after the last. */
const char *const *host_compilers(Arena *a);

/* Everything that determines the result in addition to the text: the compiler's file, kgen's
 * version, the flags. vectors: 1 for AVX2, 2 for AVX-512, as returned by arith_most_vectors(). */
const char *host_compiler_identity(Arena *a, const char *compiler, unsigned vectors);

/* Starts to compile the file `text` to a shared object in the scratch directory, which is also the
 * compiler's $TMPDIR. The compiler leads a process group of its own, for process_stop(). */
bool host_compiler_start(Arena *a, const char *compiler, unsigned vectors, const char *text,
                         const char *object, const Scratch *scratch, pid_t *child);

#endif
