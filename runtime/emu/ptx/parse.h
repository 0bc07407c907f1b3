/* parse.h: PTX text to a syntax tree with resolved names. */
#ifndef KGEN_EMU_PARSE_H
#define KGEN_EMU_PARSE_H

#include "emu/ptx/ast.h"
#include "emu/ptx/lex.h"

/* Parses all of the text. Mistakes go to ast->error; parsing goes on behind the next ';' or '}'. */
Ast *ptx_module(Arena *arena, const char *text, size_t length);

/* --- shared by the parser's files --- */

typedef struct {
  Ast *ast;
  Arena *arena;
  Lexer lexer;
  Token token, ahead; /* the current one, and the one behind it */
  Function *function; /* NULL at module level */
  Scope *scope;
  int loc;
  bool failed; /* in the current statement: an error was reported, skip on */
} Parser;

void ptx_advance(Parser *p);
/* Reports at the current token, once per statement. */
void ptx_fail(Parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool ptx_take(Parser *p, char punct);
bool ptx_expect(Parser *p, char punct);
bool ptx_take_word(Parser *p, const char *word);
/* The current word's text, copied; fails if it is none. */
const char *ptx_name(Parser *p);
/* A signed integer constant. */
int64_t ptx_int(Parser *p);
/* Skips the rest of a statement, and clears `failed`. */
void ptx_recover(Parser *p);

/* A variable's declaration behind its state space, up to ';' (or ',' and ')' of a parameter). */
Symbol *ptx_variable(Parser *p, EmuSpace space, bool is_extern);
/* `= ...` of a variable. */
void ptx_initialiser(Parser *p, Symbol *var);
/* A function's body, behind its '{'. */
void ptx_body(Parser *p, Function *function);
/* .loc, behind the directive. */
void ptx_loc(Parser *p);
/* One operand of an instruction. */
Operand ptx_operand(Parser *p);
/* One formal parameter: a .param variable, or a .reg. */
Symbol *ptx_formal(Parser *p);
/* Gives a .param variable that is not a kernel's registers to live in. */
void ptx_place_in_slots(Parser *p, Symbol *var);
/* .reg declarations, up to ';'. */
void ptx_registers(Parser *p);

#endif
