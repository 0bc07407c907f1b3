/* libFuzzer target: whatever a spec file holds, spec_read says so and returns. Seeds: specs/ and
 * tests/spec/bad/. Run in the source folder: families come from tests/spec/bad/families.
 *
 *   clang -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_spec.c <gen/ sources>
 *     -lyaml -o fuzz_spec && ./fuzz_spec -max_total_time=60 CORPUS specs tests/spec/bad */
#include "spec/spec_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int fd = memfd_create("spec", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  const SpecOptions options = {.template_dir = "tests/spec/bad/families"};
  const Spec *spec = spec_read(a, d, arena_printf(a, "/proc/self/fd/%d", fd), &options);
  if ((spec == NULL) != (diag_count(d) > 0)) abort();
  Text out = text_new(a);
  diag_print(d, &out, true);
  arena_free(a);
  close(fd);
  return 0;
}
