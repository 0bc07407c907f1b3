/* operand.h: how wgmma's descriptors describe a tile, and where in it they start. */
#ifndef KGEN_EMIT_OPERAND_H
#define KGEN_EMIT_OPERAND_H

#include "model/tile.h"

/* Descriptors count addresses and offsets in units of this many bytes. */
enum { OPERAND_UNIT = 16 };

/* Fields of a descriptor, in bytes. */
typedef struct {
  int leading, stride;
  int mode_field; /* 0 none, 1 128 bytes, 2 64, 3 32 */
} Operand;

/* mode: bytes, as by forms_tma. */
Operand operand_of(const Tile *t, int mode, Major major);

/* The instructions that go along k through a tile: so many in each of its parts, a part being the
 * matrices that one instruction reads from. */
typedef struct {
  int step;  /* elements of k that an instruction takes */
  int steps; /* of a part */
  int parts;
  int64_t step_bytes, part_bytes; /* from one to the next */
} OperandSteps;

/* Of an access of wgmma. */
OperandSteps operand_steps(const Tile *t, const Access *access);

#endif
