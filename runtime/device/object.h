/* object.h: shared objects of translated kernels, into this process. */
#ifndef KGEN_DEVICE_OBJECT_H
#define KGEN_DEVICE_OBJECT_H

#include "base/arena.h"

/* The address of `native_runs` in a shared object, which stays; NULL if it is none of this user's
 * own that nobody else may write to, or cannot be loaded. */
const void *object_load(Arena *a, const char *path);

#endif
