/* SPDX-License-Identifier: MIT */
/*
 * host_object.h: the device code in files of the host's compiler, which cuLinkAddFile takes:
 * objects, programs, shared libraries, and archives of objects, built with nvcc -rdc=true.
 */
#ifndef KGEN_LIBCUDA_IMAGE_HOST_OBJECT_H
#define KGEN_LIBCUDA_IMAGE_HOST_OBJECT_H

#include "base/arena.h"

typedef struct {
  int count, room;
  const void **fatbin; /* in the arena */
  bool archive;
} ObjectCode;

bool host_object_is(const void *image, size_t bytes);
/* Extracts the fat binaries of the file; none if it is damaged. */
ObjectCode host_object_code(Arena *a, const void *image, size_t bytes);

#endif
