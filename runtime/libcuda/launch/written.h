/* SPDX-License-Identifier: MIT */
/* written.h: detects reads of device memory that nothing has written. CUDA does not clear
 * allocations, which contain zeros only by chance. Copies, sets and stores mark 4-byte words as
 * written. */
#ifndef KGEN_LIBCUDA_LAUNCH_WRITTEN_H
#define KGEN_LIBCUDA_LAUNCH_WRITTEN_H

#include <pthread.h>

#include "base/arena.h"
#include "emu/emu.h"

/* The observer of a launch, which forwards events to another observer. */
typedef struct {
  Arena *arena;
  uint32_t block[3]; /* threads per block */
  EmuObserver *next;
  void *next_context;
  pthread_mutex_t lock; /* the emulator calls from all of its threads */
  int findings, capacity;
  EmuFinding *finding; /* one per instruction: its first occurrence, by block */
} Written;

Written written_begin(Arena *a, const uint32_t block[3], EmuObserver *next, void *context);
void written_end(Written *w);
/* An EmuObserver; the context is the Written. */
void written_event(void *written, const EmuEvent *event);

#endif
