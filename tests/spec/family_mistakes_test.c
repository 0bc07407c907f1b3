/* SPDX-License-Identifier: MIT */
/* A spec that a shipped template cannot implement is reported at the spec's own lines, and once:
 * neither in the template's declaration, which is not the user's, nor in addition to a requirement
 * that reports it already. A template that is wrong by itself is reported in its own file. */
#include "base/yaml_tree.h"
#include "check.h"
#include "shipped.h"
#include "spec/access.h"

enum { MAX_FILES = 64, HEAD = 3 }; /* lines before the one that is wrong */

/* In the place of an extent of a tile or a block, or of a param. */
static const char *const numbers[] = {"-1", "0",    "1",       "3",       "7",          "13",
                                      "32", "1000", "1048576", "1048577", "2147483647", "bx"};
/* In the place of a tile, a block or its names. */
static const char *const lists[] = {"[]",
                                    "[0]",
                                    "[1]",
                                    "[7]",
                                    "[1000]",
                                    "[1025]",
                                    "[0, 0]",
                                    "[1, 1]",
                                    "[2, 3]",
                                    "[1, 1024]",
                                    "[1048576, 1048576]",
                                    "[1, 1, 1]",
                                    "[3, 5, 7]",
                                    "[64, 1, 64]",
                                    "[16, 16, 16, 16]",
                                    "[1, 1, 1, 1, 1]",
                                    "7"};

typedef struct {
  Arena *arena;
  const char *family;
  int tried, refused;
} Trial;

/* A formula or an access of the family failed, which its hint says. */
static bool is_of_family(const DiagEntry *e) { return e->hint && strstr(e->hint, TEMPLATE_DIR); }

static bool same_place(const DiagEntry *a, const DiagEntry *b) {
  return a->loc.line == b->loc.line && a->loc.col == b->loc.col;
}

static void check_errors(const char *text, const Source *own, const DiagEntry *e, int count) {
  for (int i = 0; i < count; i++) {
    CHECK(e[i].loc.source == own && e[i].loc.line > HEAD, "%s: told elsewhere: %s", text,
          e[i].text);
    if (i > 0 && same_place(&e[i], &e[i - 1]))
      CHECK(!is_of_family(&e[i]) && !is_of_family(&e[i - 1]), "%s: told twice: %s", text,
            e[i].text);
  }
}

static bool accesses_hold(Arena *a, const Spec *spec) {
  Diag *d = diag_new(a);
  bool hold = true;
  for (int t = 0; t < spec->tiles; t++)
    hold = access_expand(a, d, spec, &spec->tile[t], &(Budget){.limit = EXPAND_EFFORT}) && hold;
  return hold;
}

/* Planned only if its accesses are rejected, because solving all others takes minutes. */
static void check_spec(Trial *t, const char *text) {
  Arena *a = arena_new();
  const Source source = {"spec.yaml", text, strlen(text)};
  const SpecOptions options = {.templates = templates_open(a, TEMPLATE_DIR), .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, source.path, &options);
  if (spec && !accesses_hold(a, spec)) plan_make(a, d, spec);
  int count;
  const DiagEntry *e = diag_list(d, a, &count);
  check_errors(text, &source, e, count);
  t->tried++;
  t->refused += count > 0;
  arena_free(a);
}

/* A spec that sets one key, of the whole or of one tile. */
static void check_key(Trial *t, const char *tile, const char *key, const char *value) {
  Text s = text_new(t->arena);
  text_printf(&s, "version: 1\nname: x\nkernel: %s\n", t->family);
  if (tile)
    text_printf(&s, "tiles:\n  %s: {%s: %s}\n", tile, key, value);
  else
    text_printf(&s, "%s: %s\n", key, value);
  check_spec(t, s.s);
}

/* The family's list with the number in the place of one extent. */
static const char *replaced(Trial *t, const Yaml *list, int at, const char *number) {
  Text s = text_new(t->arena);
  for (int i = 0; i < list->count; i++)
    text_printf(&s, "%s\"%s\"", i ? ", " : "[", i == at ? number : list->item[i]->text);
  text_puts(&s, "]");
  return s.s;
}

static void check_lists(Trial *t, const char *tile, const char *key, const Yaml *declared) {
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) check_key(t, tile, key, lists[i]);
  for (int d = 0; declared && d < declared->count; d++)
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
      check_key(t, tile, key, replaced(t, declared, d, numbers[i]));
}

static void check_param(Trial *t, const char *name) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    check_key(t, NULL, "params", arena_printf(t->arena, "{%s: %s}", name, numbers[i]));
}

/* A template that is wrong by itself is reported at its own line, also if only planning finds
 * it. */
static void check_broken(void) {
  static const char text[] = "version: 1\nname: x\nkernel: leaves\ntile: [32, 16]\n";
  Arena *a = arena_new();
  const Source source = {"spec.yaml", text, strlen(text)};
  const SpecOptions options = {.templates = templates_open(a, "tests/spec/bad/families"),
                               .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, source.path, &options);
  int count;
  CHECK(spec && !plan_make(a, d, spec), "a family whose access leaves its tile");
  const DiagEntry *e = diag_list(d, a, &count);
  CHECK(count == 1 && e[0].loc.line == 10 && e[0].loc.source != &source, "%s", diag_first(d));
  arena_free(a);
}

static void check_family(const char *path) {
  Trial t = {.arena = arena_new()};
  const Yaml *family = yaml_read(t.arena, diag_new(t.arena), path, NULL);
  const Yaml *tiles = yaml_get(family, "tiles"), *params = yaml_get(family, "params");
  t.family = yaml_text(family, "family");
  for (int i = 0; tiles && i < tiles->count; i++)
    check_lists(&t, tiles->pair[i].key->text, "tile", yaml_get(tiles->pair[i].value, "tile"));
  check_lists(&t, NULL, "tile", yaml_get(family, "tile"));
  check_lists(&t, NULL, "block", yaml_get(family, "block"));
  check_lists(&t, NULL, "dims", NULL);
  for (int i = 0; i < dtype_count; i++) check_key(&t, NULL, "dtype", dtype_table[i].name);
  for (int i = 0; i < arch_count; i++) check_key(&t, NULL, "arch", arch_table[i].name);
  for (int i = 0; params && i < params->count; i++) check_param(&t, params->pair[i].key->text);
  CHECK(t.refused > t.tried / 4, "%s: %d of %d refused", t.family, t.refused, t.tried);
  arena_free(t.arena);
}

int main(void) {
  char *path[MAX_FILES];
  Arena *a = arena_new();
  const int files = shipped_files(a, TEMPLATE_DIR, ".yaml", path, MAX_FILES);
  CHECK(files > 0, "no families");
  check_broken();
  for (int i = 0; i < files; i += CHECK_SANITIZED ? 5 : 1) check_family(path[i]);
  arena_free(a);
  return check_report("family_mistakes_test");
}
