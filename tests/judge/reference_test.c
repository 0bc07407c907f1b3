/* SPDX-License-Identifier: MIT */
/* Tests the code that checks every kernel: encodings of elements, random inputs, references,
 * comparison. */
#include "judge/check.h"
#include "judge/family.h"
#include "judge/reference/reference.h"
#include "judge/value.h"

#include <float.h>
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "spec/expr_parse.h"
#include "spec/spec_read.h"

/* --- values --- */

static void test_decode(void) {
  static const struct {
    const char *type;
    uint64_t bits;
    double value;
  } row[] = {
      {"f16", 0x3c00, 1},          {"f16", 0x7bff, 65504},
      {"f16", 0x0001, 0x1p-24},    {"f16", 0xfc00, -INFINITY},
      {"bf16", 0x3f80, 1},         {"bf16", 0xc0a0, -5},
      {"e4m3", 0x38, 1},           {"e4m3", 0x7e, 448},
      {"e4m3", 0x01, 0x1p-9},      {"e4m3", 0x7f, NAN},
      {"e5m2", 0x3c, 1},           {"e5m2", 0x7b, 57344},
      {"e5m2", 0x7c, INFINITY},    {"e5m2", 0x7e, NAN},
      {"f32", 0xbfc00000, -1.5},   {"f32", 1, 0x1p-149},
      {"f32", 0x7fc00000, NAN},    {"f64", 0x3ff8000000000000, 1.5},
      {"i8", 0x80, -128},          {"u8", 0x80, 128},
      {"i16", 0xffff, -1},         {"i32", 0x80000000, -0x1p31},
      {"u32", 0x80000000, 0x1p31}, {"i64", 1ull << 63, -0x1p63},
      {"u64", 1ull << 63, 0x1p63}, {"i64", 5, 5},
      {"b16", 0x8001, 32769},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const double got = value_decode(dtype_find(row[i].type), &row[i].bits, 0);
    CHECK(got == row[i].value || (isnan(got) && isnan(row[i].value)), "%s %#llx: got %g, want %g",
          row[i].type, (unsigned long long)row[i].bits, got, row[i].value);
  }
  const float c64[2] = {1.25f, -3};
  CHECK(value_decode(dtype_find("c64"), c64, 0) == 1.25, "real part");
  CHECK(value_decode(dtype_find("c64"), c64, 1) == -3, "imaginary part");
  const float f = FLT_MAX;
  const double d = -DBL_MIN;
  CHECK(value_decode(dtype_find("f32"), &f, 0) == (double)FLT_MAX, "FLT_MAX");
  CHECK(value_decode(dtype_find("f64"), &d, 0) == -DBL_MIN, "-DBL_MIN");
}

/* Every finite number of 8 and 16 bits is its own encoding. */
static void test_encode_narrow(void) {
  static const char *const narrow[] = {"e4m3", "e5m2", "f16", "bf16"};
  for (size_t t = 0; t < sizeof narrow / sizeof *narrow; t++) {
    const Dtype *type = dtype_find(narrow[t]);
    for (uint32_t bits = 0; bits < 1u << 8 * type->bytes; bits++) {
      const double v = value_decode(type, &bits, 0);
      uint32_t got = 0;
      value_encode(type, v, 0, &got);
      CHECK(isnan(v) || got == bits, "%s %#x: got %#x", type->name, bits, got);
      CHECK(!isnan(v) || isnan(value_decode(type, &got, 0)), "%s %#x: not NaN", type->name, bits);
    }
  }
}

/* A value halfway between two numbers rounds to the even one. */
static void test_encode(void) {
  static const struct {
    const char *type;
    double value;
    uint64_t bits;
  } row[] = {{"f16", 65519.99, 0x7bff}, {"f16", 65520, 0x7c00},
             {"f16", -1e9, 0xfc00},     {"f16", 0x1p-25, 0},
             {"f16", 0x1.8p-24, 2},     {"f16", 2049, 0x6800},
             {"f16", 2051, 0x6802},     {"e4m3", 448, 0x7e},
             {"e4m3", 1e5, 0x7f},       {"f32", 1 + 0x1p-24, 1065353216},
             {"f32", -0.0, 0x80000000}, {"f32", 1e300, 0x7f800000},
             {"f64", 0x1p-1074, 1},     {"f64", -1.5, 0xbff8ull << 48}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    uint64_t got = 0;
    value_encode(dtype_find(row[i].type), row[i].value, 0, &got);
    CHECK(got == row[i].bits, "%s %g: got %#llx", row[i].type, row[i].value,
          (unsigned long long)got);
  }
  float c64[2] = {0};
  value_encode(dtype_find("c64"), 0.1, 1, c64);
  CHECK(c64[0] == 0 && c64[1] == 0.1f, "imaginary part");
  CHECK(value_roundoff(dtype_find("f32")) == (double)FLT_EPSILON / 2, "f32");
}

enum { FILLED = 1000 };

static void test_seeds(Arena *a, const Dtype *type) {
  const size_t bytes = (size_t)(FILLED * type->bytes);
  unsigned char *x = arena_alloc(a, bytes), *y = arena_alloc(a, bytes);
  value_fill(type, false, 7, x, FILLED);
  value_fill(type, false, 7, y, FILLED);
  CHECK(memcmp(x, y, bytes) == 0, "%s: one seed, two sequences", type->name);
  value_fill(type, false, 8, y, FILLED);
  CHECK(memcmp(x, y, bytes) != 0, "%s: two seeds, one sequence", type->name);
}

static void test_range(Arena *a, const Dtype *type) {
  unsigned char *x = arena_alloc(a, (size_t)(FILLED * type->bytes));
  value_fill(type, false, 7, x, FILLED);
  int negative = 0;
  for (int i = 0; i < FILLED; i++)
    for (int part = 0; part < value_parts(type); part++) {
      const double v = value_decode(type, x + i * type->bytes, part);
      CHECK(fabs(v) >= 1.0 / 16 && fabs(v) < 1, "%s: %g is out of range", type->name, v);
      negative += v < 0;
    }
  CHECK(negative > FILLED / 3, "%s: %d negative numbers", type->name, negative);
}

static void test_fill(Arena *a) {
  static const char *const real[] = {"e4m3", "e5m2", "f16", "bf16", "f32", "f64", "c64", "c128"};
  for (int t = 0; t < dtype_count; t++) test_seeds(a, &dtype_table[t]);
  for (size_t t = 0; t < sizeof real / sizeof *real; t++) test_range(a, dtype_find(real[t]));
}

/* --- references --- */

enum { ROWS, COLS, BATCH, IN_PAD, OUT_PAD, EXTENTS };

typedef struct {
  Spec spec;
  ProblemSpec problem_spec;
  BufferSpec buffer_spec[2];
  Buffer buffer[2];
  Problem problem;
} Transpose;

static void make_transpose(Arena *a, Transpose *t, const Dtype *type, const int64_t *extent) {
  static const char *const name[EXTENTS] = {"rows", "cols", "batch", "in_pad", "out_pad"};
  *t = (Transpose){.problem_spec = {.extents = EXTENTS, .buffers = 2},
                   .buffer_spec = {{.name = "in", .dtype = type},
                                   {.name = "out", .output = true, .dtype = type}}};
  t->spec.problem = &t->problem_spec;
  t->problem_spec.buffer = t->buffer_spec;
  t->problem = (Problem){.spec = &t->spec, .buffer = t->buffer};
  for (int i = 0; i < EXTENTS; i++) {
    names_add(&t->problem_spec.names, name[i]);
    t->problem.value[i] = extent[i];
  }
  const int64_t in = extent[BATCH] * extent[ROWS] * (extent[COLS] + extent[IN_PAD]);
  const int64_t out = extent[BATCH] * extent[COLS] * (extent[ROWS] + extent[OUT_PAD]);
  t->buffer[0] = (Buffer){.spec = &t->buffer_spec[0], .count = in};
  t->buffer[1] = (Buffer){.spec = &t->buffer_spec[1], .count = out};
  for (int i = 0; i < 2; i++) t->buffer[i].bytes = (size_t)(t->buffer[i].count * type->bytes);
  problem_fill(a, &t->problem, true, 3);
}

/* Transposing back gives the input; the padding between stays poison. */
static void test_transpose(Arena *a) {
  static const char *const types[] = {"u8", "f16", "f32", "f64", "c128"};
  const int64_t there[EXTENTS] = {5, 7, 3, 2, 4}, back[EXTENTS] = {7, 5, 3, 4, 2};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const Dtype *type = dtype_find(types[i]);
    const size_t bytes = (size_t)type->bytes;
    Transpose t, u;
    make_transpose(a, &t, type, there);
    make_transpose(a, &u, type, back);
    reference_transpose(a, &t.problem);
    memcpy(u.buffer[0].in, t.buffer[1].want, t.buffer[1].bytes);
    reference_transpose(a, &u.problem);
    const unsigned char *x = t.buffer[0].in, *y = u.buffer[1].want, *z = t.buffer[1].want;
    /* element (b=2, r=4, c=6) by hand: in (2*5+4)*9+6 = 132, out (2*7+6)*9+4 = 184 */
    CHECK(memcmp(x + 132 * bytes, z + 184 * bytes, bytes) == 0, "%s: one element", types[i]);
    for (int64_t e = 0; e < t.buffer[0].count; e++, x += bytes, y += bytes) {
      const bool pad = e % 9 >= 7;
      CHECK(pad ? y[0] == PROBLEM_POISON : memcmp(x, y, bytes) == 0, "%s: element %d", types[i],
            (int)e);
    }
  }
}

/* The spec with one name of its problem (an extent's, a param's, a buffer's) changed. */
static const Spec *without_name(Arena *a, const Spec *spec, const char *name) {
  ProblemSpec *p = ARENA_NEW(a, ProblemSpec);
  Spec *out = ARENA_NEW(a, Spec);
  BufferSpec *buffer = ARENA_ARRAY(a, BufferSpec, (size_t)spec->problem->buffers);
  *p = *spec->problem;
  *out = *spec;
  out->problem = p;
  p->buffer = buffer;
  for (int i = 0; i < p->names.count; i++)
    if (strcmp(p->names.name[i], name) == 0) p->names.name[i] = "another";
  for (int i = 0; i < p->buffers; i++) {
    buffer[i] = spec->problem->buffer[i];
    if (strcmp(buffer[i].name, name) == 0) buffer[i].name = "another";
  }
  return out;
}

/* A reference reports every name that it requests and that the problem lacks. */
static int check_names(Arena *a, const Spec *spec, const Family *family, const char *text) {
  static const char *const call[] = {"problem_value(p, \"", "problem_buffer(p, \""};
  int names = 0;
  for (int c = 0; c < 2; c++)
    for (const char *s = text; (s = strstr(s, call[c])); names++) {
      s += strlen(call[c]);
      const char *name = arena_strndup(a, s, strcspn(s, "\""));
      Diag *d = diag_new(a);
      CHECK(!family_check(family, a, d, without_name(a, spec, name)), "%s: no '%s', no error",
            spec->name, name);
      CHECK(strstr(diag_first(d), arena_printf(a, "'%s'", name)), "%s", diag_first(d));
    }
  return names;
}

/* The spec with a buffer that has half its elements. */
static const Spec *halved(Arena *a, Diag *d, const Spec *spec, int buffer) {
  const Spec *out = without_name(a, spec, "");
  BufferSpec *b = (BufferSpec *)&out->problem->buffer[buffer];
  const char *text = arena_printf(a, "(%s) / 2", b->count->text);
  b->count = expr_parse(a, d, b->count->loc, text, &out->problem->names);
  return out;
}

/* The buffers whose elements a reference counts. */
static bool sets_the_count(const Spec *spec, const BufferSpec *b) {
  static const char *const counted[][2] = {
      {"copy", "in"},  {"copy", "out"},   {"reduce", "in"},      {"banks", "out"},
      {"scan", "out"}, {"member", "out"}, {"vector_read", "out"}};
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
    if (strcmp(spec->kernel, counted[i][0]) == 0 && strcmp(b->name, counted[i][1]) == 0)
      return true;
  return false;
}

/* A buffer that a reference would access out of bounds is rejected. */
static void check_reach(Arena *a, const Spec *spec, const Family *family) {
  for (int i = 0; i < spec->problem->buffers; i++) {
    const BufferSpec *b = &spec->problem->buffer[i];
    Diag *d = diag_new(a);
    Problem p;
    if (b->workspace) continue;
    CHECK(problem_make(a, d, halved(a, d, spec, i), spec->problem->exact, &p), "%s", spec->name);
    const bool fits = family_fits(family, a, d, &p);
    const char *got = fits ? "" : diag_first(d);
    CHECK(fits == sets_the_count(spec, b), "%s, '%s': '%s'", spec->kernel, b->name, got);
    CHECK(fits || strstr(got, "the reference of family"), "%s: %s", spec->kernel, got);
  }
}

/* The text of a reference and of the function that counts its additions, which precedes it. */
static const char *source_of(Arena *a, const char *reference) {
  const char *const file[] = {reference, "moved", "added"};
  const char *own = arena_printf(a, "void reference_%s(", reference);
  const char *depth = arena_printf(a, "static int64_t %s_depth(", reference);
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    size_t length;
    const char *path = arena_printf(a, KGEN_SOURCE_DIR "/runtime/judge/reference/%s.c", file[i]);
    char *text = file_read(a, path, 1 << 20, &length);
    char *at = text ? strstr(text, own) : NULL, *end = at ? strstr(at, "\n}\n") : NULL;
    if (!end) continue;
    if (i == 0) return text;
    *end = '\0';
    return strstr(text, depth) ? strstr(text, depth) : at;
  }
  return NULL;
}

static void check_family(Arena *a, const char *name, const char *reference) {
  const char *written = arena_printf(a, "version: 1\nkernel: %s\nname: one\n", name);
  const Source source = {"one.yaml", written, strlen(written)};
  const SpecOptions options = {.templates = templates_open(a, KGEN_SOURCE_DIR "/templates"),
                               .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, source.path, &options);
  const Family *family = family_find(name);
  CHECK(spec && family, "%s: %s", name, diag_first(d) ? diag_first(d) : "not in the table");
  const char *text = source_of(a, reference);
  CHECK(text, "family %s: no reference_%s()", name, reference);
  if (!spec || !family || !text) return;
  CHECK(family_check(family, a, d, spec), "%s: %s", name, diag_first(d));
  CHECK(check_names(a, spec, family, text) >= 2, "%s: the reference reads nothing", name);
  check_reach(a, spec, family);
}

static void test_family(Arena *a) {
  static const char *const name[][2] = {
#define FAMILY(family, reference, kind) {#family, #reference},
#include "judge/families.def"
#undef FAMILY
  };
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) check_family(a, name[i][0], name[i][1]);
  CHECK(family_find("no_such") == NULL, "found a family that does not exist");
}

/* --- comparison --- */

enum { GUARD = 32, COUNT = 10 };

typedef struct {
  BufferSpec spec;
  Buffer buffer;
  float want[COUNT];
  unsigned char image[2 * GUARD + sizeof(float[COUNT])];
} Sample;

static void make_sample(Sample *s, bool output) {
  *s = (Sample){.spec = {.name = "x", .output = output, .dtype = dtype_find("f32")}};
  for (int i = 0; i < COUNT; i++) s->want[i] = (float)i + 0.5f;
  memset(s->image, PROBLEM_POISON, sizeof s->image);
  memcpy(s->image + GUARD, s->want, sizeof s->want);
  s->buffer = (Buffer){.spec = &s->spec, .count = COUNT, .bytes = sizeof s->want};
  *(output ? &s->buffer.want : &s->buffer.in) = (unsigned char *)s->want;
}

static void put(Sample *s, int i, float value) {
  memcpy(s->image + GUARD + (size_t)i * sizeof value, &value, sizeof value);
}

static void expect(Arena *a, const Sample *s, bool correct, double error, const char *says) {
  Text report = text_new(a);
  const Check c = check_buffer(&s->buffer, s->image, GUARD, &report);
  CHECK(c.correct == correct, "%s: judged %d", says, c.correct);
  CHECK(c.max_error == error, "%s: error %g, want %g", says, c.max_error, error);
  CHECK(correct ? report.len == 0 : strstr(report.s, says) != NULL, "want '%s' in: %s", says,
        report.s);
}

static void test_check(Arena *a) {
  Sample s;
  make_sample(&s, true);
  expect(a, &s, true, 0, "all right");
  put(&s, 3, 4);
  expect(a, &s, false, 0.5, "x[3]: got 4 (0x40800000), expected 3.5 (0x40600000)");
  expect(a, &s, false, 0.5, "1 of 10 elements wrong");
  double bound[COUNT] = {[3] = 0.5};
  s.buffer.bound = bound;
  expect(a, &s, true, 0.5, "within its bound");
  bound[3] = 0.49;
  expect(a, &s, false, 0.5, "x[3]");
  put(&s, 3, NAN);
  expect(a, &s, false, INFINITY, "x[3]: got nan");
  make_sample(&s, true);
  memset(s.image + GUARD + 4 * 7, PROBLEM_POISON, 4);
  Text report = text_new(a);
  CHECK(!check_buffer(&s.buffer, s.image, GUARD, &report).correct &&
            strstr(report.s, "x[7]: never written"),
        "got: %s", report.s);
}

/* Writes to guards, and to inputs other than a workspace, are noticed. */
static void test_untouched(Arena *a) {
  Sample s;
  make_sample(&s, true);
  s.image[GUARD - 1] = 0;
  expect(a, &s, false, 0, "written 1 bytes before its start");
  make_sample(&s, true);
  s.image[GUARD + sizeof s.want + 5] = 0;
  expect(a, &s, false, 0, "written 5 bytes after its end");
  make_sample(&s, false);
  expect(a, &s, true, 0, "input intact");
  put(&s, 0, 0);
  expect(a, &s, false, 0.5, "1 of 10 elements of an input changed");
  s.spec.workspace = true;
  expect(a, &s, true, 0, "a workspace may hold anything");
  s.image[GUARD - 1] = 0;
  expect(a, &s, false, 0, "written 1 bytes before its start");
}

/* One wrong buffer stays wrong, whichever is checked last. */
static void test_merge(void) {
  Check all = {.correct = true};
  check_merge(&all, &(Check){.correct = false, .max_error = 2});
  check_merge(&all, &(Check){.correct = true, .max_error = 1});
  CHECK(!all.correct && all.max_error == 2, "merged: %d, %g", all.correct, all.max_error);
}

int main(void) {
  Arena *a = arena_new();
  test_decode();
  test_encode_narrow();
  test_encode();
  test_fill(a);
  test_transpose(a);
  test_family(a);
  test_check(a);
  test_untouched(a);
  test_merge();
  arena_free(a);
  return check_report("reference");
}
