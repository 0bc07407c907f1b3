/* SPDX-License-Identifier: MIT */
/* isa_kernel.h: a kernel that executes forms of instructions, each on operands from memory, and
 * writes what they leave in registers and memory. A form's operands are an array of the threads'
 * slots (registers, then the lanes that take part and the carry) and one of their memory; so are
 * its results. */
#ifndef KGEN_TESTS_EMU_ISA_KERNEL_H
#define KGEN_TESTS_EMU_ISA_KERNEL_H

#include "base/text.h"
#include "emu/isa_form.h"

enum { ISA_BLOCK = 128, ISA_BATCH = 32 };

/* Forms that are executed one after the other, and where their operands and results begin. */
typedef struct {
  int count, threads; /* threads: a multiple of ISA_BLOCK */
  IsaForm form[ISA_BATCH];
  uint64_t in[ISA_BATCH + 1], out[ISA_BATCH + 1];
} IsaBatch;

static inline bool isa_batch_add(IsaBatch *b, const char *line) {
  IsaForm *f = &b->form[b->count];
  const uint64_t threads = (uint64_t)b->threads;
  if (!isa_form_read(f, line)) return false;
  b->in[b->count + 1] = b->in[b->count] + threads * (isa_in_bytes(f) + isa_memory_bytes(f));
  b->out[b->count + 1] = b->out[b->count] + threads * (isa_out_bytes(f) + isa_memory_bytes(f));
  b->count++;
  return true;
}

/* The operands of threads from `first` on. */
static inline void isa_batch_fill(const IsaBatch *b, uint64_t first, void *in) {
  for (int i = 0; i < b->count; i++) {
    const IsaForm *f = &b->form[i];
    char *slots = (char *)in + b->in[i], *memory = slots + (uint64_t)b->threads * isa_in_bytes(f);
    for (int k = 0; k < b->threads; k++, slots += isa_in_bytes(f), memory += isa_memory_bytes(f))
      isa_fill(f, first + (uint64_t)k, (uint64_t *)(void *)slots, (uint64_t *)(void *)memory);
  }
}

/* The checksum of the results of a form. */
static inline uint32_t isa_batch_sum(const IsaBatch *b, int i, const void *out) {
  const unsigned char *at = (const unsigned char *)out + b->out[i];
  uint64_t sum = 0, word;
  for (uint64_t k = 0; k < b->out[i + 1] - b->out[i]; k += sizeof word) {
    memcpy(&word, at + k, sizeof word);
    sum = isa_hash(sum + word + 0x9e3779b97f4a7c15u);
  }
  return (uint32_t)sum;
}

/* --- registers --- */

/* How registers of a class are loaded from and stored to an address in $. */
typedef struct {
  char class;
  const char *load, *store;
} IsaAccess;

static const IsaAccess isa_access[] = {
    {'h', "ld.global.u16 %h#,$;", "st.global.u16 $,%h#;"},
    {'r', "ld.global.u32 %r#,$;", "st.global.u32 $,%r#;"},
    {'d', "ld.global.u64 %d#,$;", "st.global.u64 $,%d#;"},
    {'f', "ld.global.f32 %f#,$;", "st.global.f32 $,%f#;"},
    {'g', "ld.global.f64 %g#,$;", "st.global.f64 $,%g#;"},
    {'p', "ld.global.u32 %r63,$; and.b32 %r63,%r63,1; setp.ne.u32 %p#,%r63,0;",
     "selp.u32 %r63,1,0,%p#; st.global.u32 $,%r63;"},
    {'q', "ld.global.v2.u64 {%d62,%d63},$; mov.b128 %q#,{%d62,%d63};",
     "mov.b128 {%d62,%d63},%q#; st.global.v2.u64 $,{%d62,%d63};"},
};

static inline void isa_put_access(Text *t, const IsaRegister *r, bool load, int slot) {
  const IsaAccess *a = isa_access;
  while (a->class != r->class) a++;
  for (const char *c = load ? a->load : a->store; *c; c++) {
    if (*c == '#')
      text_printf(t, "%d", r->number);
    else if (*c == '$')
      text_printf(t, "[%%%s+%d]", load ? "in" : "out", ISA_SLOT * slot);
    else
      text_printf(t, "%c", *c);
  }
  text_puts(t, "\n");
}

/* Results of lanes that take no part are 0. */
static inline void isa_put_zeros(Text *t, const IsaForm *f) {
  for (int i = 0; i < f->result.count; i++) {
    const IsaRegister *r = &f->result.reg[i];
    if (isa_names(&f->source, r)) continue;
    if (r->class == 'p') text_printf(t, "setp.ne.u32 %%p%d,%%lane,%%lane;\n", r->number);
    if (r->class == 'r') text_printf(t, "mov.b32 %%r%d,0;\n", r->number);
  }
}

/* --- memory --- */

static inline void isa_put_copy(Text *t, const char *from, const char *to) {
  for (int i = 0; i < ISA_MEMORY; i += 16)
    text_printf(t, "ld.%s+%d]; st.%s+%d],{%%d60,%%d61};\n", from, i, to, i);
}

/* %d9, and %r9 if it is shared, point to memory, which is read-only for .nc and ldu, and %r8 is the
 * pitch of a warp's matrix. */
static inline void isa_put_memory(Text *t, const IsaForm *f) {
  const bool shared = f->space == ISA_SHARED;
  isa_put_copy(t, "global.v2.u64 {%d60,%d61},[%inm",
               shared ? "shared.v2.u64 [%sh" : "global.v2.u64 [%outm");
  text_puts(t, "bar.warp.sync -1; mov.b32 %r9,%sh; mov.b64 %d9,%outm;\n");
  if (f->of_warp)
    text_printf(t,
                "mul.lo.u32 %%r62,%%lane,%d; sub.u32 %%r9,%%r9,%%r62; cvt.u64.u32 %%d62,%%r62;\n"
                "sub.u64 %%d9,%%d9,%%d62; mov.b32 %%r8,%d;\n",
                ISA_MEMORY, isa_has(f, ".b1") ? 128 : 32);
  if (isa_has(f, ".nc") || isa_has(f, "ldu")) text_puts(t, "mov.b64 %d9,%inm;\n");
  if (shared) text_puts(t, "cvt.u64.u32 %d9,%r9;\n");
  if (shared && !isa_has(f, ".shared")) text_puts(t, "cvta.shared.u64 %d9,%d9;\n");
}

static inline void isa_put_back(Text *t, const IsaForm *f) {
  text_puts(t, "bar.warp.sync -1;\n");
  if (f->space == ISA_SHARED)
    isa_put_copy(t, "shared.v2.u64 {%d60,%d61},[%sh", "global.v2.u64 [%outm");
}

/* --- the instruction --- */

/* %r59: the lanes that take part; %r60: the carry or borrow, 0 or 1, before; %r58: after. */
static inline void isa_put_statement(Text *t, const IsaForm *f) {
  const bool borrows = isa_begins(f->line, "sub");
  const int without_mask = (int)(strrchr(f->line, ',') - f->line);
  if (f->carries)
    text_puts(t, borrows ? "mov.b32 %r61,0; sub.cc.u32 %r62,%r61,%r60;\n"
                         : "mov.b32 %r61,-1; add.cc.u32 %r62,%r61,%r60;\n");
  if (f->masked)
    text_printf(t, "@%%p7 %.*s,%%r59;\n", without_mask, f->line);
  else
    text_printf(t, "%s;\n", f->line);
  if (isa_has(f, ".cc")) text_printf(t, "%s.u32 %%r58,0,0;\n", borrows ? "subc" : "addc");
}

static inline void isa_put_operands(Text *t, const IsaForm *f) {
  const int last = ISA_SLOT * f->source.count;
  isa_put_zeros(t, f);
  for (int i = 0; i < f->source.count; i++) isa_put_access(t, &f->source.reg[i], true, i);
  text_printf(t, "ld.global.u32 %%r59,[%%in+%d]; ld.global.u32 %%r60,[%%in+%d];\n", last, last + 8);
  text_puts(t, "mov.b32 %r58,0; shr.u32 %r62,%r59,%lane; and.b32 %r62,%r62,1; "
               "setp.ne.u32 %p7,%r62,0;\n");
}

static inline void isa_put_pointer(Text *t, const char *name, const char *base, uint64_t offset,
                                   uint64_t bytes) {
  text_printf(t, "mad.wide.u32 %%%s,%%thread,%llu,%%%s; add.u64 %%%s,%%%s,%llu;\n", name,
              (unsigned long long)bytes, base, name, name, (unsigned long long)offset);
}

static inline void isa_put_pointers(Text *t, const IsaBatch *b, int i) {
  const IsaForm *f = &b->form[i];
  const uint64_t threads = (uint64_t)b->threads, in = isa_in_bytes(f), out = isa_out_bytes(f);
  isa_put_pointer(t, "in", "pin", b->in[i], in);
  isa_put_pointer(t, "out", "pout", b->out[i], out);
  isa_put_pointer(t, "inm", "pin", b->in[i] + threads * in, ISA_MEMORY);
  isa_put_pointer(t, "outm", "pout", b->out[i] + threads * out, ISA_MEMORY);
}

static inline void isa_put_form(Text *t, const IsaBatch *b, int i) {
  const IsaForm *f = &b->form[i];
  text_puts(t, "{\n.reg .b16 %h<64>; .reg .b32 %r<64>; .reg .b64 %d<64>,%in,%out,%inm,%outm; "
               ".reg .f32 %f<64>; .reg .f64 %g<64>; .reg .pred %p<8>;\n");
  if (strstr(f->line, "%q")) text_puts(t, ".reg .b128 %q<8>;\n");
  isa_put_pointers(t, b, i);
  isa_put_operands(t, f);
  if (f->space) isa_put_memory(t, f);
  isa_put_statement(t, f);
  for (int k = 0; k < f->result.count; k++) isa_put_access(t, &f->result.reg[k], false, k);
  text_printf(t, "st.global.u32 [%%out+%d],%%r58;\n", ISA_SLOT * f->result.count);
  if (f->space) isa_put_back(t, f);
  text_puts(t, "}\n");
}

/* The kernel k(in, out) of blocks of ISA_BLOCK threads. */
static inline void isa_put_kernel(Text *t, const IsaBatch *b) {
  text_printf(t,
              ".version 9.0\n.target sm_90a\n.address_size 64\n"
              ".visible .entry k(.param .b64 in, .param .b64 out)\n{\n"
              ".reg .b64 %%pin,%%pout; .reg .b32 %%thread,%%lane,%%sh,%%block;\n"
              ".shared .align 128 .b8 memory[%d];\n"
              "ld.param.b64 %%pin,[in]; ld.param.b64 %%pout,[out];\n"
              "mov.u32 %%thread,%%tid.x; mov.u32 %%block,%%ctaid.x; mov.b32 %%sh,memory;\n"
              "mad.lo.u32 %%sh,%%thread,%d,%%sh; mad.lo.u32 %%thread,%%block,%d,%%thread;\n"
              "and.b32 %%lane,%%thread,31;\n",
              ISA_MEMORY * ISA_BLOCK, ISA_MEMORY, ISA_BLOCK);
  for (int i = 0; i < b->count; i++) isa_put_form(t, b, i);
  text_puts(t, "ret;\n}\n");
}

#endif
