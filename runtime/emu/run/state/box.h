/* box.h: the places of a bulk copy's rows in shared memory. */
#ifndef KGEN_EMU_RUN_STATE_BOX_H
#define KGEN_EMU_RUN_STATE_BOX_H

#include <stdbool.h>
#include <stdint.h>

enum { BOX_CHUNK = 16 }; /* bytes that a swizzle keeps together */

typedef struct {
  uint32_t at, bytes;
  uint32_t row, pitch; /* bytes of a row, and from one to the next */
  int swizzle;         /* 0, 32, 64 or 128 bytes */
} Box;

static inline Box box_flat(uint32_t at, uint32_t bytes) {
  return (Box){.at = at, .bytes = bytes, .row = bytes, .pitch = bytes};
}

/* True if rows are contiguous. */
static inline bool box_is_dense(const Box *b) { return b->row == b->pitch; }

/* The offset after the last row. */
static inline uint32_t box_end(const Box *b) {
  return b->bytes ? b->at + (b->bytes / b->row - 1) * b->pitch + b->pitch : b->at;
}

/* The place of the chunk that begins at byte i, counted row by row. Its address is XORed from bit 4
 * up with the bits three higher, as TMA does it [measured on an H200]. */
static inline uint32_t box_place(const Box *b, uint32_t i) {
  const uint32_t a = b->at + i / b->row * b->pitch + i % b->row;
  const uint32_t mask = b->swizzle ? (uint32_t)(b->swizzle / BOX_CHUNK - 1) << 7 : 0;
  return a ^ (a & mask) >> 3;
}

/* The number of contiguous bytes from byte i on: a chunk, or the rest of the row. */
static inline uint32_t box_piece(const Box *b, uint32_t i) {
  const uint32_t rest = b->row - i % b->row;
  return rest < BOX_CHUNK ? rest : BOX_CHUNK;
}

#endif
