/* SPDX-License-Identifier: MIT */
/* Video instructions against host arithmetic on whole integers: parts, signs, saturation, second
 * operations, merges and lanes. */
#include "emu/emu_insn.h"

static int64_t byte(uint64_t x, unsigned i) { return (int64_t)(x >> 8 * i & 0xff); }
static int64_t sbyte(uint64_t x, unsigned i) { return (int8_t)(x >> 8 * i); }
static int64_t half(uint64_t x, unsigned i) { return (int64_t)(x >> 16 * i & 0xffff); }
static int64_t shalf(uint64_t x, unsigned i) { return (int16_t)(x >> 16 * i); }
static int64_t s32(uint64_t x) { return (int32_t)(uint32_t)x; }
static int64_t u32(uint64_t x) { return (uint32_t)x; }
static int64_t within(int64_t x, int64_t least, int64_t most) {
  return x < least ? least : x > most ? most : x;
}
static int64_t distance(int64_t x, int64_t y) { return x < y ? y - x : x - y; }

/* Operands: %r1 and %r2, the low words of a and b; c: %r4, a's high word. */
#define A       (in->x)
#define B       (in->y)
#define C       (in->x >> 32)
#define S32_MAX INT64_C(2147483647)
#define EXPECT(NAME, EXPR)                                                                         \
  static uint64_t NAME(const Input *in) { return (uint32_t)(EXPR); }

EXPECT(add_plain, s32(A) + u32(B))
EXPECT(add_saturates, within(u32(A) + u32(B), 0, UINT32_MAX))
EXPECT(sub_saturates, within(s32(A) - s32(B), -S32_MAX - 1, S32_MAX))
EXPECT(sub_unsigned, within(u32(A) - s32(B), 0, UINT32_MAX))
EXPECT(add_parts, sbyte(A, 3) + half(B, 1))
EXPECT(add_then_add, within(byte(A, 0) + byte(B, 1), 0, UINT32_MAX) + u32(C))
EXPECT(absdiff_then_min,
       distance(shalf(A, 0), sbyte(B, 2)) < s32(C) ? distance(shalf(A, 0), sbyte(B, 2)) : s32(C))
EXPECT(max_then_max, (uint32_t)(byte(A, 1) > byte(B, 2) ? byte(A, 1) : byte(B, 2)) > u32(C)
                         ? (byte(A, 1) > byte(B, 2) ? byte(A, 1) : byte(B, 2))
                         : u32(C))
EXPECT(merge_byte, (u32(C) & ~0xff0000) | (within(s32(A) + sbyte(B, 2), -128, 127) & 0xff) << 16)
EXPECT(merge_half,
       (u32(C) & 0xffff) | (int64_t)((uint64_t)(half(A, 0) - half(B, 1)) << 16 & 0xffff0000))
EXPECT(shl_clamps, (B & 0xff) > 31 ? 0 : u32(A) << (B & 0xff))
EXPECT(shr_wraps, s32(A) >> (B & 31))
EXPECT(shl_saturates, within((int64_t)((uint64_t)shalf(A, 0) << (B & 31)), -S32_MAX - 1, S32_MAX))
EXPECT(mad_shifts, (sbyte(A, 0) * byte(B, 3) + s32(C)) >> 7)
EXPECT(mad_saturates, within((shalf(A, 0) * shalf(B, 1) + s32(C)) >> 15, -S32_MAX - 1, S32_MAX))
EXPECT(mad_po, (uint64_t)u32(A) * (uint64_t)byte(B, 1) + C + 1)
EXPECT(mad_negated, -(shalf(A, 1) * shalf(B, 0)) + s32(C))
EXPECT(set_counts, (byte(A, 0) < byte(B, 1) ? 1 : 0) + u32(C))
EXPECT(set_signed, s32(A) >= s32(B) ? 1 : 0)

#define LANES2(NAME, LANE)                                                                         \
  static uint64_t NAME(const Input *in) {                                                          \
    uint64_t out = 0;                                                                              \
    for (unsigned i = 0; i < 2; i++) out |= ((uint64_t)(LANE)&0xffff) << 16 * i;                   \
    return out;                                                                                    \
  }
#define LANES4(NAME, LANE)                                                                         \
  static uint64_t NAME(const Input *in) {                                                          \
    uint64_t out = 0;                                                                              \
    for (unsigned i = 0; i < 4; i++) out |= ((uint64_t)(LANE)&0xff) << 8 * i;                      \
    return out;                                                                                    \
  }
#define SUM4(NAME, LANE)                                                                           \
  static uint64_t NAME(const Input *in) {                                                          \
    int64_t sum = u32(C);                                                                          \
    for (unsigned i = 0; i < 4; i++) sum += LANE;                                                  \
    return (uint32_t)sum;                                                                          \
  }
LANES2(add2, half(A, i) + half(B, i))
LANES2(sub2_saturates, within(shalf(A, i) - shalf(B, i), -32768, 32767))
LANES2(avrg2, (half(A, i) + half(B, i) + 1) >> 1)
LANES2(set2, shalf(A, i) < shalf(B, i) ? 1 : 0)
/* a's halves exchanged, b's high half and a's low one. */
LANES2(select2, half(A, 1 - i) + (i ? half(B, 1) : half(A, 0)))
LANES2(masked2, i ? half(C, 1) : within(half(A, 0) + half(B, 0), 0, 65535))
LANES4(min4, sbyte(A, i) < sbyte(B, i) ? sbyte(A, i) : sbyte(B, i))
LANES4(max4, byte(A, i) > byte(B, i) ? byte(A, i) : byte(B, i))
LANES4(absdiff4, distance(byte(A, i), byte(B, i)))
LANES4(add4_saturates, within(byte(A, i) + byte(B, i), 0, 255))
LANES4(select4, byte(B, 3 - i) - byte(A, i))
SUM4(absdiff4_sum, distance(byte(A, i), byte(B, i)))
SUM4(sub4_sum, sbyte(A, i) - sbyte(B, i))
SUM4(set4_sum, (byte(A, i) != byte(B, i) ? 1 : 0))
static uint64_t masked_sum(const Input *in) {
  return (uint32_t)(u32(C) + byte(A, 1) + byte(B, 1) + byte(A, 2) + byte(B, 2));
}

#define BODY(TEXT) "shr.u64 %d4, %d1, 32; cvt.u32.u64 %r4, %d4; " TEXT " cvt.u64.u32 %d3, %r5;"

static const Case cases[] = {
    {"vadd", BODY("vadd.u32.s32.u32 %r5, %r1, %r2;"), add_plain},
    {"vadd.sat", BODY("vadd.u32.u32.u32.sat %r5, %r1, %r2;"), add_saturates},
    {"vsub.sat", BODY("vsub.s32.s32.s32.sat %r5, %r1, %r2;"), sub_saturates},
    {"vsub.sat of two signs", BODY("vsub.u32.u32.s32.sat %r5, %r1, %r2;"), sub_unsigned},
    {"vadd of parts", BODY("vadd.s32.s32.u32 %r5, %r1.b3, %r2.h1;"), add_parts},
    {"vadd.add", BODY("vadd.u32.u32.u32.sat.add %r5, %r1.b0, %r2.b1, %r4;"), add_then_add},
    {"parts of registers without a %",
     BODY("{.reg .b32 x, y; mov.b32 x, %r1; mov.b32 y, %r2; vadd.u32.u32.u32.sat.add %r5, x.b0, "
          "y.b1, %r4;}"),
     add_then_add},
    {"vabsdiff.min", BODY("vabsdiff.s32.s32.s32.min %r5, %r1.h0, %r2.b2, %r4;"), absdiff_then_min},
    {"vmax.max", BODY("vmax.u32.u32.u32.max %r5, %r1.b1, %r2.b2, %r4;"), max_then_max},
    {"vadd into a byte", BODY("vadd.s32.s32.s32.sat %r5.b2, %r1, %r2.b2, %r4;"), merge_byte},
    {"vsub into a half", BODY("vsub.u32.u32.u32 %r5.h1, %r1.h0, %r2.h1, %r4;"), merge_half},
    {"vshl.clamp", BODY("vshl.u32.u32.u32.clamp %r5, %r1, %r2.b0;"), shl_clamps},
    {"vshr.wrap", BODY("vshr.s32.s32.u32.wrap %r5, %r1, %r2;"), shr_wraps},
    {"vshl.sat", BODY("vshl.s32.s32.u32.sat.wrap %r5, %r1.h0, %r2;"), shl_saturates},
    {"vmad.shr7", BODY("vmad.s32.s32.u32.shr7 %r5, %r1.b0, %r2.b3, %r4;"), mad_shifts},
    {"vmad.sat", BODY("vmad.s32.s32.s32.sat.shr15 %r5, %r1.h0, %r2.h1, %r4;"), mad_saturates},
    {"vmad.po", BODY("vmad.u32.u32.u32.po %r5, %r1, %r2.b1, %r4;"), mad_po},
    {"vmad negated", BODY("vmad.s32.s32.s32 %r5, -%r1.h1, %r2.h0, %r4;"), mad_negated},
    {"vset.add", BODY("vset.u32.u32.lt.add %r5, %r1.b0, %r2.b1, %r4;"), set_counts},
    {"vset", BODY("vset.s32.s32.ge %r5, %r1, %r2;"), set_signed},
    {"vadd2", BODY("vadd2.u32.u32.u32 %r5, %r1, %r2, %r4;"), add2},
    {"vsub2.sat", BODY("vsub2.s32.s32.s32.sat %r5, %r1, %r2, %r4;"), sub2_saturates},
    {"vavrg2", BODY("vavrg2.u32.u32.u32 %r5, %r1, %r2, %r4;"), avrg2},
    {"vset2", BODY("vset2.s32.s32.lt %r5, %r1, %r2, %r4;"), set2},
    {"vadd2 of selected", BODY("vadd2.u32.u32.u32 %r5, %r1.h01, %r2.h30, %r4;"), select2},
    {"vadd2 masked", BODY("vadd2.u32.u32.u32.sat %r5.h0, %r1, %r2, %r4;"), masked2},
    {"vmin4", BODY("vmin4.s32.s32.s32 %r5, %r1, %r2, %r4;"), min4},
    {"vmax4", BODY("vmax4.u32.u32.u32 %r5, %r1, %r2, %r4;"), max4},
    {"vabsdiff4", BODY("vabsdiff4.u32.u32.u32 %r5, %r1, %r2, %r4;"), absdiff4},
    {"vadd4.sat", BODY("vadd4.u32.u32.u32.sat %r5, %r1, %r2, %r4;"), add4_saturates},
    {"vsub4 of selected", BODY("vsub4.u32.u32.u32 %r5, %r1.b4567, %r2.b3210, %r4;"), select4},
    {"vabsdiff4.add", BODY("vabsdiff4.u32.u32.u32.add %r5, %r1, %r2, %r4;"), absdiff4_sum},
    {"vsub4.add", BODY("vsub4.s32.s32.s32.add %r5, %r1, %r2, %r4;"), sub4_sum},
    {"vset4.add", BODY("vset4.u32.u32.ne.add %r5, %r1, %r2, %r4;"), set4_sum},
    {"vadd4.add masked", BODY("vadd4.u32.u32.u32.add %r5.b21, %r1, %r2, %r4;"), masked_sum},
};

int main(void) {
  uint64_t a[32], b[32], random = 3;
  for (int i = 0; i < 32; i++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    a[i] = i < 4 ? (uint64_t)i * 0x7fffffffu : random ^ random >> 29;
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    b[i] = i < 4 ? 0x80000000u - (uint64_t)i : random ^ random >> 31;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i], a, b);
  return check_report("emu_video");
}
