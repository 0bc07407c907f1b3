/* SPDX-License-Identifier: MIT */
/*
 * arith.h: the arithmetic of PTX ISA 9.0 on raw register bits, 32 lanes at a time.
 *
 * An opcode is resolved once, at decode time, to an ArithInsn; executing it is one indirect call
 * per warp. A register is an array of 32 uint64_t, one per lane. Readers ignore the bits above
 * their operand's width; writers zero-extend, except that cvt to a signed integer sign-extends to
 * 64 bits (as a destination register wider than the type requires). A predicate, and the carry flag
 * CC.CF, is a uint32_t with one bit per lane.
 *
 * All functions are reentrant and stateless, and never change the floating-point environment. It
 * must be the default one (round to nearest, no flush to zero).
 */
#ifndef KGEN_EMU_ARITH_ARITH_H
#define KGEN_EMU_ARITH_ARITH_H

#include <stdbool.h>
#include <stdint.h>

/* The scalar and packed types that an instruction may name. */
typedef enum {
  ARITH_NONE,
  ARITH_PRED,
  ARITH_B8,
  ARITH_B16,
  ARITH_B32,
  ARITH_B64,
  ARITH_B128,
  ARITH_U8,
  ARITH_U16,
  ARITH_U32,
  ARITH_U64,
  ARITH_S8,
  ARITH_S16,
  ARITH_S32,
  ARITH_S64,
  ARITH_U16X2,
  ARITH_S16X2,
  ARITH_F16,
  ARITH_F16X2,
  ARITH_BF16,
  ARITH_BF16X2,
  ARITH_TF32,
  ARITH_F32,
  ARITH_F32X2,
  ARITH_F64,
  ARITH_E4M3,
  ARITH_E5M2,
  ARITH_E4M3X2,
  ARITH_E5M2X2,
  ARITH_E2M1X2,
  ARITH_U4,
  ARITH_S4,
  ARITH_U2,
  ARITH_S2,
  ARITH_B1,
  ARITH_TYPES
} ArithType;

/* The type called `name` (without its dot, `length` characters), or ARITH_NONE. */
ArithType arith_type(const char *name, unsigned length);

/* The width in bits (1 for pred), and the name without its dot. */
unsigned arith_bits(ArithType type);
const char *arith_type_name(ArithType type);

typedef enum {
  ARITH_ROUND_NONE,
  ARITH_RN,  /* nearest, ties to even */
  ARITH_RZ,  /* towards zero */
  ARITH_RM,  /* towards minus infinity */
  ARITH_RP,  /* towards plus infinity */
  ARITH_RNA, /* nearest, ties away from zero */
  ARITH_RNI, /* the same directions, rounding to an integral value */
  ARITH_RZI,
  ARITH_RMI,
  ARITH_RPI
} ArithRound;

typedef enum {
  ARITH_EQ = 1,
  ARITH_NE,
  ARITH_LT,
  ARITH_LE,
  ARITH_GT,
  ARITH_GE,
  ARITH_EQU,
  ARITH_NEU,
  ARITH_LTU,
  ARITH_LEU,
  ARITH_GTU,
  ARITH_GEU,
  ARITH_NUM,
  ARITH_NAN
} ArithCompare;

typedef enum { ARITH_NO_LOGIC, ARITH_AND, ARITH_OR, ARITH_XOR } ArithLogic;

/* ArithInsn.flags */
enum {
  ARITH_WRITES_CC = 1u << 0, /* .cc: the returned mask is the new CC.CF of the active lanes */
  ARITH_READS_CC = 1u << 1,  /* addc, subc, madc: `mask` is CC.CF */
  ARITH_FTZ = 1u << 2,
  ARITH_SAT = 1u << 3,
  ARITH_SATFINITE = 1u << 4,
  ARITH_RELU = 1u << 5,
  ARITH_KEEP_NAN = 1u << 6, /* .NaN of min and max */
  ARITH_XORSIGN = 1u << 7,  /* .xorsign.abs */
  ARITH_LO = 1u << 8,
  ARITH_HI = 1u << 9,
  ARITH_WIDE = 1u << 10,
  ARITH_CLAMP = 1u << 11,
  ARITH_WRAP = 1u << 12,
  ARITH_SHIFTAMT = 1u << 13,
  ARITH_APPROX = 1u << 14,
  ARITH_FULL = 1u << 15,
  ARITH_LEFT = 1u << 16, /* shf.l */
  ARITH_RIGHT = 1u << 17,
  ARITH_ABS = 1u << 18, /* the second half of .xorsign.abs */
  ARITH_PACK = 1u << 19 /* cvt.pack */
};

/* The kind of result of an instruction. */
typedef enum {
  ARITH_VALUE,         /* d */
  ARITH_MASK,          /* setp, testp: the returned mask; d is not accessed and may be NULL */
  ARITH_VALUE_AND_MASK /* lop3.BoolOp: d and the returned mask */
} ArithResult;

typedef struct ArithInsn ArithInsn;

/* Executes one instruction for the lanes of `active`. Other lanes of d keep their values, so a
 * single value can be computed with active = 1 and pointers to one uint64_t. s has n_src registers;
 * d may be one of them. `mask` is the predicate operand (selp, set and lop3 with a boolean
 * operator) or CC.CF (READS_CC), else ignored. Returns the mask that `result` and WRITES_CC
 * describe, within `active`, else 0. setp returns the bare comparison t: p = arith_logic(logic, t,
 * c) and q = arith_logic(logic, ~t, c), where c is the predicate operand after its negation. setp
 * of f16x2 and bf16x2 compares the low halves for p and the high halves for q: its result is
 * VALUE_AND_MASK, with the high comparison, 0 or 1, in d. */
typedef uint32_t (*ArithFn)(const ArithInsn *insn, uint64_t *d, const uint64_t *const *s,
                            uint32_t active, uint32_t mask);

typedef struct ArithRow ArithRow; /* arith_row.h */

/* A resolved instruction. Plain data: it may be copied. */
struct ArithInsn {
  ArithFn fn;
  const ArithRow *row;
  uint32_t flags;
  uint8_t result; /* ArithResult */
  /* number of value operands, including lop3's table, excluding the predicate operand */
  uint8_t n_src;
  uint8_t dst;    /* ArithType of d; ARITH_PRED for setp and testp */
  uint8_t src[4]; /* ArithType of each value operand: how to read an immediate */
  /* 1 if the operand list ends with a predicate operand (selp, logic != none) */
  uint8_t takes_mask;
  uint8_t round;   /* ArithRound */
  uint8_t compare; /* ArithCompare, for set and setp */
  uint8_t logic;   /* ArithLogic, for set, setp and lop3 */
  uint8_t mode;    /* private to fn: prmt's mode, testp's class, cvt.pack's element */
};

typedef enum {
  ARITH_OK,
  ARITH_UNKNOWN, /* not an arithmetic opcode: op/opcode.h may decode it */
  ARITH_REFUSED  /* an arithmetic opcode with a type or modifier that is not supported */
} ArithStatus;

/* t op c for predicates as lane masks; t if `logic` is none. */
uint32_t arith_logic(ArithLogic logic, uint32_t t, uint32_t c);

#endif
