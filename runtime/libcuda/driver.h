/*
 * driver.h: the one device, its memory, and the lock that every call takes. CUDA's driver is
 * process-wide by its interface: this is the only state of the process that kgen has, and driver()
 * the only way to it.
 */
#ifndef KGEN_LIBCUDA_DRIVER_H
#define KGEN_LIBCUDA_DRIVER_H

#include <pthread.h>

#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/gpu.h"

typedef struct {
  pthread_mutex_t
      lock; /* recursive; held during a call, but not while the program's own functions run */
  bool initialised;
  bool forked; /* this process is a fork of one that had called cuInit: CUDA serves it nothing */
  const Gpu *device;
  EmuMemory *memory;
} Driver;

Driver *driver(void);

#endif
