/* written.h: detects reads of device memory that nothing wrote. CUDA's allocations are not cleared,
 * and hold zeros only by chance. Copies, sets and stores mark words of four bytes as written. */
#ifndef KGEN_LIBCUDA_LAUNCH_WRITTEN_H
#define KGEN_LIBCUDA_LAUNCH_WRITTEN_H

#include <pthread.h>

#include "base/arena.h"
#include "emu/emu.h"

/* The observer of a launch, which passes events on to another one. */
typedef struct {
  Arena *arena;
  uint32_t block[3]; /* threads of a block */
  EmuObserver *next;
  void *next_context;
  pthread_mutex_t lock; /* the emulator calls from all its threads */
  int findings, capacity;
  EmuFinding *finding; /* one an instruction, its first occurrence by block */
} Written;

Written written_begin(Arena *a, const uint32_t block[3], EmuObserver *next, void *context);
void written_end(Written *w);
/* An EmuObserver; the context is the Written. */
void written_event(void *written, const EmuEvent *event);

#endif
