/* SPDX-License-Identifier: MIT */
#include "emu/ptx/lex.h"

#include <stdlib.h>
#include <string.h>

Lexer ptx_lex_open(const char *text, size_t length) {
  return (Lexer){.at = text, .end = text + length, .line = 1};
}

bool ptx_token_is(const Token *token, const char *word) {
  return token->kind == TOKEN_WORD && strlen(word) == (size_t)token->length &&
         memcmp(token->text, word, (size_t)token->length) == 0;
}

bool ptx_token_is_punct(const Token *token, char c) {
  return token->kind == TOKEN_PUNCT && token->value == (uint64_t)(unsigned char)c;
}

static char peek(const Lexer *lexer, int ahead) {
  return lexer->end - lexer->at > ahead ? lexer->at[ahead] : '\0';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static void skip_line(Lexer *lexer) {
  while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
}

static void skip_comment(Lexer *lexer) {
  lexer->at += 2;
  while (lexer->at < lexer->end && !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/')) {
    if (*lexer->at++ == '\n') lexer->line++;
  }
  lexer->at = lexer->end - lexer->at > 2 ? lexer->at + 2 : lexer->end;
}

static void skip_space(Lexer *lexer) {
  for (;;) {
    char c = peek(lexer, 0);
    if (c == '\n') {
      lexer->line++;
      lexer->at++;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      lexer->at++;
    } else if (c == '#' || (c == '/' && peek(lexer, 1) == '/')) { /* # starts a preprocessor line */
      skip_line(lexer);
    } else if (c == '/' && peek(lexer, 1) == '*') {
      skip_comment(lexer);
    } else {
      return;
    }
  }
}

static Token token_bad(Token token, const char *why) {
  token.kind = TOKEN_BAD;
  token.text = why;
  token.length = (int)strlen(why);
  return token;
}

/* A name keeps its dots and colons: "%tid.x", "st.async.mbarrier::complete_tx::bytes.b32". */
static Token lex_word(Lexer *lexer, Token token) {
  for (;;) {
    char c = peek(lexer, 0), next = peek(lexer, 1);
    if (is_name(c) || (c == '.' && is_name(next) && *token.text != '.')) {
      lexer->at++;
    } else if (c == ':' && next == ':') {
      lexer->at += 2;
    } else {
      break;
    }
  }
  if (lexer->at - token.text > 4000) return token_bad(token, "name longer than 4000 characters");
  token.kind = TOKEN_WORD;
  token.length = (int)(lexer->at - token.text);
  return token;
}

/* 0f and 0d: the bits of a float in exactly 8 or 16 hexadecimal digits. */
static Token lex_float_bits(Lexer *lexer, Token token, int digits, TokenKind kind) {
  lexer->at += 2;
  token.kind = kind;
  int n = 0;
  for (; n < digits && digit_of(peek(lexer, 0)) < 16; n++) {
    token.value = token.value << 4 | (uint64_t)digit_of(*lexer->at++);
  }
  return n == digits ? token : token_bad(token, "float constant with too few digits");
}

static Token lex_decimal_float(Lexer *lexer, Token token) {
  char buffer[64];
  size_t n = 0;
  while (is_digit(peek(lexer, 0)) || strchr(".eE", peek(lexer, 0)) ||
         (strchr("+-", peek(lexer, 0)) && strchr("eE", lexer->at[-1]))) {
    if (lexer->at >= lexer->end) break;
    if (n < sizeof buffer - 1) buffer[n++] = *lexer->at;
    lexer->at++;
  }
  buffer[n] = '\0';
  double value = strtod(buffer, NULL);
  memcpy(&token.value, &value, sizeof value);
  token.kind = TOKEN_F64;
  return token;
}

/* True at 1.5, 1., .5 or 1e5. */
static bool is_decimal_float(const Lexer *lexer) {
  int n = 0;
  while (is_digit(peek(lexer, n)) && n < 64) n++;
  if (peek(lexer, n) == '.') return true;
  if (peek(lexer, n) != 'e' && peek(lexer, n) != 'E') return false;
  n += peek(lexer, n + 1) == '-' || peek(lexer, n + 1) == '+';
  return is_digit(peek(lexer, n + 1));
}

static int int_base(Lexer *lexer) {
  char next = peek(lexer, 1);
  if (peek(lexer, 0) != '0') return 10;
  if (next == 'x' || next == 'X' || next == 'b' || next == 'B') {
    lexer->at += 2;
    return next == 'x' || next == 'X' ? 16 : 2;
  }
  return 8;
}

static Token lex_int(Lexer *lexer, Token token) {
  int base = int_base(lexer);
  bool overflow = false;
  for (; digit_of(peek(lexer, 0)) < base; lexer->at++) {
    uint64_t digit = (uint64_t)digit_of(*lexer->at);
    overflow |= token.value > (UINT64_MAX - digit) / (uint64_t)base;
    token.value = token.value * (uint64_t)base + digit;
  }
  if (peek(lexer, 0) == 'U') lexer->at++;
  token.kind = TOKEN_INT;
  if (overflow) return token_bad(token, "integer constant exceeds 64 bits");
  return is_name(peek(lexer, 0)) ? token_bad(token, "malformed number") : token;
}

static Token lex_digits(Lexer *lexer, Token token) {
  char next = peek(lexer, 1);
  if (*lexer->at == '0' && (next == 'f' || next == 'F')) {
    return lex_float_bits(lexer, token, 8, TOKEN_F32);
  }
  if (*lexer->at == '0' && (next == 'd' || next == 'D')) {
    return lex_float_bits(lexer, token, 16, TOKEN_F64);
  }
  if (is_decimal_float(lexer)) return lex_decimal_float(lexer, token);
  return lex_int(lexer, token);
}

static Token lex_number(Lexer *lexer, Token token) {
  token = lex_digits(lexer, token);
  if (token.kind != TOKEN_BAD) token.length = (int)(lexer->at - token.text);
  return token;
}

/* A quote after a backslash does not end the string: nvcc escapes file names in this way. */
static Token lex_string(Lexer *lexer, Token token) {
  lexer->at++;
  token.text = lexer->at;
  while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
    lexer->at += *lexer->at == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n' ? 2 : 1;
  token.length = (int)(lexer->at - token.text);
  if (peek(lexer, 0) != '"') return token_bad(token, "string without an end");
  lexer->at++;
  token.kind = TOKEN_STRING;
  return token;
}

Token ptx_lex_next(Lexer *lexer) {
  skip_space(lexer);
  Token token = {.kind = TOKEN_END, .text = lexer->at, .line = lexer->line};
  if (lexer->at >= lexer->end) return token;
  char c = *lexer->at;
  if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) return lex_number(lexer, token);
  if (c == '"') return lex_string(lexer, token);
  if (is_name(c) || (c == '%' && is_name(peek(lexer, 1))) ||
      (c == '.' && is_name(peek(lexer, 1)))) {
    lexer->at++;
    return lex_word(lexer, token);
  }
  if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x7f) {
    lexer->at++;
    return token_bad(token, "unexpected character");
  }
  lexer->at++;
  token.kind = TOKEN_PUNCT;
  token.length = 1;
  token.value = (uint64_t)(unsigned char)c;
  return token;
}
