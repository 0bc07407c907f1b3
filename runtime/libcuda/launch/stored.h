/* SPDX-License-Identifier: MIT */
/* stored.h: records which words of some memory a launch writes. Stores by TMA and by the device
 * runtime's copies cause no events, so they are missing. */
#ifndef KGEN_LIBCUDA_LAUNCH_STORED_H
#define KGEN_LIBCUDA_LAUNCH_STORED_H

#include "base/arena.h"
#include "emu/emu.h"

typedef struct {
  uint64_t base, bytes;
  uint8_t *word; /* one flag per WRITTEN_WORD bytes */
} StoredRange;

/* The observer of a launch, which forwards events to another observer. */
typedef struct {
  int count;
  StoredRange *range; /* ordered by address */
  EmuObserver *next;
  void *next_context;
} Stored;

/* Allocates the flags of the ranges, which may be in any order; false when out of memory. */
bool stored_begin(Stored *s, Arena *a, const StoredRange *range, int count);
void stored_end(Stored *s);
/* An EmuObserver; the context is the Stored. */
void stored_event(void *stored, const EmuEvent *event);
/* The flags of the range that begins at that address; NULL if there is none. */
const uint8_t *stored_words(const Stored *s, uint64_t base);

#endif
