/* The shared memory of a launch: that of all tiles, or what the family says an entry needs. */
#include "judge/problem.h"

#include <string.h>

#include "check.h"
#include "shipped.h"

/* Images below 6,291,456 outputs are filtered by tiles, in a kernel of its own, as the host
 * function launches it: 4 rows of threads of 8 rows each, a halo of 6, and 136 columns. */
static void test_entry(Arena *a, int64_t side, const char *kernel, int64_t bytes) {
  const Plan *plan = shipped_plan(a, SPEC_DIR "/conv2d_f32_7x7.yaml", NULL);
  const int64_t extents[] = {side, side};
  Problem p;
  if (!plan || !problem_make(a, diag_new(a), plan->spec, extents, &p)) die("no problem");
  const int64_t got = problem_shared_bytes(a, &p, plan->shared_bytes);
  CHECK(strcmp(p.kernel, kernel) == 0, "%d: %s", (int)side, p.kernel);
  CHECK(got == (bytes ? bytes : plan->shared_bytes), "%s of %d: %d bytes", kernel, (int)side,
        (int)got);
}

static void test_all_tiles(Arena *a) {
  const Plan *plan = shipped_plan(a, SPEC_DIR "/transpose_f32.yaml", NULL);
  Problem p;
  if (!plan || !problem_make(a, diag_new(a), plan->spec, plan->spec->problem->exact, &p))
    die("no problem");
  CHECK(problem_shared_bytes(a, &p, plan->shared_bytes) == 4096, "transpose_f32");
}

int main(void) {
  Arena *a = arena_new();
  test_entry(a, 1024, "conv2d_f32_7x7_tiles", (4 * 8 + 6) * 136 * 4);
  test_entry(a, 4096, "conv2d_f32_7x7", 0);
  test_all_tiles(a);
  arena_free(a);
  return check_report("shared");
}
