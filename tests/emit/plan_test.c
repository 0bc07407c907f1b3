/* plan_test.c: every shipped spec's plan equals its golden, tests/emit/plans/NAME.json, byte for
 * byte. A missing golden is reported, never written: `plan_test specs/NAME.yaml` prints one to
 * read. */
#include "base/file.h"
#include "check.h"
#include "emit/plan_json.h"
#include "shipped.h"

enum { MAX_SPECS = 256, GOLDEN_MAX = 1 << 24 };

static const char *plan_text(Arena *a, const Plan *plan) {
  Text t = text_new(a);
  Json j = json_new(&t);
  plan_json(&j, plan, NULL, 0);
  json_end(&j);
  return t.s;
}

/* 1-based line of the first difference. */
static int first_difference(const char *a, const char *b) {
  int line = 1;
  for (; *a && *a == *b; a++, b++) line += *a == '\n';
  return line;
}

static void check_golden(const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s has no plan", path);
  if (plan) {
    size_t len;
    const char *file =
        arena_printf(a, "%s/tests/emit/plans/%s.json", KGEN_SOURCE_DIR, plan->spec->name);
    const char *golden = file_read(a, file, GOLDEN_MAX, &len), *got = plan_text(a, plan);
    CHECK(golden, "no golden %s", file);
    if (golden)
      CHECK(strcmp(got, golden) == 0, "%s differs from line %d on", file,
            first_difference(got, golden));
    CHECK_STR(got, plan_text(a, shipped_plan(a, path, NULL)));
  }
  arena_free(a);
}

/* What the issue and hardware.md state about these specs, whatever the goldens hold. */
static const struct {
  const char *name, *kind;
  bool conflict_free;
  int64_t pad_bytes;
} known[] = {
    {"transpose_f32", "xor", true, 0},
    {"transpose_f32_pad", "pad", true, 128},
    {"transpose_f32_w24", "xor", true, 0},
    {"transpose_u8_w24", "pad", true, 128},
    {"transpose_f32_16x16", "xor", true, 0},
    {"transpose_c128", "xor", true, 0},
    {"copy_f32", "none", true, 0},
    {"operand_f16_128x32", "xor", true, 0},
    {"fft512", "xor", true, 0},
    {"hyperplanes_64", "none", false, 0},
    {"tensor_core_pad", "pad", false, 2048},
    {"tensor_core_pad_lanes", "pad", true, 2048},
    {"tensor_core_xor", "xor", true, 0},
    {"aos_to_soa_f32", "xor", true, 0},
    {"aos_to_soa_f32_3", "none", true, 0},
    {"member_f32", "xor", true, 0},
    {"vector_read_f32_1", "pad", true, 512},
    {"vector_read_f32_4", "pad", true, 512},
    {"conv_halo_34", "none", true, 0},
    {"conv2d_f32_16x16", "pad", false, 2160},
    {"fft_64", "xor", true, 0},
    {"fft_4096", "xor", true, 0},
    {"banks_one", "xor", true, 0},
    {"reduce_interleaved", "xor", true, 0},
    {"reduce_sequential", "none", true, 0},
    {"scan_rows_hillis_steele", "none", true, 0},
    {"scan_rows_blelloch", "xor", true, 0},
    {"scan_rows_blelloch_pad", "pad", true, 64},
    {"rowsum_f32", "xor", true, 0},
};

static void check_known(int i) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, arena_printf(a, "%s/%s.yaml", SPEC_DIR, known[i].name), NULL);
  CHECK(plan, "%s has no plan", known[i].name);
  if (plan) {
    const PlanTile *t = &plan->tile[0];
    CHECK_STR(layout_kind(&t->solution->layout), known[i].kind);
    CHECK(plan->conflict_free == known[i].conflict_free, "%s", known[i].name);
    CHECK(plan->minimal, "%s", known[i].name);
    CHECK(t->pad_bytes == known[i].pad_bytes, "%s: %lld", known[i].name, (long long)t->pad_bytes);
  }
  arena_free(a);
}

static int print_plan(const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  if (plan) fputs(plan_text(a, plan), stdout);
  arena_free(a);
  return plan == NULL;
}

int main(int argc, char **argv) {
  if (argc == 2) return print_plan(argv[1]);
  Arena *a = arena_new();
  char *path[MAX_SPECS];
  const int count = shipped_specs(a, path, MAX_SPECS);
  for (int i = 0; i < count; i++) check_golden(path[i]);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) check_known((int)i);
  arena_free(a);
  return check_report("plan_test");
}
