#include "tune/choose.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "judge/measure.h"
#include "spec/spec_hash.h"

/* --- the family as it is now --- */

/* The end of the comment, the string or the character that begins at `at`. */
static const char *token_end(const char *at) {
  const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
  if (end) return end + 2;
  if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
  if (at[0] != '"') return at + 1;
  for (end = at + 1; *end && *end != '"' && *end != '\n'; end++) end += end[0] == '\\' && end[1];
  return end + (*end != '\0');
}

/* Comments and white space between tokens make no other kernel, so that they do not count: a record
 * outlives a sentence that was mended. */
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

/* The kernel's source and the headers that become part of it, none of which includes another. */
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

/* --- what is known --- */

bool choose_is_same(const WisdomKey *a, const WisdomKey *b) {
  return a->spec == b->spec && a->unit == b->unit && strcmp(a->kernel, b->kernel) == 0 &&
         strcmp(a->device, b->device) == 0 && values_equal(&a->problem, &b->problem);
}

bool choose_is_stale(const WisdomKey *record, const WisdomKey *now) {
  return record->code != now->code || (*now->toolkit && strcmp(record->toolkit, now->toolkit) != 0);
}

static Choice *find_choice(Choices *all, const Values *set) {
  for (int i = 0; i < all->count; i++)
    if (values_equal(&all->choice[i].set, set)) return &all->choice[i];
  return NULL;
}

static bool counts(const WisdomRecord *r, const Choice *c) {
  return !r->invalid && r->final == c->final && values_equal(&r->set, &c->set);
}

/* Medians differ between processes with the addresses of their buffers, so their spread is noise,
 * too. */
static void summarise(Arena *a, Choice *c, const WisdomRecord *const *record, int records) {
  double *median = ARENA_ARRAY(a, double, (size_t)records + 1);
  for (int i = 0; i < records; i++) {
    const WisdomRecord *r = record[i];
    if (!counts(r, c)) continue;
    median[c->records++] = r->median;
    c->samples += r->samples;
    if (r->noise > c->noise) c->noise = r->noise;
  }
  const int n = c->records;
  if (n == 0) return;
  c->median = measure_median(median, n);
  const double spread = (median[n - 1] - median[0]) / 2;
  if (spread > c->noise) c->noise = spread;
}

/* Finalists before others, whose few samples only chose them. */
static int by_merit(const void *x, const void *y) {
  const Choice *a = x, *b = y;
  if (!a->invalid != !b->invalid) return a->invalid ? 1 : -1;
  if (a->final != b->final) return a->final ? -1 : 1;
  if (a->median != b->median) return a->median < b->median ? -1 : 1;
  if (a->stands != b->stands) return a->stands ? -1 : 1;
  return values_order(&a->set, &b->set);
}

static void add_choice(Choices *all, const WisdomRecord *r) {
  Choice *c = find_choice(all, &r->set);
  if (!c) {
    c = &all->choice[all->count++];
    *c = (Choice){.set = r->set};
  }
  if (r->invalid) c->invalid = r->invalid;
  if (r->final) c->final = true;
}

Choices choose_all(Arena *a, const Wisdom *w, const WisdomKey *key, const Values *stands) {
  Choices all = {.choice = ARENA_ARRAY(a, Choice, (size_t)w->count + 1)};
  const WisdomRecord **record = ARENA_ARRAY(a, const WisdomRecord *, (size_t)w->count + 1);
  int records = 0;
  for (int i = 0; i < w->count; i++) {
    const WisdomRecord *r = &w->record[i];
    if (!choose_is_same(&r->key, key)) continue;
    if (choose_is_stale(&r->key, key)) {
      all.stale++;
      continue;
    }
    record[records++] = r;
    add_choice(&all, r);
  }
  for (int i = 0; i < all.count; i++) {
    Choice *c = &all.choice[i];
    summarise(a, c, record, records);
    c->stands = stands && values_equal(&c->set, stands);
  }
  qsort(all.choice, (size_t)all.count, sizeof *all.choice, by_merit);
  return all;
}
