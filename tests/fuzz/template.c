/* SPDX-License-Identifier: MIT */
/* A template is filled in, or its errors are reported at their lines. */
// covers: gen/base gen/emit/template* templates/*.cu templates/*.h
// words: gen/emit/template.c
// seeds: templates/*.cu tests/fuzz/seeds/template
#include "emit/template.h"

#include "fuzz.h"

static const char *folder;

static void make_folder(Arena *a) {
  folder = fuzz_folder();
  static const char good[] = "#pragma once\nint good;\n", nested[] = "#include \"good.h\"\n";
  fuzz_write(arena_printf(a, "%s/good.h", folder), good, sizeof good - 1);
  fuzz_write(arena_printf(a, "%s/nested.h", folder), nested, sizeof nested - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const PlanValue value[] = {{"A", "7"}, {"B", "x + 1"}};
  Arena *a = arena_new();
  if (!folder) make_folder(a);
  fuzz_write(arena_printf(a, "%s/t.cu", folder), data, size);
  Diag *d = diag_new(a);
  Text out = text_new(a);
  const int values = size ? data[size - 1] % 3 : 0;
  const bool ok = template_fill(&out, d, templates_open(a, folder), "t.cu", value, values);
  fuzz_errors(a, d, ok);
  template_uses(templates_open(a, folder), "t.cu", "good");
  arena_free(a);
  return 0;
}
