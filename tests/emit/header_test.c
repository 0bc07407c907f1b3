/* header_test.c: the headers of `kernel: none`. As C11 and C++17 their offsets are the formula's at
 * every coordinate, and after an edit of a stride or of the terms they compile exactly if the model
 * finds every asserted access free of conflicts and aligned. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "shipped.h"

enum { MAX_SPECS = 256 };

static char folder[] = "/tmp/kgen-header-XXXXXX";

/* Runs a compiler quietly in the folder; true if it accepts. */
static bool run(Arena *a, const char *command) {
  const int status = system(arena_printf(a, "cd %s && %s >log 2>&1", folder, command));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void put_file(Arena *a, const char *name, const char *text) {
  const char *path = arena_printf(a, "%s/%s", folder, name);
  if (!file_write(path, text, strlen(text))) die("cannot write %s", path);
}

/* --- offsets --- */
static void put_table(Text *t, const PlanTile *tile) {
  const KgenLayout plain = layout_plain(tile->set->tile);
  text_puts(t, "static const int want[] = {");
  for (int i = 0; i < kgen_elements(&plain); i++) {
    int coord[KGEN_MAX_RANK] = {0}, rest = i;
    for (int d = plain.rank - 1; d >= 0; d--) {
      coord[d] = rest % plain.extent[d];
      rest /= plain.extent[d];
    }
    text_printf(t, "%d,", layout_offset(&tile->solution->layout, coord));
  }
  text_puts(t, "0};\n");
}

static const char *offset_program(Arena *a, const char *file, const char *prefix,
                                  const PlanTile *tile) {
  Text t = text_new(a);
  const int rank = tile->set->tile->rank;
  text_printf(&t, "#include \"%s\"\n", file);
  put_table(&t, tile);
  text_puts(&t, "int main(void) {\n  int i = 0;\n");
  for (int d = 0; d < rank; d++)
    text_printf(&t, "  for (int c%d = 0; c%d < %d; c%d++)\n", d, d, tile->set->tile->extent[d], d);
  text_printf(&t, "    if (%s_offset(", prefix);
  for (int d = 0; d < rank; d++) text_printf(&t, d ? ", c%d" : "c%d", d);
  text_printf(&t, ") != want[i++]) return 1;\n  return %s_BYTES == %lld ? 0 : 2;\n}\n", prefix,
              (long long)tile->bytes);
  return t.s;
}

static void check_offsets(Arena *a, const char *file, const char *prefix, const PlanTile *tile) {
  const char *program = offset_program(a, file, prefix, tile);
  put_file(a, "main.c", program);
  put_file(a, "main.cpp", program);
  CHECK(run(a, "cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror main.c -o main"), "%s",
        file);
  CHECK(run(a, "./main"), "%s: offsets in C", file);
  CHECK(run(a, "c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror main.cpp -o main"), "%s", file);
  CHECK(run(a, "./main"), "%s: offsets in C++", file);
}

/* --- edits --- */

/* The header with the value of `#define NAME` or `#define NAME(row)` replaced. */
static const char *edit_define(Arena *a, const char *text, const char *name, const char *value) {
  const char *at = strstr(text, arena_printf(a, "#define %s", name));
  if (!at) die("no %s", name);
  const char *end = strchr(at, '\n');
  Text t = text_new(a);
  text_add(&t, text, (size_t)(at - text));
  text_printf(&t, "#define %s%s %s", name, strstr(name, "_XOR") ? "(row)" : "", value);
  text_puts(&t, end);
  return t.s;
}

static bool lanes_aligned(const PlanTile *t, const KgenLayout *l, const Access *access) {
  for (int w = 0; w < access->warps; w++) {
    int64_t address[WARP];
    layout_addresses(l, t->set->tile->dtype->bytes, &access->warp[w], address);
    for (uint32_t m = access->warp[w].active; m; m &= m - 1)
      if (address[__builtin_ctz(m)] % access->bytes_per_lane) return false;
  }
  return true;
}

/* Two coordinates may share an element: a stride is less than what it steps over. */
static bool elements_meet(const KgenLayout *l) {
  if (l->period) return l->stride[0] < l->period;
  for (int d = 0; d < l->rank - 1; d++)
    if (l->stride[d] < l->extent[d + 1] * l->stride[d + 1]) return true;
  return false;
}

/* What the asserts must say: no elements meet, and they cover the accesses that
 * the solved layout frees. */
static bool model_accepts(Arena *a, const PlanTile *t, const KgenLayout *l) {
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, (size_t)t->set->accesses);
  if (elements_meet(l)) return false;
  cost_count(t->set, l, cost);
  for (int i = 0; i < t->set->accesses; i++) {
    if (t->solution->cost[i].worst > 1) continue;
    if (cost[i].worst > 1 || !lanes_aligned(t, l, &t->set->access[i])) return false;
  }
  return true;
}

static int refused, accepted; /* both must occur, or the edits test nothing */

static void check_edit(Arena *a, const PlanTile *t, const KgenLayout *l, const char *text,
                       const char *what) {
  const bool want = model_accepts(a, t, l);
  put_file(a, "edited.h", text);
  put_file(a, "edited.c", "#include \"edited.h\"\n");
  put_file(a, "edited.cpp", "#include \"edited.h\"\n");
  CHECK(run(a, "cc -std=c11 -fsyntax-only edited.c") == want, "%s as C", what);
  CHECK(run(a, "c++ -std=c++17 -fsyntax-only edited.cpp") == want, "%s as C++", what);
  refused += !want;
  accepted += want;
}

static void check_stride_edits(Arena *a, const char *text, const char *prefix, const PlanTile *t) {
  static const int change[] = {-32, -2, -1, 1, 2, 3, 4, 8, 16, 31, 32};
  const KgenLayout *base = &t->solution->layout;
  const int d = base->period ? 0 : base->rank - 2;
  if (d < 0) return;
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    KgenLayout l = *base;
    l.stride[d] += change[i];
    if (l.stride[d] <= 0) continue;
    const char *name = arena_printf(a, "%s_STRIDE%d", prefix, d);
    const char *value = arena_printf(a, "%d", l.stride[d]);
    check_edit(a, t, &l, edit_define(a, text, name, value),
               arena_printf(a, "%s = %s", name, value));
  }
}

static void check_term_edits(Arena *a, const char *text, const char *prefix, const PlanTile *t) {
  const KgenLayout *base = &t->solution->layout;
  if (base->terms == 0) return;
  for (int bit = 0; bit <= 5; bit++) { /* bit 5 drops all */
    KgenLayout l = *base;
    l.terms = 1;
    l.term[0].mask = bit == 5 ? 0 : base->term[0].mask ^ (1 << bit);
    if (bit < 5 && !(base->term[0].mask >> bit & 1)) continue;
    const int s = l.term[0].shift;
    const char *value = arena_printf(a, s < 0 ? "(((row) << %d) & %d)" : "(((row) >> %d) & %d)",
                                     s < 0 ? -s : s, l.term[0].mask);
    check_edit(a, t, &l, edit_define(a, text, arena_printf(a, "%s_XOR", prefix), value),
               arena_printf(a, "%s_XOR = %s", prefix, value));
  }
}

static void check_spec(const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s", path);
  if (plan && !plan->spec->kernel) {
    const Rendered r = shipped_render(a, plan);
    put_file(a, r.file, r.text);
    for (int i = 0; i < plan->tiles; i++) {
      const PlanTile *t = &plan->tile[i];
      const char *prefix = t->set->tile->name
                               ? arena_printf(a, "%s_%s", plan->spec->name, t->set->tile->name)
                               : plan->spec->name;
      check_offsets(a, r.file, prefix, t);
      check_stride_edits(a, r.text, prefix, t);
      check_term_edits(a, r.text, prefix, t);
    }
  }
  arena_free(a);
}

/* Words must stay whole when a group is moved, here from odd coordinates. Elements of two
 * bytes, pads with terms, and periods that are no power of two are what can go wrong. */
static void check_small_elements(Arena *a) {
  static const char *const spec[] = {
      "dtype: f16\ntile: [1, 32]\naccess:\n  - {name: a, op: load, at: [0, (tx + 1) % 32]}\n",
      "dtype: u8\ntile: [4, 64]\naccess:\n  - {name: a, op: load, at: [tx % 4, tx + 3]}\n",
      ("dtype: f16\ntile: [32, 32]\naccess:\n  - {name: a, op: load, at: [tx, 1]}\n"
       "  - {name: b, op: store, at: [1, tx]}\n"),
      "dtype: f16\ntile: [1056]\naccess:\n  - {name: a, op: load, at: [33*tx + 1]}\n",
  };
  for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
    const char *file = arena_printf(a, "small%zu.yaml", i);
    put_file(a, file, arena_printf(a, "version: 1\nkernel: none\nblock: [32]\n%s", spec[i]));
    check_spec(arena_printf(a, "%s/%s", folder, file));
  }
}

int main(void) {
  Arena *a = arena_new();
  char *path[MAX_SPECS];
  if (!mkdtemp(folder)) die("no temporary folder");
  const int count = shipped_specs(a, path, MAX_SPECS);
  for (int i = 0; i < count; i++) check_spec(path[i]);
  check_small_elements(a);
  CHECK(refused > 5 && accepted > 5, "%d edits refused, %d accepted", refused, accepted);
  run(a, "cd / && rm -r \"$OLDPWD\"");
  arena_free(a);
  return check_report("header_test");
}
