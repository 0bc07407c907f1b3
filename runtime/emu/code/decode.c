/* SPDX-License-Identifier: MIT */
#include "emu/code/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/code/special_name.h"

void decode_fail(Decoder *d, const char *fmt, ...) {
  if (d->failed) return;
  d->failed = true;
  d->failures++;
  char text[160];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  ast_error(d->ast, d->statement->line, d->statement->loc, "%.200s: %s", d->statement->opcode,
            text);
}

/* --- modifiers --- */

bool decode_take(Decoder *d, const char *modifier) {
  for (int i = 1; i < d->modifiers; i++) {
    if (!(d->taken >> i & 1) && strcmp(d->modifier[i], modifier) == 0) {
      d->taken |= 1u << i;
      return true;
    }
  }
  return false;
}

int decode_take_one(Decoder *d, const char *const *names) {
  for (int i = 0; names[i]; i++) {
    if (decode_take(d, names[i])) return i;
  }
  return -1;
}

MemoryScope decode_take_scope(Decoder *d, MemoryScope absent) {
  static const char *const names[] = {"cta", "cluster", "gpu", "sys", NULL};
  const int found = decode_take_one(d, names);
  if (found < 0) return absent;
  return found < (int)SCOPE_DEVICE ? (MemoryScope)found : SCOPE_DEVICE;
}

void decode_take_order(Decoder *d, MemoryOp *op, bool strong) {
  const bool both = decode_take(d, "acq_rel");
  op->scope = (uint8_t)decode_take_scope(d, SCOPE_DEVICE);
  op->acquire = decode_take(d, "acquire") || both;
  op->release = decode_take(d, "release") || both;
  op->strong = decode_take(d, "relaxed") || op->acquire || op->release || strong;
  d->program->uses_fence |= op->acquire || op->release;
}

void decode_take_all(Decoder *d, const char *const *names) {
  for (; *names; names++) decode_take(d, *names);
}

ArithType decode_take_type(Decoder *d) {
  for (int i = 1; i < d->modifiers; i++) {
    if (d->taken >> i & 1) continue;
    ArithType type = arith_type(d->modifier[i], (unsigned)strlen(d->modifier[i]));
    if (type == ARITH_NONE) continue;
    d->taken |= 1u << i;
    return type;
  }
  return ARITH_NONE;
}

int decode_space(Decoder *d) {
  static const char *const names[] = {
      "global",      "shared",       "local",       "const",           "param",
      "shared::cta", "param::entry", "param::func", "shared::cluster", NULL};
  static const int spaces[] = {EMU_GLOBAL, EMU_SHARED, EMU_LOCAL, EMU_CONST, EMU_PARAM,
                               EMU_SHARED, EMU_PARAM,  EMU_PARAM, EMU_SHARED};
  int found = decode_take_one(d, names);
  return found < 0 ? SPACE_GENERIC : spaces[found];
}

/* --- operands --- */

static const Operand no_operand = {.kind = OPERAND_INT};

const Operand *decode_operand(Decoder *d, int index) {
  if (index < d->statement->operands) return &d->statement->operand[index];
  decode_fail(d, "operand %d is missing", index + 1);
  return &no_operand;
}

bool decode_count(Decoder *d, int low, int high) {
  int count = d->statement->operands;
  if (count < low || count > high) {
    decode_fail(d, "%d operands, expected %d", count, count < low ? low : high);
  }
  return !d->failed;
}

bool decode_count_hinted(Decoder *d, int count) {
  count += decode_take(d, "L2::cache_hint");
  return decode_count(d, count, count);
}

Ref *decode_refs(Decoder *d, int count) { return ARENA_ARRAY(d->arena, Ref, (size_t)count + 1); }

static int const_find(const Decoder *d, uint64_t value, unsigned bucket) {
  int i = d->const_next[bucket];
  while (i >= 0 && d->program->const_value[i] != value) i = d->const_chain[i];
  return i;
}

Ref decode_constant(Decoder *d, uint64_t value) {
  Program *p = d->program;
  unsigned bucket = (unsigned)((value * 0x9E3779B97F4A7C15ull) >> 52) % CONST_BUCKETS;
  int i = const_find(d, value, bucket);
  if (i < 0) {
    i = p->consts++;
    p->const_value =
        ptx_array_grow(d->arena, p->const_value, i, &p->const_capacity, sizeof *p->const_value);
    d->const_chain =
        ptx_array_grow(d->arena, d->const_chain, i, &d->chain_capacity, sizeof *d->const_chain);
    p->const_value[i] = value;
    d->const_chain[i] = d->const_next[bucket];
    d->const_next[bucket] = i;
  }
  return ref_make(BANK_CONST, (unsigned)i);
}

static Ref special_ref(Decoder *d, const char *name) {
  const int which = special_find(name);
  if (which < 0) {
    decode_fail(d, "unknown register '%.60s'", name);
    return 0;
  }
  d->program->uses_grid_space |= which == SPECIAL_GRID_SPACE_HIGH;
  d->program->uses_reserved |= which >= SPECIAL_RESERVED_BEGIN && which <= SPECIAL_RESERVED_1;
  return ref_special((unsigned)which);
}

/* The address of a variable in its space; fails for a variable that is kept in registers. */
static uint64_t variable_address(Decoder *d, const Symbol *symbol) {
  if (symbol->in_slots) {
    decode_fail(d, "the address of parameter '%.60s' of a function is not supported", symbol->name);
  }
  return symbol->address;
}

static uint64_t symbol_value(Decoder *d, const Operand *operand) {
  const Symbol *symbol = operand->symbol;
  if (symbol && symbol->kind == SYMBOL_FUNCTION) return (uint64_t)symbol->function->index + 1;
  if (symbol && symbol->kind == SYMBOL_VAR) return variable_address(d, symbol) + operand->value;
  decode_fail(d, "unknown name '%.60s'", operand->name);
  return 0;
}

Ref decode_source(Decoder *d, const Operand *operand, ArithType type) {
  if (operand->kind != OPERAND_PRED && (operand->negated || operand->selector))
    decode_fail(d, "a sign or a part of a register is not possible here");
  switch (operand->kind) {
  case OPERAND_REG: return ref_make(BANK_FRAME, (unsigned)operand->slot);
  case OPERAND_INT: return decode_constant(d, operand->value);
  case OPERAND_F32:
  case OPERAND_F64:
    return decode_constant(d, ptx_float_bits(operand->value, operand->kind == OPERAND_F64, type));
  case OPERAND_SPECIAL: return special_ref(d, operand->name);
  case OPERAND_SYMBOL: return decode_constant(d, symbol_value(d, operand));
  default: decode_fail(d, "an operand is not a value"); return 0;
  }
}

Ref decode_dest(Decoder *d, const Operand *operand) {
  if (operand->kind == OPERAND_SINK) return ref_make(BANK_FRAME, (unsigned)d->scratch);
  if (operand->kind != OPERAND_REG) decode_fail(d, "the destination is not a register");
  return ref_make(BANK_FRAME, (unsigned)operand->slot);
}

void decode_sources(Decoder *d, int first, int count, ArithType type) {
  Ref *s = decode_refs(d, count);
  for (int i = 0; i < count; i++) s[i] = decode_source(d, decode_operand(d, first + i), type);
  d->insn->s = s;
  d->insn->n_s = (uint8_t)count;
}

void decode_result(Decoder *d) {
  Ref *r = decode_refs(d, 1);
  r[0] = decode_dest(d, decode_operand(d, 0));
  d->insn->d = r;
  d->insn->n_d = 1;
}

PredRef decode_pred(Decoder *d, const Operand *operand) {
  if (operand->kind == OPERAND_INT) return (PredRef){-1, operand->value == 0};
  if (operand->kind != OPERAND_PRED) decode_fail(d, "an operand is not a predicate");
  return (PredRef){operand->slot, operand->negated};
}

int32_t decode_pred_dest(Decoder *d, const Operand *operand) {
  if (operand->kind == OPERAND_SINK) return -1;
  if (operand->kind != OPERAND_PRED || operand->negated) {
    decode_fail(d, "the destination is not a predicate");
  }
  return operand->slot;
}

void decode_address(Decoder *d, const Operand *operand, MemoryOp *op) {
  if (operand->kind != OPERAND_MEMORY) {
    decode_fail(d, "an operand is not an address");
    return;
  }
  const Operand *base = &operand->item[0];
  const Symbol *symbol = base->symbol;
  if (operand->items > 1) decode_fail(d, "an address with coordinates is not supported");
  op->offset = (int64_t)operand->value;
  if (base->kind != OPERAND_SYMBOL) {
    op->base = decode_source(d, base, ARITH_U64);
    op->narrow = base->kind == OPERAND_REG && arith_bits(base->type) == 32;
  } else if (symbol && symbol->kind == SYMBOL_VAR) {
    op->base = decode_constant(d, 0);
    op->offset = (int64_t)((uint64_t)op->offset + variable_address(d, symbol));
    op->is_frame = symbol->space == EMU_LOCAL;
    if (op->space == SPACE_GENERIC) op->space = (uint8_t)symbol->space;
  } else {
    decode_fail(d, "unknown name '%.60s'", base->name);
  }
}

int decode_label(Decoder *d, const Scope *scope, const char *name) {
  const Symbol *symbol = ptx_scope_find(scope, name);
  if (symbol && symbol->kind == SYMBOL_LABEL) return symbol->statement;
  decode_fail(d, "unknown label '%.60s'", name);
  return -1;
}

const Operand *decode_items(const Operand *operand, int *count) {
  const bool vector = operand->kind == OPERAND_VECTOR;
  *count = vector ? operand->items : 1;
  return vector ? operand->item : operand;
}

void decode_fragment(Decoder *d, const Operand *operand, int count, bool dest, Ref *refs) {
  int given;
  const Operand *items = decode_items(operand, &given);
  if (given != count) {
    decode_fail(d, "a fragment needs %d registers", count);
    return;
  }
  for (int i = 0; i < count; i++)
    refs[i] = dest ? decode_dest(d, &items[i]) : decode_source(d, &items[i], ARITH_NONE);
}

void decode_site(Decoder *d, InsnKind kind) {
  d->insn->memory.site = d->program->sites++;
  d->insn->kind = (uint8_t)kind;
}
