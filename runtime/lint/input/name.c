/* SPDX-License-Identifier: MIT */
#include "lint/input/name.h"

#include "base/text.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

/* --- Itanium C++ ABI, section 5.1 --- */

typedef struct {
  char code;
  const char *name;
} Builtin;

static const Builtin builtins[] = {
    {'a', "signed char"},   {'b', "bool"},         {'c', "char"},
    {'d', "double"},        {'f', "float"},        {'h', "unsigned char"},
    {'i', "int"},           {'j', "unsigned int"}, {'l', "long"},
    {'m', "unsigned long"}, {'s', "short"},        {'t', "unsigned short"},
    {'v', "void"},          {'x', "long long"},    {'y', "unsigned long long"},
};

typedef struct {
  const char *at;
  Text out;
  int depth;
} Reader;

static bool put_name(Reader *r);

static const char *builtin_name(char code) {
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (builtins[i].code == code) return builtins[i].name;
  return NULL;
}

/* <source-name>: the length, then the name. */
static bool put_identifier(Reader *r) {
  char *end;
  const unsigned long n = strtoul(r->at, &end, 10);
  if (end == r->at || n == 0 || n > strlen(end)) return false;
  if (strncmp(end, "_GLOBAL__N_", 11) == 0 || strncmp(end, "_INTERNAL_", 10) == 0)
    text_puts(&r->out, "(anonymous)");
  else
    text_add(&r->out, end, n);
  r->at = end + n;
  return true;
}

/* L <type> [n] <digits> E */
static bool put_literal(Reader *r) {
  const char type = r->at[1];
  const char *digits = r->at + 2, *end = strchr(r->at, 'E');
  if (!builtin_name(type) || !end || end == digits) return false;
  if (type == 'b')
    text_puts(&r->out, *digits == '0' ? "false" : "true");
  else if (*digits == 'n')
    text_printf(&r->out, "-%.*s", (int)(end - digits - 1), digits + 1);
  else
    text_add(&r->out, digits, (size_t)(end - digits));
  r->at = end + 1;
  return true;
}

static bool put_argument(Reader *r) {
  const char *builtin = builtin_name(*r->at);
  if (*r->at == 'L') return put_literal(r);
  if (!builtin) return put_name(r);
  text_puts(&r->out, builtin);
  r->at++;
  return true;
}

/* I <argument>... E */
static bool put_arguments(Reader *r) {
  r->at++;
  text_puts(&r->out, "<");
  for (bool first = true; *r->at != 'E'; first = false) {
    if (!first) text_puts(&r->out, ", ");
    if (!*r->at || !put_argument(r)) return false;
  }
  r->at++;
  text_puts(&r->out, ">");
  return true;
}

static bool put_component(Reader *r) {
  if (!put_identifier(r)) return false;
  return *r->at != 'I' || put_arguments(r);
}

/* N <component>... E, or one component */
static bool put_name(Reader *r) {
  if (++r->depth > MAX_DEPTH) return false;
  bool ok = true;
  if (*r->at != 'N') {
    ok = put_component(r);
  } else {
    r->at++;
    for (bool first = true; ok && *r->at != 'E'; first = false) {
      if (!first) text_puts(&r->out, "::");
      ok = put_component(r);
    }
    if (ok) r->at++;
  }
  r->depth--;
  return ok;
}

const char *lint_name_plain(Arena *a, const char *mangled) {
  if (strncmp(mangled, "_Z", 2) != 0) return mangled;
  Reader r = {.at = mangled + 2, .out = text_new(a)};
  if (*r.at == 'L') r.at++; /* internal linkage */
  const bool whole = put_name(&r);
  if (r.out.len == 0) return mangled;
  if (!whole) text_puts(&r.out, "...");
  return r.out.s;
}

/* The length of a component at the start of the name that only looks like brackets; or 0. */
static size_t no_brackets(const char *name) {
  static const char *const word[] = {"(anonymous namespace)",
                                     "(anonymous)", /* as this file spells it */
                                     "operator()",
                                     "operator<<",
                                     "operator<",
                                     "operator>>",
                                     "operator->",
                                     "operator>",
                                     "->"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    if (strncmp(name, word[i], strlen(word[i])) == 0) return strlen(word[i]);
  return 0;
}

/* "run<...>(...)" for run<float, 4>(int, float *). */
static const char *without_brackets(Arena *a, const char *name) {
  Text out = text_new(a);
  int depth = 0;
  for (size_t n; *name; name += n) {
    n = no_brackets(name);
    const bool opens = !n && (*name == '<' || *name == '(');
    const bool closes = !n && depth && (*name == '>' || *name == ')');
    n = n ? n : 1;
    depth -= closes;
    if (!depth) text_add(&out, name, n);
    if (!depth && opens) text_puts(&out, "...");
    depth += opens;
  }
  return out.s;
}

const char *lint_name_short(Arena *a, const char *name) {
  enum { LONG = 120 };
  const char *plain = lint_name_plain(a, name);
  return strlen(plain) > LONG ? without_brackets(a, plain) : plain;
}

/* --- variables of functions: _Z Z <function> E <source-name> [_ <number>] --- */

/* True if s is a <source-name>, optionally with a discriminator, up to its end. */
static bool is_last_name(const char *s, const char **name, size_t *n) {
  char *end;
  if (*s < '1' || *s > '9') return false;
  *n = strtoul(s, &end, 10);
  *name = end;
  if (*n > strlen(end)) return false;
  const char *rest = end + *n;
  return !*rest || (*rest == '_' && rest[1 + strspn(rest + 1, "_0123456789")] == '\0');
}

const char *lint_name_variable(Arena *a, const char *mangled) {
  const char *name;
  size_t n;
  if (strncmp(mangled, "_ZZ", 3) != 0) return lint_name_plain(a, mangled);
  for (const char *e = strchr(mangled, 'E'); e; e = strchr(e + 1, 'E'))
    if (is_last_name(e + 1, &name, &n)) return arena_strndup(a, name, n);
  return mangled;
}

/* --- comparing with the user's name --- */

/* True if the names are equal except for spaces; `plain` ends at `end`. */
static bool equal_to(const char *given, const char *plain, const char *end) {
  for (;; given++, plain++) {
    while (*given == ' ') given++;
    while (plain < end && *plain == ' ') plain++;
    if (plain >= end || !*given) return plain >= end && !*given;
    if (*given != *plain) return false;
  }
}

bool lint_name_is(const char *given, const char *plain) {
  const char *whole = plain + strlen(plain), *stem = plain + strcspn(plain, "<");
  const char *start = plain;
  for (;;) {
    if (equal_to(given, start, whole) || equal_to(given, start, stem)) return true;
    const char *next = strstr(start, "::");
    if (!next || next > stem) return false;
    start = next + 2;
  }
}
