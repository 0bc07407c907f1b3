#include <string.h>

#include "spec/expr_parse.h"
#include "spec/spec_reader.h"

/* --- names --- */

static void name_let(SpecReader *r, const Yaml *key, const Yaml *value) {
  if (r->let_count == EXPR_MAX_LETS) {
    diag_error(r->diag, key->loc, "more than %d lets", EXPR_MAX_LETS);
    return;
  }
  const char *name = read_name(r, key, "let");
  if (!name) return;
  bool clash = name_is_taken(r, name);
  for (int i = 0; i < r->let_count; i++) clash = clash || strcmp(r->let[i].name, name) == 0;
  if (clash) {
    diag_error(r->diag, key->loc, "let '%s' has a name that expressions use already", name);
    return;
  }
  r->let[r->let_count++] = (LetNode){name, value, false, -1, NULL};
}

/* --- which can be worked out once --- */

/* A let and the words of its text. */
typedef struct {
  SpecReader *r;
  LetNode *let;
  Names *names; /* all that any place has for it */
} Words;

static LetNode *find_let(SpecReader *r, const char *name) {
  for (int i = 0; i < r->let_count; i++)
    if (strcmp(r->let[i].name, name) == 0) return &r->let[i];
  return NULL;
}

/* With `tiles`, esize is that of the tile whose access uses the let. */
static void look_for_open(void *to, const char *word) {
  const Words *w = to;
  const int slot = names_find(&w->r->global.names, word);
  const LetNode *other = find_let(w->r, word);
  if (slot >= 0 ? slot == w->r->esize_slot && w->r->out->many : !other || other->open)
    w->let->open = true;
}

static bool mark_open(SpecReader *r) {
  bool more = false;
  for (int i = 0; i < r->let_count; i++) {
    LetNode *let = &r->let[i];
    Words w = {r, let, NULL};
    if (let->open || let->value->kind != YAML_TEXT) continue;
    expr_words(r->arena, let->value->text, look_for_open, &w);
    more = more || let->open;
  }
  return more;
}

/* --- what a let that is not worked out once may read --- */

/* The value of a key, NULL also if it is not of that kind. */
static const Yaml *get_kind(const Yaml *map, const char *key, YamlKind kind) {
  const Yaml *value = map && map->kind == YAML_MAP ? yaml_get(map, key) : NULL;
  return value && value->kind == kind ? value : NULL;
}

static bool is_loop_of(const Yaml *tile, const char *word) {
  const Yaml *accesses = get_kind(tile, "access", YAML_LIST);
  for (int i = 0; accesses && i < accesses->count; i++)
    if (yaml_get(get_kind(accesses->item[i], "for", YAML_MAP), word)) return true;
  return false;
}

/* Of any access, be it in use or not: a spec may have brought its own. */
static bool is_loop(const Yaml *root, const char *word) {
  const Yaml *tiles = get_kind(root, "tiles", YAML_MAP);
  bool found = is_loop_of(root, word);
  for (int i = 0; tiles && i < tiles->count; i++)
    found = found || is_loop_of(tiles->pair[i].value, word);
  return found;
}

static bool is_extent(const SpecReader *r, const char *word) {
  const Yaml *list = get_kind(get_kind(r->family, "problem", YAML_MAP), "extents", YAML_LIST);
  for (int i = 0; list && i < list->count; i++)
    if (list->item[i]->kind == YAML_TEXT && strcmp(list->item[i]->text, word) == 0) return true;
  return false;
}

/* A name that some place of the spec or its family has: a lane's, a loop's, a tile's extent, or one
 * of the problem. */
static void add_place_name(void *to, const char *word) {
  const Words *w = to;
  bool found = is_lane_name(word) || is_extent(w->r, word) || strcmp(word, "shared_bytes") == 0;
  found = found || is_loop(w->r->spec, word) || is_loop(w->r->family, word);
  if (w->r->out->many)
    for (int d = 0; d < KGEN_MAX_RANK; d++)
      found = found || strcmp(word, arena_printf(w->r->arena, "d%d", d)) == 0;
  if (found && names_find(w->names, word) < 0) names_add(w->names, word);
}

/* Parses a let with all that any place has, so that what is wrong everywhere is told here. */
static bool let_reads(SpecReader *r, const Lets *lets, LetNode *let) {
  Names names = r->global.names;
  Words w = {r, let, &names};
  names.lets = lets;
  for (int i = 0; i < r->let_count; i++) {
    const Yaml *value = r->let[i].value;
    if (value->kind == YAML_TEXT) expr_words(r->arena, value->text, add_place_name, &w);
  }
  return read_expr(r, let->value, arena_printf(r->arena, "let '%s'", let->name), &names) != NULL;
}

/* --- the two parts --- */

static void name_lets_of(SpecReader *r, const Yaml *root) {
  const Yaml *map = yaml_get(root, "let");
  if (!map || !expect_kind(r, map, "let", YAML_MAP)) return;
  for (int i = 0; i < map->count; i++) name_let(r, map->pair[i].key, map->pair[i].value);
}

/* The lets that are worked out where they are used; of one that is wrong the name alone, so that
 * its users are not to blame. */
static void open_lets(SpecReader *r) {
  Lets *all = ARENA_NEW(r->arena, Lets), *lets = ARENA_NEW(r->arena, Lets);
  for (int i = 0; i < r->let_count; i++) {
    const LetNode *let = &r->let[i];
    if (let->open) all->let[all->count++] = (Let){let->name, let->value->text, let->value->inner};
  }
  for (int i = 0, k = 0; i < r->let_count; i++) {
    if (!r->let[i].open) continue;
    if (let_reads(r, all, &r->let[i]))
      lets->let[lets->count++] = all->let[k];
    else
      scope_declare(&r->global, r->let[i].name);
    k++;
  }
  r->global.names.lets = lets;
}

void name_lets(SpecReader *r) {
  name_lets_of(r, r->family);
  name_lets_of(r, r->spec);
  while (mark_open(r)) continue;
  for (int i = 0; i < r->let_count; i++)
    if (!r->let[i].open) r->let[i].slot = scope_declare(&r->global, r->let[i].name);
  open_lets(r);
}

void defer_lets(SpecReader *r) {
  for (int i = 0; i < r->let_count; i++) {
    LetNode *let = &r->let[i];
    if (let->open) continue;
    const char *what = arena_printf(r->arena, "let '%s'", let->name);
    let->expr = read_expr(r, let->value, what, &r->global.names);
    scope_defer(r, (Item){.expr = let->expr,
                          .what = what,
                          .loc = let->value->loc,
                          .slot = let->slot,
                          .esize = r->global.value[r->esize_slot],
                          .min = INT64_MIN,
                          .max = INT64_MAX});
  }
}

bool value_reads(const SpecReader *r, const Expr *e, int slot) {
  if (expr_uses(e, slot)) return true;
  for (int i = 0; i < r->let_count; i++) {
    const LetNode *let = &r->let[i];
    if (let->expr && expr_uses(e, let->slot) && value_reads(r, let->expr, slot)) return true;
  }
  return false;
}
