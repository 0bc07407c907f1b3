/* From a spec through the solver to its source, JSON and explanation: twice the same, or the reason
 * why not. */
// covers: gen templates
// words: gen/spec gen/model
// seeds: specs tests/fuzz/seeds/generate
// max_len: 1024
#include "batch.h"

#include "fuzz.h"

typedef struct {
  Text json, explained;
  const char *source;
} Made;

static bool make(Arena *a, const char *path, Made *out) {
  const SpecOptions options = {.template_dir = "templates"};
  Diag *d = diag_new(a);
  Batch b = batch_new(a, d);
  const BatchItem *item = batch_add(&b, path, &options);
  fuzz_errors(a, d, item != NULL);
  if (!item) return false;
  *out = (Made){text_new(a), text_new(a), item->out.text};
  batch_json(&b, &out->json, "out", NULL, NULL);
  explain_plan(&out->explained, a, item->plan, false);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int fd = fuzz_file(data, size);
  Arena *a = arena_new();
  Made first, second;
  if (make(a, fuzz_path(a, fd), &first)) {
    fuzz_json(&first.json);
    MUST(make(a, fuzz_path(a, fd), &second));
    MUST(strcmp(first.json.s, second.json.s) == 0 && strcmp(first.source, second.source) == 0);
    MUST(strcmp(first.explained.s, second.explained.s) == 0);
  }
  arena_free(a);
  close(fd);
  return 0;
}
