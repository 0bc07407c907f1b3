/* host_compiler.h: the system's C compiler, for kernels that the emulator has translated. */
#ifndef KGEN_HOST_COMPILER_H
#define KGEN_HOST_COMPILER_H

#include <stddef.h>

#include "emu/emu.h"

/* The emulator's translator: $CC, cc, gcc or clang, whichever there is first, with a cache on disk
 * (device/cache.h); NULL unless the environment says KGEN_NATIVE=1. Without a compiler, or with one
 * that fails, kernels are interpreted. */
const EmuTranslator *host_translator(void);

/* EmuTranslator.compile. What it loads stays. */
const void *host_compile(void *context, const char *text, size_t length);

#endif
