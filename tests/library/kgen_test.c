/* SPDX-License-Identifier: MIT */
/* The library through its one public header. */
#include "kgen.h"

#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static const char good[] = "version: 1\nkernel: none\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\n"
                           "access:\n"
                           "  - {name: fill, op: store, for: {j: 4}, at: [ty + 8*j, tx]}\n"
                           "  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8*j]}\n";
static const char bad[] = "version: 1\nkernel: none\ndtype: f32\ntile: [32]\nblock: [32]\n"
                          "access:\n  - {name: far, op: load, at: [tx + 1]}\n";

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  CHECK(f != NULL, "cannot write %s", path);
  if (!f) return;
  fputs(text, f);
  fclose(f);
}

static void test_specs(const char *folder) {
  char good_path[128], bad_path[128], out[128], file[160];
  snprintf(good_path, sizeof good_path, "%s/good.yaml", folder);
  snprintf(bad_path, sizeof bad_path, "%s/bad.yaml", folder);
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(file, sizeof file, "%s/good.h", out);
  write_file(good_path, good);
  write_file(bad_path, bad);
  Kgen *k = kgen_open(KGEN_SOURCE_DIR "/templates");
  CHECK(kgen_add(k, good_path), "%s", kgen_errors(k));
  CHECK(kgen_count(k) == 1, "%d specs", kgen_count(k));
  CHECK_STR(kgen_errors(k), "");
  if (kgen_count(k) == 1) {
    CHECK_STR(kgen_name(k, 0), "good");
    CHECK_STR(kgen_file(k, 0), "good.h");
    CHECK(strstr(kgen_source(k, 0), "good_offset"), "no index function");
    CHECK(kgen_conflict_free(k, 0), "has conflicts");
    CHECK(strstr(kgen_json(k), "\"conflict_free\": true"), "%s", kgen_json(k));
  }
  CHECK(kgen_write(k, out) && access(file, R_OK) == 0, "%s", kgen_errors(k));
  CHECK(!kgen_add(k, bad_path), "a lane that leaves the tile was accepted");
  CHECK(strstr(kgen_errors(k), "bad.yaml:7:"), "%s", kgen_errors(k));
  CHECK(kgen_count(k) == 1, "%d specs", kgen_count(k));
  CHECK(!kgen_write(k, out), "written in spite of errors");
  CHECK(!kgen_name(k, 1) && !kgen_file(k, -1) && !kgen_source(k, 7) && !kgen_explain(k, 1) &&
            !kgen_conflict_free(k, 1),
        "there is no spec 1");
  CHECK(kgen_svg(k, 0) && strstr(kgen_svg(k, 0), "<svg") && !kgen_svg(k, 1), "%s", kgen_errors(k));
  kgen_free(k);
  kgen_free(NULL);
}

/* Specs as text: their sources, their errors as structs, and a directory that cannot be written. */
static void test_texts(void) {
  Kgen *k = kgen_open(KGEN_SOURCE_DIR "/templates");
  CHECK(kgen_add_text(k, "good.yaml", good), "%s", kgen_errors(k));
  CHECK(kgen_error_count(k) == 0 && !kgen_error(k, 0), "errors");
  CHECK(strstr(kgen_explain(k, 0), "good: conflict-free, proven minimal"), "%s",
        kgen_explain(k, 0));
  CHECK(!kgen_write(k, "/dev/null/out") && kgen_error_count(k) == 1, "written into no folder");
  CHECK(kgen_error(k, 0)->kind == KGEN_NOT_WRITTEN && !kgen_error(k, 0)->file, "%s",
        kgen_errors(k));
  CHECK(!kgen_add_text(k, "bad.yaml", bad) && kgen_error_count(k) == 2, "%s", kgen_errors(k));
  const KgenError *e = kgen_error(k, 1);
  CHECK(e->kind == KGEN_BAD_SPEC && e->line == 7 && e->col == 32 && e->width == 6, "%d:%d+%d",
        e->line, e->col, e->width);
  CHECK_STR(e->file, "bad.yaml");
  CHECK_STR(e->message, "access 'far' leaves the tile: index 32 of dimension 0, which has 32 "
                        "(lane 31 of warp 0)");
  CHECK(!kgen_add_text(k, "tiel.yaml", "version: 1\nkernel: none\ndtype: f23\n"), "f23");
  bool hinted = false;
  for (int i = 2; i < kgen_error_count(k); i++)
    hinted = hinted || (kgen_error(k, i)->hint && strstr(kgen_error(k, i)->hint, "f32"));
  CHECK(hinted, "no hint: %s", kgen_errors(k));
  CHECK(!kgen_error(k, kgen_error_count(k)) && !kgen_error(k, -1), "beyond the last");
  kgen_free(k);
}

/* --- tiles --- */

enum { SIDE = 32, WARPS = 32 };

/* A square tile of f32, stored by rows and read by columns. */
typedef struct {
  int32_t fill[WARPS][32], drain[WARPS][32];
  KgenAccess access[2];
  KgenTile tile;
} Transpose;

static void transpose_make(Transpose *t) {
  for (int w = 0; w < WARPS; w++)
    for (int lane = 0; lane < 32; lane++) {
      t->fill[w][lane] = w * SIDE + lane;
      t->drain[w][lane] = lane * SIDE + w;
    }
  t->access[0] =
      (KgenAccess){.name = "fill", .op = "store", .instructions = WARPS, .index = t->fill[0]};
  t->access[1] =
      (KgenAccess){.name = "drain", .op = "load", .instructions = WARPS, .index = t->drain[0]};
  t->tile = (KgenTile){
      .dtype = "f32", .rank = 2, .extent = {SIDE, SIDE}, .accesses = 2, .access = t->access};
}

static void test_solve(void) {
  Transpose t;
  transpose_make(&t);
  Kgen *k = kgen_open(NULL);
  const KgenResult *r = kgen_solve(k, &t.tile);
  CHECK(r != NULL, "%s", kgen_errors(k));
  if (r) {
    CHECK_STR(r->kind, "xor");
    CHECK_STR(r->expression, "c0 * 32 + (c1 ^ (c0 & 31))");
    CHECK(r->conflict_free && r->minimal && r->bytes == 4096 && !r->better && r->pad_bytes == 0,
          "%lld bytes", (long long)r->bytes);
    CHECK(r->accesses == 2 && r->cost[1].wavefronts == 32 && r->cost[1].plain == 1024 &&
              r->cost[1].ideal == 32 && r->cost[1].worst == 1,
          "%lld wavefronts", (long long)r->cost[1].wavefronts);
    CHECK(kgen_offset(&t.tile, &r->placement, (int[]){3, 5}) == 3 * 32 + (5 ^ 3), "offset");
    CHECK(kgen_offset(&t.tile, &r->placement, (int[]){3, 32}) == -1, "outside");
    const KgenPlacement far = {.stride = {1 << 30, 1}};
    const KgenPlacement shifted = {
        .stride = {32, 1}, .xors = 1, .xor_term = {{.shift = 40, .mask = 31}}};
    const KgenPlacement period = {.stride = {1, 1}, .period = INT_MAX};
    const KgenTile line = {.rank = 1, .extent = {INT_MAX}};
    const KgenTile large = {.rank = 2, .extent = {INT_MAX, INT_MAX}};
    CHECK(kgen_offset(&line, &period, (int[]){INT_MAX - 1}) == INT_MAX - 1, "a period of INT_MAX");
    CHECK(kgen_offset(&large, &r->placement, (int[]){3, 5}) == -1, "elements beyond int");
    CHECK(kgen_offset(&t.tile, &far, (int[]){3, 5}) == -1, "a stride beyond int");
    CHECK(kgen_offset(&t.tile, &shifted, (int[]){3, 5}) == -1, "a shift beyond int");
    CHECK(strstr(kgen_result_json(k, r), "\"kind\": \"xor\""), "%s", kgen_result_json(k, r));
    const char *svg = kgen_result_svg(k, r);
    CHECK(svg && strstr(svg, "<svg") && strstr(svg, "</svg>"), "%s", kgen_errors(k));
    CHECK(strstr(kgen_result_explain(k, r), "tile: conflict-free, proven minimal"), "%s",
          kgen_result_explain(k, r));
  }
  t.tile.layout = "pad";
  r = kgen_solve(k, &t.tile);
  CHECK(r && r->placement.stride[0] == 33 && r->pad_bytes == 128, "%s", kgen_errors(k));
  CHECK(kgen_error_count(k) == 0, "%s", kgen_errors(k));
  kgen_free(k);
}

/* A spec, and the equal tile without YAML, have equal layouts and costs. */
static void test_same_as_spec(void) {
  Transpose t;
  transpose_make(&t);
  Kgen *k = kgen_open(NULL);
  CHECK(kgen_add_text(k, "good.yaml", good), "%s", kgen_errors(k));
  const KgenResult *r = kgen_solve(k, &t.tile);
  CHECK(r && strstr(kgen_source(k, 0), "c0 * 32 + (c1 ^ (c0 & 31))") &&
            strstr(r->expression, "c0 * 32 + (c1 ^ (c0 & 31))"),
        "%s", r ? r->expression : kgen_errors(k));
  kgen_free(k);
}

static void test_judge(void) {
  Transpose t;
  transpose_make(&t);
  Kgen *k = kgen_open(NULL);
  const KgenPlacement plain = {.stride = {32, 1}}, padded = {.stride = {33, 1}},
                      by_column = {.stride = {1, 33}},
                      swizzled = {.stride = {32, 1}, .xors = 1, .xor_term = {{.mask = 31}}};
  const KgenResult *r = kgen_judge(k, &t.tile, &plain);
  CHECK(r && !r->minimal && !r->conflict_free && r->cost[1].wavefronts == 1024 && r->better,
        "plain");
  if (r && r->better) CHECK_STR(r->better->expression, "c0 * 32 + (c1 ^ (c0 & 31))");
  r = kgen_judge(k, &t.tile, &padded);
  CHECK(r && strstr(kgen_result_explain(k, r), "33"), "a judged layout is explained");
  CHECK(r && strstr(kgen_result_svg(k, r), "<svg"), "and drawn");
  CHECK(r && r->conflict_free && !r->minimal && r->better && r->better->bytes == 4096, "padded");
  t.tile.layout = "pad";
  r = kgen_judge(k, &t.tile, &padded);
  CHECK(r && r->minimal && !r->better, "the least pad");
  t.tile.layout = NULL;
  r = kgen_judge(k, &t.tile, &swizzled);
  CHECK(r && r->minimal && !r->better && r->conflict_free, "the least XOR");
  r = kgen_judge(k, &t.tile, &by_column);
  CHECK(r && r->bytes == (31 * 33 + 32) * 4 && r->conflict_free && !r->minimal, "by columns");
  if (r) CHECK_STR(r->kind, "expr");
  CHECK(kgen_error_count(k) == 0, "%s", kgen_errors(k));
  kgen_free(k);
}

/* The copies of tests/spec's cp.async: 16 bytes per lane, a source row of 128 bytes each 8 lanes.
 */
static void test_copies(void) {
  int32_t index[32];
  int64_t source[32];
  for (int lane = 0; lane < 32; lane++) {
    index[lane] = lane / 8 * 32 + lane % 8 * 4;
    source[lane] = lane / 8 * 4096 + lane % 8 * 16;
  }
  const KgenAccess access = {.op = "cp_async",
                             .vector = 4,
                             .instructions = 1,
                             .index = index,
                             .cache = "cg",
                             .source = source};
  KgenAccess other = access;
  KgenTile tile = {.dtype = "f32", .rank = 2, .extent = {4, 32}, .accesses = 1, .access = &access};
  Kgen *k = kgen_open(NULL);
  const KgenResult *given = kgen_solve(k, &tile);
  tile.access = &other;
  other.source = NULL;
  const KgenResult *own = kgen_solve(k, &tile);
  CHECK(given && own && given->conflict_free && given->cost[0].wavefronts == 4 &&
            own->cost[0].wavefronts == 4,
        "%s", kgen_errors(k));
  int64_t odd[32] = {8};
  other.source = odd;
  CHECK(!kgen_solve(k, &tile) && strstr(kgen_errors(k), "from byte 8, which is not aligned"),
        "odd");
  other.source = NULL;
  other.cache = "cb";
  CHECK(!kgen_solve(k, &tile) && strstr(kgen_errors(k), "cache of access 'access0' is 'cb'"), "cb");
  other.cache = "cg";
  other.vector = 2;
  CHECK(!kgen_solve(k, &tile) && strstr(kgen_errors(k), "cp.async.cg takes 16"), "8 bytes");
  kgen_free(k);
}

/* Checks that a tile is rejected with this message. */
static void refused(const char *words, const KgenTile *tile, const KgenPlacement *p) {
  Kgen *k = kgen_open(NULL);
  const KgenResult *r = p ? kgen_judge(k, tile, p) : kgen_solve(k, tile);
  CHECK(!r && kgen_error_count(k) > 0 && strstr(kgen_errors(k), words), "want \"%s\", got \"%s\"",
        words, kgen_errors(k));
  for (int i = 0; i < kgen_error_count(k); i++)
    CHECK(kgen_error(k, i)->kind == KGEN_BAD_ARGUMENT, "%s", kgen_error(k, i)->message);
  kgen_free(k);
}

static void test_refused_tiles(void) {
  Transpose t;
  transpose_make(&t);
  KgenTile tile = t.tile;
#define REFUSED(words, member, value)                                                              \
  do {                                                                                             \
    tile = t.tile;                                                                                 \
    tile.member = value;                                                                           \
    refused(words, &tile, NULL);                                                                   \
  } while (0)
  REFUSED("did you mean 'f32'?", dtype, "f23");
  REFUSED("dtype is not given", dtype, NULL);
  REFUSED("layout is 'xro'", layout, "xro");
  REFUSED("arch is 'sm_9'", arch, "sm_9");
  REFUSED("rank is 5", rank, 5);
  REFUSED("an extent is below 1", extent[1], 0);
  REFUSED("more than 1048576 elements", extent[0], INT32_MAX);
  REFUSED("align is 24", align, 24);
  REFUSED("4096 bytes without padding, more than 4000", max_bytes, 4000);
  REFUSED("0 accesses", accesses, 0);
  REFUSED("-1 accesses", accesses, -1);
  REFUSED("the list of accesses is NULL", access, NULL);
  REFUSED("leaves the tile: element 992 of 992", extent[0], 31);
#undef REFUSED
#define REFUSED(words, member, value)                                                              \
  do {                                                                                             \
    transpose_make(&t);                                                                            \
    t.access[1].member = value;                                                                    \
    refused(words, &t.tile, NULL);                                                                 \
  } while (0)
  REFUSED("did you mean 'load'?", op, "laod");
  REFUSED("0 instructions", instructions, 0);
  REFUSED("takes 12 bytes per lane", vector, 3);
  REFUSED("takes 32 bytes per lane", vector, 8);
  REFUSED("is misaligned: a lane of 4 elements starts at element 1", vector, 4);
  REFUSED("has weight -1", weight, -1);
  REFUSED("access 'drain' has no indices", index, NULL);
#undef REFUSED
  transpose_make(&t);
  for (int w = 0; w < WARPS; w++)
    for (int lane = 0; lane < 32; lane++) t.drain[w][lane] = -1;
  refused("access 'drain' has no active lane", &t.tile, NULL);
}

static void test_refused_placements(void) {
  Transpose t;
  transpose_make(&t);
  const KgenPlacement meet = {.stride = {31, 1}}, no_stride = {.stride = {32, 0}},
                      period = {.period = 32, .stride = {32, 1}},
                      terms = {.stride = {32, 1}, .xors = 25},
                      shift = {.stride = {32, 1},
                               .xors = 1,
                               .xor_term = {{.shift = 31, .mask = 1}}},
                      wide = {.stride = {32, 1},
                              .xors = 1,
                              .xor_term = {{.shift = -29, .mask = 4}}},
                      far = {.stride = {1 << 20, 1}};
  refused("puts elements (0, 31) and (1, 0) both at 31", &t.tile, &meet);
  refused("a stride must be 1 to", &t.tile, &no_stride);
  refused("only a tile of rank 1 has a period", &t.tile, &period);
  refused("a mask below", &t.tile, &terms);
  refused("a shift -30 to 30", &t.tile, &shift);
  refused("goes beyond 2^31 elements", &t.tile, &wide);
  refused("and the tile may take", &t.tile, &far);
  t.tile.max_bytes = 4096;
  refused("puts element", &t.tile, &(KgenPlacement){.stride = {33, 1}});
  int32_t rows[32];
  for (int lane = 0; lane < 32; lane++) rows[lane] = 4 * lane;
  const KgenAccess wide_load = {.op = "load", .vector = 4, .instructions = 1, .index = rows};
  const KgenTile row = {
      .dtype = "f32", .rank = 2, .extent = {32, 32}, .accesses = 1, .access = &wide_load};
  refused("splits or misaligns", &row,
          &(KgenPlacement){.stride = {32, 1}, .xors = 1, .xor_term = {{.mask = 1}}});
}

/* Missing arguments are rejected like any other error of the caller. */
static void test_refused_nothing(void) {
  Transpose t;
  transpose_make(&t);
  Kgen *k = kgen_open(NULL);
  CHECK(!kgen_add(k, NULL) && strstr(kgen_errors(k), "the spec's path"), "%s", kgen_errors(k));
  CHECK(!kgen_add_text(k, NULL, good) && strstr(kgen_errors(k), "name"), "%s", kgen_errors(k));
  CHECK(!kgen_add_text(k, "a", NULL) && strstr(kgen_errors(k), "the text is"), "%s",
        kgen_errors(k));
  CHECK(!kgen_write(k, NULL) && strstr(kgen_errors(k), "the folder"), "%s", kgen_errors(k));
  CHECK(!kgen_solve(k, NULL) && strstr(kgen_errors(k), "the tile"), "%s", kgen_errors(k));
  CHECK(!kgen_judge(k, &t.tile, NULL) && strstr(kgen_errors(k), "the placement"), "%s",
        kgen_errors(k));
  CHECK(!kgen_lint(k, NULL) && strstr(kgen_errors(k), "file is"), "%s", kgen_errors(k));
  CHECK(kgen_error_count(k) == 7, "%d errors", kgen_error_count(k));
  kgen_free(k);
}

/* Placements of every rank agree with what the emitted C says, element by element. */
static void test_offset(void) {
  int32_t index[32];
  for (int lane = 0; lane < 32; lane++) index[lane] = lane * 32;
  const KgenAccess access = {.op = "load", .instructions = 1, .index = index};
  const KgenTile line = {
      .dtype = "f32", .rank = 1, .extent = {1024}, .accesses = 1, .access = &access};
  Kgen *k = kgen_open(NULL);
  const KgenResult *r = kgen_solve(k, &line);
  CHECK(r && r->conflict_free && r->placement.xors > 0, "%s", kgen_errors(k));
  bool seen[4096] = {false}, banks[32] = {false};
  for (int i = 0; r && i < 1024; i++) {
    const int64_t at = kgen_offset(&line, &r->placement, &i);
    CHECK(at >= 0 && at < r->bytes / 4 && !seen[at], "element %d at %lld", i, (long long)at);
    if (at >= 0 && at < 4096) seen[at] = true;
  }
  for (int lane = 0; r && lane < 32; lane++) {
    const int i = lane * 32;
    const int64_t bank = kgen_offset(&line, &r->placement, &i) % 32;
    CHECK(!banks[bank], "two lanes in bank %lld", (long long)bank);
    banks[bank] = true;
  }
  kgen_free(k);
}

/* --- lint --- */

/* Each of 32 threads stores into a column of 32 x 4 bytes: 32 wavefronts where 1 would do. */
static const char column_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                 ".visible .entry column() {\n"
                                 "  .reg .b32 %r<4>;\n"
                                 "  .shared .align 4 .b8 tile[4096];\n"
                                 "  mov.u32 %r1, %tid.x;\n"
                                 "  shl.b32 %r2, %r1, 7;\n"
                                 "  mov.u32 %r3, tile;\n"
                                 "  add.s32 %r3, %r3, %r2;\n"
                                 "  st.shared.u32 [%r3], %r1;\n"
                                 "  ret;\n}\n";

static void test_lint(void) {
  Kgen *k = kgen_open(NULL);
  const KgenLint lint = {.file = "column.ptx", .text = column_ptx, .block = {32}};
  const KgenLintReport *r = kgen_lint(k, &lint);
  CHECK(r && kgen_error_count(k) == 0, "%s", kgen_errors(k));
  if (r) {
    CHECK_STR(r->kernel, "column");
    CHECK(r->conflicts == 31 && r->blocks == 1 && r->findings == 0 && r->shared_lines == 1,
          "%lld conflicts", (long long)r->conflicts);
    const KgenSharedLine *s = &r->shared_line[0];
    CHECK_STR(s->file, "column.ptx");
    CHECK_STR(s->op, "store");
    CHECK(s->line == 11 && s->wavefronts == 32 && s->ideal == 1 && s->instructions == 1 && s->fix,
          "line %d", s->line);
    CHECK(strstr(r->text, "column") && strstr(r->json, "\"conflicts\": 31"), "%s", r->json);
    CHECK_STR(r->printed, "");
  }
  kgen_free(k);
}

static void put_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

/* The launches of a lint.yaml, all or by name; a member of KgenLint that the file sets itself is
 * rejected. */
static void test_lint_file(void) {
  static const char launches[] = "version: 1\nsource: k.ptx\nlaunches:\n"
                                 "  - {name: one, kernel: column, grid: 1, block: 32}\n"
                                 "  - {name: two, kernel: column, grid: 2, block: 32}\n";
  char folder[] = "/tmp/kgen-lint-XXXXXX", ptx[64], yaml[64];
  CHECK(mkdtemp(folder), "no temporary folder");
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  snprintf(yaml, sizeof yaml, "%s/lint.yaml", folder);
  put_text(ptx, column_ptx);
  put_text(yaml, launches);
  Kgen *k = kgen_open(NULL);
  const KgenLint all = {.file = folder}, two = {.file = yaml, .kernel = "two"};
  const KgenLintReport *r = kgen_lint(k, &all);
  CHECK(r && r->next && !r->next->next, "%s", kgen_errors(k));
  if (r && r->next) {
    CHECK_STR(r->name, "one");
    CHECK_STR(r->next->name, "two");
    CHECK(r->conflicts == 31 && r->next->conflicts == 62, "%lld", (long long)r->next->conflicts);
  }
  r = kgen_lint(k, &two);
  CHECK(r && !r->next && r->conflicts == 62 && !kgen_error_count(k), "%s", kgen_errors(k));
  const KgenLint grid = {.file = yaml, .grid = {2}};
  CHECK(!kgen_lint(k, &grid) && strstr(kgen_errors(k), "no --grid"), "%s", kgen_errors(k));
  kgen_free(k);
  remove(ptx);
  remove(yaml);
  remove(folder);
}

static void lint_refused(const char *words, KgenErrorKind kind, const KgenLint *lint) {
  Kgen *k = kgen_open(NULL);
  CHECK(!kgen_lint(k, lint) && kgen_error_count(k) > 0, "not refused: %s", words);
  const KgenError *e = kgen_error(k, 0);
  if (e)
    CHECK(e->kind == kind && (strstr(e->message, words) || (e->hint && strstr(e->hint, words))),
          "want \"%s\", got \"%s\"", words, kgen_errors(k));
  kgen_free(k);
}

/* The fields of the first error: what its message begins with, and its whole hint. */
static void lint_fields(const char *message, const char *hint, const KgenLint *lint) {
  Kgen *k = kgen_open(NULL);
  CHECK(!kgen_lint(k, lint) && kgen_error_count(k) == 1, "%s: %d errors", message,
        kgen_error_count(k));
  const KgenError *e = kgen_error(k, 0);
  if (e) {
    CHECK(strncmp(e->message, message, strlen(message)) == 0, "'%s', not '%s'", e->message,
          message);
    CHECK(hint ? e->hint && strcmp(e->hint, hint) == 0 : !e->hint, "hint '%s', not '%s'",
          e->hint ? e->hint : "none", hint ? hint : "none");
    CHECK(!e->file && !strstr(e->message, "kgen: "), "'%s' in a file", e->message);
  }
  kgen_free(k);
}

static void test_refused_lint(void) {
  const KgenLint none = {.block = {32}}, lost = {.file = "/nowhere/k.ptx", .block = {32}},
                 kernel = {.file = "k.ptx", .text = column_ptx, .kernel = "colum", .block = {32}},
                 arch = {.file = "k.ptx", .text = column_ptx, .arch = "sm_9"},
                 arg = {.file = "k.ptx",
                        .text = column_ptx,
                        .arg = {1, (const char *const[]){"i32:4"}}},
                 broken = {.file = "k.ptx",
                           .text = ".version 8.0\n.target sm_90\n.entry k() {\n  frob.x;\n}\n"};
  lint_refused("file is not given", KGEN_BAD_ARGUMENT, &none);
  lint_refused("No such file", KGEN_BAD_ARGUMENT, &lost);
  lint_refused("did you mean column?", KGEN_BAD_ARGUMENT, &kernel);
  lint_refused("sm_9", KGEN_BAD_ARGUMENT, &arch);
  lint_refused("the kernel has 0 parameters, 1 --arg given", KGEN_BAD_ARGUMENT, &arg);
  lint_refused("frob", KGEN_REJECTED, &broken);
  lint_fields("arch is 'sm_90b', but must be one of sm_75, ", "did you mean 'sm_90'?",
              &(KgenLint){.file = "k.ptx", .text = column_ptx, .arch = "sm_90b"});
  lint_fields("std is 'c++18', but must be one of c++11, c++14, c++17, c++20",
              "did you mean 'c++11'?",
              &(KgenLint){.file = "k.ptx", .text = column_ptx, .std = "c++18"});
  lint_fields("the kernel has 0 parameters, 1 --arg given", "parameters: none", &arg);
  lint_fields(
      "--arg frob: not one of buf:SIZE, ", NULL,
      &(KgenLint){.file = "k.ptx", .text = column_ptx, .arg = {1, (const char *const[]){"frob"}}});
  Kgen *k = kgen_open(NULL);
  kgen_lint(k, &broken);
  const KgenError *e = kgen_error(k, 0);
  CHECK(e && e->file && strcmp(e->file, "k.ptx") == 0 && e->line == 4, "%s", kgen_errors(k));
  kgen_free(k);
}

/* In a locale with a decimal comma kgen's numbers keep the point. */
static const char real_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry real(.param .f32 v, .param .u64 out) {\n"
                               "  .reg .f32 %f<3>;\n  .reg .b64 %rd<2>;\n"
                               "  ld.param.f32 %f1, [v];\n  ld.param.u64 %rd1, [out];\n"
                               "  mul.f32 %f2, %f1, 0d3FF8000000000000;\n"
                               "  st.global.f32 [%rd1], %f2;\n  ret;\n}\n";

static void test_locale(void) {
  static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof comma / sizeof *comma && !found; i++)
    found = setlocale(LC_ALL, comma[i]);
  if (!found) printf("no locale with a decimal comma here: numbers are read in this one\n");
  Kgen *k = kgen_open(NULL);
  const KgenLint lint = {
      .file = "real.ptx", .text = real_ptx, .arg = {2, (const char *const[]){"f32:1.5", "buf:64"}}};
  const KgenLintReport *r = kgen_lint(k, &lint);
  CHECK(r && strstr(r->json, "\"used_share\": 0.125"), "%s", r ? r->json : kgen_errors(k));
  CHECK(r && r->global_line[0].used_share == 0.125, "%g", r ? r->global_line[0].used_share : 0);
  if (found) CHECK(localeconv()->decimal_point[0] == ',', "the program's locale is not back");
  kgen_free(k);
  setlocale(LC_ALL, "C");
}

/* --- two handles in two threads --- */

enum { ROUNDS = 3 };

/* Uses all that the library offers, several times; *wrong becomes 1 + the first round that went
 * wrong. */
static void *work(void *wrong) {
  int *failed = wrong;
  Transpose t;
  transpose_make(&t);
  const KgenLint lint = {.file = "column.ptx", .text = column_ptx, .block = {32}, .grid = {2}};
  for (int i = 0; i < ROUNDS && !*failed; i++) {
    Kgen *k = kgen_open(KGEN_SOURCE_DIR "/templates");
    const KgenResult *r = kgen_solve(k, &t.tile);
    const KgenLintReport *l = kgen_lint(k, &lint);
    const bool ok = r && r->conflict_free && l && l->conflicts == 62 &&
                    kgen_add_text(k, "good.yaml", good) && !kgen_add_text(k, "bad.yaml", bad) &&
                    kgen_error_count(k) == 1 && strstr(kgen_source(k, 0), "good");
    if (!ok) *failed = i + 1;
    kgen_free(k);
  }
  return NULL;
}

static void test_threads(void) {
  enum { THREADS = 2 };
  pthread_t thread[THREADS];
  int wrong[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) {
    const int failed = pthread_create(&thread[i], NULL, work, &wrong[i]);
    CHECK(!failed, "no thread %d", i);
    if (failed) return;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) CHECK(!wrong[i], "thread %d, round %d", i, wrong[i]);
}

static void test_wavefronts(void) {
  int64_t column[32], padded[32], negative[32] = {-4}, odd[32] = {2};
  for (int i = 0; i < 32; i++) column[i] = 128 * i, padded[i] = 132 * i;
  int ideal = 0;
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, UINT32_MAX, column, &ideal) == 32 && ideal == 1, "column");
  CHECK(kgen_wavefronts(KGEN_STORE, 4, UINT32_MAX, padded, &ideal) == 1 && ideal == 1, "padded");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 0xff, column, NULL) == 8, "eight lanes");
  CHECK(kgen_wavefronts(KGEN_ATOMIC, 4, 3, (int64_t[32]){0}, NULL) == 2, "one word, two atomics");
  CHECK(kgen_wavefronts(KGEN_LDMATRIX, 16, 0xff, column, NULL) == 8, "rows 128 bytes apart");
  CHECK(kgen_wavefronts(KGEN_LOAD, 3, 1, column, NULL) == -1, "3 bytes");
  CHECK(kgen_wavefronts(KGEN_LDMATRIX, 4, 1, column, NULL) == -1, "ldmatrix of 4 bytes");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 1, negative, NULL) == -1, "negative address");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 1, odd, NULL) == -1, "misaligned");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 2, negative, NULL) == 1, "an idle lane's address counts");
}

int main(void) {
  char folder[] = "/tmp/kgen-library-test-XXXXXX", command[64];
  CHECK(mkdtemp(folder) != NULL, "no folder");
  test_specs(folder);
  test_texts();
  test_solve();
  test_same_as_spec();
  test_judge();
  test_copies();
  test_refused_tiles();
  test_refused_placements();
  test_refused_nothing();
  test_offset();
  test_lint();
  test_lint_file();
  test_refused_lint();
  test_wavefronts();
  test_locale();
  test_threads();
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0, "cannot clean up");
  return check_report("kgen");
}
