/* SPDX-License-Identifier: MIT */
/* Which layouts are TMA's modes: by their addresses, `a ^ ((a & bits) >> 3)`, at every element. */
#include "model/modes.h"

#include "check.h"

static KgenLayout xor_layout(const Tile *t, int shift, int mask) {
  KgenLayout l = layout_plain(t);
  l.terms = 1;
  l.term[0] = (KgenTerm){.shift = shift, .mask = mask};
  return l;
}

/* bits: of the address, those that the mode moves. */
static void check_layout(const Tile *t, const KgenLayout *l, int mode, int bits) {
  const AccessSet set = {.tile = t, .banks = {32, 4}};
  CHECK(mode_bytes_of(&set, l) == mode, "%d, not %d", mode_bytes_of(&set, l), mode);
  for (int i = 0; i < kgen_elements(l) && mode >= 0; i++) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, i, coord);
    const int a = i * t->dtype->bytes;
    CHECK(layout_offset(l, coord) * t->dtype->bytes == (a ^ ((a & bits) >> 3)), "byte %d", a);
  }
}

static void check(const Tile *t, int shift, int mask, int mode, int bits) {
  const KgenLayout l = xor_layout(t, shift, mask);
  check_layout(t, &l, mode, bits);
}

int main(void) {
  const Dtype *f16 = dtype_find("f16"), *f32 = dtype_find("f32"), *u64 = dtype_find("u64");
  check(&(Tile){.dtype = f16, .rank = 2, .extent = {128, 64}}, -3, 56, 128, 0x380);
  check(&(Tile){.dtype = f16, .rank = 2, .extent = {128, 32}}, -2, 24, 64, 0x180);
  check(&(Tile){.dtype = f16, .rank = 2, .extent = {16, 16}}, -1, 8, 32, 0x080);
  check(&(Tile){.dtype = f32, .rank = 2, .extent = {32, 32}}, 0, 31, -1, 0);
  /* The 64-byte pattern, but rows longer than its boxes. */
  check(&(Tile){.dtype = f16, .rank = 2, .extent = {64, 64}}, -2, 24, -1, 0);
  /* No whole line of 128 bytes at the end. */
  check(&(Tile){.dtype = u64, .rank = 3, .extent = {3, 2, 4}}, 1, 2, 32, 0x080);
  /* Plain, a row that no piece of 16 bytes divides, a pad, and one dimension, which has no rows. */
  const Tile plain = {.dtype = f32, .rank = 2, .extent = {6, 20}};
  check(&plain, 0, 0, 0, 0);
  check(&(Tile){.dtype = f32, .rank = 2, .extent = {6, 21}}, 0, 0, -1, 0);
  KgenLayout padded = layout_plain(&plain);
  padded.stride[0]++;
  check_layout(&plain, &padded, -1, 0);
  const Tile line = {.dtype = u64, .rank = 1, .extent = {64}};
  KgenLayout cut = xor_layout(&line, -1, 6);
  cut.period = cut.stride[0] = 16;
  cut.stride[1] = 1;
  check_layout(&line, &cut, -1, 0);
  return check_report("modes");
}
