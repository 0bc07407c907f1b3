/* SPDX-License-Identifier: MIT */
/* An expression is rejected with a reason, or has one value, for a warp at once as lane by lane. */
// covers: gen/base gen/spec/expr*
// words: gen/spec
// seeds: templates specs
#include "spec/expr_eval.h"
#include "spec/expr_parse.h"

#include "fuzz.h"

enum { VARS = 6 };
static const char *const name[VARS] = {"tx", "ty", "j", "d0", "d1", "esize"};

/* Returns small values and the greatest ones, in turn. */
static int64_t value_of(int slot, int lane) {
  const int64_t value[VARS] = {lane,        lane / 4, lane % 3 - 1, 32, lane ? 33 : INT64_MAX,
                               lane ? 4 : 0};
  return value[slot];
}

static void evaluate(Arena *a, const Expr *e) {
  static int64_t warp[VARS][WARP];
  int64_t together[WARP] = {0};
  for (int s = 0; s < VARS; s++)
    for (int l = 0; l < WARP; l++) warp[s][l] = value_of(s, l);
  Diag *d = diag_new(a);
  const bool ok =
      expr_eval_warp(e, &(WarpEnv){(const int64_t(*)[WARP])warp, UINT32_MAX, false}, d, together);
  fuzz_errors(a, d, ok);
  bool each = true;
  for (int l = 0; l < WARP; l++) {
    int64_t value[VARS], alone = 0;
    for (int s = 0; s < VARS; s++) value[s] = warp[s][l];
    if (!expr_eval(e, value, diag_new(a), &alone))
      each = false;
    else if (ok)
      MUST(alone == together[l]);
  }
  MUST(each == ok);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena *a = arena_new();
  const Source let_source = {"let", "j * 2 + tx", 10};
  const Lets lets = {
      1, {{"twice", let_source.text, {.source = &let_source, .line = 1, .col = 1, .width = 10}}}};
  Names names = {.lets = &lets};
  for (int i = 0; i < VARS; i++) names_add(&names, name[i]);
  const char *text = arena_strndup(a, (const char *)data, size);
  const Source source = {"input", text, strlen(text)};
  const Loc loc = {.source = &source, .line = 1, .col = 1, .width = (int)source.len};
  Diag *d = diag_new(a);
  const Expr *e = expr_parse(a, d, loc, text, &names);
  fuzz_errors(a, d, e != NULL);
  if (e) MUST(strcmp(e->text, text) == 0);
  if (e) evaluate(a, e);
  arena_free(a);
  return 0;
}
