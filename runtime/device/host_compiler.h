/* host_compiler.h: the system's C compiler, for kernels that the emulator has translated. */
#ifndef KGEN_DEVICE_HOST_COMPILER_H
#define KGEN_DEVICE_HOST_COMPILER_H

#include <sys/types.h>

#include "base/scratch.h"

/* What a compiler may take of memory and of a processor's time: one that needs more fails, and the
 * kernel stays interpreted. */
enum { HOST_COMPILER_KIB = 3 << 20, HOST_COMPILER_S = 120 };

/* $CC, cc, gcc, clang: those that $PATH has, each once, as absolute paths; NULL after the last. */
const char *const *host_compilers(Arena *a);

/* What decides on the result besides the text: the compiler's file, kgen's version, the flags.
 * vectors: 1, AVX2, or 2, AVX-512, as arith_most_vectors() has them. */
const char *host_compiler_identity(Arena *a, const char *compiler, unsigned vectors);

/* Begins to compile the file `text` to a shared object, a file in the scratch folder that is the
 * process's $TMPDIR, too. It leads a group of its own, for process_stop. */
bool host_compiler_start(Arena *a, const char *compiler, unsigned vectors, const char *text,
                         const char *object, const Scratch *scratch, pid_t *child);

#endif
