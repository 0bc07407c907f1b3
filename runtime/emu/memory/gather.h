/*
 * gather.h: moving elements of 1, 2, 4 or 8 bytes between the registers of 32 lanes and memory.
 * Compiled for several levels of processors: arith/arith_level.h.
 *
 * Elements are aligned, and each is loaded or stored at once, also in vectorized loops, as
 * accesses of several host threads to one word require.
 */
#ifndef KGEN_EMU_MEMORY_GATHER_H
#define KGEN_EMU_MEMORY_GATHER_H

#include "emu/arith/lanes.h"

/* The places of an access's lanes, within `extent` bytes of host memory. */
typedef struct {
  uint8_t *host;
  uint64_t base, extent;
  uint64_t at[LANES];      /* bytes from `host` on; inactive lanes have an active one's */
  uint64_t address[LANES]; /* the same from the space's start */
  uint64_t shift;          /* to be added to both; may be negative, modulo 2^64 */
  bool uniform;            /* all lanes at one place */
  bool row;                /* lanes are contiguous */
  bool own;                /* no other host thread accesses them */
  /* Set by spread(). */
  uint64_t least, most;  /* of `at` */
  uint64_t low;          /* the bits below GATHER_ALIGN that are set in any address */
  bool near;             /* all within NEAR bytes, at distances of whole words */
  uint32_t index[LANES]; /* then: the distance from the lowest, in words */
} Gather;

enum { GATHER_ALIGN = 32, NEAR = 128 };

typedef struct {
  /* Places the `active` lanes at (base[lane] + offset) & mask; false if a lane's `bytes` are out of
   * bounds or misaligned. */
  bool (*place)(Gather *g, const uint64_t *base, uint64_t offset, uint64_t mask, unsigned bytes,
                uint32_t active);
  /* Finds the distances between lanes, for other accesses at constant distances from this one. */
  void (*spread)(Gather *g);
  /* Writes the addresses with their shift. */
  void (*shifted)(const Gather *g, uint64_t *address);
  /* Element `i` of every lane, of `bytes` bytes, zero- or sign-extended. */
  void (*load)(const Gather *g, unsigned i, unsigned bytes, bool is_signed, uint32_t active,
               uint64_t *d);
  /* If several lanes have one place, the highest lane's value remains. */
  void (*store)(const Gather *g, unsigned i, unsigned bytes, uint32_t active, const uint64_t *s);
  /* True if some lane's `bytes` bytes are not all zero in other memory at the same offsets. */
  bool (*any)(const Gather *g, const uint8_t *other, unsigned bytes);
  /* True if the addresses are at the distances `step` from the first one. */
  bool (*matches)(const uint64_t *address, uint64_t first, const uint64_t *step);
} GatherLevel;

const GatherLevel *gather_level(void);
#ifdef KGEN_ARITH_LEVELS
const GatherLevel *gather_level_avx2(void);
const GatherLevel *gather_level_avx512(void);
#endif

#endif
