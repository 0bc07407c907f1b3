/* SPDX-License-Identifier: MIT */
#include "model/swizzle.h"

static int field(CuteSwizzle w, int up) { return ((1 << w.b) - 1) << (w.m + up); }

int swizzle_source(CuteSwizzle w) { return field(w, w.s > 0 ? w.s : 0); }

int swizzle_target(CuteSwizzle w) { return field(w, w.s < 0 ? -w.s : 0); }

int swizzle_offset(CuteSwizzle w, int offset) {
  const int read = offset & swizzle_source(w);
  return offset ^ (w.s < 0 ? read << -w.s : read >> w.s);
}
