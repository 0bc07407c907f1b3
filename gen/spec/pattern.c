/* SPDX-License-Identifier: MIT */
#include "spec/pattern.h"

#include "spec/expr_eval.h"
#include "spec/expr_parse.h"

/* In the texts: $R rows, $C elements per row, $V elements per lane, $U vectors of V elements per
 * row, $N vectors in the tile, $A the first argument, $E the item of a thread (or warp) in this
 * iteration. One instruction of a patch or matrix covers $H rows of $W vectors; the tile holds $P
 * of them side by side and $Q one below the other. */
const Pattern pattern_table[] = {
    {"row", "row", "consecutive threads take consecutive elements", 0, BY_THREAD, "$N", "$E * $V",
     NULL},
    {"column", "column", "consecutive threads go down a column, then down the next", 0, BY_THREAD,
     "$N", "$E % $R * $C + $E / $R * $V", NULL},
    {"diagonal", "diagonal", "consecutive threads step one row down and one column right", 0,
     BY_THREAD, "$N", "$E % $R * $C + ($E / $R + $E % $R) % $U * $V", NULL},
    {"antidiagonal", "antidiagonal", "consecutive threads step one row down and one column left", 0,
     BY_THREAD, "$N", "$E % $R * $C + ($E / $R + $R - 1 - $E % $R) % $U * $V", NULL},
    {"reverse", "reverse", "consecutive threads take consecutive elements from the last down", 0,
     BY_THREAD, "$N", "($N - 1 - $E) * $V", NULL},
    {"broadcast", "broadcast", "all lanes of a warp take the element with the warp's number", 0,
     BY_WARP, "1", "warp % $N * $V", "1"},
    {"strided", "strided(s)", "consecutive threads take every s-th element", 1, BY_THREAD,
     "($N + $A - 1) / $A", "$E * $A * $V", NULL},
    {"blocked", "blocked(n)", "every thread owns n consecutive elements, one each turn", 1,
     BY_THREAD, "($N + $T * $A - 1) / ($T * $A) * $T * $A",
     "($E / ($T * $A) * $T * $A + tid * $A + $E / $T % $A) * $V",
     "$E / ($T * $A) * $T * $A + tid * $A + $E / $T % $A < $N"},
    {"butterfly", "butterfly(s)", "thread i takes element i ^ s, its partner in an exchange", 1,
     BY_THREAD, "$N", "($E ^ $A) * $V", "$E < $N && ($E ^ $A) < $N"},
    {"patch", "patch(r, c)", "a warp takes r rows of c elements, row by row; r * c <= 32", 2,
     BY_WHOLE_WARP, "$P * $Q", "($E / $P * $H + lane / $W) * $C + ($E % $P * $W + lane % $W) * $V",
     "lane < $H * $W && $E < $P * $Q && $E / $P * $H + lane / $W < $R && $E % $P * $W + lane % $W "
     "< $U"},
    {"matrix", "matrix",
     "row addresses of ldmatrix or stmatrix: x1 8 rows, x2 16 rows, x4 16 rows of two 16-byte "
     "pieces",
     0, BY_WHOLE_WARP, "$P * $Q",
     "($E / $P * $H + lane % $H) * $C + ($E % $P * $W + lane / $H) * $V",
     "lane < $H * $W && $E < $P * $Q && $E / $P * $H + lane % $H < $R && $E % $P * $W + lane / $H "
     "< $U"},
};
const int pattern_count = sizeof(pattern_table) / sizeof(*pattern_table);

static int64_t patch_rows(const PatternShape *s) {
  if (s->matrices) return s->matrices == 1 ? 8 : 16;
  return s->arg[0];
}

static int64_t patch_cols(const PatternShape *s) {
  if (s->matrices) return s->matrices == 4 ? 2 : 1;
  return s->arg[1];
}

/* The number that a $ word represents. */
static int64_t word_value(const PatternShape *s, char word) {
  const int64_t pieces = s->cols / s->vector;
  switch (word) {
  case 'R': return s->rows;
  case 'C': return s->cols;
  case 'V': return s->vector;
  case 'U': return pieces;
  case 'N': return s->rows * pieces;
  case 'T': return s->threads;
  case 'A': return s->arg[0];
  case 'H': return patch_rows(s);
  case 'W': return patch_cols(s);
  case 'P': return (pieces + patch_cols(s) - 1) / patch_cols(s);
  case 'Q': return (s->rows + patch_rows(s) - 1) / patch_rows(s);
  }
  die("pattern word $%c", word);
}

static const char *substitute(Arena *a, const char *text, const PatternShape *s, const char *item) {
  Text out = text_new(a);
  for (; *text; text++) {
    if (*text != '$')
      text_add(&out, text, 1);
    else if (*++text == 'E')
      text_puts(&out, item);
    else
      text_printf(&out, "%lld", (long long)word_value(s, *text));
  }
  return out.s;
}

/* Evaluates a text without names. */
static int64_t evaluate(Arena *a, const char *text) {
  Diag *d = diag_new(a);
  int64_t v;
  const Expr *e = expr_parse(a, d, (Loc){NULL, 0, 0, 0}, text, &no_names);
  if (!e || !expr_eval(e, NULL, d, &v)) die("pattern '%s'", text);
  return v;
}

PatternText pattern_write(Arena *a, const Pattern *p, const PatternShape *s, const char *turn) {
  const int64_t items = evaluate(a, substitute(a, p->items, s, "0"));
  const int64_t takers = p->taker == BY_THREAD ? s->threads : s->warps;
  const char *taker = p->taker == BY_THREAD ? "tid" : "warp";
  PatternText out = {.turns = (items + takers - 1) / takers};
  const char *item =
      out.turns > 1 ? arena_printf(a, "(%s * %lld + %s)", turn, (long long)takers, taker) : taker;
  out.at = substitute(a, p->at, s, item);
  if (p->when)
    out.when = substitute(a, p->when, s, item);
  else if (items % takers)
    out.when = arena_printf(a, "%s < %lld", item, (long long)items);
  return out;
}

const char *pattern_regex(Arena *a) {
  Text t = text_new(a);
  for (int i = 0; i < pattern_count; i++) {
    const Pattern *p = &pattern_table[i];
    text_printf(&t, "%s%s", i ? "|" : "^(", p->name);
    for (int k = 0; k < p->args; k++) text_puts(&t, k ? ",[^,]+" : "\\([^,]+");
    if (p->args) text_puts(&t, "\\)");
  }
  text_puts(&t, ")$");
  return t.s;
}
