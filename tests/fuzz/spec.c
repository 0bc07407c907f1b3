/* SPDX-License-Identifier: MIT */
/* Whatever a spec file holds, spec_read says so and returns. */
// covers: gen/base gen/model gen/spec templates/*.yaml tests/spec/bad/families
// words: gen/spec gen/model
// seeds: specs tests/spec/bad/*.yaml
#include "spec/spec_read.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int fd = fuzz_file(data, size);
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  const SpecOptions options = {.templates = templates_open(a, "tests/spec/bad/families")};
  const Spec *spec = spec_read(a, d, fuzz_path(a, fd), &options);
  fuzz_errors(a, d, spec != NULL);
  arena_free(a);
  close(fd);
  return 0;
}
