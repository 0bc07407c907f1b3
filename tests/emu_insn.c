/*
 * Instructions in hand-written PTX against host arithmetic, for one warp. The frame of a test loads
 * a and b of its lane into %d1 and %d2 (and their low halves into %r1 and %r2); the body leaves its
 * result in %d3. Arithmetic proper has its own tests, emu_arith_*.c.
 */
#include "emu_run.h"

/* What one lane of the warp works on. */
typedef struct {
  unsigned lane;
  uint64_t x, y;         /* its own a and b */
  const uint64_t *a, *b; /* of all lanes */
} Input;

typedef struct {
  const char *name, *body;
  uint64_t (*expect)(const Input *in);
} Case;

/* Whose result is the same in every lane. */
typedef struct {
  const char *name, *body;
  uint64_t want;
} Constant;

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .u32 table[4] = {11, 22, 33, 0x2c};\n"
    ".const .align 8 .f64 pair[2] = {0d3FF0000000000000, 2.5};\n"
    ".global .align 8 .u64 cell = 7;\n"
    ".global .align 8 .u64 link[2] = {cell, generic(table)+4};\n"
    ".func (.param .b32 r) add3(.param .b32 x, .param .align 4 .b8 s[8])\n"
    "{ .reg .b32 %%t<4>; ld.param.b32 %%t0, [x]; ld.param.v2.b32 {%%t1, %%t2}, [s];\n"
    "  add.s32 %%t0, %%t0, %%t1; add.s32 %%t0, %%t0, %%t2; st.param.b32 [r], %%t0; ret; }\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<24>; .reg .b64 %%d<24>; .reg .f32 %%f<8>;\n"
    ".shared .align 16 .b8 tile[4096]; .local .align 8 .b8 own[64];\n"
    "mov.u32 %%r0, %%tid.x; ld.param.u64 %%d20, [in]; ld.param.u64 %%d21, [out];\n"
    "mad.wide.u32 %%d20, %%r0, 16, %%d20; mad.wide.u32 %%d21, %%r0, 8, %%d21;\n"
    "ld.global.v2.u64 {%%d1, %%d2}, [%%d20]; cvt.u32.u64 %%r1, %%d1; cvt.u32.u64 %%r2, %%d2;\n"
    "mov.u32 %%r20, tile; shl.b32 %%r21, %%r0, 4; add.u32 %%r20, %%r20, %%r21; mov.b64 %%d3, 0;\n"
    "%s\n"
    "st.global.u64 [%%d21], %%d3; ret;\n}\n";

static uint32_t low(uint64_t x) { return (uint32_t)x; }

/* Of the low halves of a, lanes `from` to `to` - 1. */
static uint32_t sum_low(const Input *in, unsigned from, unsigned to) {
  uint32_t sum = 0;
  for (unsigned i = from; i < to; i++) sum += low(in->a[i]);
  return sum;
}

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
static uint64_t identity(const Input *in) { return in->lane + 32u * 1 + 1000u * 32 + 100000u * 1; }

/* --- warp --- */
static uint64_t shfl_idx(const Input *in) { return low(in->a[low(in->y) & 31]); }
static uint64_t shfl_up(const Input *in) {
  return in->lane >= 3 ? low(in->a[in->lane - 3]) : low(in->x);
}
static uint64_t shfl_down8(const Input *in) {
  unsigned from = in->lane + 3;
  bool within = from <= (in->lane | 7);
  return low(in->a[within ? from : in->lane]) | (uint64_t)within << 32;
}
static uint64_t shfl_bfly(const Input *in) { return low(in->a[in->lane ^ 5]); }
static uint64_t ballot(const Input *in) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < 32; i++) mask |= (uint32_t)(in->a[i] & 1) << i;
  return mask;
}
static uint64_t votes(const Input *in) {
  uint32_t mask = (uint32_t)ballot(in);
  return (mask == UINT32_MAX) | (uint64_t)(mask != 0) << 1 | (uint64_t)(!mask || !~mask) << 2;
}
static uint64_t match_any(const Input *in) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < 32; i++) mask |= (uint32_t)((in->a[i] & 3) == (in->x & 3)) << i;
  return mask;
}
static uint64_t redux_add(const Input *in) { return sum_low(in, 0, 32); }
static uint64_t redux_min(const Input *in) {
  int32_t least = INT32_MAX;
  for (unsigned i = 0; i < 32; i++)
    if ((int32_t)low(in->a[i]) < least) least = (int32_t)low(in->a[i]);
  return (uint32_t)least;
}
static uint64_t redux_xor_half(const Input *in) {
  uint32_t x = 0;
  for (unsigned i = in->lane & 16; i < (in->lane & 16) + 16; i++) x ^= low(in->a[i]);
  return x;
}
static uint64_t redux_tile(const Input *in) {
  return sum_low(in, in->lane & 24, (in->lane & 24) + 8);
}
static uint64_t active_half(const Input *in) { return in->lane < 16 ? 0xffff : 0xffff0000u; }
static uint64_t elected(const Input *in) { return (uint64_t)(in->lane == 4) << 32 | 4; }
static uint64_t count_odd(const Input *in) {
  return (uint64_t)__builtin_popcount((uint32_t)ballot(in));
}

/* --- atomics: lanes take effect in order, all on one cell that starts as 5 --- */
static uint64_t atomic_add(const Input *in) { return 5 + sum_low(in, 0, in->lane); }
static uint64_t atomic_max(const Input *in) {
  int32_t most = 5;
  for (unsigned i = 0; i < in->lane; i++)
    if ((int32_t)low(in->a[i]) > most) most = (int32_t)low(in->a[i]);
  return (uint32_t)most;
}
static uint64_t atomic_exch(const Input *in) { return in->lane ? low(in->a[in->lane - 1]) : 5; }
static uint64_t atomic_inc(const Input *in) { return (5 + in->lane) % 18; }
static uint64_t atomic_dec(const Input *in) {
  return in->lane <= 5 ? 5 - in->lane : 17 - (in->lane - 6) % 18;
}
static uint64_t atomic_cas(const Input *in) { return in->lane == 0 ? 5 : low(in->a[0]); }
static uint64_t atomic_xor64(const Input *in) {
  uint64_t x = 5;
  for (unsigned i = 0; i < in->lane; i++) x ^= in->a[i];
  return x;
}
static uint64_t red_total(const Input *in) {
  uint32_t all = 5;
  for (unsigned i = 0; i < 32; i++) all |= low(in->a[i]);
  return all;
}

/* --- control --- */
static uint64_t three_ways(const Input *in) {
  return in->lane % 3 == 0 ? 100 : in->lane % 3 == 1 ? 200 + low(in->x) % 2 : 300;
}
static uint64_t loop_sum(const Input *in) { return (uint64_t)in->lane * (in->lane + 1) / 2; }
static uint64_t zero_filled(const Input *in) { return in->x & 0xffffffff; }
static uint64_t transposed(const Input *in) {
  /* Row r of the matrix holds 8 * r + c; after .trans a lane holds elements of column lane / 4. */
  const unsigned row = in->lane % 4 * 2, column = in->lane / 4;
  return (8 * row + column) | (uint64_t)(8 * (row + 1) + column) << 16;
}

#define CELL                                                                                       \
  "mov.u32 %r4, 5; setp.eq.u32 %p7, %r0, 0; @%p7 st.shared.u32 [tile], %r4; bar.warp.sync -1;"

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
    {"shfl idx", "shfl.sync.idx.b32 %r4, %r1, %r2, 31, -1; cvt.u64.u32 %d3, %r4;", shfl_idx},
    {"shfl up", "shfl.sync.up.b32 %r4, %r1, 3, 0, -1; cvt.u64.u32 %d3, %r4;", shfl_up},
    {"shfl down of 8",
     "shfl.sync.down.b32 %r4|%p0, %r1, 3, 0x181f, -1; selp.u32 %r5, 1, 0, %p0; mov.b64 %d3, {%r4, "
     "%r5};",
     shfl_down8},
    {"shfl bfly", "shfl.sync.bfly.b32 %r4, %r1, 5, 31, -1; cvt.u64.u32 %d3, %r4;", shfl_bfly},
    {"vote ballot",
     "and.b32 %r4, %r1, 1; setp.ne.u32 %p0, %r4, 0; vote.sync.ballot.b32 %r5, %p0, -1; cvt.u64.u32 "
     "%d3, %r5;",
     ballot},
    {"vote",
     "and.b32 %r4, %r1, 1; setp.ne.u32 %p0, %r4, 0; vote.sync.all.pred %p1, %p0, -1;"
     "vote.sync.any.pred %p2, %p0, -1; vote.sync.uni.pred %p3, !%p0, -1; selp.b64 %d4, 1, 0, %p1;"
     "selp.b64 %d5, 2, 0, %p2; selp.b64 %d6, 4, 0, %p3; or.b64 %d3, %d4, %d5; or.b64 %d3, %d3, "
     "%d6;",
     votes},
    {"match any", "and.b32 %r4, %r1, 3; match.any.sync.b32 %r5, %r4, -1; cvt.u64.u32 %d3, %r5;",
     match_any},
    {"redux add", "redux.sync.add.u32 %r4, %r1, -1; cvt.u64.u32 %d3, %r4;", redux_add},
    {"redux min", "redux.sync.min.s32 %r4, %r1, -1; cvt.u64.u32 %d3, %r4;", redux_min},
    {"redux of halves",
     "setp.lt.u32 %p0, %r0, 16; @%p0 bra lower; redux.sync.xor.b32 %r4, %r1, 0xffff0000; bra "
     "joined;"
     "lower: redux.sync.xor.b32 %r4, %r1, 0xffff; joined: cvt.u64.u32 %d3, %r4;",
     redux_xor_half},
    {"redux of tiles",
     "and.b32 %r4, %r0, 24; shl.b32 %r4, 255, %r4; redux.sync.add.u32 %r4, %r1, %r4; cvt.u64.u32 "
     "%d3, %r4;",
     redux_tile},
    {"activemask",
     "setp.lt.u32 %p0, %r0, 16; @%p0 bra lower; activemask.b32 %r4; bra joined;"
     "lower: activemask.b32 %r4; joined: cvt.u64.u32 %d3, %r4;",
     active_half},
    {"elect",
     "setp.lt.u32 %p0, %r0, 4; mov.u64 %d3, 4; @%p0 bra joined; elect.sync %r4|%p1, 0xfffffff0;"
     "selp.u32 %r5, 1, 0, %p1; mov.b64 %d3, {%r4, %r5}; joined:",
     elected},
    {"bar.red",
     "and.b32 %r4, %r1, 1; setp.ne.u32 %p0, %r4, 0; bar.red.popc.u32 %r5, 0, %p0; cvt.u64.u32 %d3, "
     "%r5;",
     count_odd},
    {"atom add", CELL "atom.shared.add.u32 %r5, [tile], %r1; cvt.u64.u32 %d3, %r5;", atomic_add},
    {"atom max", CELL "atom.shared.max.s32 %r5, [tile], %r1; cvt.u64.u32 %d3, %r5;", atomic_max},
    {"atom exch", CELL "atom.shared.exch.b32 %r5, [tile], %r1; cvt.u64.u32 %d3, %r5;", atomic_exch},
    {"atom inc", CELL "atom.shared.inc.u32 %r5, [tile], 17; cvt.u64.u32 %d3, %r5;", atomic_inc},
    {"atom dec", CELL "atom.shared.dec.u32 %r5, [tile], 17; cvt.u64.u32 %d3, %r5;", atomic_dec},
    {"atom cas", CELL "atom.shared.cas.b32 %r5, [tile], 5, %r1; cvt.u64.u32 %d3, %r5;", atomic_cas},
    {"atom xor 64",
     "mov.u64 %d4, 5; setp.eq.u32 %p7, %r0, 0; @%p7 st.shared.u64 [tile], %d4; bar.warp.sync -1;"
     "atom.shared.xor.b64 %d3, [tile], %d1;",
     atomic_xor64},
    {"red or",
     CELL "red.shared.or.b32 [tile], %r1; bar.warp.sync -1; ld.shared.u32 %r5, [tile]; cvt.u64.u32 "
          "%d3, %r5;",
     red_total},
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
    {"movmatrix",
     "shl.b32 %r4, %r0, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;"
     "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r4; cvt.u64.u32 %d3, %r6;",
     transposed},
    {"stmatrix and ldmatrix",
     "shl.b32 %r4, %r0, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5;"
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r20], {%r4}; bar.warp.sync -1;"
     "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r6}, [%r20]; cvt.u64.u32 %d3, %r6;",
     transposed},
};

static const Constant constants[] = {
    {"const symbol", "ld.const.b64 %d3, [pair+8];", 0x4004000000000000}, /* 2.5 */
    {"global symbol", "ld.global.u64 %d3, [cell];", 7},
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
    {"match all",
     "mov.b64 %d4, 77; match.all.sync.b64 %r5|%p0, %d4, -1; selp.u32 %r6, 1, 0, %p0; mov.b64 %d3, "
     "{%r5, %r6};",
     0xffffffffull | 1ull << 32},
    {"red add f32",
     "mov.u32 %r4, 0; @!%p6 st.shared.u32 [tile], %r4; bar.warp.sync -1; mov.f32 %f0, 0f3F800000;"
     "red.shared.add.f32 [tile], %f0; bar.warp.sync -1; ld.shared.u32 %r5, [tile]; cvt.u64.u32 "
     "%d3, %r5;",
     0x42000000}, /* 32.0f */
    {"cp.async ignored",
     "setp.eq.u32 %p0, %r0, %r0; cp.async.cg.shared.global [%r20], [%d20], 16, %p0;"
     "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u64 %d3, [%r20]; add.u64 %d3, %d3, "
     "9;",
     9},
};

/* Runs the body in every lane of a warp. False, with a failed check, if it does not load. */
static bool run_body(const char *name, const char *body, const uint64_t *a, const uint64_t *b,
                     uint64_t out[32]) {
  char ptx[8192];
  snprintf(ptx, sizeof ptx, frame, body);
  Machine m = machine_open(ptx, strlen(ptx));
  int errors;
  emu_errors(m.module, &errors);
  CHECK(errors == 0, "%s does not load", name);
  uint64_t in[64];
  for (int i = 0; i < 32; i++) in[2 * i] = a[i], in[2 * i + 1] = b[i];
  if (errors == 0) {
    const Run run = {"k", 1, 32, in, sizeof in, out, 32 * sizeof *out, 0, 100000, 1};
    EmuResult *r = machine_run(&m, &run);
    check_clean(r, name);
    emu_result_free(r);
  }
  machine_close(&m);
  return errors == 0;
}

static void check_lane(const char *name, unsigned lane, uint64_t got, uint64_t want) {
  CHECK(got == want, "%s: lane %u: 0x%llx, want 0x%llx", name, lane, (unsigned long long)got,
        (unsigned long long)want);
}

static void run_case(const Case *c, const uint64_t *a, const uint64_t *b) {
  uint64_t out[32] = {0};
  if (!run_body(c->name, c->body, a, b, out)) return;
  for (unsigned lane = 0; lane < 32; lane++)
    check_lane(c->name, lane, out[lane], c->expect(&(Input){lane, a[lane], b[lane], a, b}));
}

static void run_constant(const Constant *c, const uint64_t *a, const uint64_t *b) {
  uint64_t out[32] = {0};
  if (!run_body(c->name, c->body, a, b, out)) return;
  for (unsigned lane = 0; lane < 32; lane++) check_lane(c->name, lane, out[lane], c->want);
}

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state ^ *state >> 29;
}

int main(void) {
  uint64_t a[32], b[32], state = 2026;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 32; i++) {
      a[i] = round == 0 ? (uint64_t)i : round == 1 ? UINT64_MAX - (uint64_t)i : next_random(&state);
      b[i] = next_random(&state);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i], a, b);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
      run_constant(&constants[i], a, b);
  }
  return check_report("emu_insn");
}
