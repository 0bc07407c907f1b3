/* SPDX-License-Identifier: MIT */
/*
 * tmem.h: the tensor memory of a block (sm_100): 128 lanes x 512 columns x 32 bits. An address has
 * the lane from bit 16 and the column below. Columns are allocated in powers of two from 32, by one
 * warp, and all of them are freed before the block ends [PTX ISA, "tcgen05.alloc"]. By the ISA, not
 * measured.
 */
#ifndef KGEN_EMU_RUN_TMEM_TMEM_H
#define KGEN_EMU_RUN_TMEM_TMEM_H

#include "emu/run/state/block.h"
#include "emu/run/state/tmem_box.h"

enum {
  TMEM_LANE_SHIFT = 16,
  TMEM_UNIT = 32, /* columns per unit of allocation */
  TMEM_UNITS = TMEM_COLUMNS / TMEM_UNIT
};

typedef struct {
  const Insn *insn; /* its alloc; NULL: free */
  uint32_t thread;
  uint32_t columns; /* 0 for all units of an allocation but its first one */
} TmemUnit;

/* Columns come first in the arrays: lanes of one column are neighbours. */
struct Tmem {
  uint32_t word[TMEM_COLUMNS][TMEM_LANES];
  uint32_t undefined[TMEM_COLUMNS][TMEM_LANES]; /* masks of the bits that nothing wrote */
  TmemUnit unit[TMEM_UNITS];
  const Insn *relinquished; /* NULL: the block may still allocate */
  uint8_t group;            /* .cta_group of its instructions so far; 0: none */
};

static inline uint32_t tmem_lane(uint32_t address) { return address >> TMEM_LANE_SHIFT; }
static inline uint32_t tmem_column(uint32_t address) { return address & 0xffff; }

/* The block's tensor memory, allocated at its first use; NULL when out of memory. */
Tmem *tmem_open(Block *block);
void tmem_free(Block *block);
/* The block begins, or ends: what is still allocated is then reported. */
void tmem_start(Block *block);
void tmem_finish(Block *block);

/* The address of `columns` newly allocated columns; false after a finding that ends the launch. */
bool tmem_alloc(Warp *w, const Insn *insn, uint32_t columns, uint32_t *address);
void tmem_dealloc(Warp *w, const Insn *insn, uint32_t address, uint32_t columns);
void tmem_relinquish(Warp *w, const Insn *insn);
/* Reports that instructions of a kernel have different .cta_group. */
void tmem_check_group(Warp *w, const Insn *insn, unsigned group);

/* True if the box is within allocated columns of `block`; else it is reported. */
bool tmem_check_box(Block *block, Warp *w, const Insn *insn, unsigned lane, const TmemBox *box);

#endif
