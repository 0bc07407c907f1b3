/* SPDX-License-Identifier: MIT */
#include "spec/spec_value.h"

#include <string.h>

#include "spec/expr_eval.h"
#include "spec/expr_parse.h"
#include "spec/names.h"

/* "a, b, c", for hints. */
static const char *list_words(const Reader *in, const char *const *words, int count) {
  Text t = text_new(in->arena);
  for (int i = 0; i < count; i++) text_printf(&t, "%s%s", i ? ", " : "", words[i]);
  return t.s;
}

void hint_words(const Reader *in, const char *word, const char *const *words, int count) {
  const char *near = diag_nearest(word, words, count);
  if (near)
    diag_hint(in->diag, "did you mean '%s'?", near);
  else if (count > 0)
    diag_hint(in->diag, "one of: %s", list_words(in, words, count));
}

bool expect_kind(const Reader *in, const Yaml *node, const char *what, YamlKind kind) {
  static const char *const word[] = {"text", "a list", "a map"};
  if (node->kind == kind && !yaml_is_null(node)) return true;
  diag_error(in->diag, node->loc, "%s must be %s, not %s", what, word[kind], yaml_kind(node));
  return false;
}

const Expr *read_expr(const Reader *in, const Yaml *node, const char *what, const Names *names) {
  if (node->kind == YAML_TEXT && !yaml_is_null(node))
    return expr_parse(in->arena, in->diag, node->inner, node->text, names);
  diag_error(in->diag, node->loc, "%s must be an integer expression, not %s", what,
             yaml_kind(node));
  if (node->kind == YAML_MAP) diag_hint(in->diag, "quote an expression that contains ': '");
  return NULL;
}

bool check_range(const Reader *in, Loc loc, const char *what, int64_t v, int64_t min, int64_t max) {
  if (v >= min && v <= max) return true;
  if (min == max)
    diag_error(in->diag, loc, "%s is %lld, but must be %lld", what, (long long)v, (long long)min);
  else
    diag_error(in->diag, loc, "%s is %lld, but must be %lld to %lld", what, (long long)v,
               (long long)min, (long long)max);
  return false;
}

bool read_plain(const Reader *in, const Yaml *node, const char *what, int64_t min, int64_t max,
                int *out) {
  int64_t v;
  const Expr *e = read_expr(in, node, what, &no_names);
  if (!e || !expr_eval(e, NULL, in->diag, &v)) return false;
  if (!check_range(in, node->loc, what, v, min, max)) return false;
  *out = (int)v;
  return true;
}

int read_choice(const Reader *in, const Yaml *node, const char *what, const char *const *words,
                int count) {
  if (!expect_kind(in, node, what, YAML_TEXT)) return -1;
  for (int i = 0; i < count; i++)
    if (strcmp(node->text, words[i]) == 0) return i;
  diag_error(in->diag, node->loc, "unknown %s '%s'", what, node->text);
  hint_words(in, node->text, words, count);
  return -1;
}

bool read_bool(const Reader *in, const Yaml *node, const char *what, bool *out) {
  if (!expect_kind(in, node, what, YAML_TEXT)) return false;
  const bool yes = strcmp(node->text, "true") == 0;
  if (!yes && strcmp(node->text, "false") != 0) {
    diag_error(in->diag, node->loc, "%s must be true or false, not '%s'", what, node->text);
    return false;
  }
  *out = yes;
  return true;
}

const char *read_name(const Reader *in, const Yaml *node, const char *what) {
  if (!expect_kind(in, node, what, YAML_TEXT)) return NULL;
  if (is_identifier(node->text) && !is_reserved(node->text)) return node->text;
  if (is_reserved(node->text))
    diag_error(in->diag, node->loc, "%s '%s' is a reserved word", what, node->text);
  else
    diag_error(in->diag, node->loc, "%s '%s' is not a C identifier of at most %d characters", what,
               node->text, NAME_LIMIT);
  return NULL;
}

const Dtype *read_dtype(const Reader *in, const Yaml *node) {
  const char **names = ARENA_ARRAY(in->arena, const char *, (size_t)dtype_count);
  for (int i = 0; i < dtype_count; i++) names[i] = dtype_table[i].name;
  const int i = read_choice(in, node, "dtype", names, dtype_count);
  return i < 0 ? NULL : &dtype_table[i];
}
