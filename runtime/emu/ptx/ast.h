/* SPDX-License-Identifier: MIT */
/* ast.h: a parsed PTX module. Names are resolved; opcodes are still text. Everything is allocated
 * in the module's arena. */
#ifndef KGEN_EMU_PTX_AST_H
#define KGEN_EMU_PTX_AST_H

#include "base/text.h"
#include "emu/arith/arith.h"
#include "emu/emu.h"

/* --- source locations --- */

/* One .loc; `parent` is the index of the .loc into which it was inlined, or -1. */
typedef struct {
  int file, line, column;
  int parent;
} SourceLoc;

typedef struct {
  int number;
  const char *name;
} SourceFile;

/* --- symbols --- */

typedef enum { SYMBOL_REG, SYMBOL_VAR, SYMBOL_LABEL, SYMBOL_FUNCTION, SYMBOL_TARGETS } SymbolKind;

typedef struct Function Function;
typedef struct Symbol Symbol;

/* A word of a variable's initializer that holds an address: `symbol` + addend at `offset`. */
typedef struct Relocation {
  struct Relocation *next;
  const char *name;
  Symbol *symbol;
  int64_t addend;
  uint64_t offset;
  uint64_t mask; /* the bits of the address that the word holds, shifted right; 0: all */
  int width, line;
  bool generic;
} Relocation;

struct Symbol {
  Symbol *next_in_bucket;
  Symbol *next_var; /* the next variable of the same owner, a function or the module */
  const char *name;
  SymbolKind kind;
  int line;
  ArithType type; /* REG and VAR: type of an element */

  int slot;   /* REG: first slot; PARAM VAR in a function: its first slot */
  int count;  /* REG: length of a range %r<count>, 0: a single name; TARGETS: number of labels */
  int vector; /* REG: elements of a .v2 or .v4, one slot each; else 1 */

  EmuSpace space; /* VAR */
  uint32_t align;
  uint64_t bytes;
  bool dynamic, pointer, in_slots;
  bool managed;           /* shared with the host (.managed) */
  uint64_t address;       /* offset in its space; for global memory, the device address */
  uint8_t *init;          /* initial bytes, or NULL */
  const void *reached_by; /* SHARED: the program that counted it last */
  Relocation *relocations;

  int statement; /* LABEL: index of the statement that follows it */

  Function *function;

  const char **target_name; /* TARGETS of brx.idx: the labels */
  struct Scope *scope;      /* the function that declares it */
};

typedef struct Scope {
  struct Scope *parent;
  int depth;
  Symbol **bucket; /* 64 buckets for modules and functions, else 1 */
  unsigned buckets;
} Scope;

/* --- statements --- */

typedef enum {
  OPERAND_REG,    /* slot */
  OPERAND_PRED,   /* slot; `negated` */
  OPERAND_SINK,   /* _ */
  OPERAND_INT,    /* value */
  OPERAND_F32,    /* value: bits */
  OPERAND_F64,    /* value: bits */
  OPERAND_SYMBOL, /* symbol + value, or an unresolved label: name in scope */
  OPERAND_MEMORY, /* [item[0] + value] */
  OPERAND_VECTOR, /* {item...} */
  OPERAND_LIST,   /* (item...) */
  OPERAND_SPECIAL /* name: %tid.x */
} OperandKind;

typedef struct Operand Operand;
struct Operand {
  OperandKind kind;
  ArithType type; /* REG */
  int slot;
  bool negated;         /* a negated register; only video instructions allow it */
  const char *selector; /* REG: the part that a video instruction reads, such as "h1"; or NULL */
  uint64_t value;
  const char *name;
  Symbol *symbol;
  Scope *scope;
  int items;
  Operand *item;
  Operand *second; /* the q of p|q */
};

typedef struct {
  const char *opcode;
  int line;
  int loc;        /* index into the module's table, or -1 */
  Operand *guard; /* PRED, or NULL */
  int operands;
  Operand *operand;
} Statement;

struct Function {
  Function *next;
  const char *name;
  int line, index;
  bool is_entry, defined, address_taken;
  int params, returns;
  Symbol **param, **result;
  uint32_t max_block[3], required_block[3], cluster[3];
  bool explicit_cluster;
  uint32_t max_registers, min_blocks; /* .maxnreg, .minnctapersm; 0 if absent */
  Scope *scope;
  Symbol *vars, *last_var; /* .shared, .local and .param declared within */
  int slots, preds, named_registers;
  int statements, capacity;
  Statement *statement;
  int first_error, errors, mistakes; /* errors within its text */
  int root_file;                     /* file of its first .loc; 0 if there is none */
  int root_line;
};

typedef struct {
  Arena *arena;
  Scope *scope;
  const char *target; /* sm_90a, for example; "" without a .target */
  int version;        /* 90 for .version 9.0, and without a .version */
  Symbol *vars, *last_var;
  int decoded;    /* number of instructions of all programs */
  bool uses_heap; /* some program calls malloc, or another function that needs the heap */
  bool by_nvidia; /* according to the compiler's comment */
  Function *functions, *last_function;
  int function_count;
  SourceLoc *loc;
  int locs, loc_capacity;
  SourceFile *file;
  int files, file_capacity;
  /* number of a source file without a name, whose lines cannot be looked up; 0: none */
  int nameless;
  EmuError *error;
  int errors, error_capacity;
  int error_scope; /* index of the first error of the current function or kernel */
  /* number of all errors, kept or not; number of those within functions */
  int mistakes, contained;
} Ast;

/* Adds an error at a PTX line and, if loc >= 0, its source line. At most 200 are kept per function
 * and per kernel. */
void ast_error(Ast *ast, int ptx_line, int loc, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Starts the errors of another function or kernel. Returns the index of its first one. */
int ast_error_scope(Ast *ast);
/* Repeats the errors of a function for a kernel that calls it. */
void ast_repeat_errors(Ast *ast, const Function *f);

/* The innermost location of loc's inlining chain that is in `root_file`, else the outermost. */
SourceLoc ast_source(const Ast *ast, int loc, int root_file);
const char *ast_file(const Ast *ast, int number);

Scope *ptx_scope_new(Arena *arena, Scope *parent, unsigned buckets);
/* The symbol of that name visible in `scope`, or NULL. */
Symbol *ptx_scope_find(const Scope *scope, const char *name);
/* Adds a symbol, or returns this scope's existing symbol with that name. */
Symbol *ptx_scope_add(Arena *arena, Scope *scope, const char *name, SymbolKind kind, bool *existed);

/* The bits of a floating-point constant as a value of `type`. 0f... holds the bits of an f32 and
 * converts to f64 exactly; 0d... and 1.5 are f64 and are rounded to f32. */
uint64_t ptx_float_bits(uint64_t bits, bool is_f64, ArithType type);

/* Returns the array, grown if necessary to hold one more element. Memory comes from the arena. */
void *ptx_array_grow(Arena *arena, void *array, int count, int *capacity, size_t size);

#endif
