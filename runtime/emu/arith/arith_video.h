/* SPDX-License-Identifier: MIT */
/* arith_video.h: PTX's video instructions. They treat parts of registers as small integers, whose
 * result is saturated, accumulated, or merged into a part of another register. */
#ifndef KGEN_EMU_ARITH_ARITH_VIDEO_H
#define KGEN_EMU_ARITH_ARITH_VIDEO_H

#include "emu/arith/arith.h"

typedef enum {
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_ABSDIFF,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_SHL,
  VIDEO_SHR,
  VIDEO_AVRG,
  VIDEO_SET,
  VIDEO_MAD
} VideoOp;

/* How a scalar result is combined with c. */
typedef enum { VIDEO_ALONE, VIDEO_PLUS, VIDEO_LEAST, VIDEO_MOST, VIDEO_MERGE } VideoSecond;

/* A part of a register, by its lowest bit and its width. */
typedef struct {
  uint8_t at, bits;
} VideoPart;

enum { VIDEO_LANES = 4 };

typedef struct ArithVideo {
  uint8_t op;    /* VideoOp */
  uint8_t lanes; /* 1: scalar; 2 or 4 lanes per register */
  bool a_signed, b_signed, d_signed;
  bool saturates, wraps;
  uint8_t compare;   /* ArithCompare, for SET */
  uint8_t second;    /* VideoSecond; with lanes: ALONE, or PLUS, the sum of the lanes and c */
  VideoPart a, b, d; /* for a scalar */
  /* For lanes: the selected lanes of a and b, which are numbered consecutively. */
  uint8_t a_lane[VIDEO_LANES], b_lane[VIDEO_LANES];
  uint8_t mask;  /* lanes that are written or summed */
  uint8_t shift; /* MAD */
  bool product_negated, c_negated, plus_one;
} ArithVideo;

/* The result of the instruction for one thread. */
uint32_t arith_video(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c);

#endif
