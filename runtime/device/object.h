/* SPDX-License-Identifier: MIT */
/* object.h: loads shared objects of translated kernels into this process. */
#ifndef KGEN_DEVICE_OBJECT_H
#define KGEN_DEVICE_OBJECT_H

#include "base/arena.h"

/* The address of `native_runs` in a shared object, which stays loaded. NULL if the file does not
 * belong to this user, if others may write to it, or if it cannot be loaded. */
const void *object_load(Arena *a, const char *path);

#endif
