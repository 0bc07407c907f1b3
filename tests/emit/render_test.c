/* SPDX-License-Identifier: MIT */
/* render_test.c: templates are filled exactly, their errors are reported at their lines, and equal
 * specs give equal bytes. */
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "emit/cute.h"
#include "emit/template.h"
#include "shipped.h"

enum { MAX_SPECS = 256 };

/* Fills a template that consists of `text`. Returns the output, or the errors if there were any. */
static const char *fill_with(Arena *a, const char *text, const PlanValue *value, int values) {
  char dir[] = "/tmp/kgen-render-XXXXXX";
  if (!mkdtemp(dir)) return "no temporary folder";
  char *file = arena_printf(a, "%s/t.cu", dir);
  Diag *d = diag_new(a);
  Text out = text_new(a);
  file_write(file, text, strlen(text));
  if (!template_fill(&out, d, templates_open(a, dir), "t.cu", value, values)) {
    out = text_new(a);
    diag_print(d, &out, false);
  }
  unlink(file);
  rmdir(dir);
  return out.s;
}

static const char *fill(Arena *a, const char *text) {
  static const PlanValue value[] = {{"A", "7"}, {"B", "x + 1"}};
  return fill_with(a, text, value, 2);
}

/* A family may have any number of constants. */
static void check_many(Arena *a) {
  enum { MANY = 300 };
  PlanValue value[MANY];
  Text text = text_new(a);
  text_puts(&text, "// kgen:begin\n");
  for (int i = 0; i < MANY; i++) {
    value[i] = (PlanValue){arena_printf(a, "V%d", i), "7"};
    text_printf(&text, "#define V%d 1\n", i);
  }
  text_puts(&text, "// kgen:end\n");
  CHECK(strstr(fill_with(a, text.s, value, MANY), "#define V299 7\n"), "300 values");
}

static void check_filled(Arena *a) {
  CHECK_STR(fill(a, "a = 1;\n// kgen:begin\nconstexpr int A = 1;   // why\nusing B = int;\n"
                    "// kgen:end\nconstexpr int A2 = A;\n"),
            "a = 1;\n// kgen:begin\nconstexpr int A = 7;   // why\nusing B = x + 1;\n"
            "// kgen:end\nconstexpr int A2 = A;\n");
  CHECK_STR(fill(a, "// kgen:begin\n#define A 12345 // why\n#define B(x) (x) + 2\n// kgen:end\n"),
            "// kgen:begin\n#define A 7     // why\n#define B(x) x + 1\n// kgen:end\n");
}

/* Every error, with its line. */
static void check_mistakes(Arena *a) {
  static const struct {
    const char *text, *line, *message;
  } table[] = {
      {"// kgen:begin\nusing A = int;\n// kgen:end\n", "t.cu:1:", "does not declare 'B'"},
      {"\n// kgen:begin\nusing A = int;\nusing B = int;\nusing C = int;\n// kgen:end\n", "t.cu:5:7",
       "no value for 'C'"},
      {"// kgen:begin\nusing A = int;\nint B;\n// kgen:end\n", "t.cu:3:", "plain declaration"},
      {"using A = int;\n", "t.cu:1:", "no line '// kgen:begin'"},
      {"// kgen:begin\nusing A = int;\nusing B = int;\n", "t.cu:1:", "no line '// kgen:end'"},
      {"// kgen:begin\nusing A = int;\nusing B = int;\nusing A = int;\n// kgen:end\n", "t.cu:4:7",
       "'A' is declared twice"},
      {"#include \"none.h\"\n// kgen:begin\nusing A = int;\nusing B = int;\n// kgen:end\n",
       "t.cu:1:", "none.h"},
      {"// kgen:begin\nusing A = int;\nusing B = int;\n// kgen:end\n#include \"t.cu\"\n",
       "t.cu:5:10", "'t.cu' includes a file itself"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *got = fill(a, table[i].text);
    CHECK(strstr(got, table[i].line) && strstr(got, table[i].message), "case %zu: %s", i, got);
  }
  /* Without the end, the rest of the template is no list of wrong declarations. */
  const char *open = fill(a, "// kgen:begin\nusing A = int;\nint f(void);\nint g(void);\n");
  CHECK(strstr(open, "no line '// kgen:end'") && !strstr(open, "plain decl"), "%s", open);
}

/* Each missing include is reported at its line, by the function that fills a template and by the
 * one that searches for a name; the latter once crashed at the second of two. */
static void check_missing_includes(Arena *a) {
  static const char text[] = "#include \"none.h\"\n#include \"other.h\"\n// kgen:begin\n"
                             "using A = int;\nusing B = int;\n// kgen:end\nint word;\n";
  const char *got = fill(a, text);
  CHECK(strstr(got, "t.cu:1:10") && strstr(got, "none.h"), "%s", got);
  CHECK(strstr(got, "t.cu:2:10") && strstr(got, "other.h"), "%s", got);
  char dir[] = "/tmp/kgen-render-XXXXXX";
  CHECK(mkdtemp(dir), "no temporary folder");
  char *file = arena_printf(a, "%s/t.cu", dir);
  file_write(file, text, strlen(text));
  CHECK(template_uses(templates_open(a, dir), "t.cu", "word"),
        "a word after two missing includes is not found");
  CHECK(!template_uses(templates_open(a, dir), "t.cu", "none"), "a file's name is no word");
  unlink(file);
  rmdir(dir);
}

static void check_shipped(const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s", path);
  const Rendered r = plan ? shipped_render(a, plan) : (Rendered){NULL, NULL};
  CHECK(r.text, "%s", path);
  if (r.text) {
    CHECK_STR(r.text, shipped_render(a, shipped_plan(a, path, NULL)).text);
    CHECK(!strstr(r.text, KGEN_SOURCE_DIR), "%s names a folder of this machine", r.file);
    CHECK(!strstr(r.text, "#include \""), "%s is not self-contained", r.file);
    CHECK(!strstr(r.text, "#endif\n/*"), "%s runs two files together", r.file);
    CHECK(!strstr(r.text, "NAME_"), "%s holds the stand-in name", r.file);
    CHECK(strstr(r.text, plan->spec->name), "%s", r.file);
    for (const char *s = r.text; (s = strchr(s, '\n')); s++)
      CHECK(s == r.text || s[-1] != ' ', "%s has a space at the end of a line", r.file);
  }
  arena_free(a);
}

/* --- CuTe and TMA: their formulas, written down here again, over the whole tile --- */
static KgenLayout xor_layout(int rows, int cols, int shift, int mask) {
  return (KgenLayout){2, 0, {rows, cols}, {cols, 1}, 1, {{shift, mask, 0, 0}}, 0};
}

static void check_cute(int rows, int cols, int shift, int mask, CuteSwizzle want) {
  const KgenLayout l = xor_layout(rows, cols, shift, mask);
  CuteSwizzle w = {0, 0, 0};
  CHECK(cute_find(&l, &w), "%dx%d", rows, cols);
  CHECK(w.b == want.b && w.m == want.m && w.s == want.s, "Swizzle<%d,%d,%d>", w.b, w.m, w.s);
  for (int i = 0; i < rows * cols; i++) {
    const int yyy = ((1 << w.b) - 1) << (w.m + w.s); /* cute/swizzle.hpp: x ^ ((x & yyy) >> s) */
    CHECK(kgen_offset2(&l, i / cols, i % cols) == (i ^ ((i & yyy) >> w.s)), "element %d", i);
  }
}

/* Either direction, as cute/swizzle.hpp has it: x ^ shiftr(x & yyy, s), yyy at m + max(0, s). */
static void check_cute_map(CuteSwizzle want) {
  enum { N = 1024 };
  int32_t at[N];
  CuteSwizzle w;
  for (int i = 0; i < N; i++) {
    const int yyy = ((1 << want.b) - 1) << (want.m + (want.s > 0 ? want.s : 0));
    at[i] = i ^ (want.s > 0 ? (i & yyy) >> want.s : (i & yyy) << -want.s);
    CHECK(swizzle_offset(want, i) == at[i], "Swizzle<%d,%d,%d> of %d", want.b, want.m, want.s, i);
  }
  CHECK(cute_find_map(at, N, &w), "Swizzle<%d,%d,%d>", want.b, want.m, want.s);
  CHECK(w.b == want.b && w.m == want.m && w.s == want.s, "Swizzle<%d,%d,%d>", w.b, w.m, w.s);
}

/* want: NULL for a layout that CuTe cannot say. */
static void check_spelled(const KgenLayout *l, const char *want) {
  Arena *a = arena_new();
  const char *got = cute_spell(a, l);
  CHECK_STR(got ? got : "none", want ? want : "none");
  arena_free(a);
}

static void check_names_of_others(void) {
  check_cute(32, 32, 0, 31, (CuteSwizzle){5, 0, 5});
  check_cute(64, 64, 0, 28, (CuteSwizzle){3, 2, 6});
  check_cute(128, 32, -2, 24, (CuteSwizzle){2, 3, 3});
  check_cute_map((CuteSwizzle){3, 2, 4});
  check_cute_map((CuteSwizzle){5, 0, -5});
  check_cute_map((CuteSwizzle){2, 1, -6});
  check_cute_map((CuteSwizzle){1, 3, -16});
  check_spelled(&(KgenLayout){2, 0, {128, 32}, {32, 1}, 1, {{-2, 24, 0, 0}}, 0},
                "composition(Swizzle<2, 3, 3>{}, Layout<Shape<_128, _32>, Stride<_32, _1>>{})");
  check_spelled(&(KgenLayout){3, 0, {3, 8, 24}, {200, 25, 1}, 0, {{0, 0, 0, 0}}, 0},
                "Layout<Shape<Int<3>, _8, Int<24>>, Stride<Int<200>, Int<25>, _1>>{}");
  check_spelled(&(KgenLayout){2, 0, {16, 32}, {64, 1}, 1, {{1, 4, 0, 0}}, 0},
                "composition(Swizzle<1, 2, 7>{}, Layout<Shape<_16, _32>, Stride<_64, _1>>{})");
  check_spelled(&(KgenLayout){1, 32, {256}, {33, 1}, 0, {{0, 0, 0, 0}}, 0},
                "Layout<Shape<Shape<_32, _8>>, Stride<Stride<_1, Int<33>>>>{}");
  check_spelled(&(KgenLayout){1, 32, {250}, {33, 1}, 0, {{0, 0, 0, 0}}, 0}, NULL);
  check_spelled(&(KgenLayout){2, 0, {16, 32}, {33, 1}, 1, {{0, 7, 0, 0}}, 0}, NULL);
  const KgenLayout padded = {2, 0, {32, 32}, {33, 1}, 0, {{0, 0, 0, 0}}, 0};
  CuteSwizzle w;
  CHECK(!cute_find(&padded, &w), "a padded tile is no swizzle");
}

int main(void) {
  Arena *a = arena_new();
  char *path[MAX_SPECS];
  const int count = shipped_specs(a, path, MAX_SPECS);
  check_filled(a);
  check_many(a);
  check_mistakes(a);
  check_missing_includes(a);
  check_names_of_others();
  /* With sanitizers a part: emit_plan plans all there, and judge_emulator renders each family. */
  for (int i = 0; i < count; i += CHECK_SANITIZED ? 4 : 1) check_shipped(path[i]);
  arena_free(a);
  return check_report("render_test");
}
