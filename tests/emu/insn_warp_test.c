/* SPDX-License-Identifier: MIT */
/* Instructions that the lanes of a warp execute together: shuffles, votes, atomics, matrices. */
#include "emu/emu_insn.h"

/* The sum of the low halves of a, of lanes `from` to `to` - 1. */
static uint32_t sum_low(const Input *in, unsigned from, unsigned to) {
  uint32_t sum = 0;
  for (unsigned i = from; i < to; i++) sum += low(in->a[i]);
  return sum;
}

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

/* --- matrices --- */
static uint64_t transposed(const Input *in) {
  /* Row r of the matrix holds 8 * r + c; after .trans a lane holds elements of column lane / 4. */
  const unsigned row = in->lane % 4 * 2, column = in->lane / 4;
  return (8 * row + column) | (uint64_t)(8 * (row + 1) + column) << 16;
}

#define CELL                                                                                       \
  "mov.u32 %r4, 5; setp.eq.u32 %p7, %r0, 0; @%p7 st.shared.u32 [tile], %r4; bar.warp.sync -1;"

static const Case cases[] = {
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
    {"match all",
     "mov.b64 %d4, 77; match.all.sync.b64 %r5|%p0, %d4, -1; selp.u32 %r6, 1, 0, %p0; mov.b64 %d3, "
     "{%r5, %r6};",
     0xffffffffull | 1ull << 32},
    {"red add f32",
     "mov.u32 %r4, 0; @!%p6 st.shared.u32 [tile], %r4; bar.warp.sync -1; mov.f32 %f0, 0f3F800000;"
     "red.shared.add.f32 [tile], %f0; bar.warp.sync -1; ld.shared.u32 %r5, [tile]; cvt.u64.u32 "
     "%d3, %r5;",
     0x42000000}, /* 32.0f */
};

int main(void) {
  run_all(cases, sizeof cases / sizeof *cases, constants, sizeof constants / sizeof *constants);
  return check_report("emu_insn_warp");
}
