/* SPDX-License-Identifier: MIT */
#include "emu/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>

void ptx_advance(Parser *p) {
  p->token = p->ahead;
  p->ahead = ptx_lex_next(&p->lexer);
}

void ptx_fail(Parser *p, const char *fmt, ...) {
  if (p->failed) return;
  p->failed = true;
  char text[200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (p->token.kind == TOKEN_BAD) {
    ast_error(p->ast, p->token.line, p->loc, "%s", p->token.text);
  } else if (p->token.kind == TOKEN_END) {
    ast_error(p->ast, p->token.line, p->loc, "%s at the end of the text", text);
  } else {
    int length = p->token.length < 80 ? p->token.length : 80;
    ast_error(p->ast, p->token.line, p->loc, "%s at '%.*s'", text, length, p->token.text);
  }
}

bool ptx_take(Parser *p, char punct) {
  if (!ptx_token_is_punct(&p->token, punct)) return false;
  ptx_advance(p);
  return true;
}

bool ptx_expect(Parser *p, char punct) {
  if (p->failed) return false; /* ptx_recover needs the end of the statement */
  if (ptx_take(p, punct)) return true;
  ptx_fail(p, "expected '%c'", punct);
  return false;
}

bool ptx_take_word(Parser *p, const char *word) {
  if (!ptx_token_is(&p->token, word)) return false;
  ptx_advance(p);
  return true;
}

const char *ptx_name(Parser *p) {
  if (p->token.kind != TOKEN_WORD) {
    ptx_fail(p, "expected a name");
    return "";
  }
  const char *name = arena_strndup(p->arena, p->token.text, (size_t)p->token.length);
  ptx_advance(p);
  return name;
}

int64_t ptx_int(Parser *p) {
  bool negative = ptx_take(p, '-');
  if (p->token.kind != TOKEN_INT) ptx_fail(p, "expected an integer");
  uint64_t value = p->token.value;
  if (!p->failed) ptx_advance(p);
  return (int64_t)(negative ? 0 - value : value);
}

void ptx_skip_statement(Parser *p) {
  while (p->token.kind != TOKEN_END && !ptx_take(p, ';')) ptx_advance(p);
}

/* True at a brace that ends a block; more tokens follow a brace that ends a vector of operands. */
static bool ends_block(const Parser *p) {
  return ptx_token_is_punct(&p->token, '}') && !ptx_token_is_punct(&p->ahead, ';') &&
         !ptx_token_is_punct(&p->ahead, ',');
}

void ptx_recover(Parser *p) {
  while (p->failed && p->token.kind != TOKEN_END && !ends_block(p)) {
    if (ptx_take(p, ';')) break;
    ptx_advance(p);
  }
  p->failed = false;
}
