/* SPDX-License-Identifier: MIT */
#include "tune/choose.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "judge/measure.h"
#include "spec/spec_hash.h"

/* --- the template in its current state --- */

/* The end of the comment, the string or the character constant that begins at `at`. */
static const char *token_end(const char *at) {
  const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
  if (end) return end + 2;
  if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
  if (at[0] != '"') return at + 1;
  for (end = at + 1; *end && *end != '"' && *end != '\n'; end++) end += end[0] == '\\' && end[1];
  return end + (*end != '\0');
}

/* Comments and white space between tokens do not affect the kernel, so they are not hashed: a
 * record stays valid when a comment changes. */
static uint64_t hash_source(uint64_t h, const char *text) {
  for (const char *end; *text; text = end) {
    end = token_end(text);
    const bool comment = text[0] == '/' && (text[1] == '/' || text[1] == '*');
    if (!comment && !isspace((unsigned char)text[0])) h = hash_bytes(h, text, (size_t)(end - text));
  }
  return h;
}

static uint64_t hash_file(Templates *templates, uint64_t h, const char *name, const char **text) {
  const Source *source = templates_file(templates, name);
  *text = source ? source->text : NULL;
  return source ? hash_source(h, source->text) : h;
}

/* Hashes the kernel's source and the headers included in it, none of which includes another. */
static uint64_t hash_sources(Arena *a, uint64_t h, Templates *templates, const char *kernel) {
  static const char include[] = "#include \"";
  const char *text, *header;
  h = hash_file(templates, h, arena_printf(a, "%s.cu", kernel), &text);
  while (text && (text = strstr(text, include))) {
    text += sizeof include - 1;
    h = hash_file(templates, h, arena_strndup(a, text, strcspn(text, "\"\n")), &header);
  }
  return h;
}

uint64_t choose_code(Arena *a, const char *kernel, Templates *templates) {
  const Yaml *family = templates_declaration(templates, diag_new(a), kernel);
  if (!family || family->kind != YAML_MAP) return 0;
  const uint64_t declared = spec_hash_family(family);
  const uint64_t h = hash_bytes(HASH_START, KGEN_VERSION, sizeof KGEN_VERSION);
  return hash_sources(a, hash_bytes(h, &declared, sizeof declared), templates, kernel);
}

static Values problem_of(Arena *a, const Spec *s) {
  const ProblemSpec *p = s->problem;
  Param *param = ARENA_ARRAY(a, Param, (size_t)p->extents);
  for (int i = 0; i < p->extents; i++) param[i] = (Param){p->names.name[i], p->bench[i]};
  return (Values){p->extents, param};
}

WisdomKey choose_key(Arena *a, const Spec *s, Templates *templates, const char *device,
                     const char *toolkit, Unit unit, bool freed) {
  return (WisdomKey){.kernel = s->kernel,
                     .spec = freed ? s->hash.open : s->hash.spec,
                     .code = choose_code(a, s->kernel, templates),
                     .device = device,
                     .toolkit = toolkit,
                     .problem = problem_of(a, s),
                     .unit = unit};
}

/* --- records --- */

bool choose_is_same(const WisdomKey *a, const WisdomKey *b) {
  return a->spec == b->spec && a->unit == b->unit && strcmp(a->kernel, b->kernel) == 0 &&
         strcmp(a->device, b->device) == 0 && values_equal(&a->problem, &b->problem);
}

bool choose_is_stale(const WisdomKey *record, const WisdomKey *now) {
  return record->code != now->code || (*now->toolkit && strcmp(record->toolkit, now->toolkit) != 0);
}

/* Finalists come before other records, whose few samples only selected the finalists. */
static int by_merit(const void *x, const void *y) {
  const Choice *a = x, *b = y;
  if (!a->invalid != !b->invalid) return a->invalid ? 1 : -1;
  if (a->final != b->final) return a->final ? -1 : 1;
  if (a->median != b->median) return a->median < b->median ? -1 : 1;
  if (a->unchanged != b->unchanged) return a->unchanged ? -1 : 1;
  return values_order(&a->set, &b->set);
}

/* A record with a hash of its configuration that does not depend on the order of the parameters. */
typedef struct {
  uint64_t hash;
  const WisdomRecord *record;
} Hashed;

static Hashed hash_record(const WisdomRecord *r) {
  Hashed h = {0, r};
  for (int i = 0; i < r->set.count; i++) {
    const Param *p = &r->set.param[i];
    const uint64_t name = hash_bytes(HASH_START, p->name, strlen(p->name));
    h.hash += hash_bytes(name, &p->value, sizeof p->value);
  }
  return h;
}

/* Orders by configuration, then by time of recording. */
static int by_set(const void *x, const void *y) {
  const Hashed *a = x, *b = y;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->record > b->record) - (a->record < b->record);
}

/* Evaluates the records of one configuration. Finals take precedence over the samples that selected
 * them. Medians differ between processes with the addresses of their buffers, so their spread
 * counts as noise, too. */
static Choice choice_of(Arena *a, const Hashed *of, int records, const Values *unchanged) {
  Choice c = {.set = of[0].record->set};
  double *median = ARENA_ARRAY(a, double, (size_t)records);
  for (int i = 0; i < records; i++) {
    if (of[i].record->invalid) c.invalid = of[i].record->invalid;
    if (of[i].record->final) c.final = true;
  }
  for (int i = 0; i < records; i++) {
    const WisdomRecord *r = of[i].record;
    if (r->invalid || r->final != c.final) continue;
    median[c.records++] = r->median;
    c.samples += r->samples;
    if (r->noise > c.noise) c.noise = r->noise;
  }
  if (c.records) {
    c.median = measure_median(median, c.records);
    const double spread = (median[c.records - 1] - median[0]) / 2;
    if (spread > c.noise) c.noise = spread;
  }
  c.unchanged = unchanged && values_equal(&c.set, unchanged);
  return c;
}

Choices choose_all(Arena *a, const Wisdom *w, const WisdomKey *key, const Values *unchanged) {
  Choices all = {.choice = ARENA_ARRAY(a, Choice, (size_t)w->count + 1)};
  Hashed *record = ARENA_ARRAY(a, Hashed, (size_t)w->count + 1);
  int records = 0;
  for (int i = 0; i < w->count; i++) {
    const WisdomRecord *r = &w->record[i];
    if (!choose_is_same(&r->key, key)) continue;
    if (choose_is_stale(&r->key, key)) {
      all.stale++;
      continue;
    }
    record[records++] = hash_record(r);
  }
  qsort(record, (size_t)records, sizeof *record, by_set);
  for (int i = 0, end; i < records; i = end) {
    const Values *set = &record[i].record->set;
    for (end = i + 1; end < records && values_equal(&record[end].record->set, set);) end++;
    all.choice[all.count++] = choice_of(a, &record[i], end - i, unchanged);
  }
  qsort(all.choice, (size_t)all.count, sizeof *all.choice, by_merit);
  return all;
}
