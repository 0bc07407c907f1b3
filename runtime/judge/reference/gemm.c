/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "judge/reference/reference.h"
#include "judge/value.h"

/* An operand in double precision, stored so that its columns along k are contiguous. */
typedef struct {
  const double *at; /* outer x k */
  int64_t outer, k;
  bool is_short; /* 8-bit elements */
} Operand;

/* The number of elements up to the last one that is read, laid out as below. */
static int64_t reach_of(int64_t outer, int64_t k, int64_t pad, bool turned) {
  return turned ? (k - 1) * (outer + pad) + outer : (outer - 1) * (k + pad) + k;
}

/* buffer: outer x k, or k x outer if `turned`, rows followed by `pad` elements. */
static Operand read_operand(Arena *a, const Buffer *buffer, int64_t outer, int64_t k, int64_t pad,
                            bool turned) {
  const Dtype *t = buffer->spec->dtype;
  const int64_t pitch = (turned ? outer : k) + pad;
  double *at = ARENA_ARRAY(a, double, (size_t)(outer * k + 1));
  for (int64_t i = 0; i < outer; i++)
    for (int64_t j = 0; j < k; j++) {
      const int64_t from = turned ? j * pitch + i : i * pitch + j;
      at[i * k + j] = value_decode(t, buffer->in + from * t->bytes, 0);
    }
  return (Operand){at, outer, k, t->bytes == 1};
}

/* The relative error of one addition in f32, with respect to the sum of the magnitudes. On CUDA
 * cores it is half an ulp. Tensor cores truncate below the largest addend: up to an ulp for each
 * product, and for each of the sums to which a step of 16 products is added. Source: Fasi et al.,
 * "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7, 2021. */
static double accumulation_error(const Dtype *operand, int64_t k) {
  const double roundoff = ldexp(1, -24), steps = (double)(k / 16 + 2);
  const double n = operand->bytes < 4 ? 2 * ((double)k + steps) : (double)k + 1;
  return n * roundoff / (1 - n * roundoff);
}

/* 8-bit operands: a step of 32 products plus the running sum keep 13 bits below the largest of them
 * (measured on an H200); `peak` is the largest anywhere. */
static double short_sum_error(int64_t k, double peak) {
  const double steps = (double)(k / 32 + 1), addends = 33;
  return steps * addends * ldexp(peak, -13);
}

static double greatest(double a, double b, double c) {
  const double most = a > b ? a : b;
  return most > c ? most : c;
}

/* Element (i, j) of the result, and the error allowed: the kernel's value and `want` are both
 * rounded to the output's type. */
static void reference_element(const Operand *x, const Operand *y, int64_t i, int64_t j, double loss,
                              Buffer *out, int64_t to) {
  const Dtype *t = out->spec->dtype;
  double sum = 0, magnitude = 0, peak = 0;
  for (int64_t l = 0; l < x->k; l++) {
    const double product = x->at[i * x->k + l] * y->at[j * y->k + l];
    sum += product;
    magnitude += fabs(product);
    if (x->is_short) peak = greatest(peak, fabs(product), fabs(sum));
  }
  value_encode(t, sum, 0, out->want + to * t->bytes);
  const double error = loss * magnitude + (x->is_short ? short_sum_error(x->k, peak) : 0);
  const double tiny = ldexp(1, -24);
  out->bound[to] = error + 2 * value_roundoff(t) * (fabs(sum) + error) + (t->bytes < 4 ? tiny : 0);
}

/* c[i][j] = sum over l of a[i][l] b[l][j], both operands as trans_a and trans_b say. */
void reference_gemm(Arena *a, const Problem *p) {
  const int64_t m = problem_value(p, "m"), n = problem_value(p, "n"), k = problem_value(p, "k");
  const int64_t a_pad = problem_value(p, "a_pad"), b_pad = problem_value(p, "b_pad");
  const int64_t pitch = n + problem_value(p, "c_pad");
  const bool trans_a = problem_value(p, "trans_a"), trans_b = problem_value(p, "trans_b");
  const Buffer *in_a = problem_buffer(p, "a"), *in_b = problem_buffer(p, "b");
  Buffer *out = problem_buffer(p, "c");
  problem_reaches(p, "a", reach_of(m, k, a_pad, trans_a), "a");
  problem_reaches(p, "b", reach_of(n, k, b_pad, !trans_b), "b");
  problem_reaches(p, "c", (m - 1) * pitch + n, "c");
  if (problem_is_dry_run(p)) return;
  const Operand x = read_operand(a, in_a, m, k, a_pad, trans_a);
  const Operand y = read_operand(a, in_b, n, k, b_pad, !trans_b);
  const double loss = accumulation_error(in_a->spec->dtype, k);
  out->bound = ARENA_ARRAY(a, double, (size_t)out->count);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) reference_element(&x, &y, i, j, loss, out, i * pitch + j);
}
