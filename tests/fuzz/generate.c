/* SPDX-License-Identifier: MIT */
/* A spec goes through the solver to its source, JSON and explanation, twice with equal results, or
 * is rejected with a reason. An input that begins with a byte below 32 is not a spec, but selects
 * one that is nearly always right, because mutated YAML seldom reaches the solver. */
// covers: gen templates
// words: gen/spec gen/model
// seeds: specs tests/fuzz/seeds/generate
// max_len: 1024
#include "batch.h"
#include "emit/explain.h"
#include "fuzz.h"

/* --- a spec from a few bytes --- */

typedef struct {
  const uint8_t *at, *end;
  int bytes, rank, extent[4]; /* bytes of the tile; bytes per element; rank; extents */
} Choices;

static int choose(Choices *c, int count) { return c->at < c->end ? *c->at++ % count : 0; }

#define CHOOSE(c, ...)                                                                             \
  ((const char *const[]){__VA_ARGS__})[choose(                                                     \
      (c), (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))]

static void put_tile(Choices *c, Text *out) {
  static const int extent[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 32, 33, 40, 64};
  c->rank = 1 + choose(c, 3);
  text_puts(out, "tile: [");
  for (int d = 0, elements = 1; d < c->rank; d++) {
    c->extent[d] = extent[choose(c, sizeof extent / sizeof *extent)];
    if (elements * c->extent[d] > 4096) c->extent[d] = 1;
    elements *= c->extent[d];
    text_printf(out, "%s%d", d ? ", " : "", c->extent[d]);
  }
  text_puts(out, "]\n");
}

/* One coordinate within its extent, a multiple of `step`. */
static void put_coordinate(Choices *c, Text *out, int d, int step) {
  const char *of = CHOOSE(c, "lane", "tid / 4", "tid % 8", "(lane ^ (lane >> 2))", "tx * ty", "j");
  text_printf(out, "%s(%s * %d + %d) %% %d * %d", d ? ", " : "", of, 1 + choose(c, 9), choose(c, 5),
              c->extent[d] / step, step);
}

static void put_lanes(Choices *c, Text *out) {
  int elements = 1;
  for (int d = 0; d < c->rank; d++) elements *= c->extent[d];
  text_puts(out, "lanes: [");
  for (int l = 0; l < 32; l++) {
    const int element = choose(c, 256) * 17 % (elements + 1);
    text_puts(out, l ? ", " : "");
    if (element == elements)
      text_puts(out, "~");
    else
      text_printf(out, "%d", element);
  }
  text_puts(out, "]");
}

/* Chooses how many elements a lane takes: at most `bytes` together, whole within a row. */
static int choose_vector(Choices *c, int bytes) {
  const int width = c->extent[c->rank - 1];
  int vector = 1 << choose(c, 5);
  while (vector > 1 && (vector * c->bytes > bytes || width % vector)) vector /= 2;
  return vector;
}

static void put_access(Choices *c, Text *out) {
  const char *op = CHOOSE(c, "load", "store", "atomic", "ldmatrix", "stmatrix");
  const int row = 16 / c->bytes, width = c->extent[c->rank - 1];
  const bool matrices = strstr(op, "matrix");
  const bool fits = !matrices || width % row == 0;
  const int vector = matrices && fits ? row : choose_vector(c, op[0] == 'a' ? 8 : 16);
  text_printf(out, "  - {op: %s, weight: %d, ", fits ? op : "load", 1 + choose(c, 3));
  if (!matrices && vector > 1) text_printf(out, "vector: %d, ", vector);
  if (vector == 1 && choose(c, 3) == 0) {
    put_lanes(c, out);
  } else {
    text_printf(out, "for: {j: %d}, at: [", 1 + choose(c, 4));
    for (int d = 0; d < c->rank; d++) put_coordinate(c, out, d, d == c->rank - 1 ? vector : 1);
    text_puts(out, "]");
  }
  text_puts(out, "}\n");
}

static void put_spec(Choices *c, Text *out) {
  text_puts(out, "version: 1\nkernel: none\nname: chosen\n");
  c->bytes = 1 << choose(c, 5);
  text_printf(out, "dtype: b%d\n", 8 * c->bytes);
  put_tile(c, out);
  text_printf(out, "block: [%s]\n", CHOOSE(c, "32", "8, 4", "64", "1", "33"));
  text_printf(out, "layout: %s\n",
              CHOOSE(c, "auto", "none", "pad", "xor", "{kind: auto, align: 16}",
                     "{kind: pad, max_bytes: 5000}"));
  if (choose(c, 2))
    text_printf(out, "banks: {count: %s, bytes: %s}\n", CHOOSE(c, "32", "16", "24", "1", "3"),
                CHOOSE(c, "4", "8", "1", "16"));
  text_puts(out, "access:\n");
  for (int a = 0, accesses = 1 + choose(c, 4); a < accesses; a++) put_access(c, out);
}

/* --- through all stages --- */

typedef struct {
  Text json, explained;
  const char *source;
} Made;

static bool make(Arena *a, const char *path, Made *out) {
  const SpecOptions options = {.templates = templates_open(a, "templates")};
  Diag *d = diag_new(a);
  Batch b = batch_new(a, d);
  const BatchItem *item = batch_add(&b, path, &options);
  fuzz_errors(a, d, item != NULL);
  if (!item) return false;
  *out = (Made){text_new(a), text_new(a), item->out.text};
  batch_json(&b, &out->json, "out", NULL, NULL);
  explain_plan(&out->explained, a, item->plan, -1, false);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena *a = arena_new();
  Text spec = text_new(a);
  Choices choices = {.at = data + 1, .end = data + size};
  if (size && data[0] < 32)
    put_spec(&choices, &spec);
  else
    text_add(&spec, (const char *)data, size);
  const int fd = fuzz_file((const uint8_t *)spec.s, spec.len);
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
