/* SPDX-License-Identifier: MIT */
/* Expressions compared with C: the same text, compiled by the C compiler if C defines a result. */
#include "spec/expr_eval.h"
#include "spec/expr_parse.h"

#include "check.h"

#include <limits.h>

static Arena *arena;

typedef struct {
  const char *text;
  int64_t want;
} Case;

/* A text, and what the C compiler makes of it. */
#define SAME(...)                                                                                  \
  { #__VA_ARGS__, (__VA_ARGS__) }

/* volatile: the compiler is not to divide by zero before we do */
static const volatile int64_t a = 7, b = -3, c = 40, z = 0, big = INT64_MAX, low = INT64_MIN;
static const char *const var_name[] = {"a", "b", "c", "z", "big", "low"};

static Names make_names(void) {
  Names n = {0};
  for (size_t i = 0; i < sizeof(var_name) / sizeof(*var_name); i++) names_add(&n, var_name[i]);
  return n;
}

static Loc place(const char *text) {
  Source *s = ARENA_NEW(arena, Source);
  *s = (Source){"t.yaml", text, strlen(text)};
  return (Loc){s, 1, 1, (int)strlen(text)};
}

/* The printed errors, or the value. */
static const char *run(const char *text) {
  const Names names = make_names();
  const int64_t value[] = {a, b, c, z, big, low};
  Diag *d = diag_new(arena);
  const Expr *e = expr_parse(arena, d, place(text), text, &names);
  int64_t v = 0;
  const bool ok = e && expr_eval(e, value, d, &v);
  CHECK(ok == (diag_count(d) == 0), "%s: result and errors disagree", text);
  Text out = text_new(arena);
  if (ok)
    text_printf(&out, "%lld", (long long)v);
  else
    diag_print(d, &out, false);
  return out.s;
}

static void check_operators(void) {
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#endif
#endif
  const Case cases[] = {
      SAME(a + b * c),
      SAME(a - b - c),
      SAME(a - (b - c)),
      SAME(c / a / 2),
      SAME(c / (a / 2)),
      SAME(b / 2),
      SAME(b % 2),
      SAME(-a / 2),
      SAME(-a % 4),
      SAME(a - -b + +c - (-a)),
      SAME(c % a * 3),
      SAME(a << 2 + 1),
      SAME(a + 1 << 2),
      SAME(b >> 1),
      SAME(low >> 63),
      SAME(big >> 62),
      SAME(a < c == 1),
      SAME(a & 3 == 3),
      SAME((a & 3) == 3),
      SAME(a ^ c & 5 | 8),
      SAME(a | c ^ 5 & 8),
      SAME(a || z && z),
      SAME((a || z) && z),
      SAME(!a + 1),
      SAME(~a),
      SAME(- -a),
      SAME(!!c),
      SAME(~-a),
      SAME(a ? b : c),
      SAME(z   ? a
           : z ? b
               : c),
      SAME(a ? z ? 1 : 2 : 3),
      SAME(a > b ? a : b),
      SAME(a >= 7),
      SAME(a <= 6),
      SAME(a != 7),
      SAME(low < z),
      SAME(0x10 + 0XfF),
      SAME(a == 7 && c == 40 || z),
      SAME(a * (b + c) % 11 - 5),
      SAME(big - 1 + 1),
      SAME(low + 1 - 1),
      SAME(low % 10),
      SAME(low / 10),
      SAME(-big - 1),
      SAME(low ^ big),
      SAME(low | 1),
      SAME(z && a / z),
      SAME(a || a / z),
      SAME(z ? a / z : a),
      SAME(9223372036854775807),
      SAME(0x7fffffffffffffff),
      SAME(z << 63),
  };
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    char want[32];
    snprintf(want, sizeof(want), "%lld", (long long)cases[i].want);
    const char *got = run(cases[i].text);
    CHECK(strcmp(got, want) == 0, "%s: got %s, C says %s", cases[i].text, got, want);
  }
}

/* If C leaves the result undefined, kgen defines one or reports an error. */
static void check_ours(void) {
  CHECK_STR(run("b << 2"), "-12");
  CHECK_STR(run("-1 << 63"), "-9223372036854775808");
  CHECK_STR(run(" ( a ) "), "7");
  CHECK_STR(run("0"), "0");
  CHECK_STR(run("0x0"), "0");
}

static const struct {
  const char *text, *want;
} bad[] = {
    {"c % z", "t.yaml:1:3: error: division by zero: c % z at c = 40, z = 0\n  c % z\n    ^\n"},
    {"1 + a / (b + 3)",
     "t.yaml:1:7: error: division by zero: a / (b + 3) at a = 7, b = -3\n  1 + a / (b + 3)\n      "
     "  ^\n"},
    {"5 % 0 + 1", "t.yaml:1:3: error: division by zero: 5 % 0\n  5 % 0 + 1\n    ^\n"},
    {"low / -1",
     "t.yaml:1:5: error: overflow of 64 bits: low / -1 at low = -9223372036854775808\n  low / -1\n"
     "      ^\n"},
    {"low % -1",
     "t.yaml:1:5: error: overflow of 64 bits: low % -1 at low = -9223372036854775808\n  low % -1\n"
     "      ^\n"},
    {"big + 1",
     "t.yaml:1:5: error: overflow of 64 bits: big + 1 at big = 9223372036854775807\n  big + 1\n    "
     "  ^\n"},
    {"low - 1",
     "t.yaml:1:5: error: overflow of 64 bits: low - 1 at low = -9223372036854775808\n  low - 1\n   "
     "   ^\n"},
    {"-low",
     "t.yaml:1:1: error: overflow of 64 bits: -low at low = -9223372036854775808\n  -low\n  ^\n"},
    {"big * 2",
     "t.yaml:1:5: error: overflow of 64 bits: big * 2 at big = 9223372036854775807\n  big * 2\n    "
     "  ^\n"},
    {"a << 62", "t.yaml:1:3: error: overflow of 64 bits: a << 62 at a = 7\n  a << 62\n    ^\n"},
    {"1 << 63", "t.yaml:1:3: error: overflow of 64 bits: 1 << 63\n  1 << 63\n    ^\n"},
    {"a << 64", "t.yaml:1:3: error: shift by less than 0 or more than 63: a << 64 at a = 7\n  a << "
                "64\n    ^\n"},
    {"a >> -1", "t.yaml:1:3: error: shift by less than 0 or more than 63: a >> -1 at a = 7\n  a >> "
                "-1\n    ^\n"},
    {"", "t.yaml:1:1: error: the expression ends too early\n  \n  ^\n"},
    {"a +", "t.yaml:1:3: error: the expression ends too early\n  a +\n    ^\n"},
    {"(a", "t.yaml:1:1: error: '(' without ')'\n  (a\n  ^\n"},
    {"a)", "t.yaml:1:2: error: unexpected ')'\n  a)\n   ^\n"},
    {"a ? b", "t.yaml:1:3: error: '?' without ':'\n  a ? b\n    ^\n"},
    {"a = b", "t.yaml:1:3: error: '=' in an expression: comparison is '=='\n  a = b\n    ^\n"},
    {"a(b)", "t.yaml:1:2: error: expressions have no functions\n  a(b)\n   ^\n"},
    {"bog + 1",
     "t.yaml:1:1: error: unknown name 'bog'\n  bog + 1\n  ^~~\n  hint: did you mean 'big'?\n"},
    {"a++1", "t.yaml:1:2: error: '++' in an expression: write '+ +'\n  a++1\n   ^~\n"},
    {"a * --b", "t.yaml:1:5: error: '--' in an expression: write '- -'\n  a * --b\n      ^~\n"},
    {"1.5", "t.yaml:1:1: error: not an integer\n  1.5\n  ^~~\n"},
    {"10u", "t.yaml:1:1: error: not an integer\n  10u\n  ^~~\n"},
    {"0x", "t.yaml:1:1: error: not an integer\n  0x\n  ^~\n"},
    {"010", "t.yaml:1:1: error: a number with a leading 0: write decimal or 0x\n  010\n  ^~~\n"},
    {"9223372036854775808",
     "t.yaml:1:1: error: a number beyond 64 bits\n  9223372036854775808\n  ^~~~~~~~~~~~~~~~~~~\n"},
    {"a $ b", "t.yaml:1:3: error: unexpected '$'\n  a $ b\n    ^\n"},
};

static void check_errors(void) {
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) CHECK_STR(run(bad[i].text), bad[i].want);
}

static char *repeat(const char *s, int count, const char *end) {
  Text t = text_new(arena);
  for (int i = 0; i < count; i++) text_puts(&t, s);
  text_puts(&t, end);
  return t.s;
}

static void check_limits(void) {
  CHECK_STR(run(repeat("1+", 200, "1")), "201");
  CHECK(strstr(run(repeat("1+", 600, "1")), "too long"), "600 terms");
  CHECK(strstr(run(repeat("(", 1000, "")), "nested too deeply"), "1000 brackets");
  CHECK(strstr(run(repeat("~", 1000, "a")), "nested too deeply"), "1000 signs");
  CHECK(strstr(run(repeat("1?", 1000, "")), "nested too deeply"), "1000 questions");
  CHECK(strstr(run(repeat("1?1:", 1000, "1")), "nested too deeply"), "1000 answers");
  CHECK(strstr(run(repeat(" ", 5000, "1")), "more than 4096 bytes"), "5000 bytes");
}

/* 32 lanes at once, each with its own value, only the active ones computed and checked. */
static void check_warp(void) {
  Names names = {0};
  names_add(&names, "lane");
  int64_t value[1][WARP], out[WARP];
  for (int i = 0; i < WARP; i++) value[0][i] = i;
  Diag *d = diag_new(arena);
  const char *text = "lane < 16 ? 100 / (16 - lane) : lane && lane % 3 == 0 || lane == 31";
  const Expr *e = expr_parse(arena, d, place(text), text, &names);
  WarpEnv env = {(const int64_t(*)[WARP])value, UINT32_MAX, false};
  CHECK(expr_eval_warp(e, &env, d, out), "branches guard a division");
  for (int i = 0; i < WARP; i++) {
    const int64_t want = i < 16 ? 100 / (16 - i) : (i % 3 == 0 || i == 31);
    CHECK(out[i] == want, "lane %d: %lld", i, (long long)out[i]);
  }
  const char *divide = "8 / (lane - 5)";
  const Expr *f = expr_parse(arena, d, place(divide), divide, &names);
  env.active = ~(UINT32_C(1) << 5);
  CHECK(expr_eval_warp(f, &env, d, out), "the lane that would divide by zero is inactive");
  CHECK(out[6] == 8 && out[3] == -4, "active lanes hold their values");
  env.active = UINT32_MAX;
  CHECK(!expr_eval_warp(f, &env, d, out) && diag_count(d) == 1, "now it is active");
  CHECK(expr_uses(e, 0) && !expr_uses(e, 1), "what an expression reads");
}

int main(void) {
  arena = arena_new();
  check_operators();
  check_ours();
  check_errors();
  check_limits();
  check_warp();
  arena_free(arena);
  return check_report("expr_test");
}
