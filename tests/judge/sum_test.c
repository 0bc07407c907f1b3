/* SPDX-License-Identifier: MIT */
/* The references' sums: exact where a plain loop is not, and bounds that a lost addend exceeds. */
#include "judge/reference/sum.h"

#include <math.h>

#include "check.h"

static double sum_of(const char *type, const double *addend, int count, Sum *sum) {
  const Dtype *t = dtype_find(type);
  *sum = (Sum){0};
  for (int i = 0; i < count; i++) {
    const float f = (float)addend[i];
    sum_add(sum, t, t->bytes == (int)sizeof f ? (const void *)&f : &addend[i]);
  }
  double d = 0;
  sum_store(sum, dtype_find("f64"), &d);
  return d;
}

/* Sums in which a double loses small addends next to large ones. */
static void test_cancellation(void) {
  Sum sum;
  const double pair[] = {1e16, 1, -1e16}, late[] = {1, 1e100, 1, -1e100};
  CHECK(sum_of("f64", pair, 3, &sum) == 1, "got %g", sum_of("f64", pair, 3, &sum));
  CHECK(sum.magnitude == 2e16, "magnitude %g", sum.magnitude);
  CHECK(sum_of("f64", late, 4, &sum) == 2, "got %g", sum_of("f64", late, 4, &sum));
  const double f32[] = {0x1p30, 0x1p-30, -0x1p30};
  CHECK(sum_of("f32", f32, 3, &sum) == 0x1p-30, "got %g", sum_of("f32", f32, 3, &sum));
}

static void test_wrapping(void) {
  static const struct {
    const char *type;
    uint64_t a, b, sum;
  } row[] = {
      {"i32", 0x7fffffff, 1, 0x80000000},          {"u32", 0xffffffff, 2, 1},
      {"i64", INT64_MAX, 1, UINT64_C(1) << 63},    {"u64", UINT64_MAX, 3, 2},
      {"i32", 0xffffffff, 0xffffffff, 0xfffffffe},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const Dtype *t = dtype_find(row[i].type);
    Sum sum = {0};
    uint64_t got = 0;
    sum_add(&sum, t, &row[i].a);
    sum_add(&sum, t, &row[i].b);
    sum_store(&sum, t, &got);
    CHECK(got == row[i].sum, "%s: got %#llx", row[i].type, (unsigned long long)got);
    CHECK(sum_bound(&sum, t, 1000) == 0, "%s has a bound", row[i].type);
  }
}

/* n floats of 0.1 added one after the other, as the worst kernel would: within the bound for n - 1
 * additions in a row; with one addition less, outside the bound for a tree. */
static void test_bound(void) {
  enum { N = 4096, TREE = 12 };
  const Dtype *t = dtype_find("f32");
  const float tenth = 0.1f;
  Sum sum = {0};
  float naive = 0, best = 0;
  for (int i = 0; i < N; i++) {
    sum_add(&sum, t, &tenth);
    naive += tenth;
  }
  sum_store(&sum, t, &best);
  const double error = fabs((double)naive - (double)best);
  CHECK(error > 0, "a plain loop was exact");
  CHECK(error <= sum_bound(&sum, t, N - 1), "%g beyond %g", error, sum_bound(&sum, t, N - 1));
  CHECK(error > sum_bound(&sum, t, TREE), "%g within a tree's %g", error, sum_bound(&sum, t, TREE));
  CHECK((double)tenth > sum_bound(&sum, t, TREE), "a lost addend is within the bound");
}

static void test_scan(void) {
  const float in[] = {1, 2, 3, 4};
  static const float inclusive[] = {1, 3, 6, 10}, exclusive[] = {0, 1, 3, 6};
  float want[4];
  double bound[4];
  const Dtype *t = dtype_find("f32");
  sum_scan(t, (const unsigned char *)in, 4, false, 4, (unsigned char *)want, bound);
  CHECK(memcmp(want, inclusive, sizeof want) == 0, "inclusive: %g", (double)want[3]);
  CHECK(bound[0] < bound[3], "bounds do not grow");
  sum_scan(t, (const unsigned char *)in, 4, true, 4, (unsigned char *)want, bound);
  CHECK(memcmp(want, exclusive, sizeof want) == 0, "exclusive: %g", (double)want[3]);
  CHECK(bound[0] == 0, "an empty sum may be off by %g", bound[0]);
}

int main(void) {
  test_cancellation();
  test_wrapping();
  test_bound();
  test_scan();
  return check_report("sum");
}
