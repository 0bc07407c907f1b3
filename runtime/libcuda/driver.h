/* SPDX-License-Identifier: MIT */
/* driver.h: the one device, its memory, and the lock that every API call takes. CUDA's driver state
 * is process-wide by its interface. In this directory, such state is a static variable in the one
 * function that returns it. The lock guards all of it: state/call.h takes it, and the functions of
 * the other headers expect it to be held. */
#ifndef KGEN_LIBCUDA_DRIVER_H
#define KGEN_LIBCUDA_DRIVER_H

#include <pthread.h>

#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/gpu.h"

typedef struct {
  pthread_mutex_t lock; /* recursive; released while the program's own functions run */
  bool initialised;
  bool forked; /* this process is a fork of one that had called cuInit: all calls fail, as in
                  CUDA */
  const Gpu *device;
  EmuMemory *memory;
} Driver;

Driver *driver(void);

#endif
