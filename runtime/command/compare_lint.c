#include "command/compare_lint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/compare_rules.h"

/* One line of source in a report. */
typedef struct Line Line;
struct Line {
  const char *file; /* "" of the file under judgement */
  const char *text; /* NULL: not quoted in the report */
  int number;
  int64_t conflicts, sectors; /* above the ideal */
  const char *findings;       /* their kinds, a word each: "race uninitialised" */
  const Line *other;          /* the same line in the other report */
};

typedef struct {
  Arena *arena;
  const char *file; /* under judgement */
  int count, capacity;
  Line *line;
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
  l->line[l->count] = (Line){.file = file, .number = number, .findings = ""};
  return &l->line[l->count++];
}

static void add_access(Lines *l, const Yaml *entry) {
  line_of(l, entry)->conflicts += int_of(entry, "wavefronts") - int_of(entry, "ideal");
}

static void add_global(Lines *l, const Yaml *entry) {
  line_of(l, entry)->sectors += int_of(entry, "sectors") - int_of(entry, "ideal_sectors");
}

static void add_finding(Lines *l, const Yaml *entry) {
  Line *line = line_of(l, entry);
  const char *kind = text_of(entry, "kind");
  if (kind) line->findings = arena_printf(l->arena, "%s%s ", line->findings, kind);
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

/* How often the word of n letters stands in a text of words. */
static int count_word(const char *words, const char *word, size_t n) {
  int count = 0;
  for (size_t length; *words; words += length + 1) {
    length = strcspn(words, " ");
    count += length == n && memcmp(words, word, n) == 0;
  }
  return count;
}

/* Every kind that one of the two lines has, once. */
static void compare_findings(Comparison *c, const char *of, const char *was, const char *is) {
  const char *all = arena_printf(c->arena, "%s%s", was, is);
  const char *told = "";
  for (const char *word = all; *word; word += strcspn(word, " ") + 1) {
    const size_t n = strcspn(word, " ");
    const char *kind = arena_strndup(c->arena, word, n);
    if (count_word(told, kind, n)) continue;
    told = arena_printf(c->arena, "%s%s ", told, kind);
    compare_count(c, of, kind, count_word(was, kind, n), count_word(is, kind, n));
  }
}

/* A line of only one report had, or has, nothing to report in the other. */
static void compare_line(Comparison *c, const char *file, const Line *was, const Line *is) {
  static const Line nothing = {.findings = ""};
  const Line *at = is ? is : was;
  const char *of = arena_printf(c->arena, "%s:%d", *at->file ? at->file : file, at->number);
  if (!was) was = &nothing;
  if (!is) is = &nothing;
  c->compared++;
  compare_count(c, of, "conflicts", was->conflicts, is->conflicts);
  compare_count(c, of, "sectors above the ideal", was->sectors, is->sectors);
  compare_findings(c, of, was->findings, is->findings);
}

static void compare_all(Comparison *c, Lines *was, Lines *is) {
  const char *file = is->file ? is->file : "?";
  match_lines(was, is);
  for (int i = 0; i < is->count; i++) compare_line(c, file, is->line[i].other, &is->line[i]);
  for (int i = 0; i < was->count; i++)
    if (!was->line[i].other) compare_line(c, file, &was->line[i], NULL);
}

/* Counts are of a whole launch: they differ if the launch does. */
static const Rule launch_rules[] = {
    {"kernel", "kernel", ANY_CHANGE},
    {"blocks_run", "blocks run", ANY_CHANGE},
    {"launches", "equal launches", ANY_CHANGE},
};
static const RuleTable rules_launch = {launch_rules, 3};

/* --- several launches --- */

/* What a launch is known by. A report from elsewhere may name the file otherwise, and a launch that
 * a file names may have got other sizes: so those are left out where nothing is equal in all. */
static const struct {
  const char *key[8];
  bool named; /* of launches with a name alone */
} identity[] = {
    {{"name", "kernel", "grid", "block", "cluster", "shared_bytes", "file"}, false},
    {{"name", "kernel", "grid", "block", "cluster", "shared_bytes"}, false},
    {{"name", "kernel"}, true},
};
enum { IDENTITIES = sizeof identity / sizeof *identity };

/* NULL: this identity is not for such a launch. */
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

/* Everything wrong with a new launch is new. One that disappeared is neither better nor worse:
 * programs choose kernels and sizes at run time. */
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
  const bool judged_before = was && !compare_value(was, "error");
  const bool judged_now = is && !compare_value(is, "error");
  if (judged_before != judged_now)
    change_add(c, of, "is judged", judged_before ? "yes" : "no", judged_now ? "yes" : "no",
               judged_now ? CHANGE_OTHER : CHANGE_WORSE);
  if (!judged_before || !judged_now) return;
  compare_by_rules(c, of, &rules_launch, was, is);
  Lines before = read_lines(c->arena, was), now = read_lines(c->arena, is);
  compare_all(c, &before, &now);
}
