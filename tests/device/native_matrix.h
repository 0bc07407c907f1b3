/* SPDX-License-Identifier: MIT */
/* native_matrix.h: fragments of matrices in random kernels: loaded, stored, multiplied. */
#ifndef KGEN_TESTS_DEVICE_NATIVE_MATRIX_H
#define KGEN_TESTS_DEVICE_NATIVE_MATRIX_H

#include "device/native_kernels.h"

/* `count` registers, one after the other. */
static inline const char *gen_fragment(Gen *g, char letter, int count) {
  const int of = letter == 'd' ? DOUBLES : WORDS, first = gen_pick(g, of - count + 1);
  Text text = text_new(g->out->arena);
  for (int i = 0; i < count; i++) text_printf(&text, "%s%%%c%d", i ? ", " : "{", letter, first + i);
  text_puts(&text, "}");
  return text.s;
}

/* An opcode, its registers' letter, and how many of D, A, B and C. */
typedef struct {
  const char *opcode;
  char letter;
  uint8_t registers[4];
} GenProduct;

static const GenProduct gen_products[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 'r', {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 'r', {4, 2, 1, 4}},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 'r', {2, 4, 2, 2}},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 'r', {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 'r', {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 'r', {4, 4, 2, 4}},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 'r', {4, 4, 2, 4}},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 'd', {2, 1, 1, 2}},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 'd', {4, 4, 2, 4}},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 'r', {8, 8, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 'r', {4, 8, 8, 4}},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 'r', {8, 2, 8, 8}},
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 'r', {8, 4, 4, 8}},
    {"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn", 'd', {2, 1, 1, 2}},
};

static inline void gen_product(Gen *g) {
  const GenProduct *p = &gen_products[gen_pick(g, sizeof gen_products / sizeof *gen_products)];
  text_printf(g->out, "  %s ", p->opcode);
  for (int i = 0; i < 4; i++)
    text_printf(g->out, "%s%s", i ? ", " : "", gen_fragment(g, p->letter, p->registers[i]));
  text_puts(g->out, ";\n");
}

/* Rows anywhere in shared memory, a lane each. */
static inline void gen_rows(Gen *g) {
  const int count = 1 << gen_pick(g, 3);
  const char *to = gen_fragment(g, 'r', count), *trans = gen_one_in(g, 2) ? ".trans" : "";
  text_printf(g->out, "  and.b32 %%t, %s, %d;\n  mad.wide.u32 %%a, %%t, 16, %%shared;\n",
              gen_reg(g, 'r'), SHARED_BYTES / 16 - 1);
  if (gen_one_in(g, 3))
    text_printf(g->out, "  stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%a], %s;\n", count, trans,
                to);
  else
    text_printf(g->out, "  ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%a];\n", count, trans,
                to);
}

/* A matrix in shared memory, of lines that are apart. */
static inline void gen_matrix(Gen *g) {
  const char *order = GEN_WORD(g, "row", "col");
  const int at = 32 * gen_pick(g, 32), apart = 16 + 8 * gen_pick(g, 3);
  switch (gen_pick(g, 4)) {
  case 0:
    text_printf(g->out,
                "  wmma.load.%s.sync.aligned.%s.m16n16k16.shared.f16 %s, [%%shared+%d], %d;\n",
                GEN_WORD(g, "a", "b"), order, gen_fragment(g, 'r', 8), at, apart);
    break;
  case 1:
    text_printf(g->out, "  wmma.load.%s.sync.aligned.%s.m8n8k4.shared.f64 %s, [%%shared+%d], %d;\n",
                GEN_WORD(g, "a", "b"), order, gen_fragment(g, 'd', 1), at, apart);
    break;
  case 2:
    text_printf(g->out,
                "  wmma.load.c.sync.aligned.%s.m16n16k16.shared.f32 %s, [%%shared+%d], %d;\n",
                order, gen_fragment(g, 'r', 8), at, apart);
    break;
  default:
    text_printf(g->out,
                "  wmma.store.d.sync.aligned.%s.m16n16k16.shared.f32 [%%shared+%d], %s, %d;\n",
                order, at, gen_fragment(g, 'r', 8), apart);
  }
}

static inline void gen_fragments(Gen *g) {
  switch (gen_pick(g, 5)) {
  case 0: gen_rows(g); break;
  case 1: gen_matrix(g); break;
  case 2:
    text_printf(g->out, "  movmatrix.sync.aligned.m8n8.trans.b16 %s, %s;\n", gen_reg(g, 'r'),
                gen_reg(g, 'r'));
    break;
  default: gen_product(g);
  }
}

#endif
