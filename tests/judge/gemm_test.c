/* SPDX-License-Identifier: MIT */
/* The reference of matrix products: exact on small integers in all four forms, and a bound that
 * holds f32 sums in order but neither a lost product nor sums in 16 bits. */
#include "judge/reference/reference.h"
#include "judge/value.h"

#include <math.h>

#include "check.h"

enum { M, N, K, A_PAD, B_PAD, C_PAD, TRANS_A, TRANS_B, NAMES };

typedef struct {
  Spec spec;
  ProblemSpec problem_spec;
  BufferSpec buffer_spec[3];
  Buffer buffer[3];
  Problem problem;
} Product;

static void make_product(Arena *a, Product *p, const char *in, const char *out,
                         const int64_t *value) {
  static const char *const name[NAMES] = {"m",     "n",     "k",       "a_pad",
                                          "b_pad", "c_pad", "trans_a", "trans_b"};
  const Dtype *t = dtype_find(in);
  *p = (Product){.problem_spec = {.extents = NAMES, .buffers = 3},
                 .buffer_spec = {{.name = "a", .dtype = t},
                                 {.name = "b", .dtype = t},
                                 {.name = "c", .output = true, .dtype = dtype_find(out)}}};
  p->spec.problem = &p->problem_spec;
  p->problem_spec.buffer = p->buffer_spec;
  p->problem = (Problem){.spec = &p->spec, .buffer = p->buffer};
  for (int i = 0; i < NAMES; i++) {
    names_add(&p->problem_spec.names, name[i]);
    p->problem.value[i] = value[i];
  }
  const int64_t *v = value;
  const int64_t count[3] = {
      v[TRANS_A] ? v[K] * (v[M] + v[A_PAD]) : v[M] * (v[K] + v[A_PAD]),
      v[TRANS_B] ? v[N] * (v[K] + v[B_PAD]) : v[K] * (v[N] + v[B_PAD]),
      v[M] * (v[N] + v[C_PAD]),
  };
  for (int i = 0; i < 3; i++) {
    const BufferSpec *spec = &p->buffer_spec[i];
    p->buffer[i] = (Buffer){.spec = spec, .count = count[i]};
    p->buffer[i].bytes = (size_t)(count[i] * spec->dtype->bytes);
  }
  problem_fill(a, &p->problem, false, 3);
}

/* The index of element (r, c) of an operand, which is stored as it is or transposed. */
static int64_t place(bool turned, int64_t rows, int64_t cols, int64_t pad, int64_t r, int64_t c) {
  return turned ? c * (rows + pad) + r : r * (cols + pad) + c;
}

static double factor_a(int64_t i, int64_t l) { return (double)((i * 5 + l * 3) % 7 - 3); }
static double factor_b(int64_t l, int64_t j) { return (double)((l * 2 + j * 11) % 5 - 2); }

static void set(Buffer *b, int64_t at, double v) {
  value_encode(b->spec->dtype, v, 0, b->in + at * b->spec->dtype->bytes);
}

static void fill_integers(Product *p, const int64_t *v) {
  for (int64_t l = 0; l < v[K]; l++) {
    for (int64_t i = 0; i < v[M]; i++)
      set(&p->buffer[0], place(v[TRANS_A], v[M], v[K], v[A_PAD], i, l), factor_a(i, l));
    for (int64_t j = 0; j < v[N]; j++)
      set(&p->buffer[1], place(v[TRANS_B], v[K], v[N], v[B_PAD], l, j), factor_b(l, j));
  }
}

static void test_forms(Arena *a, const char *type) {
  for (int form = 0; form < 4; form++) {
    const int64_t v[NAMES] = {5, 7, 9, 3, 2, 4, form / 2, form % 2};
    Product p;
    make_product(a, &p, type, type, v);
    fill_integers(&p, v);
    reference_gemm(a, &p.problem);
    const Buffer *c = &p.buffer[2];
    for (int64_t e = 0; e < c->count; e++) {
      const int64_t i = e / (v[N] + v[C_PAD]), j = e % (v[N] + v[C_PAD]);
      const unsigned char *want = c->want + e * c->spec->dtype->bytes;
      double sum = 0;
      for (int64_t l = 0; l < v[K]; l++) sum += factor_a(i, l) * factor_b(l, j);
      CHECK(j < v[N] ? value_decode(c->spec->dtype, want, 0) == sum : *want == PROBLEM_POISON,
            "%s, form %d: element (%d, %d)", type, form, (int)i, (int)j);
    }
  }
}

/* One long product: summed in order in f32 it is within the bound, without one of its terms or
 * rounded to f16 after each step it is not. */
static void test_bound(Arena *a, const char *type) {
  const int64_t v[NAMES] = {1, 1, 500, 0, 0, 0, 0, 0};
  Product p;
  make_product(a, &p, type, "f32", v);
  reference_gemm(a, &p.problem);
  const Dtype *t = dtype_find(type), *f16 = dtype_find("f16");
  const double want = value_decode(dtype_find("f32"), p.buffer[2].want, 0);
  const double bound = p.buffer[2].bound[0];
  float sum = 0;
  double narrow = 0, last = 0;
  for (int64_t l = 0; l < v[K]; l++) {
    const double x = value_decode(t, p.buffer[0].in + l * t->bytes, 0);
    const double y = value_decode(t, p.buffer[1].in + l * t->bytes, 0);
    uint16_t rounded;
    last = x * y;
    sum = (float)((double)sum + last);
    value_encode(f16, narrow + last, 0, &rounded);
    narrow = value_decode(f16, &rounded, 0);
  }
  CHECK(fabs((double)sum - want) <= bound, "%s: %g beyond %g", type, (double)sum - want, bound);
  CHECK(fabs(want - last - want) > bound, "%s: a lost product is within %g", type, bound);
  CHECK(fabs(narrow - want) > bound, "%s: a sum in f16 is within %g", type, bound);
}

int main(void) {
  static const char *const types[] = {"f16", "bf16", "f32"};
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    test_forms(a, types[i]);
    test_bound(a, types[i]);
  }
  arena_free(a);
  return check_report("gemm");
}
