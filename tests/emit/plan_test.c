/* SPDX-License-Identifier: MIT */
/* plan_test.c: the plans of all shipped specs. Six are compared with tests/emit/plans/NAME.json
 * byte for byte. For the others tests/emit/plans/others.txt has one line per tile: layout, bytes,
 * claims, wavefronts and ideal of each access, and a digest of the whole plan. Goldens are never
 * written: `plan_test specs/NAME.yaml` prints a plan, `plan_test --lines` prints others.txt. */
#include "base/file.h"
#include "base/hash.h"
#include "check.h"
#include "emit/offset.h"
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

/* Plans that are kept whole: an XOR, a pad, rank 1, cp.async, TMA with wgmma, a layout of the
 * user's. */
static const char *const whole[] = {"transpose_f32",  "tensor_core_pad", "fft512",
                                    "copy_async_f16", "gemm_wgmma_f16",  "given_rotated_f32"};

static bool is_whole(const Plan *plan) {
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (strcmp(plan->spec->name, whole[i]) == 0) return true;
  return false;
}

static void put_lines(Text *out, const Plan *plan) {
  const char *text = plan_text(out->arena, plan);
  for (int i = 0; i < plan->tiles; i++) {
    const PlanTile *t = &plan->tile[i];
    text_printf(out, "%s%s%s: %s, %lld bytes,%s%s", plan->spec->name, plan->tiles > 1 ? "." : "",
                plan->tiles > 1 ? t->set->tile->name : "", offset_spell_tile(out->arena, t),
                (long long)t->bytes, t->solution->conflict_free ? " conflict-free" : "",
                t->solution->minimal ? " minimal" : "");
    for (int k = 0; k < t->set->accesses; k++)
      text_printf(out, " %s %lld/%lld", t->set->access[k].name,
                  (long long)t->solution->cost[k].wavefronts,
                  (long long)t->solution->cost[k].ideal);
    text_printf(out, " %016llx\n", (unsigned long long)hash_bytes(HASH_START, text, strlen(text)));
  }
}

/* The first line that differs, of the one or the other. */
static const char *first_difference(Arena *a, const char *got, const char *golden) {
  const char *line = got;
  for (; *got && *got == *golden; golden++)
    if (*got++ == '\n') line = got;
  return arena_printf(a, "%.*s", (int)strcspn(line, "\n"), line);
}

static void check_equal(Arena *a, const char *name, const char *got) {
  size_t len;
  const char *file = arena_printf(a, "%s/tests/emit/plans/%s", KGEN_SOURCE_DIR, name);
  const char *golden = file_read(a, file, GOLDEN_MAX, &len);
  CHECK(golden, "no golden %s", file);
  if (golden)
    CHECK(strcmp(got, golden) == 0, "%s differs, first in: %s", file,
          first_difference(a, got, golden));
}

static void check_golden(Text *lines, const char *path) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s has no plan", path);
  if (plan) {
    const char *got = plan_text(a, plan);
    CHECK_STR(got, plan_text(a, shipped_plan(a, path, NULL)));
    Text own = text_new(a);
    put_lines(&own, plan);
    if (is_whole(plan))
      check_equal(a, arena_printf(a, "%s.json", plan->spec->name), got);
    else
      text_puts(lines, own.s);
  }
  arena_free(a);
}

/* Properties that the issue and hardware.md state for these specs, whatever the goldens contain. */
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
  if (argc == 2 && strcmp(argv[1], "--lines") != 0) return print_plan(argv[1]);
  Arena *a = arena_new();
  char *path[MAX_SPECS];
  const int count = shipped_specs(a, path, MAX_SPECS);
  Text lines = text_new(a);
  for (int i = 0; i < count; i++) check_golden(&lines, path[i]);
  if (argc == 2) return fputs(lines.s, stdout) < 0;
  check_equal(a, "others.txt", lines.s);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) check_known((int)i);
  arena_free(a);
  return check_report("plan_test");
}
