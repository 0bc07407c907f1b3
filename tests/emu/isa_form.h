/* SPDX-License-Identifier: MIT */
/* isa_form.h: the forms of instructions that data/isa.txt lists, a line each, as what a test must
 * know of them: which registers and which memory an instruction reads and writes. */
#ifndef KGEN_TESTS_EMU_ISA_FORM_H
#define KGEN_TESTS_EMU_ISA_FORM_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emu/isa_values.h"

enum { ISA_REGISTERS = 48, ISA_TYPES = 8, ISA_MEMORY = 128, ISA_SLOT = 16 };

/* %CLASSnumber: h 16 bits, r 32, d 64, f f32, g f64, p a predicate, q 128 bits. */
typedef struct {
  char class;
  int number;
  IsaKind kind;
} IsaRegister;

typedef struct {
  int count;
  IsaRegister reg[ISA_REGISTERS];
} IsaRegisters;

typedef enum { ISA_NO_MEMORY, ISA_GLOBAL, ISA_SHARED } IsaSpace;

typedef struct {
  const char *line;
  IsaRegisters source, result;
  IsaSpace space;
  IsaKind content; /* contents of memory before it */
  unsigned content_bits;
  bool of_warp; /* its matrices belong to all lanes */
  bool carries; /* reads or writes the carry flag */
  bool masked;  /* the last operand names the lanes that take part */
} IsaForm;

static inline bool isa_begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* True if the opcode contains the text. */
static inline bool isa_has(const IsaForm *f, const char *what) {
  const char *at = strstr(f->line, what);
  return at && at < f->line + strcspn(f->line, " ");
}

static inline bool isa_begins_with_one_of(const char *line, const char *words) {
  for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
    if (strncmp(line, at, strcspn(at, " ")) == 0) return true;
  return false;
}

static inline bool isa_has_special_register(const char *line) {
  for (const char *at = line; (at = strchr(at, '%')) != NULL; at++)
    if (!isdigit((unsigned char)at[2])) return true;
  return false;
}

/* True for instructions that compute nothing from registers and memory, or need more than a warp;
 * also for operands of the module. */
static inline bool isa_is_other(const char *line) {
  static const char others[] =
      "! @ alloca applypriority bar bra brkpt brx call cp. createpolicy cvta discard exit fence "
      "getctarank griddepcontrol isspacep mapa mbarrier membar nanosleep pmevent prefetch ret "
      "setmaxnreg stack tensormap trap";
  static const char *const within[] = {".param",    ".const", ".local", "var",   ",fn",       "%b",
                                       "::cluster", "tgts",   "rv",     ".mmio", "cache_hint"};
  for (size_t i = 0; i < sizeof within / sizeof *within; i++)
    if (strstr(line, within[i])) return true;
  return isa_has_special_register(line) || isa_begins_with_one_of(line, others);
}

/* --- types --- */

static inline IsaKind isa_kind_of(const char *type) {
  static const struct {
    const char *name;
    IsaKind kind;
  } kinds[] = {{"f16", ISA_F16}, {"bf16", ISA_BF16}, {"tf32", ISA_F32}, {"f32", ISA_F32},
               {"f64", ISA_F64}, {"e4m3", ISA_E4M3}, {"e5m2", ISA_E5M2}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (isa_begins(type, kinds[i].name)) return kinds[i].kind;
  return ISA_INT;
}

/* Lists the types among the opcode's words; returns how many. */
static inline int isa_types(const IsaForm *f, const char *type[ISA_TYPES]) {
  int count = 0;
  for (const char *at = f->line; *at && *at != ' ' && count < ISA_TYPES; at++) {
    if (*at != '.') continue;
    const bool is_int = strchr("bus", at[1]) && isdigit((unsigned char)at[2]);
    if (is_int || isa_kind_of(at + 1) != ISA_INT) type[count++] = at + 1;
  }
  return count;
}

/* The kind of a register of an operand, counted from the result on. mma names the types of its four
 * matrices or, the older forms, one that is not f32. */
static inline IsaKind isa_kind(const IsaForm *f, char class, int operand) {
  const char *type[ISA_TYPES];
  const int types = isa_types(f, type);
  if (class == 'f') return ISA_F32;
  if (class == 'g') return ISA_F64;
  if (!types || class == 'p') return ISA_INT;
  if (isa_begins(f->line, "mma") && types == 4)
    return operand >= 1 && operand <= 3 ? isa_kind_of(type[operand]) : ISA_INT;
  if (isa_begins(f->line, "slct")) return isa_kind_of(type[0]);
  return isa_kind_of(type[types - 1]);
}

static inline unsigned isa_bits(char class) {
  return class == 'p' ? 1 : class == 'h' ? 16 : class == 'r' || class == 'f' ? 32 : 64;
}

/* --- operands --- */

static inline bool isa_names(const IsaRegisters *list, const IsaRegister *r) {
  for (int i = 0; i < list->count; i++)
    if (list->reg[i].class == r->class && list->reg[i].number == r->number) return true;
  return false;
}

static inline void isa_add(IsaRegisters *list, IsaRegister r) {
  if (!isa_names(list, &r) && list->count < ISA_REGISTERS) list->reg[list->count++] = r;
}

/* The first operand is the result, unless it is an address; registers of addresses are not
 * listed. */
static inline void isa_read_operands(IsaForm *f, const char *at) {
  const bool stores = *at == '[';
  int operand = 0, depth = 0;
  bool address = false;
  for (; *at; at++) {
    depth += (*at == '{') - (*at == '}');
    address = *at == '[' || (address && *at != ']');
    operand += *at == ',' && !depth;
    if (*at != '%' || address) continue;
    const IsaRegister r = {at[1], atoi(at + 2), isa_kind(f, at[1], operand)};
    isa_add(operand || stores ? &f->source : &f->result, r);
  }
}

static inline void isa_read_memory(IsaForm *f) {
  const char *type[ISA_TYPES];
  const int types = isa_types(f, type);
  if (!strchr(f->line, '[')) return;
  const bool rows = isa_begins_with_one_of(f->line, "ldmatrix stmatrix");
  f->space = rows || isa_has(f, ".shared") ? ISA_SHARED : ISA_GLOBAL;
  f->content = types ? isa_kind_of(type[types - 1]) : ISA_INT;
  f->content_bits = f->content == ISA_F64 || isa_has(f, "64") ? 64 : 32;
}

/* Only some metadata is allowed. */
static inline void isa_read_metadata(IsaForm *f) {
  for (int i = 0; i < f->source.count; i++) {
    IsaRegister *r = &f->source.reg[i];
    if (r->class == 'r' && r->number < 10) r->kind = isa_has(f, "tf32") ? ISA_SINGLES : ISA_PAIRS;
  }
}

/* False if the line is not for this test. */
static inline bool isa_form_read(IsaForm *f, const char *line) {
  const char *operands = strchr(line, ' ');
  *f = (IsaForm){.line = line};
  if (!operands || isa_is_other(line)) return false;
  isa_read_operands(f, operands + 1);
  isa_read_memory(f);
  if (isa_begins(line, "mma.sp")) isa_read_metadata(f);
  f->of_warp = isa_has(f, "mma.");
  f->carries = isa_has(f, ".cc") || isa_begins_with_one_of(line, "addc subc madc");
  f->masked = isa_begins_with_one_of(line, "shfl vote match redux elect");
  return true;
}

/* --- operands in memory --- */

/* Bytes that a thread reads and writes: the registers, the lanes that take part and the carry, and
 * the memory. */
static inline uint64_t isa_in_bytes(const IsaForm *f) {
  return ISA_SLOT * ((uint64_t)f->source.count + 1);
}
static inline uint64_t isa_out_bytes(const IsaForm *f) {
  return ISA_SLOT * ((uint64_t)f->result.count + 1);
}
static inline uint64_t isa_memory_bytes(const IsaForm *f) { return f->space ? ISA_MEMORY : 0; }

/* All lanes of every other warp; some of the others. */
static inline uint64_t isa_lanes(uint64_t thread) {
  uint64_t state = isa_hash(thread / 32 + 77);
  if (thread / 32 % 2 == 0) return UINT32_MAX;
  return (isa_next(&state) & UINT32_MAX) | 1ull << isa_pick(&state, 32);
}

/* Sets the operands of a thread. One operand of eight is about the one before it. Matrices are
 * tame in three warps of four. */
static inline void isa_fill(const IsaForm *f, uint64_t thread, uint64_t *slot, uint64_t *memory) {
  uint64_t state = isa_hash(thread + 1);
  for (const char *c = f->line; *c; c++) state = state * 31 + (unsigned char)*c;
  for (int i = 0; i < f->source.count; i++, slot += 2) {
    const IsaRegister *r = &f->source.reg[i];
    const bool alike = !f->of_warp && i > 0 && isa_pick(&state, 8) == 0;
    slot[0] = alike ? slot[-2] + isa_pick(&state, 3) - 1
                    : isa_value(&state, r->kind, isa_bits(r->class), f->of_warp && thread / 32 % 4);
    slot[1] = isa_next(&state);
  }
  slot[0] = isa_lanes(thread);
  slot[1] = isa_pick(&state, 2);
  for (uint64_t i = 0; i < isa_memory_bytes(f) / 8; i++) {
    memory[i] = 0;
    for (unsigned at = 0; at < 64; at += f->content_bits)
      memory[i] |= isa_value(&state, f->content, f->content_bits, false) << at;
  }
}

#endif
