/* SPDX-License-Identifier: MIT */
/* hopper_tensormap.h: loads of tensors by maps of which the kernel has replaced fields. */
#ifndef KGEN_TESTS_EMU_HOPPER_TENSORMAP_H
#define KGEN_TESTS_EMU_HOPPER_TENSORMAP_H

#include "emu/hopper_multicast.h"

/* Words of a line from TM_FIELDS on: which fields are replaced, the swizzle's number, whether NaNs
 * fill, the map's members. */
enum { TM_FIELDS = 8, TM_SWIZZLE, TM_FILL, TM_DIM, TM_BOX = 16, TM_STEP = 21, TM_WIDE = 26 };
typedef enum {
  TM_OF_ADDRESS,
  TM_OF_RANK,
  TM_OF_BOX,
  TM_OF_DIM,
  TM_OF_STRIDE,
  TM_OF_STEP,
  TM_OF_TYPE,
  TM_OF_SWIZZLE,
  TM_OF_FILL,
  TM_ALL_FIELDS
} TmField;

/* `to`, with the fields that are not replaced taken from `from`. */
static inline TensorMap tm_mix(const TensorMap *from, const TensorMap *to, uint32_t fields) {
  TensorMap m = *from;
  if (fields >> TM_OF_ADDRESS & 1) m.address = to->address;
  if (fields >> TM_OF_RANK & 1) m.rank = to->rank;
  if (fields >> TM_OF_BOX & 1) memcpy(m.box, to->box, sizeof m.box);
  if (fields >> TM_OF_DIM & 1) memcpy(m.dim, to->dim, sizeof m.dim);
  if (fields >> TM_OF_STRIDE & 1) memcpy(m.stride, to->stride, sizeof m.stride);
  if (fields >> TM_OF_STEP & 1) memcpy(m.step, to->step, sizeof m.step);
  if (fields >> TM_OF_TYPE & 1) m.type = to->type;
  if (fields >> TM_OF_SWIZZLE & 1) m.swizzle = to->swizzle;
  if (fields >> TM_OF_FILL & 1) m.fill_nan = to->fill_nan;
  return m;
}

/* True if the driver would accept it, and its box and its elements fit. */
static inline bool tm_is_good(const TensorMap *m) {
  uint64_t extent = m->dim[0] * (uint64_t)tensor_type_bytes(m->type);
  if (tensor_map_refusal(m) || tn_span(m) > TN_BOX) return false;
  for (int i = 1; i < m->rank; i++) extent += (m->dim[i] - 1) * m->stride[i];
  return extent <= TN_DATA / 2;
}

/* Not of tf32, whose rounding an H200 keeps when the type is replaced: tensormap_test.c. */
static inline TensorType tm_choose_type(uint64_t *state) {
  TensorType type;
  do {
    type = (TensorType)isa_pick(state, TENSOR_TYPES);
  } while (type == TENSOR_TF32 || type == TENSOR_TF32_FTZ);
  return type;
}

/* In half of the blocks every field, of a map of any type and rank. */
static inline TensorMap tm_choose(uint64_t *state, const TnForm *f, unsigned block, TensorMap *from,
                                  uint32_t *fields) {
  TensorMap to, mixed;
  do {
    const bool all = block % 2;
    const TensorType type = tm_choose_type(state);
    const TnForm other = {f->op, all ? type : f->type,
                          all ? 1 + (int)isa_pick(state, TENSOR_MAX_RANK) : f->rank};
    tn_choose(state, &other, block, from);
    tn_choose(state, f, block, &to);
    *fields = all ? (1u << TM_ALL_FIELDS) - 1 : (uint32_t)isa_pick(state, 1 << TM_ALL_FIELDS);
    mixed = tm_mix(from, &to, *fields);
  } while (!tm_is_good(&mixed));
  return mixed;
}

static inline void tm_set_map(uint64_t *state, const TnForm *f, unsigned block, Probe *p) {
  uint32_t fields;
  const TensorMap m = tm_choose(state, f, block, &p->map[block], &fields);
  tn_set_line(state, f, block, p, &m);
  int32_t *line = tm_line(p, block);
  line[TM_FIELDS] = (int32_t)fields;
  line[TM_SWIZZLE] = m.swizzle == 128 ? 3 : m.swizzle / 32;
  line[TM_FILL] = m.fill_nan;
  for (int i = 0; i < TENSOR_MAX_RANK; i++) {
    line[TM_DIM + i] = (int32_t)m.dim[i];
    line[TM_BOX + i] = (int32_t)m.box[i];
    line[TM_STEP + i] = (int32_t)m.step[i];
    memcpy(line + TM_WIDE + 2 * i, i ? &m.stride[i] : &m.address, sizeof(uint64_t));
  }
}

/* %r20: the map in shared memory; %q: of thread 0, whether a field is replaced. */
static const char tm_head[] =
    ".shared .align 128 .b8 map[128]; .reg .pred %q<10>, %one;\n"
    "shl.b32 %r21, %r0, 2; cvt.u64.u32 %d10, %r21; add.u64 %d10, %d10, %d2;\n"
    "ld.global.u32 %r22, [%d10]; mov.u32 %r20, map; add.u32 %r21, %r21, %r20;\n"
    "st.shared.u32 [%r21], %r22; bar.warp.sync -1; ld.global.u32 %r23, [%d1+32];\n"
    "ld.global.u32 %r24, [%d1+36]; ld.global.u32 %r25, [%d1+40];\n";

#define TM_SET "tensormap.replace.tile.%s.shared::cta.b1024.b%d [%%r20]"

static inline void tm_put_extents(Text *t, TmField field, const char *name, int count, int first,
                                  unsigned word, int bits) {
  for (int i = 0; i < count; i++) {
    text_printf(t, "ld.global.b%d %s, [%%d1+%u]; @%%q%d " TM_SET ", ", bits,
                bits == 64 ? "%d11" : "%r26", 4 * word + (unsigned)(i + first) * (unsigned)bits / 8,
                field, name, bits);
    text_printf(t, "%d, %s;\n", i, bits == 64 ? "%d11" : "%r26");
  }
}

/* The number of a mode is a constant of the instruction. */
static inline void tm_put_modes(Text *t, TmField field, const char *name, int modes,
                                const char *is) {
  for (int i = 0; i < modes; i++)
    text_printf(t, "setp.eq.and.u32 %%one, %s, %d, %%q%d; @%%one " TM_SET ", %d;\n", is, i, field,
                name, 32, i);
}

static inline void tm_put_map(Text *t, const TnForm *f) {
  static const int number[TENSOR_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
  text_puts(t, tm_head);
  for (int i = 0; i < TM_ALL_FIELDS; i++)
    text_printf(t, "and.b32 %%r26, %%r23, %d; setp.ne.and.u32 %%q%d, %%r26, 0, %%p0;\n", 1 << i, i);
  text_printf(t, "ld.global.u64 %%d11, [%%d1+%d]; add.u64 %%d11, %%d11, %%d0;\n", 4 * TM_WIDE);
  text_printf(t, "@%%q%d " TM_SET ", %%d11;\n", TM_OF_ADDRESS, "global_address", 64);
  text_printf(t, "@%%q%d " TM_SET ", %d;\n", TM_OF_RANK, "rank", 32, f->rank - 1);
  tm_put_extents(t, TM_OF_BOX, "box_dim", f->rank, 0, TM_BOX, 32);
  tm_put_extents(t, TM_OF_DIM, "global_dim", f->rank, 0, TM_DIM, 32);
  tm_put_extents(t, TM_OF_STRIDE, "global_stride", f->rank - 1, 1, TM_WIDE, 64);
  tm_put_extents(t, TM_OF_STEP, "element_stride", f->rank, 0, TM_STEP, 32);
  text_printf(t, "@%%q%d " TM_SET ", %d;\n", TM_OF_TYPE, "elemtype", 32, number[f->type]);
  tm_put_modes(t, TM_OF_SWIZZLE, "swizzle_mode", 4, "%r24");
  tm_put_modes(t, TM_OF_FILL, "fill_mode", 2, "%r25");
  text_puts(t, "bar.warp.sync -1;\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
               ".release.gpu.sync.aligned [%d2], [%r20], 128;\n"
               "fence.proxy.tensormap::generic.acquire.gpu [%d2], 128;\n");
  tn_put_plain_load(t, f);
}

static inline void tm_visit_replaced(ProbeVisit *visit, void *context) {
  static const TnOp op = {"replace", TN_ALL, true, 0, tm_put_map, tm_set_map};
  tn_visit_ops(&op, 1, visit, context);
}

#endif
