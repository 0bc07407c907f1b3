/* decode.h: decodes statements into instructions. Each family of opcodes has an op_*.c with its
 * decoders and what executes it. */
#ifndef KGEN_EMU_DECODE_H
#define KGEN_EMU_DECODE_H

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
  int scratch;        /* a slot for results that are not used */
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

/* --- help for the families of opcodes --- */

/* Reports once per statement, with the opcode before the text. */
void decode_fail(Decoder *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* True if the opcode has the modifier, which is then marked as understood. */
bool decode_take(Decoder *d, const char *modifier);
/* Index of the one of `names` (ends with NULL) that the opcode has, or -1. */
int decode_take_one(Decoder *d, const char *const *names);
/* The next type modifier not yet taken, or ARITH_NONE. */
ArithType decode_take_type(Decoder *d);
/* The operand, or an empty one after reporting that it is missing. */
const Operand *decode_operand(Decoder *d, int index);
/* Fails unless the statement has from `low` to `high` operands. */
bool decode_count(Decoder *d, int low, int high);

/* Registers, constants and special registers as values of `type`. */
Ref decode_source(Decoder *d, const Operand *operand, ArithType type);
Ref decode_constant(Decoder *d, uint64_t value);
/* A register to write; `_` becomes a slot that is not read. */
Ref decode_dest(Decoder *d, const Operand *operand);
PredRef decode_pred(Decoder *d, const Operand *operand);
/* A predicate register to write, or -1 for `_`. */
int32_t decode_pred_dest(Decoder *d, const Operand *operand);
/* [base + offset]; a frame's local variables become relative to it. */
void decode_address(Decoder *d, const Operand *operand, MemoryOp *op);
/* The statement after a label, or -1 after reporting. */
int decode_label(Decoder *d, const Scope *scope, const char *name);

/* Stores the operands' list in the instruction. */
Ref *decode_refs(Decoder *d, int count);
/* .shared and its like, with an optional ::cta; SPACE_GENERIC if there is none. */
int decode_space(Decoder *d);
/* The registers of {a, b, ...}, or of a single one, which must be `count`, into refs. */
void decode_fragment(Decoder *d, const Operand *operand, int count, bool dest, Ref *refs);
/* Makes the instruction one of that kind, with counters. */
void decode_site(Decoder *d, InsnKind kind);

#endif
