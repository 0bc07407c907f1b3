/* SPDX-License-Identifier: MIT */
/* hopper_multicast.h: loads of tensors into several blocks of a cluster, as hopper_tensor.h has
 * those into one. */
#ifndef KGEN_TESTS_EMU_HOPPER_MULTICAST_H
#define KGEN_TESTS_EMU_HOPPER_MULTICAST_H

#include "emu/hopper_tensor.h"

static inline int32_t *tm_line(const Probe *p, unsigned block) {
  return (int32_t *)(void *)(p->in + TN_AT_LINES + TN_LINE * block);
}

/* --- into several blocks --- */

/* Words of a line in addition to tn_set_line's: which of two blocks receive the box. */
enum { TM_MASK = 8 };

/* Both blocks of a cluster have one map and one line, but for the bytes that each expects. */
static inline void tm_set_pair(uint64_t *state, const TnForm *f, unsigned block, Probe *p) {
  if (block % 2 == 0) {
    tn_set_block(state, f, block, p);
    tm_line(p, block)[TM_MASK] = 1 + (int32_t)isa_pick(state, 3);
    return;
  }
  int32_t *line = tm_line(p, block), *first = tm_line(p, block - 1);
  p->map[block] = p->map[block - 1];
  memcpy(line, first, TN_LINE);
  if (!(line[TM_MASK] & 1)) first[6] = 0;
  if (!(line[TM_MASK] & 2)) line[6] = 0;
}

/* One of two blocks loads for both; neither begins before the other, nor ends. */
static inline void tm_put_multicast(Text *t, const TnForm *f) {
  text_puts(t, ".reg .b16 %mask; .reg .pred %one;\n"
               "ld.global.u32 %r20, [%d1+32]; cvt.u16.u32 %mask, %r20; mov.u32 %r21, "
               "%cluster_ctarank; shr.u32 %r22, %r10, 1; xor.b32 %r21, %r21, %r22;\n"
               "and.b32 %r21, %r21, 1; setp.eq.and.u32 %one, %r21, 0, %p0;\n"
               "barrier.cluster.arrive; barrier.cluster.wait;\n");
  tn_put_load(t, f, "%one", ".multicast::cluster", ", %mask");
}

/* --- all forms --- */

static const TnOp tm_ops[] = {
    {"multicast", TN_BIT(U8) | TN_BIT(F64) | TN_BIT(TF32), true, 2, tm_put_multicast, tm_set_pair}};

static inline void tm_visit_all(ProbeVisit *visit, void *context) {
  tn_visit_ops(tm_ops, sizeof tm_ops / sizeof *tm_ops, visit, context);
}

#endif
