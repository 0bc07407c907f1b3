/* SPDX-License-Identifier: MIT */
/*
 * gather.h: moves elements of 1, 2, 4 or 8 bytes between the registers of 32 lanes and memory.
 * Compiled for several instruction-set levels: arith/arith_level.h.
 *
 * Elements are aligned, and each is loaded or stored by a single access, also in vectorized loops,
 * because several host threads may access one word.
 */
#ifndef KGEN_EMU_MEMORY_GATHER_H
#define KGEN_EMU_MEMORY_GATHER_H

#include "emu/arith/lanes.h"

/* The lane addresses of an access, within `extent` bytes of host memory. */
typedef struct {
  uint8_t *host;
  uint64_t base, extent;
  uint64_t at[LANES];      /* offset from `host` in bytes; inactive lanes have an active lane's */
  uint64_t address[LANES]; /* offset from the start of the memory space */
  uint64_t shift;          /* added to both; may be negative, modulo 2^64 */
  bool uniform;            /* all lanes have one address */
  bool row;                /* lanes are contiguous */
  bool own;                /* no other host thread accesses this memory */
  /* The following fields are set by spread(). */
  uint64_t least, most;  /* minimum and maximum of `at` */
  uint64_t low;          /* the bits below GATHER_ALIGN that are set in any address */
  bool near;             /* all lanes are within NEAR bytes, at distances of whole words */
  uint32_t index[LANES]; /* if near: distance from the lowest lane, in words */
} Gather;

enum { GATHER_ALIGN = 32, NEAR = 128 };

typedef struct {
  /* Resolves the `active` lanes to (base[lane] + offset) & mask; false if a lane's `bytes` are out
   * of bounds or misaligned. */
  bool (*place)(Gather *g, const uint64_t *base, uint64_t offset, uint64_t mask, unsigned bytes,
                uint32_t active);
  /* Computes the distances between lanes, for later accesses at constant distances from this
   * one. */
  void (*spread)(Gather *g);
  /* Writes the lane addresses, with the shift added. */
  void (*shifted)(const Gather *g, uint64_t *address);
  /* Loads element `i`, of `bytes` bytes, for every lane, zero- or sign-extended. */
  void (*load)(const Gather *g, unsigned i, unsigned bytes, bool is_signed, uint32_t active,
               uint64_t *d);
  /* Stores element `i`; if several lanes have one address, the highest lane's value remains. */
  void (*store)(const Gather *g, unsigned i, unsigned bytes, uint32_t active, const uint64_t *s);
  /* True if, in the memory `other`, some byte at the lanes' offsets is not 0. */
  bool (*any)(const Gather *g, const uint8_t *other, unsigned bytes);
  /* True if each lane's address is `first` plus the lane's `step`. */
  bool (*matches)(const uint64_t *address, uint64_t first, const uint64_t *step);
} GatherLevel;

const GatherLevel *gather_level(void);
#ifdef KGEN_ARITH_LEVELS
const GatherLevel *gather_level_avx2(void);
const GatherLevel *gather_level_avx512(void);
#endif

#endif
