/* SPDX-License-Identifier: MIT */
/* parser.h: the state of a parser, and its steps over tokens. */
#ifndef KGEN_EMU_PTX_PARSER_H
#define KGEN_EMU_PTX_PARSER_H

#include "emu/ptx/ast.h"
#include "emu/ptx/lex.h"

typedef struct {
  Ast *ast;
  Arena *arena;
  Lexer lexer;
  Token token, ahead; /* the current token, and the next one */
  Function *function; /* NULL at module level */
  Scope *scope;
  int loc;
  bool failed; /* an error was reported in the current statement: skip the rest */
} Parser;

void ptx_advance(Parser *p);
/* Reports at the current token, once per statement. */
void ptx_fail(Parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Consumes the token if it is that character or word. */
bool ptx_take(Parser *p, char punct);
bool ptx_take_word(Parser *p, const char *word);
/* Consumes the character, or fails. */
bool ptx_expect(Parser *p, char punct);
/* The text of the current word, copied; fails if the token is not a word. */
const char *ptx_name(Parser *p);
/* A signed integer constant. */
int64_t ptx_int(Parser *p);
/* Skips to after the next semicolon, whatever comes before it. */
void ptx_skip_statement(Parser *p);
/* Skips the rest of a statement, and clears `failed`. */
void ptx_recover(Parser *p);

#endif
