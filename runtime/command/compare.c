/* SPDX-License-Identifier: MIT */
#include "command/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/compare_lint.h"
#include "command/compare_rules.h"

/* --- reading --- */

const Yaml *compare_read(Arena *a, Diag *d, const char *path, const Source *known) {
  const int before = diag_met(d);
  const Yaml *root = yaml_read_report(a, d, path, known);
  if (!root || diag_met(d) > before) return NULL;
  const Yaml *version = yaml_get(root, "version");
  if (!version || version->kind != YAML_TEXT || strcmp(version->text, "1") != 0)
    diag_error(d, root->loc, "not a report of kgen: it has no \"version\": 1");
  else if (!yaml_get(root, "specs") && !yaml_get(root, "sweep") && !yaml_get(root, "lint"))
    diag_error(d, root->loc, "a report without \"specs\", \"sweep\" or \"lint\"");
  return diag_met(d) > before ? NULL : root;
}

bool compare_baseline(Arena *a, const Options *o, const char *option,
                      bool (*suits)(const Yaml *root), const Yaml **out, Diag *diag) {
  const char *path = o->lint.baseline;
  *out = path ? compare_read(a, diag, path, NULL) : NULL;
  if (!*out || suits(*out)) return *out || !path;
  diag_say(diag, DIAG_ARGUMENT, "%s: not a report of %s: %s --json writes one", path, option,
           option);
  *out = NULL;
  return false;
}

const Yaml *compare_own(Arena *a, const Text *report) {
  const Source source = {"the report", report->s, report->len};
  Diag *d = diag_new(a);
  const Yaml *root = compare_read(a, d, source.path, &source);
  if (!root) die("a report that cannot be read: %s", diag_first(d));
  return root;
}

/* --- specs and candidates --- */

/* An entry's identity: its name, and the values that a sweep sets. */
static const char *label_of(Arena *a, const Yaml *entry) {
  Text t = text_new(a);
  text_puts(&t, compare_spell(a, compare_value(entry, "name")));
  const Yaml *set = compare_value(entry, "set");
  for (int i = 0; set && set->kind == YAML_MAP && i < set->count; i++)
    text_printf(&t, " %s=%s", set->pair[i].key->text, compare_spell(a, set->pair[i].value));
  return t.s;
}

static const Yaml *find(Arena *a, const Yaml *list, const char *label) {
  for (int i = 0; i < yaml_items(list); i++)
    if (strcmp(label_of(a, list->item[i]), label) == 0) return list->item[i];
  return NULL;
}

typedef void Comparer(Comparison *c, const char *of, const Yaml *was, const Yaml *is);

/* Calls `compare` for each pair with equal labels, and reports entries that only one list has. */
static void compare_lists(Comparison *c, const char *of, const Yaml *was, const Yaml *is,
                          Comparer *compare) {
  Arena *a = c->arena;
  for (int i = 0; i < yaml_items(was); i++) {
    const char *label = label_of(a, was->item[i]);
    const char *name = of ? arena_printf(a, "%s, %s", of, label) : label;
    const Yaml *now = find(a, is, label);
    if (now)
      compare(c, name, was->item[i], now);
    else
      change_add(c, name, "is there", "yes", "no", CHANGE_WORSE);
  }
  for (int i = 0; i < yaml_items(is); i++) {
    const char *label = label_of(a, is->item[i]);
    if (find(a, was, label)) continue;
    change_add(c, of ? arena_printf(a, "%s, %s", of, label) : label, "is there", "no", "yes",
               CHANGE_OTHER);
  }
}

static void compare_access(Comparison *c, const char *of, const Yaml *was, const Yaml *is) {
  compare_by_rules(c, of, &rules_access, was, is);
}

static void compare_tile(Comparison *c, const char *of, const Yaml *was, const Yaml *is) {
  compare_by_rules(c, of, &rules_tile, was, is);
  compare_lists(c, of, compare_value(was, "accesses"), compare_value(is, "accesses"),
                compare_access);
}

static double number(const Yaml *object, const char *path) {
  const Yaml *v = compare_value(object, path);
  return v && v->kind == YAML_TEXT ? strtod(v->text, NULL) : 0;
}

/* Noise is half the interquartile range, 0.67 of a standard deviation. Three standard deviations of
 * the difference of two medians are at most about 2.1 times the larger noise, so 3 times the sum is
 * never too strict. The tolerance covers changes of clocks and temperature between runs, which are
 * larger. */
static void compare_times(Comparison *c, const char *of, const Yaml *was, const Yaml *is) {
  const double before = number(was, "run.time_ms.median"), now = number(is, "run.time_ms.median");
  const char *device = compare_spell(c->arena, compare_value(was, "run.device"));
  if (before <= 0 || now <= 0) return;
  if (strcmp(device, compare_spell(c->arena, compare_value(is, "run.device"))) != 0) return;
  const double noise = number(was, "run.time_ms.noise") + number(is, "run.time_ms.noise");
  if (fabs(now - before) <= 3 * noise || fabs(now - before) <= c->tolerance * before) return;
  change_add(c, of, "median ms", arena_printf(c->arena, "%.4f", before),
             arena_printf(c->arena, "%.4f", now), now < before ? CHANGE_BETTER : CHANGE_WORSE);
}

/* Compares the last stage that a spec reached. A spec that was not compiled or run this time did
 * not get worse. */
static void compare_stages(Comparison *c, const char *of, const Yaml *was, const Yaml *is) {
  static const struct {
    const char *key, *what;
    Verdict appears, ends;
  } stage[] = {{"reason", "is refused", CHANGE_WORSE, CHANGE_BETTER},
               {"jit", "was compiled", CHANGE_OTHER, CHANGE_OTHER},
               {"run", "was run", CHANGE_OTHER, CHANGE_OTHER}};
  for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
    const bool had = compare_value(was, stage[i].key), has = compare_value(is, stage[i].key);
    if (had != has)
      change_add(c, of, stage[i].what, had ? "yes" : "no", has ? "yes" : "no",
                 has ? stage[i].appears : stage[i].ends);
  }
}

static void compare_spec(Comparison *c, const char *of, const Yaml *was, const Yaml *is) {
  const Yaml *tiles = compare_value(was, "tiles"), *now = compare_value(is, "tiles");
  c->compared++;
  compare_by_rules(c, of, &rules_spec, was, is);
  if (tiles || now)
    compare_lists(c, of, tiles, now, compare_tile);
  else
    compare_tile(c, of, was, is);
  compare_stages(c, of, was, is);
  compare_times(c, of, was, is);
}

Comparison compare_reports(Arena *a, const Yaml *was, const Yaml *is, double tolerance) {
  static const char *const list[] = {"specs", "sweep"};
  Comparison c = {.arena = a, .tolerance = tolerance};
  for (int i = 0; i < 2; i++)
    compare_lists(&c, NULL, compare_value(was, list[i]), compare_value(is, list[i]), compare_spec);
  compare_lint(&c, compare_value(was, "lint"), compare_value(is, "lint"));
  return c;
}
