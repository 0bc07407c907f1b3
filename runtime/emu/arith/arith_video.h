/* arith_video.h: PTX's video instructions, on parts of registers as small integers, which are
 * saturated, summed up, or put back into a part of another register. */
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

/* How a scalar's result is combined with c. */
typedef enum { VIDEO_ALONE, VIDEO_PLUS, VIDEO_LEAST, VIDEO_MOST, VIDEO_MERGE } VideoSecond;

/* A part of a register, by its lowest bit and its width. */
typedef struct {
  uint8_t at, bits;
} VideoPart;

enum { VIDEO_LANES = 4 };

typedef struct ArithVideo {
  uint8_t op;    /* VideoOp */
  uint8_t lanes; /* 1: scalar; 2 or 4 of a register */
  bool a_signed, b_signed, d_signed;
  bool saturates, wraps;
  uint8_t compare;   /* ArithCompare, of SET */
  uint8_t second;    /* VideoSecond; lanes: ALONE, or PLUS: their sum, and c */
  VideoPart a, b, d; /* of a scalar */
  /* Of lanes: which of a's and b's, which are numbered one after the other. */
  uint8_t a_lane[VIDEO_LANES], b_lane[VIDEO_LANES];
  uint8_t mask;  /* lanes that are written, or summed */
  uint8_t shift; /* MAD */
  bool product_negated, c_negated, plus_one;
} ArithVideo;

/* The instruction's result, of one thread. */
uint32_t arith_video(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c);

#endif
