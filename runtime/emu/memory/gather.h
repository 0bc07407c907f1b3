/*
 * gather.h: moving elements of 1, 2, 4 or 8 bytes between the registers of 32 lanes and memory.
 * Compiled for several levels of processors: arith/arith_level.h.
 *
 * Elements move in one piece, as the accesses of several host threads to one word demand, also
 * where the compiler makes vectors of them: they are aligned.
 */
#ifndef KGEN_EMU_GATHER_H
#define KGEN_EMU_GATHER_H

#include "emu/arith/lanes.h"

/* Where the lanes of an access lie: within `extent` bytes of host memory that begin at an address.
 */
typedef struct {
  uint8_t *host;
  uint64_t base, extent;
  uint64_t at[LANES];      /* bytes from `host` on; of inactive lanes what an active one has */
  uint64_t address[LANES]; /* the same from where the space begins */
  uint64_t shift;          /* to be added to all of both */
  bool uniform;            /* all at one place */
  bool row;                /* one behind the other */
  bool own;                /* no other host thread comes there */
  /* What `spread` finds. */
  uint64_t least, most;  /* of `at` */
  uint64_t low;          /* the bits below GATHER_ALIGN that any address has */
  bool near;             /* all within NEAR bytes, words apart */
  uint32_t index[LANES]; /* then: words behind the least */
} Gather;

enum { GATHER_ALIGN = 32, NEAR = 128 };

typedef struct {
  /* Fills `at` in with base[lane] + offset, under `mask`, of `active` lanes; false if one of these
   * `bytes` bytes is outside, or misaligned. */
  bool (*place)(Gather *g, const uint64_t *base, uint64_t offset, uint64_t mask, unsigned bytes,
                uint32_t active);
  /* How far the lanes lie apart, for other accesses at constant distances from these. */
  void (*spread)(Gather *g);
  /* The addresses with their shift. */
  void (*shifted)(const Gather *g, uint64_t *address);
  /* Element `i` of every lane, of `bytes` bytes, zero- or sign-extended. */
  void (*load)(const Gather *g, unsigned i, unsigned bytes, bool is_signed, uint32_t active,
               uint64_t *d);
  /* Of lanes at one place the highest one's stays. */
  void (*store)(const Gather *g, unsigned i, unsigned bytes, uint32_t active, const uint64_t *s);
  /* Whether a lane's `bytes` bytes are not all zero at the same places of other memory. */
  bool (*any)(const Gather *g, const uint8_t *other, unsigned bytes);
  /* Whether the addresses lie as far from the first one as `step` says. */
  bool (*matches)(const uint64_t *address, uint64_t first, const uint64_t *step);
} GatherLevel;

const GatherLevel *gather_level(void);
#ifdef KGEN_ARITH_LEVELS
const GatherLevel *gather_level_avx2(void);
const GatherLevel *gather_level_avx512(void);
#endif

#endif
