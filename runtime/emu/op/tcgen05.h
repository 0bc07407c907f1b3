/* SPDX-License-Identifier: MIT */
/* tcgen05.h: decoded tcgen05 instructions (sm_100), and the operands that they have in common. */
#ifndef KGEN_EMU_OP_TCGEN05_H
#define KGEN_EMU_OP_TCGEN05_H

#include "emu/code/decode.h"
#include "emu/run/tmem/tmem.h"

/* An address of tensor memory: a register plus a constant. */
typedef struct {
  Ref base;
  uint32_t offset;
} Tcgen05Address;

/* Shapes of ld and st, lanes x bits of each lane; 16x32bx2 has two halves of 16 threads. */
typedef enum {
  TCGEN05_32X32B,
  TCGEN05_16X64B,
  TCGEN05_16X128B,
  TCGEN05_16X256B,
  TCGEN05_16X32BX2,
  TCGEN05_SHAPES
} Tcgen05Shape;

/* kind:: of mma */
typedef enum {
  TCGEN05_KIND_F16,
  TCGEN05_KIND_TF32,
  TCGEN05_KIND_F8F6F4,
  TCGEN05_KIND_I8,
  TCGEN05_KIND_MXF8F6F4, /* from here on with block scales */
  TCGEN05_KIND_MXF4,
  TCGEN05_KIND_MXF4NVF4,
  TCGEN05_KINDS
} Tcgen05Kind;

enum { TCGEN05_MAX_MASKS = 8 };

typedef struct Tcgen05Op {
  uint8_t group;     /* .cta_group */
  Tcgen05Address at; /* mma: D */
  /* ld, st: insn->d or insn->s are the registers */
  uint8_t shape;
  bool packs;    /* .pack::16b, .unpack::16b */
  uint32_t half; /* 16x32bx2: columns from the first half to the second */
  Ref columns;   /* alloc, dealloc */
  /* mma */
  uint8_t kind;
  bool is_sparse; /* .sp: A has half of its elements, which metadata name */
  Tcgen05Address metadata;
  bool is_ws; /* .ws: D may have 32 rows, and is spread otherwise */
  bool a_in_tmem;
  Tcgen05Address a_at;
  Ref a, b, instruction; /* descriptors */
  Ref mask[TCGEN05_MAX_MASKS];
  uint8_t masks;                   /* registers of the disable-output-lane vector; 0: absent */
  Tcgen05Address scale_a, scale_b; /* block scales */
  uint8_t scale_block;             /* elements of k per scale: 16 or 32 */
  uint8_t scaled;                  /* scale-input-d: D is divided by 2 to that power */
  /* commit */
  const Ref *blocks; /* mask of the blocks whose mbarriers are signalled; NULL: no multicast */
} Tcgen05Op;

static inline uint32_t tcgen05_address(const Warp *w, Tcgen05Address at, unsigned lane) {
  return (uint32_t)warp_reg(w, at.base)[lane] + at.offset;
}

/* Decodes [register + constant]. */
Tcgen05Address tcgen05_decode_address(Decoder *d, int index);
/* Marks .cta_group::1 or ::2 as understood; fails if there is none. */
uint8_t tcgen05_take_group(Decoder *d);

#endif
