/* driver.h: the one device, its memory, and the lock that every call of the program takes. CUDA's
 * driver is process-wide by its interface, and so is what this room keeps, each in a static
 * variable of the one function that leads to it. The lock guards all of it: state/call.h takes it,
 * and the functions of the other headers expect it to be held. */
#ifndef KGEN_LIBCUDA_DRIVER_H
#define KGEN_LIBCUDA_DRIVER_H

#include <pthread.h>

#include "emu/emu.h"
#include "libcuda/abi.h"
#include "libcuda/gpu.h"

typedef struct {
  pthread_mutex_t lock; /* recursive; not held while the program's own functions run */
  bool initialised;
  bool forked; /* this process is a fork of one that had called cuInit: CUDA serves it nothing */
  const Gpu *device;
  EmuMemory *memory;
} Driver;

Driver *driver(void);

#endif
