/* SPDX-License-Identifier: MIT */
/* No formula with two operators or more appears twice in a template's declaration, nor one with a
 * single operator four times: such a formula has a name in `let`. Everything that can be tuned can
 * be tuned at another size: the problem's sizes give each extent that is timed. */
#include "base/yaml_tree.h"
#include "check.h"
#include "shipped.h"
#include "spec/expr_parse.h"

enum { MAX_FILES = 64, MAX_SPECS = 256, MAX_FORMULAS = 4000, OFTEN = 4 };

typedef struct {
  const char *text; /* without blanks and outer parentheses */
  int operators, times;
} Formula;

typedef struct {
  Arena *arena;
  int count;
  Formula *formula;
} Formulas;

static const char *squeeze(Arena *a, const char *s, size_t n) {
  Text t = text_new(a);
  if (n > 1 && s[0] == '(' && s[n - 1] == ')') s++, n -= 2;
  for (size_t i = 0; i < n; i++)
    if (s[i] != ' ' && s[i] != '\n') text_add(&t, s + i, 1);
  return t.s;
}

static void count_formula(Formulas *f, const char *text, int operators) {
  for (int i = 0; i < f->count; i++)
    if (strcmp(f->formula[i].text, text) == 0) {
      f->formula[i].times++;
      return;
    }
  if (f->count == MAX_FORMULAS) die("more than %d formulas", MAX_FORMULAS);
  f->formula[f->count++] = (Formula){text, operators, 1};
}

/* Counts the node and all below it; how many operators those are. */
static int collect(Formulas *f, const Expr *e, const ExprNode *n) {
  if (!n || n->kind == NODE_VAR || n->kind == NODE_CONST) return 0;
  const int operators = 1 + collect(f, e, n->a) + collect(f, e, n->b) + collect(f, e, n->c);
  count_formula(f, squeeze(f->arena, e->text + n->begin, (size_t)(n->end - n->begin)), operators);
  return operators;
}

static void add_word(void *names, const char *word) {
  if (names_find(names, word) < 0) names_add(names, word);
}

static bool is_prose(const char *key) {
  static const char *const prose[] = {
      "about", "say",  "family", "op",
      "role",  "name", "layout", "tune"}; /* values to try may equal the defaults */
  for (size_t i = 0; i < sizeof prose / sizeof *prose; i++)
    if (strcmp(key, prose[i]) == 0) return true;
  return false;
}

static void walk(Formulas *f, const Yaml *node) {
  for (int i = 0; i < node->count; i++)
    if (node->kind == YAML_LIST)
      walk(f, node->item[i]);
    else if (!is_prose(node->pair[i].key->text))
      walk(f, node->pair[i].value);
  if (node->kind != YAML_TEXT) return;
  Names names = {0};
  expr_words(f->arena, node->text, add_word, &names);
  const Expr *e = expr_parse(f->arena, diag_new(f->arena), node->inner, node->text, &names);
  if (e) collect(f, e, e->root);
}

/* Those that should have a name, a line each. */
static const char *repeated(Arena *a, const Yaml *root) {
  Formulas f = {a, 0, ARENA_ARRAY(a, Formula, MAX_FORMULAS)};
  Text out = text_new(a);
  walk(&f, root);
  for (int i = 0; i < f.count; i++)
    if (f.formula[i].times >= (f.formula[i].operators > 1 ? 2 : OFTEN))
      text_printf(&out, "  %d times: %s\n", f.formula[i].times, f.formula[i].text);
  return out.s;
}

static const Spec *read_with(Arena *a, const char *path, const char *param, int value) {
  const Setting setting = {.name = param, .value = value};
  const SpecOptions options = {
      .templates = templates_open(a, TEMPLATE_DIR), .settings = param != NULL, .setting = &setting};
  return spec_read(a, diag_new(a), path, &options);
}

/* Each size changes one extent, and each extent that is not 0 or 1 has a size. True if the
 * template can be tuned. */
static bool check_sizes(const char *path) {
  enum { OTHER = 640 };
  Arena *a = arena_new();
  const Spec *s = read_with(a, path, NULL, 0);
  const bool tunable = s && s->axes > 0 && s->problem;
  int changes[MAX_EXTENTS] = {0};
  CHECK(!tunable || s->sizes > 0, "%s has no sizes", path);
  for (int i = 0; tunable && i < s->sizes; i++) {
    const Spec *other = read_with(a, path, s->size[i].name, OTHER);
    CHECK(other, "%s: %s cannot be %d", path, s->size[i].name, OTHER);
    int changed = 0;
    for (int e = 0; other && e < s->problem->extents; e++) {
      const bool differs = other->problem->bench[e] != s->problem->bench[e];
      CHECK(!differs || other->problem->bench[e] == OTHER, "%s: %s", path, s->size[i].name);
      changes[e] += differs;
      changed += differs;
    }
    CHECK(changed == 1, "%s: %s changes %d extents", path, s->size[i].name, changed);
  }
  for (int e = 0; tunable && e < s->problem->extents; e++)
    CHECK(s->problem->bench[e] <= 1 || changes[e] == 1, "%s: %d sizes change %s", path, changes[e],
          s->problem->names.name[e]);
  arena_free(a);
  return tunable;
}

int main(void) {
  Arena *a = arena_new();
  char *path[MAX_FILES];
  const int count = shipped_files(a, TEMPLATE_DIR, ".yaml", path, MAX_FILES);
  CHECK(count > 10, "%d declarations", count);
  for (int i = 0; i < count; i++) {
    const Yaml *root = yaml_read(a, diag_new(a), path[i], NULL);
    CHECK(root, "%s", path[i]);
    const char *found = root ? repeated(a, root) : "";
    CHECK(!*found, "%s repeats formulas that have no name:\n%s", path[i], found);
  }
  const char *text = "a: [x * 2 + y, (x*2 + y) % 8, p + 1, p + 1, p + 1, p]";
  const Source source = {"repeated.yaml", text, strlen(text)};
  CHECK_STR(repeated(a, yaml_read(a, diag_new(a), source.path, &source)), "  2 times: x*2+y\n");
  char *spec[MAX_SPECS];
  int tunable = 0;
  for (int i = shipped_specs(a, spec, MAX_SPECS) - 1; i >= 0; i--) tunable += check_sizes(spec[i]);
  CHECK(tunable > 50, "%d specs can be tuned", tunable);
  arena_free(a);
  return check_report("declarations_test");
}
