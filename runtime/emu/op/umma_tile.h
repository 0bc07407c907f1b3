/* SPDX-License-Identifier: MIT */
/*
 * umma_tile.h: the location of an operand of tcgen05.mma or tcgen05.cp in shared memory. A
 * descriptor holds the start address from bit 0, the leading byte offset from bit 16 and the stride
 * byte offset from bit 32, each divided by 16, the constant 1 from bit 46, the base offset from bit
 * 49, and from bit 61 the swizzle mode [PTX ISA, "Shared memory descriptor"; CUTLASS
 * mma_sm100_desc.hpp]. By the ISA, not measured.
 *
 * A tile's lines, rows of A or columns of B, have 32 bytes of k, or 64. It is read in units of 16
 * bytes, which hold consecutive k of one line (K-major), or one k of consecutive lines (MN-major).
 */
#ifndef KGEN_EMU_OP_UMMA_TILE_H
#define KGEN_EMU_OP_UMMA_TILE_H

#include <stddef.h>

#include "emu/arith/arith_tcgen05.h"

enum { UMMA_UNIT = 16, UMMA_BYTES = 32, UMMA_MAX_LINES = 256 };

typedef struct {
  uint64_t descriptor;
  uint32_t start, leading, stride; /* bytes */
  uint32_t width;                  /* width of swizzled rows: 16 (none), 32, 64, 128 */
  bool atom32;                     /* the 128-byte swizzle exchanges units of 32 bytes, not 16 */
  uint32_t base_offset;
  bool by_mn;
  uint8_t line;     /* bytes per line: 32; 64 of B if A is sparse */
  uint8_t bits;     /* per element */
  uint8_t per_unit; /* elements in a unit: 16 of 4 or 6 bits, and padding, unless they are packed */
} UmmaTile;

/* packed: elements of 4 bits have no padding (mxf4, mxf4nvf4). */
UmmaTile umma_tile(uint64_t descriptor, Tcgen05Type type, bool packed, bool by_mn);
/* False, with the reason, if its fields contradict one another or the ISA. */
bool umma_tile_is_sound(const UmmaTile *tile, char *why, size_t size);
/* The number of units of `lines` lines; the shared address of one. */
unsigned umma_tile_units(const UmmaTile *tile, unsigned lines);
uint32_t umma_tile_unit(const UmmaTile *tile, unsigned unit);
/* The address of 16 bytes of a line of a K-major tile. */
uint32_t umma_tile_bytes(const UmmaTile *tile, unsigned line, unsigned half);

/* The lines that a unit holds elements of: the first, and their number. */
typedef struct {
  unsigned first, count;
} UmmaLines;
UmmaLines umma_tile_lines(const UmmaTile *tile, unsigned unit);
/* Copies a unit's elements to their lines, each in the low bits of a word. */
void umma_tile_put(const UmmaTile *tile, unsigned unit, const uint8_t from[UMMA_UNIT],
                   uint32_t (*line)[TCGEN05_MAX_K]);

#endif
