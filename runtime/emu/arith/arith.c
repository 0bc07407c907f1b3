/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith.h"

#include <string.h>

static const struct {
  const char *name;
  uint8_t bits;
} types[ARITH_TYPES] = {
    [ARITH_NONE] = {"", 0},          [ARITH_PRED] = {"pred", 1},
    [ARITH_B8] = {"b8", 8},          [ARITH_B16] = {"b16", 16},
    [ARITH_B32] = {"b32", 32},       [ARITH_B64] = {"b64", 64},
    [ARITH_B128] = {"b128", 128},    [ARITH_U8] = {"u8", 8},
    [ARITH_U16] = {"u16", 16},       [ARITH_U32] = {"u32", 32},
    [ARITH_U64] = {"u64", 64},       [ARITH_S8] = {"s8", 8},
    [ARITH_S16] = {"s16", 16},       [ARITH_S32] = {"s32", 32},
    [ARITH_S64] = {"s64", 64},       [ARITH_U16X2] = {"u16x2", 32},
    [ARITH_S16X2] = {"s16x2", 32},   [ARITH_F16] = {"f16", 16},
    [ARITH_F16X2] = {"f16x2", 32},   [ARITH_BF16] = {"bf16", 16},
    [ARITH_BF16X2] = {"bf16x2", 32}, [ARITH_TF32] = {"tf32", 32},
    [ARITH_F32] = {"f32", 32},       [ARITH_F32X2] = {"f32x2", 64},
    [ARITH_F64] = {"f64", 64},       [ARITH_E4M3] = {"e4m3", 8},
    [ARITH_E5M2] = {"e5m2", 8},      [ARITH_E4M3X2] = {"e4m3x2", 16},
    [ARITH_E5M2X2] = {"e5m2x2", 16}, [ARITH_U4] = {"u4", 4},
    [ARITH_S4] = {"s4", 4},          [ARITH_U2] = {"u2", 2},
    [ARITH_S2] = {"s2", 2},          [ARITH_B1] = {"b1", 1},
    [ARITH_E2M1X2] = {"e2m1x2", 8},
};

ArithType arith_type(const char *name, unsigned length) {
  for (unsigned t = ARITH_PRED; t < ARITH_TYPES; t++)
    if (strlen(types[t].name) == length && memcmp(types[t].name, name, length) == 0)
      return (ArithType)t;
  return ARITH_NONE;
}

unsigned arith_bits(ArithType type) { return types[type].bits; }

const char *arith_type_name(ArithType type) { return types[type].name; }

uint32_t arith_logic(ArithLogic logic, uint32_t t, uint32_t c) {
  switch (logic) {
  case ARITH_AND: return t & c;
  case ARITH_OR: return t | c;
  case ARITH_XOR: return t ^ c;
  default: return t;
  }
}
