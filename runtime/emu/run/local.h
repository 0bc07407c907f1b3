/* local.h: local memory of a warp: every lane's bytes, and which of their bits nothing wrote. */
#ifndef KGEN_EMU_LOCAL_H
#define KGEN_EMU_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

enum { LOCAL_WORD = 4 };

typedef struct {
  uint32_t capacity;          /* bytes of a lane */
  uint8_t *bytes, *undefined; /* lane after lane; of each byte the bits that nothing wrote */
  uint64_t *from; /* by word: the read that undefined bits came from; NULL: all 0, none */
} Local;

/* Room for so many bytes of each lane; false when out of memory. Moves the lanes apart. */
bool local_reserve(Local *m, uint32_t bytes);
/* All bytes are zero, as they were at first. */
void local_clear(Local *m);
void local_release(Local *m);
/* The lanes enter a function whose frame are the bytes from `at` on: nothing has written them. */
void local_enter(Local *m, uint32_t lanes, uint32_t at, uint32_t bytes);

/* Where a lane's byte lies in bytes and undefined, and its word in `from`. */
static inline uint64_t local_index(const Local *m, unsigned lane, uint64_t offset) {
  return (uint64_t)lane * m->capacity + offset;
}

/* Notes where undefined bits of a lane came from. */
void local_note(Local *m, unsigned lane, uint64_t offset, unsigned bytes, uint64_t from);

#endif
