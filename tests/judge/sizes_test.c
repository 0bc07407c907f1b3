/* SPDX-License-Identifier: MIT */
/* A spec that is accepted can be run: whatever size its problem has, the launch is valid, or the
 * template's `require` has rejected the spec. */
#include "check.h"
#include "judge/run.h"
#include "shipped.h"

enum { MAX_SPECS = 256 };

/* 1: accepted, 0: rejected. */
static int check_size(const char *path, const char *param, int value) {
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  BatchItem item;
  const Setting setting = {.name = param, .value = value};
  const SpecOptions options = {
      .templates = templates_open(a, TEMPLATE_DIR), .settings = 1, .setting = &setting};
  const bool accepted = batch_make(a, d, path, &options, &item);
  const bool fits = accepted && run_prepare(a, d, &item);
  CHECK(fits || !accepted, "%s with %s = %d is accepted, but cannot be run: %s", path, param, value,
        diag_first(d));
  arena_free(a);
  return accepted;
}

int main(void) {
  static const int value[] = {1, 11, 640};
  Arena *a = arena_new();
  char *spec[MAX_SPECS];
  int accepted = 0, rejected = 0;
  for (int i = shipped_specs(a, spec, MAX_SPECS) - 1; i >= 0; i--) {
    const Plan *plan = shipped_plan(a, spec[i], NULL);
    for (int p = 0; plan && p < plan->spec->sizes; p++)
      for (int v = 0; v < 3; v++) {
        const bool ok = check_size(spec[i], plan->spec->size[p].name, value[v]);
        accepted += ok;
        rejected += !ok;
      }
  }
  CHECK(accepted > 100, "%d specs of other sizes are accepted", accepted);
  CHECK(rejected > 10, "%d specs of other sizes are rejected", rejected);
  arena_free(a);
  return check_report("sizes_test");
}
