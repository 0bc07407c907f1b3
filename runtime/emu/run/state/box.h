/* SPDX-License-Identifier: MIT */
/* box.h: the layout of a bulk copy's rows in shared memory. */
#ifndef KGEN_EMU_RUN_STATE_BOX_H
#define KGEN_EMU_RUN_STATE_BOX_H

#include <stdbool.h>
#include <stdint.h>

enum { BOX_CHUNK = 16 }; /* bytes that a swizzle keeps contiguous */

typedef struct {
  uint32_t at, bytes;
  uint32_t row, pitch; /* bytes per row, and distance from one row to the next */
  int swizzle;         /* 0, 32, 64 or 128 bytes */
  bool atom32;         /* the swizzle XORs units of 32 bytes (sm_100; by the ISA, not measured) */
} Box;

static inline Box box_flat(uint32_t at, uint32_t bytes) {
  return (Box){.at = at, .bytes = bytes, .row = bytes, .pitch = bytes};
}

/* True if rows are contiguous. */
static inline bool box_is_dense(const Box *b) { return b->row == b->pitch; }

/* The offset after the last row, including its padding. */
static inline uint32_t box_end(const Box *b) {
  return b->bytes ? b->at + (b->bytes / b->row - 1) * b->pitch + b->pitch : b->at;
}

/* The offset of the chunk that begins at byte i of the copy, counted row by row. TMA swizzles by
 * XORing address bits 4 and up with the bits three higher [measured on an H200]. */
static inline uint32_t box_place(const Box *b, uint32_t i) {
  const uint32_t a = b->at + i / b->row * b->pitch + i % b->row;
  const uint32_t mask = b->swizzle ? (uint32_t)(b->swizzle / BOX_CHUNK - 1) << 7 : 0;
  const uint32_t rows_of_4 = 3 << 7; /* a pattern of 4 rows */
  return b->atom32 ? a ^ (a & rows_of_4) >> 2 : a ^ (a & mask) >> 3;
}

/* The number of contiguous bytes from byte i on, within its chunk and row. */
static inline uint32_t box_piece(const Box *b, uint32_t i) {
  const uint32_t rest = b->row - i % b->row;
  return rest < BOX_CHUNK ? rest : BOX_CHUNK;
}

#endif
