/* SPDX-License-Identifier: MIT */
/* lex.h: splits PTX text into tokens. */
#ifndef KGEN_EMU_PTX_LEX_H
#define KGEN_EMU_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  TOKEN_END,
  TOKEN_WORD, /* a name or opcode with all its dots, or a directive: "%r1" "ld.shared.b32" ".reg" */
  TOKEN_INT,  /* bits in `value` */
  TOKEN_F32,  /* 0f3F800000: bits in `value` */
  TOKEN_F64,  /* 0d... or 1.5: bits in `value` */
  TOKEN_STRING, /* without its quotes */
  TOKEN_PUNCT,  /* one character, in `value` */
  TOKEN_BAD     /* why, in `text` */
} TokenKind;

typedef struct {
  TokenKind kind;
  const char *text; /* points into the source, except for TOKEN_BAD */
  int length;
  int line; /* counted from 1 */
  uint64_t value;
} Token;

typedef struct {
  const char *at, *end;
  int line;
} Lexer;

Lexer ptx_lex_open(const char *text, size_t length);
/* The next token; TOKEN_END at the end, and on every later call. */
Token ptx_lex_next(Lexer *lexer);

bool ptx_token_is(const Token *token, const char *word);
bool ptx_token_is_punct(const Token *token, char c);

#endif
