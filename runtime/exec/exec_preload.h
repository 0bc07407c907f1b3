/* exec_preload.h: what is loaded into a program besides the driver. */
#ifndef KGEN_EXEC_EXEC_PRELOAD_H
#define KGEN_EXEC_EXEC_PRELOAD_H

#include "base/arena.h"

/* The value of LD_PRELOAD for the program: kgen's library in `folder` before what is there already;
 * of a program with a sanitizer, whose library must be the first, as it is, NULL if it is not set.
 */
const char *exec_preload(Arena *a, const char *program, const char *folder);

#endif
