/* SPDX-License-Identifier: MIT */
/* A template's declaration is read, or its errors are reported. */
// covers: gen/base gen/spec templates/*.yaml
// words: gen/spec gen/model
// seeds: templates/*.yaml tests/spec/bad/families/*.yaml
#include "spec/spec_read.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char spec_text[] = "version: 1\nkernel: family\ndtype: f32\n";
  Arena *a = arena_new();
  const char *folder = fuzz_folder(), *path = arena_printf(a, "%s/spec.yaml", folder);
  fuzz_write(path, spec_text, sizeof spec_text - 1);
  fuzz_write(arena_printf(a, "%s/family.yaml", folder), data, size);
  fuzz_write(arena_printf(a, "%s/family.cu", folder), "", 0);
  Diag *d = diag_new(a);
  const SpecOptions options = {.templates = templates_open(a, folder)};
  const Spec *spec = spec_read(a, d, path, &options);
  fuzz_errors(a, d, spec != NULL);
  arena_free(a);
  return 0;
}
