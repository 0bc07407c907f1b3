/* exec_preload.h: whether a program calls NVRTC, for which kgen's library is loaded before it. */
#ifndef KGEN_EXEC_EXEC_PRELOAD_H
#define KGEN_EXEC_EXEC_PRELOAD_H

#include "base/arena.h"

/* The value of LD_PRELOAD for the program: `library` before what is there already, if the program's
 * file names NVRTC's library; else as it is, NULL if it is not set. */
const char *exec_preload(Arena *a, const char *program, const char *library);

#endif
