#include "spec/spec_require.h"

#include "spec/spec_keys.h"

typedef struct {
  SpecReader *r;
  const Expr *that;
} Requirement;

static bool reads_block(const SpecReader *r, const Expr *e) {
  bool reads = false;
  for (int i = 0; i < BLOCK_NAMES; i++)
    reads = reads || scope_reads(&r->scope, e, r->block_slot + i);
  return reads;
}

/* Where the user can fix it: the first of the spec's own values that the expression reads, or else
 * the kernel's name. */
static Loc culprit(const SpecReader *r, const Expr *e) {
  const Names *names = &r->scope.names;
  for (int slot = 0; slot < names->count; slot++) {
    const Yaml *own = yaml_get(r->own_params, names->name[slot]);
    if (own && scope_reads(&r->scope, e, slot)) return own->loc;
  }
  for (int t = 0; t < r->tiles; t++)
    for (int i = 0; i < r->tile[t].rank; i++)
      if (r->tile[t].extents->loc.source == r->out->source &&
          scope_reads(&r->scope, e, r->tile[t].slot[i]))
        return r->tile[t].extents->loc;
  static const char *const root_keys[] = {"block", "dtype", "tile", "kernel"};
  const bool read[] = {reads_block(r, e), scope_reads(&r->scope, e, r->scope.esize_slot), true,
                       true};
  for (int i = 0; i < 4; i++)
    if (read[i] && yaml_get(r->spec, root_keys[i])) return yaml_get(r->spec, root_keys[i])->loc;
  return r->spec->loc;
}

/* "d1 = 24, vector = 16": what the expression reads, by itself or through a let. */
static const char *readings(const SpecReader *r, const Expr *e) {
  Text t = text_new(r->in.arena);
  const Names *names = &r->scope.names;
  for (int slot = 0; slot < names->count; slot++)
    if (scope_reads(&r->scope, e, slot))
      text_printf(&t, "%s%s = %lld", t.len ? ", " : "", names->name[slot],
                  (long long)r->scope.value[slot]);
  return t.s;
}

static void read_that(void *to, const Key *key, const Yaml *value) {
  Requirement *q = to;
  if (value) q->that = read_expr(&q->r->in, value, key->name, &q->r->scope.names);
}

/* Called after read_that: reports what the family says where the requirement does not hold. */
static void read_say(void *to, const Key *key, const Yaml *value) {
  const Requirement *q = to;
  SpecReader *r = q->r;
  int64_t holds;
  (void)key;
  if (!value || !q->that || !scope_eval(&r->scope, q->that, &holds) || holds) return;
  r->unfit = true;
  diag_error(r->in.diag, culprit(r, q->that), "%s", value->text);
  diag_hint(r->in.diag, "required: %s; here %s", q->that->text, readings(r, q->that));
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
