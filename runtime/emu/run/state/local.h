/* SPDX-License-Identifier: MIT */
/* local.h: local memory of a warp: the bytes of each lane and their undefined bits. */
#ifndef KGEN_EMU_RUN_STATE_LOCAL_H
#define KGEN_EMU_RUN_STATE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

enum { LOCAL_WORD = 4 };

typedef struct {
  uint32_t capacity; /* bytes per lane */
  /* one lane after the other: memory, and for each byte a mask of its undefined bits */
  uint8_t *bytes, *undefined;
  /* for each word, the read that its undefined bits came from (0: none); NULL: all 0 */
  uint64_t *from;
} Local;

/* Grows the memory to `bytes` per lane. This moves the memory of the lanes. False when out of
 * memory. */
bool local_reserve(Local *m, uint32_t bytes);
/* Sets all bytes to 0. */
void local_clear(Local *m);
/* Frees the storage and leaves the memory empty. */
void local_release(Local *m);
/* `lanes` enter a function whose frame is `bytes` long and starts at `at`: the frame becomes
 * undefined. */
void local_enter(Local *m, uint32_t lanes, uint32_t at, uint32_t bytes);

/* The index of a lane's byte in `bytes` and `undefined`. Divided by LOCAL_WORD: index in `from`. */
static inline uint64_t local_index(const Local *m, unsigned lane, uint64_t offset) {
  return (uint64_t)lane * m->capacity + offset;
}

/* Records the read that the undefined bits of a lane's bytes came from. */
void local_record_origin(Local *m, unsigned lane, uint64_t offset, unsigned bytes, uint64_t from);

#endif
