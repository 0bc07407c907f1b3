/* SPDX-License-Identifier: MIT */
#include "command/compare_lint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/compare_rules.h"

/* One line of source in a report. */
typedef struct Line Line;

typedef struct Finding {
  struct Finding *next;
  const char *kind, *space; /* space: NULL if unknown */
  int others;
  int *other;         /* for a race: the lines of the other access, as indices into Lines.place */
  struct Finding *is; /* the matching finding in the other report */
} Finding;

struct Line {
  const char *file; /* "" for the checked file */
  const char *text; /* NULL: the report does not quote it */
  int number;
  int64_t conflicts, sectors; /* numbers above the ideal */
  Finding *findings;
  const Line *other; /* the matching line in the other report */
};

typedef struct {
  const char *file;
  int number;
} Place;

typedef struct {
  Arena *arena;
  const char *file; /* the checked file */
  int count, capacity;
  Line *line;
  int places, place_capacity; /* lines that findings refer to, in their order before sorting */
  Place *place;
} Lines;

/* --- reading --- */

static const char *text_of(const Yaml *object, const char *key) {
  const Yaml *v = compare_value(object, key);
  return v && v->kind == YAML_TEXT ? v->text : NULL;
}

static int64_t int_of(const Yaml *object, const char *key) {
  const char *text = text_of(object, key);
  return text ? strtoll(text, NULL, 10) : 0;
}

static Line *line_of(Lines *l, const Yaml *entry) {
  const char *file = text_of(entry, "file");
  const int number = (int)int_of(entry, "line");
  if (!file) file = "";
  for (int i = 0; i < l->count; i++)
    if (l->line[i].number == number && strcmp(l->line[i].file, file) == 0) return &l->line[i];
  l->line = arena_grow(l->arena, l->line, l->count, &l->capacity, sizeof *l->line);
  l->line[l->count] = (Line){.file = file, .number = number};
  return &l->line[l->count++];
}

static void add_access(Lines *l, const Yaml *entry) {
  line_of(l, entry)->conflicts += int_of(entry, "wavefronts") - int_of(entry, "ideal");
}

static void add_global(Lines *l, const Yaml *entry) {
  line_of(l, entry)->sectors += int_of(entry, "sectors") - int_of(entry, "ideal_sectors");
}

static void add_finding(Lines *l, const Yaml *entry) {
  const char *kind = text_of(entry, "kind");
  if (!kind) return;
  Finding *f = ARENA_NEW(l->arena, Finding);
  const Yaml *others = compare_value(entry, "other_places");
  *f = (Finding){.kind = kind, .space = text_of(entry, "space"), .others = yaml_items(others)};
  f->other = ARENA_ARRAY(l->arena, int, (size_t)f->others + 1);
  for (int i = 0; i < f->others; i++) {
    const Yaml *at = others->item[i];
    const char *file = text_of(at, "file");
    l->place = arena_grow(l->arena, l->place, l->places, &l->place_capacity, sizeof *l->place);
    l->place[l->places] = (Place){file ? file : "", (int)int_of(at, "line")};
    f->other[i] = l->places++;
    line_of(l, at);
  }
  Finding **end = &line_of(l, entry)->findings;
  while (*end) end = &(*end)->next;
  *end = f;
}

static void add_text(Lines *l, const Yaml *entry) {
  line_of(l, entry)->text = text_of(entry, "text");
}

static int by_place(const void *a, const void *b) {
  const Line *x = a, *y = b;
  const int order = strcmp(x->file, y->file);
  return order ? order : x->number - y->number;
}

static Lines read_lines(Arena *a, const Yaml *lint) {
  static const struct {
    const char *key;
    void (*add)(Lines *, const Yaml *);
  } part[] = {{"accesses", add_access},
              {"global", add_global},
              {"findings", add_finding},
              {"lines", add_text}};
  Lines l = {.arena = a, .file = text_of(lint, "file")};
  for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
    const Yaml *list = compare_value(lint, part[p].key);
    for (int i = 0; i < yaml_items(list); i++) part[p].add(&l, list->item[i]);
  }
  if (l.count) qsort(l.line, (size_t)l.count, sizeof *l.line, by_place);
  return l;
}

/* --- which line is which --- */

static bool same_text(const Line *a, const Line *b) {
  return a->text && b->text && strcmp(a->text, b->text) == 0;
}

static bool same_number(const Line *a, const Line *b) { return a->number == b->number; }

static bool any_line(const Line *a, const Line *b) {
  (void)a;
  (void)b;
  return true;
}

static bool is_certain(const Line *a, const Line *b) {
  return same_text(a, b) || same_number(a, b);
}

static void match(Lines *was, Lines *is, bool (*same)(const Line *, const Line *)) {
  for (int i = 0; i < was->count; i++) {
    Line *a = &was->line[i];
    for (int k = 0; k < is->count && !a->other; k++) {
      Line *b = &is->line[k];
      if (b->other || strcmp(a->file, b->file) != 0 || !same(a, b)) continue;
      a->other = b;
      b->other = a;
    }
  }
}

static void match_lines(Lines *was, Lines *is) {
  match(was, is, same_text);
  match(was, is, same_number);
  match(was, is, any_line);
}

/* --- what changed --- */

static void compare_count(Comparison *c, const char *of, const char *what, int64_t was,
                          int64_t is) {
  if (was == is) return;
  change_add(c, of, what, arena_printf(c->arena, "%" PRId64, was),
             arena_printf(c->arena, "%" PRId64, is), is < was ? CHANGE_BETTER : CHANGE_WORSE);
}

/* The line at which a finding's other access is; NULL: none. */
static const Line *line_at(const Lines *l, int place) {
  const Place *p = &l->place[place];
  for (int i = 0; i < l->count; i++)
    if (l->line[i].number == p->number && strcmp(l->line[i].file, p->file) == 0) return &l->line[i];
  return NULL;
}

/* True if both findings have the other access at the same line, by its text or its number. */
static bool share_other(const Lines *was, const Finding *a, const Lines *is, const Finding *b) {
  if (!a->others || !b->others) return a->others == b->others;
  for (int i = 0; i < a->others; i++) {
    const Line *before = line_at(was, a->other[i]);
    for (int k = 0; before && before->other && k < b->others; k++)
      if (before->other == line_at(is, b->other[k]) && is_certain(before, before->other))
        return true;
  }
  return false;
}

static bool same_finding(const Lines *was, const Finding *a, const Lines *is, const Finding *b) {
  if (a->is || b->is || strcmp(a->kind, b->kind) != 0) return false;
  if (a->space && b->space && strcmp(a->space, b->space) != 0) return false;
  return share_other(was, a, is, b);
}

static void match_findings(const Lines *was, Finding *before, const Lines *is, Finding *now) {
  for (Finding *b = now; b; b = b->next)
    for (Finding *a = before; a && !b->is; a = a->next)
      if (same_finding(was, a, is, b)) a->is = b, b->is = a;
}

static int count_kind(const Finding *list, const char *kind) {
  int count = 0;
  for (; list; list = list->next) count += strcmp(list->kind, kind) == 0;
  return count;
}

/* Adds a finding that only one report has. It is named by its kind or, if the other report has a
 * finding of that kind, by what distinguishes it: "race with line 12". */
static void add_change(Comparison *c, const char *of, const Lines *l, const Finding *f,
                       const Finding *rest, bool is) {
  const char *what = f->kind;
  if (count_kind(rest, f->kind) && f->others)
    what = arena_printf(c->arena, "%s with line %d", f->kind, l->place[f->other[0]].number);
  else if (count_kind(rest, f->kind) && f->space)
    what = arena_printf(c->arena, "%s in %s memory", f->kind, f->space);
  change_add(c, of, what, is ? "0" : "1", is ? "1" : "0", is ? CHANGE_WORSE : CHANGE_BETTER);
}

static void compare_findings(Comparison *c, const char *of, const Lines *was, Finding *before,
                             const Lines *is, Finding *now) {
  match_findings(was, before, is, now);
  for (const Finding *f = now; f; f = f->next)
    if (!f->is) add_change(c, of, is, f, before, true);
  for (const Finding *f = before; f; f = f->next)
    if (!f->is) add_change(c, of, was, f, now, false);
}

/* Compares a line. If only one report has the line, the other counts as having nothing to report
 * there. */
static void compare_line(Comparison *c, const Lines *all[2], const Line *was, const Line *is) {
  static const Line nothing;
  const char *file = all[1]->file ? all[1]->file : "?";
  const Line *at = is ? is : was;
  const char *of = arena_printf(c->arena, "%s:%d", *at->file ? at->file : file, at->number);
  if (!was) was = &nothing;
  if (!is) is = &nothing;
  c->compared++;
  compare_count(c, of, "conflicts", was->conflicts, is->conflicts);
  compare_count(c, of, "sectors above the ideal", was->sectors, is->sectors);
  compare_findings(c, of, all[0], was->findings, all[1], is->findings);
}

static void compare_all(Comparison *c, Lines *was, Lines *is) {
  const Lines *all[2] = {was, is};
  match_lines(was, is);
  for (int i = 0; i < is->count; i++) compare_line(c, all, is->line[i].other, &is->line[i]);
  for (int i = 0; i < was->count; i++)
    if (!was->line[i].other) compare_line(c, all, &was->line[i], NULL);
}

/* These counts belong to a whole launch: they differ only if the launch differs. */
static const Rule launch_rules[] = {
    {"kernel", "kernel", ANY_CHANGE},
    {"blocks_run", "blocks run", ANY_CHANGE},
    {"launches", "equal launches", ANY_CHANGE},
};
static const RuleTable rules_launch = {launch_rules, 3};

/* --- several launches --- */

/* The identities by which launches are matched, strictest first. The file is left out because
 * another machine may name it differently. Sizes are left out because a named launch may have got
 * others. */
static const struct {
  const char *key[8];
  bool named; /* only for launches with a name */
} identity[] = {
    {{"name", "kernel", "grid", "block", "cluster", "shared_bytes", "file"}, false},
    {{"name", "kernel", "grid", "block", "cluster", "shared_bytes"}, false},
    {{"name", "kernel"}, true},
};
enum { IDENTITIES = sizeof identity / sizeof *identity };

/* NULL if the identity does not apply to the launch. */
static const char *label_of(Arena *a, const Yaml *lint, int by) {
  Text t = text_new(a);
  if (identity[by].named && !compare_value(lint, "name")) return NULL;
  for (const char *const *key = identity[by].key; *key; key++) {
    const Yaml *value = compare_value(lint, *key);
    if (value) text_printf(&t, "%s%s", t.len ? " " : "", compare_spell(a, value));
  }
  return t.s;
}

const char *compare_launch_label(Arena *a, const Yaml *lint) { return label_of(a, lint, 0); }

static const char **labels_of(Arena *a, const Yaml *list, int by) {
  const char **label = ARENA_ARRAY(a, const char *, (size_t)list->count + 1);
  for (int i = 0; i < list->count; i++) label[i] = label_of(a, list->item[i], by);
  return label;
}

static void pair_by(Arena *a, const Yaml *was, const Yaml *is, int by, bool *taken,
                    const Yaml **before) {
  const char **old = labels_of(a, was, by), **new = labels_of(a, is, by);
  for (int i = 0; i < is->count; i++)
    for (int k = 0; new[i] && k < was->count && !before[i]; k++) {
      if (taken[k] || !old[k] || strcmp(old[k], new[i]) != 0) continue;
      taken[k] = true;
      before[i] = was->item[k];
    }
}

const Yaml **compare_launch_pairs(Arena *a, const Yaml *was, const Yaml *is) {
  const Yaml **before = ARENA_ARRAY(a, const Yaml *, (size_t)is->count + 1);
  bool *taken = ARENA_ARRAY(a, bool, (size_t)was->count + 1);
  for (int by = 0; by < IDENTITIES; by++) pair_by(a, was, is, by, taken, before);
  return before;
}

const Yaml *compare_launch_list(Arena *a, const Yaml *lint) {
  if (lint && lint->kind == YAML_LIST) return lint;
  Yaml *list = ARENA_NEW(a, Yaml);
  *list = (Yaml){.kind = YAML_LIST, .count = lint ? 1 : 0, .item = ARENA_NEW(a, const Yaml *)};
  list->item[0] = lint;
  return list;
}

static bool has(const Yaml *const *item, int count, const Yaml *wanted) {
  for (int i = 0; i < count; i++)
    if (item[i] == wanted) return true;
  return false;
}

/* All findings of a new launch are new. A launch that disappeared is neither better nor worse,
 * because programs choose kernels and sizes at run time. */
static void compare_launches(Comparison *c, const Yaml *was, const Yaml *is) {
  static const Yaml nothing = {.kind = YAML_MAP};
  const Yaml **before = compare_launch_pairs(c->arena, was, is);
  for (int i = 0; i < is->count; i++) {
    if (!before[i])
      change_add(c, compare_launch_label(c->arena, is->item[i]), "is launched", "no", "yes",
                 CHANGE_OTHER);
    compare_lint(c, before[i] ? before[i] : &nothing, is->item[i]);
  }
  for (int i = 0; i < was->count; i++)
    if (!has(before, is->count, was->item[i]))
      change_add(c, compare_launch_label(c->arena, was->item[i]), "is launched", "yes", "no",
                 CHANGE_OTHER);
}

void compare_lint(Comparison *c, const Yaml *was, const Yaml *is) {
  if (!was && !is) return;
  if ((was && was->kind == YAML_LIST) || (is && is->kind == YAML_LIST)) {
    compare_launches(c, compare_launch_list(c->arena, was), compare_launch_list(c->arena, is));
    return;
  }
  const char *of = compare_spell(c->arena, compare_value(is ? is : was, "file"));
  const bool checked_before = was && !compare_value(was, "error");
  const bool checked_now = is && !compare_value(is, "error");
  if (checked_before != checked_now)
    change_add(c, of, "is checked", checked_before ? "yes" : "no", checked_now ? "yes" : "no",
               checked_now ? CHANGE_OTHER : CHANGE_WORSE);
  if (!checked_before || !checked_now) return;
  compare_by_rules(c, of, &rules_launch, was, is);
  Lines before = read_lines(c->arena, was), now = read_lines(c->arena, is);
  compare_all(c, &before, &now);
}
