/* decode.h: decodes statements into instructions. Each family of opcodes has an op_*.c with its
 * decoders and the functions that execute it. */
#ifndef KGEN_EMU_CODE_DECODE_H
#define KGEN_EMU_CODE_DECODE_H

#include "emu/code/code.h"
#include "emu/memory/memory.h"

enum { MAX_MODIFIERS = 24, CONST_BUCKETS = 4096 };

typedef struct Decoder Decoder;
struct Decoder {
  Ast *ast;
  Arena *arena;
  Program *program;
  const Function *function;
  int function_index; /* within the program */
  int scratch;        /* the slot of results that are not used */
  const Statement *statement;
  Insn *insn;
  bool failed; /* in this statement */
  int failures;

  int modifiers;
  const char *modifier[MAX_MODIFIERS]; /* the opcode's words; [0] is its name */
  uint32_t taken;                      /* a bit per modifier */

  int const_next[CONST_BUCKETS]; /* heads of chains through const_chain */
  int *const_chain;
  int chain_capacity;

  void (*decode)(Decoder *d); /* the statement, by its opcode */
};

/* --- what decoders of all families share --- */

/* Reports a mistake, once per statement, with the opcode before the text. */
void decode_fail(Decoder *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* True if the opcode has the modifier, which is then marked as understood. */
bool decode_take(Decoder *d, const char *modifier);
/* The index of the one of `names`, which end with NULL, that the opcode has; -1 if it has none. */
int decode_take_one(Decoder *d, const char *const *names);
/* Marks all of `names`, which end with NULL, that the opcode has: they change nothing here. */
void decode_take_all(Decoder *d, const char *const *names);
/* The next type modifier not yet taken, or ARITH_NONE. */
ArithType decode_take_type(Decoder *d);
/* The operand, or an empty one after reporting that it is missing. */
const Operand *decode_operand(Decoder *d, int index);
/* Fails unless the statement has from `low` to `high` operands. */
bool decode_count(Decoder *d, int low, int high);
/* Fails unless it has `count`, and with .L2::cache_hint one more: a cache policy, which is not
 * read. */
bool decode_count_hinted(Decoder *d, int count);

/* A register, a constant or a special register as a value of `type`. */
Ref decode_source(Decoder *d, const Operand *operand, ArithType type);
Ref decode_constant(Decoder *d, uint64_t value);
/* A register to write; `_` becomes a slot that is not read. */
Ref decode_dest(Decoder *d, const Operand *operand);
/* Makes operands first to first + count - 1 the instruction's sources, values of `type`. */
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
/* The EmuSpace of .shared::cta and its like; SPACE_GENERIC if the opcode names none. */
int decode_space(Decoder *d);
/* The operands that {a, b, ...} lists, or the single one, and their number. */
const Operand *decode_items(const Operand *operand, int *count);
/* Decodes the `count` registers of {a, b, ...}, or a single one, into refs. */
void decode_fragment(Decoder *d, const Operand *operand, int count, bool dest, Ref *refs);
/* Makes the instruction one of a kind that has counters. */
void decode_site(Decoder *d, InsnKind kind);

#endif
