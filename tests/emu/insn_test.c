/* SPDX-License-Identifier: MIT */
/* Instructions that lanes execute one by one: moves, memory, special registers, control. */
#include "emu/emu_insn.h"

/* --- moves --- */
static uint64_t same_a(const Input *in) { return in->x; }
static uint64_t swap_halves(const Input *in) { return in->x >> 32 | in->x << 32; }
static uint64_t swap_quarters(const Input *in) {
  uint64_t x = in->x;
  return (x & 0xffff) << 48 | (x >> 16 & 0xffff) << 32 | (x >> 32 & 0xffff) << 16 | x >> 48;
}
static uint64_t low_byte_twice(const Input *in) { return (in->x & 0xff) * 0x101; }
static uint64_t pred_logic(const Input *in) {
  bool p = in->x & 1, q = in->y & 1;
  return (uint64_t)(p && q) | (uint64_t)(p || q) << 1 | (uint64_t)(p != q) << 2 | (uint64_t)!p << 3;
}

/* --- memory --- */
static uint64_t signed_byte(const Input *in) { return (uint64_t)(int64_t)(int8_t)in->x; }
static uint64_t signed_half(const Input *in) { return (uint64_t)(int64_t)(int16_t)(in->x >> 16); }
static uint64_t low_word(const Input *in) { return low(in->x); }
static uint64_t vector_sum(const Input *in) { return (in->x & 0xffff) + (in->x >> 48); }
static uint64_t neighbour(const Input *in) { return in->a[in->lane ^ 1]; }
static uint64_t table_entry(const Input *in) {
  static const uint32_t table[] = {11, 22, 33, 44};
  return table[in->lane & 3];
}
static uint64_t call_sum(const Input *in) {
  return low(low(in->x) + low(in->y) + low(in->y >> 32));
}
static uint64_t own_sum(const Input *in) { return in->x + in->y; }

/* --- special registers --- */
static uint64_t lane_masks(const Input *in) {
  uint32_t bit = 1u << in->lane;
  return (uint64_t)(bit ^ (bit - 1) ^ (bit | (bit - 1))) << 32 | (~(bit - 1) ^ ~((bit - 1) | bit));
}
static uint64_t identity(const Input *in) { return in->lane + 32u * 1 + 1000u * 32 + 100000u * 64; }

/* --- control --- */
static uint64_t three_ways(const Input *in) {
  return in->lane % 3 == 0 ? 100 : in->lane % 3 == 1 ? 200 + low(in->x) % 2 : 300;
}
static uint64_t loop_sum(const Input *in) { return (uint64_t)in->lane * (in->lane + 1) / 2; }
static uint64_t zero_filled(const Input *in) { return in->x & 0xffffffff; }
static const Case cases[] = {
    {"mov", "mov.b64 %d3, %d1;", same_a},
    {"mov pack", "mov.b64 {%r4, %r5}, %d1; mov.b64 %d3, {%r5, %r4};", swap_halves},
    {"mov pack 4", "mov.b64 {%h0, %h1, %h2, %h3}, %d1; mov.b64 %d3, {%h3, %h2, %h1, %h0};",
     swap_quarters},
    {"mov pack bytes", "cvt.u16.u64 %h0, %d1; mov.b16 %h1, {%h0, %h0}; cvt.u64.u16 %d3, %h1;",
     low_byte_twice},
    {"pred logic",
     "and.b32 %r4, %r1, 1; and.b32 %r5, %r2, 1; setp.ne.u32 %p0, %r4, 0; setp.ne.u32 %p1, %r5, 0;"
     "and.pred %p2, %p0, %p1; selp.b64 %d4, 1, 0, %p2; or.b64 %d3, %d3, %d4;"
     "or.pred %p2, %p0, %p1; selp.b64 %d4, 2, 0, %p2; or.b64 %d3, %d3, %d4;"
     "xor.pred %p2, %p0, %p1; selp.b64 %d4, 4, 0, %p2; or.b64 %d3, %d3, %d4;"
     "not.pred %p2, %p0; mov.pred %p3, %p2; selp.b64 %d4, 8, 0, %p3; or.b64 %d3, %d3, %d4;",
     pred_logic},
    {"WARP_SZ",
     "mov.u32 %r4, WARP_SZ; sub.u32 %r4, %r4, 32; cvt.u64.u32 %d3, %r4; or.b64 %d3, %d3, %d1;",
     same_a},
    {"inner register", "mov.b64 %d3, %d1; { .reg .b64 %d3, %d1; mov.b64 %d1, 7; mov.b64 %d3, 8; }",
     same_a},
    {"inner range",
     "mov.b64 %d3, 0; { .reg .b64 %d<2>; mov.b64 %d1, 7; mov.b64 %d3, 8; } { .reg .b32 %d3; }"
     "mov.b64 %d3, %d1;",
     same_a},
    {"inner variable with a register's name",
     "{ .local .align 8 .b64 %d3; st.local.b64 [%d3], %d1; ld.local.b64 %d2, [%d3]; }"
     "mov.b64 %d3, %d2;",
     same_a},
    {"ld s8", "st.shared.u64 [%r20], %d1; ld.shared.s8 %d3, [%r20];", signed_byte},
    {"ld s16", "st.shared.u64 [%r20], %d1; ld.shared.s16 %d3, [%r20+2];", signed_half},
    {"ld volatile",
     "st.volatile.shared.u32 [%r20], %r1; ld.volatile.shared.u32 %r4, [%r20]; cvt.u64.u32 %d3, "
     "%r4;",
     low_word},
    {"ld v4.u16",
     "st.shared.b64 [%r20], %d1; ld.shared.v4.u16 {%h0, _, _, %h1}, [%r20]; cvt.u32.u16 %r4, %h0;"
     "cvt.u32.u16 %r5, %h1; add.u32 %r4, %r4, %r5; cvt.u64.u32 %d3, %r4;",
     vector_sum},
    {"st v2.b64", "st.shared.v2.b64 [%r20], {%d2, %d1}; ld.shared.u64 %d3, [%r20+8];", same_a},
    {"negative base",
     "add.u32 %r5, %r20, 0xfffffff0; st.shared.u64 [%r5+16], %d1; ld.shared.u64 %d3, [%r20];",
     same_a},
    {"shared exchange",
     "st.shared.u64 [%r20], %d1; bar.sync 0; xor.b32 %r4, %r20, 16; ld.shared.u64 %d3, [%r4];",
     neighbour},
    {"generic shared",
     "cvt.u64.u32 %d4, %r20; cvta.shared.u64 %d4, %d4; st.u64 [%d4], %d1; ld.u64 %d3, [%d4];",
     same_a},
    {"const",
     "and.b32 %r4, %r0, 3; mul.wide.u32 %d4, %r4, 4; mov.u64 %d5, table; add.u64 %d4, %d4, %d5;"
     "ld.const.u32 %r5, [%d4]; cvt.u64.u32 %d3, %r5;",
     table_entry},
    {"local",
     "mov.u64 %d4, own; st.local.u64 [%d4], %d1; st.local.u64 [own+8], %d2;"
     "ld.local.v2.u64 {%d5, %d6}, [own]; add.u64 %d3, %d5, %d6;",
     own_sum},
    {"call",
     "{ .param .b32 x0; .param .align 4 .b8 s0[8]; .param .b32 r0; st.param.b32 [x0], %r1;"
     "st.param.b64 [s0], %d2; call.uni (r0), add3, (x0, s0); ld.param.b32 %r4, [r0]; }"
     "cvt.u64.u32 %d3, %r4;",
     call_sum},
    {"lane masks",
     "mov.u32 %r4, %lanemask_eq; mov.u32 %r5, %lanemask_lt; xor.b32 %r4, %r4, %r5; mov.u32 %r5, "
     "%lanemask_le;"
     "xor.b32 %r4, %r4, %r5; mov.u32 %r6, %lanemask_ge; mov.u32 %r7, %lanemask_gt; xor.b32 %r6, "
     "%r6, %r7;"
     "mov.b64 %d3, {%r6, %r4};",
     lane_masks},
    {"sizes",
     "mov.u32 %r4, %laneid; mov.u32 %r5, %nctaid.y; mad.lo.u32 %r4, %r5, 32, %r4; mov.u32 %r5, "
     "%ntid.x;"
     "mad.lo.u32 %r4, %r5, 1000, %r4; mov.u32 %r5, %nwarpid; mad.lo.u32 %r4, %r5, 100000, %r4;"
     "cvt.u64.u32 %d3, %r4;",
     identity},
    {"brx.idx",
     "targets: .branchtargets first, second, third;"
     "rem.u32 %r4, %r0, 3; brx.idx %r4, targets;"
     "first: mov.u64 %d3, 100; bra joined;"
     "second: and.b32 %r5, %r1, 1; add.u32 %r5, %r5, 200; cvt.u64.u32 %d3, %r5; bra.uni joined;"
     "third: mov.u64 %d3, 300; joined:",
     three_ways},
    {"divergent loop",
     "mov.u32 %r4, 0; again: setp.ge.u32 %p0, %r4, %r0; @%p0 bra out_of_it; add.u32 %r4, %r4, 1;"
     "cvt.u64.u32 %d4, %r4; add.u64 %d3, %d3, %d4; bra again; out_of_it:",
     loop_sum},
    {"cp.async zero fill",
     "cp.async.ca.shared.global [%r20], [%d20], 8, 4; cp.async.wait_all; ld.shared.u64 %d3, "
     "[%r20];",
     zero_filled},
};

#define MAX3(how, x, y, z)                                                                         \
  "mov.b32 %r4, " x "; mov.b32 %r5, " y "; mov.b32 %r6, " z "; " how                               \
  ".f32 %r4, %r4, %r5, %r6; cvt.u64.u32 %d3, %r4;"

static const Constant constants[] = {
    /* The expected values are the data of a variable that ptxas initializes with each
     * expression. */
    {"constant expressions",
     "mov.u64 %d3, (32 - WARP_SZ / 8) * 4 + (1 << 2 | !0) % 3; add.u64 %d3, %d3, -7 / 2;\n"
     "add.u64 %d3, %d3, 10 - 3 - 2 << 8; selp.u64 %d4, 1 << 16, 0, 1 - 1 || 2 == 2 && !5 == 0;\n"
     "add.u64 %d3, %d3, %d4; add.u64 %d3, %d3, 1 > 2 ? 9 : 0 ? 5 : 0x20000;",
     0x20000 + 0x10000 + 0x500 - 3 + 112 + 2},
    {"signs in constant expressions",
     "mov.u64 %d3, (-8 >> 1) + 8; add.u64 %d3, %d3, ((-8U) >> 1 == 0x7ffffffffffffffc) << 4;\n"
     "add.u64 %d3, %d3, (-1 > 0U) << 5; add.u64 %d3, %d3, (-1 > 0) << 6;\n"
     "add.u64 %d3, %d3, ((.s64) 0xffffffffffffffff < 0) << 7;\n"
     "add.u64 %d3, %d3, ((.u64) -1 / 2 == 0x7fffffffffffffff) << 8;\n"
     "add.u64 %d3, %d3, (-7 % 3 == 0) << 9; add.u64 %d3, %d3, (~0 > 0) << 10;\n"
     "add.u64 %d3, %d3, (1 << 65 == 2) << 11;",
     4 + (1 << 4) + (1 << 5) + (1 << 7) + (1 << 8) + (1 << 9) + (1 << 10) + (1 << 11)},
    {"floating constant expressions",
     "mov.f32 %f1, (1.5 + 2e0) * 2. - .25 / -0d4000000000000000; mov.b32 %r4, %f1;\n"
     "mov.f64 %d3, 1.e-1 + 2E-1; cvt.u64.u32 %d4, %r4; xor.b64 %d3, %d3, %d4;",
     0x3fd3333333333334 ^ 0x40e40000},
    {"addresses and items of constant expressions",
     "st.shared.v2.u32 [%r20+2*4], {1+2, -(5)}; mov.b64 %d4, {3*4, 2-1}; ld.shared.u64 %d3, "
     "[%r20+(1<<3)];\n"
     "add.u64 %d3, %d3, %d4; ld.global.u32 %r4, [cell+4-4*1];\n"
     "mov.u32 %r5, tile+(8+8); mov.u32 %r6, tile; sub.u32 %r5, %r5, %r6; cvt.u64.u32 %d4, %r5;\n"
     "cvt.u64.u32 %d5, %r4; add.u64 %d3, %d3, %d4; add.u64 %d3, %d3, %d5;",
     0xfffffffc0000000f + 16 + 7},
    {"initialisers of constant expressions",
     "{ .global .u64 z[3] = {3 * 4, z + 4 * 2, -1 + 2}; .global .f64 w = -1.5 * 2.0;\n"
     "ld.global.u64 %d3, [z]; ld.global.u64 %d4, [z+8]; ld.global.u64 %d4, [%d4+8];\n"
     "add.u64 %d3, %d3, %d4; ld.global.u64 %d4, [w]; xor.b64 %d3, %d3, %d4; }",
     0xc00800000000000d},
    {"an initialiser of bytes of addresses",
     "{ .global .u64 z[2] = {1, 77};\n"
     ".global .align 8 .u8 w[16] = {0XFF(generic(z)+8), 0xFF00(generic(z)+8), 0xFF0000(z+8), "
     "0xFF000000(z+8), 0xFF00000000(z+8), 0xFF0000000000(z+8), 0xFF000000000000(z+8), "
     "0xFF00000000000000(z+8), 9};\n"
     "ld.global.u64 %d4, [w]; ld.global.u64 %d3, [%d4]; ld.global.u64 %d4, [w+8];\n"
     "mad.lo.u64 %d3, %d4, 100, %d3; }",
     977},
    {"several variables of one declaration",
     "{ .global .u32 x = 3, y[2] = {4, 5}, z;\n# 7 \"a preprocessor's line\"\n"
     "ld.global.u32 %r4, [x]; ld.global.u32 %r5, [y+4]; ld.global.u32 %r6, [z];\n"
     "mad.lo.u32 %r4, %r4, 10, %r5; mad.lo.u32 %r4, %r4, 10, %r6; cvt.u64.u32 %d3, %r4; }",
     350},
    {"max of three", MAX3("max", "0f3f800000", "0fc0400000", "0f40000000"), 0x40000000},
    {"max of three, the first", MAX3("max", "0f40400000", "0fc0400000", "0f40000000"), 0x40400000},
    {"max of three magnitudes", MAX3("max.abs", "0f3f800000", "0fc0400000", "0f40000000"),
     0x40400000},
    {"min of three", MAX3("min", "0f3f800000", "0fc0400000", "0f40000000"), 0xc0400000},
    {"max of three, one NaN", MAX3("max", "0f3f800000", "0f7fc00000", "0f40000000"), 0x40000000},
    {"max of three, keeping NaN", MAX3("max.NaN", "0f7fc00000", "0f3f800000", "0f40000000"),
     0x7fffffff},
    {"min of three, subnormals flushed", MAX3("min.ftz", "0f3f800000", "0f00000001", "0f40000000"),
     0},
    /* 4 bits, of which 1 is a fraction: 3 and -6 */
    {"e2m1x2 to f16x2",
     "{ .reg .b8 b; cvt.u8.u32 b, 0x5f; cvt.rn.f16x2.e2m1x2 %r4, b; cvt.u64.u32 %d3, %r4; }",
     0x4200c600},
    {"e2m1x2 to bf16x2",
     "{ .reg .b8 b; cvt.u8.u32 b, 0x5f; cvt.rn.bf16x2.e2m1x2 %r4, b; cvt.u64.u32 %d3, %r4; }",
     0x4040c0c0},
    /* 2.5 is a tie, to 2; 100 is too much */
    {"f32 to e2m1x2",
     "{ .reg .b8 b; mov.b32 %r4, 0f40200000; mov.b32 %r5, 0fc2c80000;"
     " cvt.rn.satfinite.e2m1x2.f32 b, %r4, %r5; cvt.u64.u8 %d3, b; }",
     0x4f},
    {"const symbol", "ld.const.b64 %d3, [pair+8];", 0x4004000000000000}, /* 2.5 */
    {"global symbol", "ld.global.u64 %d3, [cell];", 7},
    {"symbols of a body, which hide the module's",
     "{ .const .u64 cell = 5; .global .align 8 .u64 other[2] = {cell, cell+1};\n"
     "ld.global.u64 %d4, [other]; ld.const.u64 %d3, [%d4]; }"
     "{ .global .u32 other = 7; ld.global.u32 %r4, [other]; cvt.u64.u32 %d4, %r4; }"
     "mad.lo.u64 %d3, %d3, 10, %d4;",
     57},
    {"relocation", "ld.global.u64 %d4, [link]; ld.global.u64 %d3, [%d4];", 7},
    {"generic relocation", "ld.global.u64 %d4, [link+8]; ld.u32 %r4, [%d4]; cvt.u64.u32 %d3, %r4;",
     22},
    {"isspacep",
     "mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; mov.u64 %d5, own; cvta.local.u64 %d5, %d5;"
     "isspacep.shared %p0, %d4; selp.b64 %d6, 0x1, 0, %p0; or.b64 %d3, %d3, %d6;"
     "isspacep.shared %p0, %d5; selp.b64 %d6, 0x10, 0, %p0; or.b64 %d3, %d3, %d6;"
     "isspacep.local %p0, %d5; selp.b64 %d6, 0x20, 0, %p0; or.b64 %d3, %d3, %d6;"
     "isspacep.global %p0, %d4; selp.b64 %d6, 0x100, 0, %p0; or.b64 %d3, %d3, %d6;"
     "isspacep.global %p0, %d20; selp.b64 %d6, 0x400, 0, %p0; or.b64 %d3, %d3, %d6;",
     0x1 | 0x20 | 0x400},
    {"atom of a vector that swaps its registers",
     "st.global.v2.f32 [%d20], {10.0, 20.0}; mov.f32 %f1, 1.0; mov.f32 %f2, 2.0;\n"
     "atom.global.add.v2.f32 {%f1, %f2}, [%d20], {%f2, %f1}; ld.global.b64 %d3, [%d20];",
     0x41a8000041400000}, /* 21.0, 12.0 */
    {"cp.async ignored",
     "setp.eq.u32 %p0, %r0, %r0; cp.async.cg.shared.global [%r20], [%d20], 16, %p0;"
     "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u64 %d3, [%r20]; add.u64 %d3, %d3, "
     "9;",
     9},
};

int main(void) {
  run_all(cases, sizeof cases / sizeof *cases, constants, sizeof constants / sizeof *constants);
  return check_report("emu_insn");
}
