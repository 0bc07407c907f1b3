/* SPDX-License-Identifier: MIT */
/* Every command over specs spends from the spec's one budget: hostile random specs are read,
 * solved, listed and swept, and the steps and the memory that this takes are bounded. */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/diag.h"
#include "batch.h"
#include "check.h"
#include "command/sweep.h"
#include "solve/brute.h"
#include "trade/front.h"
#include "trade/what_if.h"

enum {
  SPECS = 40,
  EFFORT = 100 * 1000 * 1000, /* per spec in this test: the default budgets would take minutes */
  MEGABYTES = 300
};

/* --- hostile specs: many accesses with odd strides, of tiles with odd extents --- */

static const char *pick(Random *r, const char *const *word, int count) {
  return word[random_below(r, count)];
}

/* An index below `extent` that is a multiple of `step`. */
static void put_index(Text *t, Random *r, int extent, int step, int loops) {
  static const char *const name[] = {"lane", "warp", "tid", "tx", "ty", "i", "j", "k"};
  static const int factor[] = {1, 1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33};
  text_printf(t, "\"%d * ((", step);
  for (int n = 1 + random_below(r, 4); n > 0; n--)
    text_printf(t, "%d * %s%s", factor[random_below(r, 12)], name[random_below(r, 5 + loops)],
                n > 1 ? " + " : "");
  if (random_below(r, 5) < 2) text_printf(t, " ^ tid >> %d", random_below(r, 5));
  text_printf(t, ") %% %d)\"", extent / step);
}

static void put_access(Text *t, Random *r, int number, int rank, const int *extent, int bytes) {
  static const char *const pattern[] = {"row", "column", "diagonal", "reverse"};
  static const int count[] = {2, 3, 4, 8, 16, 32};
  const int loops = random_below(r, 4);
  int vector = 1 << random_below(r, 3);
  if (vector * bytes > 16 || extent[rank - 1] % vector) vector = 1;
  text_printf(t, "  - {name: a%d, op: %s, vector: %d", number,
              random_below(r, 3) ? "load" : "store", vector);
  if (random_below(r, 4) == 0) text_printf(t, ", weight: 7.25");
  if (random_below(r, 4) == 0) {
    text_printf(t, ", pattern: %s}\n", pick(r, pattern, 4));
    return;
  }
  for (int i = 0; i < loops; i++)
    text_printf(t, "%s%c: %d%s", i ? ", " : ", for: {", 'i' + i, count[random_below(r, 6)],
                i + 1 == loops ? "}" : "");
  if (random_below(r, 5) == 0) text_puts(t, ", when: \"lane % 3 != 0\"");
  for (int d = 0; d < rank; d++) {
    text_puts(t, d ? ", " : ", at: [");
    put_index(t, r, extent[d], d == rank - 1 ? vector : 1, loops);
  }
  text_puts(t, "]}\n");
}

static const char *hostile_spec(Arena *a, Random *r) {
  static const char *const dtype[] = {"u8", "f16", "f32", "f64", "c128"};
  static const char *const block[] = {"[32]", "[128]", "[256]", "[32, 8]", "[16, 16]"};
  static const char *const layout[] = {"auto", "auto", "xor", "pad",
                                       "{kind: auto, max_bytes: 1048576, align: 16}"};
  static const int sizes[] = {2, 3, 4, 5, 7, 9, 12, 16, 24, 33, 48, 64, 96, 127, 256, 1000, 4096};
  const int type = random_below(r, 5), rank = 1 + random_below(r, KGEN_MAX_RANK);
  int extent[KGEN_MAX_RANK];
  int64_t elements = 0;
  while (elements < 8 || elements << type > 49152) {
    elements = 1;
    for (int d = 0; d < rank; d++) elements *= extent[d] = sizes[random_below(r, 17)];
  }
  Text t = text_new(a);
  text_printf(&t, "version: 1\nkernel: none\nname: hostile\ndtype: %s\nblock: %s\nlayout: %s\n",
              dtype[type], pick(r, block, 5), pick(r, layout, 5));
  text_puts(&t, "tile: [");
  for (int d = 0; d < rank; d++) text_printf(&t, "%s%d", d ? ", " : "", extent[d]);
  text_puts(&t, "]\naccess:\n");
  for (int n = 1 << random_below(r, 7), i = 0; i < n; i++)
    put_access(&t, r, i, rank, extent, 1 << type);
  return t.s;
}

/* --- what they may take --- */

/* A step that has begun ends: groups of all instructions are made for several kinds of rows, and
 * the layout is counted. */
static int64_t overrun_of(const Plan *p) {
  enum { EACH = 24 * 800 + 3 * CHOOSE_STEPS };
  int64_t instructions = 0;
  for (int t = 0; t < p->tiles; t++)
    for (int i = 0; i < p->tile[t].set->accesses; i++)
      instructions += p->tile[t].set->access[i].warps;
  return instructions * EACH + EFFORT / 10;
}

static void check_spent(const Budget *b, const Plan *p, const char *what, int number) {
  if (getenv("DBG"))
    fprintf(stderr, "%d %s %lld + %lld of %lld\n", number, what,
            (long long)b->spent - (long long)b->limit, (long long)overrun_of(p),
            (long long)(overrun_of(p) - EFFORT / 10) / (24 * 800 + 3 * CHOOSE_STEPS));
  CHECK(b->spent <= b->limit + overrun_of(p), "spec %d, %s: %lld steps of %lld, %lld beyond it",
        number, what, (long long)b->spent, (long long)b->limit, (long long)overrun_of(p));
}

static int met, planned;

static void check_spec(const Source *source, int number) {
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  Budget b = {.limit = EFFORT};
  const SpecOptions options = {
      .templates = templates_open(a, KGEN_SOURCE_DIR "/templates"), .source = source, .budget = &b};
  BatchItem item;
  if (batch_make(a, d, "hostile.yaml", &options, &item)) {
    const PlanTile *tile = &item.plan->tile[0];
    planned++;
    check_spent(&b, item.plan, "solve", number);
    front_list(a, tile->set, tile->solution, &b);
    check_spent(&b, item.plan, "front", number);
    const WhatIf changes = what_if_list(a, tile->set, tile->solution, &b);
    CHECK(changes.tried == changes.most || !budget_left(&b) || changes.tried >= 512,
          "spec %d: %d of %d changes, but the budget is left", number, changes.tried, changes.most);
    check_spent(&b, item.plan, "changes", number);
    met += !budget_left(&b);
  }
  arena_free(a);
}

static void check_memory(void) {
  struct rusage usage;
  if (CHECK_SANITIZED) return;
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < MEGABYTES * 1024L, "%ld KB", usage.ru_maxrss);
}

/* Two runs of a spec spend the same steps and find the same layout. */
static void check_repeats(const Source *source) {
  int64_t spent[2], total[2] = {0};
  for (int i = 0; i < 2; i++) {
    Arena *a = arena_new();
    Budget b = {.limit = EFFORT};
    const SpecOptions options = {.templates = templates_open(a, KGEN_SOURCE_DIR "/templates"),
                                 .source = source,
                                 .budget = &b};
    BatchItem item;
    if (batch_make(a, diag_new(a), "hostile.yaml", &options, &item))
      total[i] = item.plan->tile[0].solution->total;
    spent[i] = b.spent;
    arena_free(a);
  }
  CHECK(spent[0] == spent[1] && total[0] == total[1], "%lld and %lld steps", (long long)spent[0],
        (long long)spent[1]);
}

/* --- accesses that take too long to evaluate are rejected --- */

static void check_rejected(void) {
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  Text t = text_new(a);
  text_puts(&t, "version: 1\nkernel: none\nname: wide\ndtype: f32\ntile: [32, 32]\nblock: [1024]\n"
                "access:\n  - {name: a, op: load, for: {i: 4096}, at: [\"(i");
  for (int n = 0; n < 60; n++) text_printf(&t, " + i / %d", n + 1);
  text_puts(&t, ") % 32\", lane]}\n");
  const Source source = {"wide.yaml", t.s, t.len};
  const SpecOptions options = {.source = &source};
  BatchItem item;
  CHECK(!batch_make(a, d, "wide.yaml", &options, &item), "accepted");
  CHECK(strstr(diag_first(d), "steps to evaluate") != NULL, "%s", diag_first(d));
  arena_free(a);
}

/* --- all candidates of a sweep spend from one budget; the solver's choice comes first --- */

static void check_sweep(void) {
  static const char text[] =
      "version: 1\nkernel: none\nname: swept\ndtype: f16\ntile: [4, 4, 3, 6]\nblock: "
      "[256]\nlayout: "
      "none\naccess:\n  - {name: a, op: load, for: {i: 3000}, at: [lane % 4, tid % 4, i % 3, (i + "
      "lane) % 6]}\n";
  char path[] = "/tmp/kgen-swept-XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1, "%s", path);
  close(file);
  Arena *a = arena_new();
  const SpecOptions options = {.templates = templates_open(a, KGEN_SOURCE_DIR "/templates")};
  Batch b = batch_new(a, diag_new(a));
  Diag *diag = diag_new(a);
  Sweep s = {.arena = a, .axes = 1, .pads = 1, .specs = 1, .axis = {{"pad", true, 0, {0}}}};
  for (int i = 0; i < 100; i++) s.axis[0].value[s.axis[0].count++] = i;
  int out = 0, chosen = 0;
  CHECK(sweep_expand(&s, &b, path, &options, false, diag), "%s", diag_first(diag));
  for (int i = 0; i < s.candidates; i++) {
    CHECK(!s.candidate[i].left_out == !s.candidate[i].reason, "candidate %d", i);
    out += s.candidate[i].left_out;
    chosen += s.candidate[i].chosen;
  }
  CHECK(s.candidates == 100 && out > 0 && out < 99 && chosen == 1, "%d of %d left out, %d chosen",
        out, s.candidates, chosen);
  const Budget *whole = b.item[0].spec->budget->whole;
  CHECK(whole && whole->spent <= whole->limit + overrun_of(b.item[0].plan), "%lld steps",
        (long long)whole->spent);
  CHECK(CHECK_SANITIZED || arena_bytes(a) < 100 << 20, "%zu bytes", arena_bytes(a));
  arena_free(a);
  unlink(path);
}

int main(void) {
  Random r = {3941};
  for (int i = 0; i < (CHECK_SANITIZED ? SPECS / 4 : SPECS); i++) {
    Arena *a = arena_new();
    const char *text = hostile_spec(a, &r);
    const Source source = {"hostile.yaml", text, strlen(text)};
    check_spec(&source, i);
    if (i == 0) check_repeats(&source);
    arena_free(a);
  }
  CHECK(CHECK_SANITIZED || (planned > SPECS / 2 && met > 5), "%d planned, %d met their budget",
        planned, met);
  check_rejected();
  if (!CHECK_SANITIZED) check_sweep();
  check_memory();
  return check_report("budget");
}
