/* local.h: local memory of a warp: the bytes of every lane, and their undefined bits. */
#ifndef KGEN_EMU_RUN_STATE_LOCAL_H
#define KGEN_EMU_RUN_STATE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

enum { LOCAL_WORD = 4 };

typedef struct {
  uint32_t capacity;          /* bytes of a lane */
  uint8_t *bytes, *undefined; /* lane after lane; for each byte its undefined bits */
  uint64_t *from; /* for each word the read that undefined bits came from; NULL: 0, none, for all */
} Local;

/* Makes room for `bytes` of each lane, which moves the lanes; false when out of memory. */
bool local_reserve(Local *m, uint32_t bytes);
/* Sets all bytes to zero. */
void local_clear(Local *m);
/* Frees the storage; the memory is empty then. */
void local_release(Local *m);
/* The lanes enter a function, whose frame is `bytes` from `at` on: they become undefined. */
void local_enter(Local *m, uint32_t lanes, uint32_t at, uint32_t bytes);

/* The index of a lane's byte in `bytes` and `undefined`, and of its word in `from`. */
static inline uint64_t local_index(const Local *m, unsigned lane, uint64_t offset) {
  return (uint64_t)lane * m->capacity + offset;
}

/* Notes where undefined bits of a lane came from. */
void local_note(Local *m, unsigned lane, uint64_t offset, unsigned bytes, uint64_t from);

#endif
