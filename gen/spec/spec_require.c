/* SPDX-License-Identifier: MIT */
#include "spec/spec_require.h"

#include "spec/spec_blame.h"
#include "spec/spec_keys.h"

typedef struct {
  SpecReader *r;
  const Expr *that;
} Requirement;

static void read_that(void *to, const Key *key, const Yaml *value) {
  Requirement *q = to;
  if (value) q->that = read_expr(&q->r->in, value, key->name, &q->r->scope.names);
}

/* Called after read_that(): reports the template's message if the requirement does not hold. */
static void read_say(void *to, const Key *key, const Yaml *value) {
  const Requirement *q = to;
  SpecReader *r = q->r;
  int64_t holds;
  (void)key;
  if (!value || !q->that || !scope_eval(&r->scope, q->that, &holds) || holds) return;
  r->unfit = true;
  diag_error(r->in.diag, blame_formula(r, q->that->text), "%s", value->text);
  diag_hint(r->in.diag, "required: %s; here %s", q->that->text, blame_readings(r, q->that->text));
}

// clang-format off
static const Key require_keys[] = {
    {.name = "that", .kind = VALUE_EXPR, .required = true, .read = read_that},
    {.name = "say", .kind = VALUE_TEXT, .required = true, .read = read_say},
};
// clang-format on
KEY_TABLE(require_table, require_keys);

void check_requirements(SpecReader *r) {
  const Yaml *list = yaml_get(r->family, "require");
  if (!list || !expect_kind(&r->in, list, "require", YAML_LIST)) return;
  for (int i = 0; i < list->count; i++) {
    const Yaml *map = list->item[i];
    Requirement q = {r, NULL};
    if (expect_kind(&r->in, map, "a requirement", YAML_MAP))
      keys_take(&r->in, map, &require_table, map->loc, "the requirement", &q);
  }
}
