/* SPDX-License-Identifier: MIT */
/* operand.h: wgmma's descriptors for a tile, and the start of each operand in it. */
#ifndef KGEN_EMIT_OPERAND_H
#define KGEN_EMIT_OPERAND_H

#include "model/tile.h"

/* Descriptors count addresses and offsets in units of this many bytes. */
enum { OPERAND_UNIT = 16 };

/* Fields of a descriptor, in bytes. */
typedef struct {
  int leading, stride;
  int mode_field; /* 0: none, 1: 128 bytes, 2: 64, 3: 32 */
} Operand;

/* mode: in bytes, as returned by forms_tma(). */
Operand operand_of(const Tile *t, int mode, Major major);

/* The instructions that step along k through a tile: `steps` in each of its parts; a part is the
 * set of matrices that one instruction reads. */
typedef struct {
  int step;  /* elements of k per instruction */
  int steps; /* steps per part */
  int parts;
  int64_t step_bytes, part_bytes; /* bytes from one step, and from one part, to the next */
} OperandSteps;

/* For an access of wgmma. */
OperandSteps operand_steps(const Tile *t, const Access *access);

#endif
