/* SPDX-License-Identifier: MIT */
/* decode.h: decodes statements into instructions. Each group of opcodes has an op_*.c with its
 * decoders and the functions that execute it. */
#ifndef KGEN_EMU_CODE_DECODE_H
#define KGEN_EMU_CODE_DECODE_H

#include "emu/code/code.h"
#include "emu/memory/memory.h"

enum { MAX_MODIFIERS = 24, MAX_CHOICES = 12, CONST_BUCKETS = 4096 };

typedef struct Decoder Decoder;
struct Decoder {
  Ast *ast;
  Arena *arena;
  Program *program;
  const Function *function;
  int function_index; /* index within the program */
  int scratch;        /* slot for results that are not used */
  const Statement *statement;
  Insn *insn;
  bool failed; /* an error was reported for this statement */
  int failures;

  int modifiers;
  const char *modifier[MAX_MODIFIERS]; /* the opcode's words; [0] is its name */
  uint32_t taken;                      /* bit mask of the modifiers that were understood */
  int8_t choice[MAX_CHOICES];          /* in the row's form: see decode_choice() */

  int const_next[CONST_BUCKETS]; /* heads of hash chains, linked through const_chain */
  int *const_chain;
  int chain_capacity;

  void (*decode)(Decoder *d); /* decodes the statement according to its opcode */
};

/* --- shared by all decoders --- */

/* Reports an error, once per statement, with the opcode before the text. */
void decode_fail(Decoder *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The word that the opcode has at the n-th choice of its row's form (op/modifiers.h), counted from
 * 0; -1 if it has none. */
static inline int decode_choice(const Decoder *d, int n) { return d->choice[n]; }
/* True if the opcode has the modifier, which is then marked as understood. */
bool decode_take(Decoder *d, const char *modifier);
/* The index of the entry of `names` (NULL-terminated) that the opcode has; -1 if it has none. */
int decode_take_one(Decoder *d, const char *const *names);
/* The scope that the opcode names; `absent` if it names none. */
MemoryScope decode_take_scope(Decoder *d, MemoryScope absent);
/* Sets the order, the scope and the strength of an access from .relaxed, .acquire, .release and
 * .acq_rel; `strong`: it is strong without them. */
void decode_take_order(Decoder *d, MemoryOp *op, bool strong);
/* Marks all of `names` (NULL-terminated) that the opcode has as understood: they have no effect
 * here. */
void decode_take_all(Decoder *d, const char *const *names);
/* The next type modifier not yet taken, or ARITH_NONE. */
ArithType decode_take_type(Decoder *d);
/* The operand, or an empty one after reporting that it is missing. */
const Operand *decode_operand(Decoder *d, int index);
/* Fails unless the statement has `low` to `high` operands. */
bool decode_count(Decoder *d, int low, int high);
/* Fails unless the statement has `count` operands and, with .L2::cache_hint, one more: a cache
 * policy, which is ignored. */
bool decode_count_hinted(Decoder *d, int count);

/* A register, a constant or a special register, as a value of `type`. */
Ref decode_source(Decoder *d, const Operand *operand, ArithType type);
Ref decode_constant(Decoder *d, uint64_t value);
/* A register to write; `_` becomes a slot that is never read. */
Ref decode_dest(Decoder *d, const Operand *operand);
/* Makes operands `first` to `first + count - 1` the instruction's sources, as values of `type`. */
void decode_sources(Decoder *d, int first, int count, ArithType type);
/* Makes the first operand the instruction's only result. */
void decode_result(Decoder *d);
PredRef decode_pred(Decoder *d, const Operand *operand);
/* A predicate register to write, or -1 for `_`. */
int32_t decode_pred_dest(Decoder *d, const Operand *operand);
/* Decodes [base + offset] into `op`; a local variable's address is relative to the frame. */
void decode_address(Decoder *d, const Operand *operand, MemoryOp *op);
/* The index of the statement after a label; -1 after reporting that there is no such label. */
int decode_label(Decoder *d, const Scope *scope, const char *name);

/* A new list of `count` references. */
Ref *decode_refs(Decoder *d, int count);
/* The EmuSpace that the opcode names, for example .shared::cta; SPACE_GENERIC if it names none. */
int decode_space(Decoder *d);
/* The operands listed in {a, b, ...}, or the single operand, and their number. */
const Operand *decode_items(const Operand *operand, int *count);
/* Decodes the `count` registers of {a, b, ...}, or a single register, into refs. */
void decode_fragment(Decoder *d, const Operand *operand, int count, bool dest, Ref *refs);
/* Sets the instruction's kind to one that is counted, and allocates its counters. */
void decode_site(Decoder *d, InsnKind kind);

#endif
