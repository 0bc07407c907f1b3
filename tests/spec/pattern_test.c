/* SPDX-License-Identifier: MIT */
/* Patterns over tiles of all ranks, blocks and vectors: no lane leaves the tile, and what a name
 * promises to cover is covered, each element once. */
#include "spec/access.h"
#include "spec/pattern.h"
#include "spec/spec_read.h"

#include "base/file.h"
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

/* The number of times that a pattern accesses each element: every one once, or some of them at most
 * once. */
typedef enum { ALL_ONCE, SOME_ONCE, ANY } Cover;

static const struct {
  const char *pattern;
  Cover cover;
} cases[] = {{"row", ALL_ONCE},          {"column", ALL_ONCE},      {"diagonal", ALL_ONCE},
             {"antidiagonal", ALL_ONCE}, {"reverse", ALL_ONCE},     {"broadcast", ANY},
             {"strided(1)", ALL_ONCE},   {"strided(3)", SOME_ONCE}, {"strided(60000)", SOME_ONCE},
             {"blocked(1)", ALL_ONCE},   {"blocked(3)", ALL_ONCE},  {"blocked(64)", ALL_ONCE},
             {"butterfly(1)", ANY},      {"butterfly(7)", ANY},     {"patch(4, 8)", ALL_ONCE},
             {"patch(3, 5)", ALL_ONCE},  {"patch(32, 1)", ALL_ONCE}};

static const char *const tiles[] = {"[32, 32]", "[64, 24]",  "[7, 16]",      "[1, 64]",
                                    "[1000]",   "[5, 3, 8]", "[2, 3, 4, 48]"};
static const struct {
  const char *block;
  bool whole_warps;
} blocks[] = {{"[32]", true},     {"[1]", false},        {"[48]", false},
              {"[16, 16]", true}, {"[33, 3, 2]", false}, {"[1024]", true}};

static char path[] = "/tmp/kgen_pattern_XXXXXX";

static const AccessSet *expand(Arena *a, const char *text) {
  const SpecOptions options = {.templates = templates_open(a, "tests/spec/bad/families")};
  Diag *d = diag_new(a);
  CHECK(file_write(path, text, strlen(text)), "cannot write %s", path);
  const Spec *spec = spec_read(a, d, path, &options);
  const AccessSet *set =
      spec ? access_expand(a, d, spec, &spec->tile[0], &(Budget){.limit = EXPAND_EFFORT}) : NULL;
  Text errors = text_new(a);
  diag_print(d, &errors, false);
  CHECK(set, "%s", errors.s);
  return set;
}

/* Counts the accesses of each element. */
static int *count_touches(Arena *a, const AccessSet *set, int elements) {
  int *touched = ARENA_ARRAY(a, int, (size_t)elements);
  const Access *access = &set->access[0];
  for (int i = 0; i < access->warps; i++)
    for (int lane = 0; lane < WARP; lane++) {
      if (!(access->warp[i].active >> lane & 1)) continue;
      int index = 0;
      for (int d = 0; d < set->tile->rank; d++)
        index = index * set->tile->extent[d] + access->warp[i].coord[d][lane];
      for (int k = 0; k < access->elements; k++) touched[index + k]++;
    }
  return touched;
}

static void check_case(const char *pattern, Cover cover, const char *tile, const char *block,
                       int vector) {
  Arena *a = arena_new();
  const char *text = arena_printf(a,
                                  "version: 1\nkernel: none\nname: p\ndtype: u16\ntile: %s\nblock: "
                                  "%s\naccess:\n  - {vector: %d, pattern: \"%s\"}\n",
                                  tile, block, vector, pattern);
  const AccessSet *set = expand(a, text);
  int elements = 1;
  for (int d = 0; set && d < set->tile->rank; d++) elements *= set->tile->extent[d];
  const int *touched = set ? count_touches(a, set, elements) : NULL;
  for (int i = 0; set && i < elements; i++) {
    const bool right = cover == ANY || touched[i] == 1 || (cover == SOME_ONCE && touched[i] == 0);
    if (right) continue;
    CHECK(right, "%s of %s by %s, vector %d: element %d is touched %d times", pattern, tile, block,
          vector, i, touched[i]);
    break;
  }
  arena_free(a);
}

/* Row addresses of ldmatrix: 8 * matrices lanes, each at a different 16-byte row. */
static void check_matrix(int matrices) {
  Arena *a = arena_new();
  const char *text = arena_printf(a,
                                  "version: 1\nkernel: none\nname: p\ndtype: f16\ntile: [32, 32]\n"
                                  "block: [64]\naccess:\n  - {op: ldmatrix, matrices: %d, pattern: "
                                  "matrix}\n",
                                  matrices);
  const AccessSet *set = expand(a, text);
  const int *touched = set ? count_touches(a, set, 32 * 32) : NULL;
  for (int i = 0; set && i < 32 * 32; i++)
    CHECK(touched[i] == 1, "x%d: element %d is touched %d times", matrices, i, touched[i]);
  for (int i = 0; set && i < set->access[0].warps; i++) {
    const uint32_t want = UINT32_MAX >> (32 - 8 * matrices);
    CHECK(set->access[0].warp[i].active == want, "x%d: lanes %08x", matrices,
          (unsigned)set->access[0].warp[i].active);
  }
  arena_free(a);
}

/* The page of the spec language says of each pattern what the table does. */
static void check_page(void) {
  Arena *a = arena_new();
  size_t len;
  const char *page = file_read(a, KGEN_SOURCE_DIR "/docs/reference/spec.md", 1 << 20, &len);
  CHECK(page, "docs/reference/spec.md");
  for (int i = 0; page && i < pattern_count; i++) {
    const Pattern *p = &pattern_table[i];
    CHECK(strstr(page, arena_printf(a, "| `%s` | %s |", p->usage, p->about)),
          "docs/reference/spec.md: %s", p->usage);
  }
  arena_free(a);
}

int main(void) {
  check_page();
  const int fd = mkstemp(path);
  CHECK(fd >= 0, "a file to write specs in");
  close(fd);
  const size_t count = sizeof(cases) / sizeof(*cases);
  for (size_t c = 0; c < count; c++)
    for (size_t t = 0; t < sizeof(tiles) / sizeof(*tiles); t++)
      for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++)
        for (int vector = 1; vector <= 8; vector *= 8)
          if (blocks[b].whole_warps || strncmp(cases[c].pattern, "patch", 5) != 0)
            check_case(cases[c].pattern, cases[c].cover, tiles[t], blocks[b].block, vector);
  for (int matrices = 1; matrices <= 4; matrices *= 2) check_matrix(matrices);
  unlink(path);
  return check_report("pattern_test");
}
