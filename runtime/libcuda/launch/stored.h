/* stored.h: which words of some memory a launch stores to. TMA and the device runtime's copies
 * cause no events, so theirs are missing. */
#ifndef KGEN_LIBCUDA_LAUNCH_STORED_H
#define KGEN_LIBCUDA_LAUNCH_STORED_H

#include "base/arena.h"
#include "emu/emu.h"

typedef struct {
  uint64_t base, bytes;
  uint8_t *word; /* a flag for each WRITTEN_WORD bytes */
} StoredRange;

/* The observer of a launch, which passes events on to another one. */
typedef struct {
  int count;
  StoredRange *range; /* by address */
  EmuObserver *next;
  void *next_context;
} Stored;

/* Gives the ranges, which may come in any order, their flags; false without memory. */
bool stored_begin(Stored *s, Arena *a, const StoredRange *range, int count);
void stored_end(Stored *s);
/* An EmuObserver; the context is the Stored. */
void stored_event(void *stored, const EmuEvent *event);
/* The flags of the range that begins there; NULL if there is none. */
const uint8_t *stored_words(const Stored *s, uint64_t base);

#endif
