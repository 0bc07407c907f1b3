/* SPDX-License-Identifier: MIT */
/* stamp_test.c: a header's template is filled exactly; its errors are reported at their lines. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "emit/stamp.h"

/* Stamps `text` with A = 7 and, on two repeated lines, E = 1 and E = 2. Returns the output, or the
 * errors if there were any. */
static const char *stamp(Arena *a, const char *text) {
  static const PlanValue value[] = {{"A", "7"}}, each[] = {{"E", "1"}, {"E", "2"}};
  const Stamp s = {"my_", 20, value, 1, each, 1, 2};
  char dir[] = "/tmp/kgen-stamp-XXXXXX";
  if (!mkdtemp(dir)) return "no temporary folder";
  char *file = arena_printf(a, "%s/t.h", dir);
  Diag *d = diag_new(a);
  Text out = text_new(a);
  file_write(file, text, strlen(text));
  if (!stamp_fill(&out, d, templates_open(a, dir), "t.h", &s)) {
    out = text_new(a);
    diag_print(d, &out, false);
  }
  unlink(file);
  rmdir(dir);
  return out.s;
}

#define HEAD "what it is\n// kgen:begin\n// a remark\n#define A 1\n#define E 3\n// kgen:end\n"

static void check_stamped(Arena *a) {
  CHECK_STR(stamp(a, HEAD "int NAME_x = A + AA;\n"), "int my_x = 7 + AA;\n");
  CHECK_STR(stamp(a, HEAD "X_NAME_x\n// kgen:each\nf(E);\n// kgen:end\nE\n"),
            "X_NAME_x\nf(1);\nf(2);\nE\n");
  CHECK_STR(stamp(a, HEAD "  f(aaaaaa, bbbbbb, cccccc);\n"),
            "  f(aaaaaa, bbbbbb,\n      cccccc);\n");
  CHECK_STR(stamp(a, HEAD "int f(int i) { return i + 1; }\n"),
            "int f(int i) {\n  return i + 1;\n}\n");
  CHECK_STR(stamp(a, HEAD "no_comma_no_break_no_comma\n"), "no_comma_no_break_no_comma\n");
}

/* Every error, with its line. */
static void check_mistakes(Arena *a) {
  static const struct {
    const char *text, *line, *message;
  } table[] = {
      {"// kgen:begin\n#define E 3\n// kgen:end\n", "t.h:1:", "does not declare 'A'"},
      {"// kgen:begin\n#define A 3\n// kgen:end\n#define E\n", "t.h:1:", "does not declare 'E'"},
      {"\n// kgen:begin\n#define A 3\n#define B 1\n#define E 1\n// kgen:end\n", "t.h:4:9",
       "no value for 'B'"},
      {"// kgen:begin\nint A;\n// kgen:end\n", "t.h:2:1", "plain declaration"},
      {"#define A 3\n", "t.h:1:", "no line '// kgen:begin'"},
      {"// kgen:begin\n#define A 3\n#define E 3\n", "t.h:1:", "no line '// kgen:end'"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *got = stamp(a, table[i].text);
    CHECK(strstr(got, table[i].line) && strstr(got, table[i].message), "case %zu: %s", i, got);
  }
}

int main(void) {
  Arena *a = arena_new();
  check_stamped(a);
  check_mistakes(a);
  arena_free(a);
  return check_report("stamp_test");
}
