/* SPDX-License-Identifier: MIT */
#include "spec/spec_let.h"

#include <string.h>

#include "spec/expr_parse.h"
#include "spec/spec_names.h"

typedef struct {
  const char *name, *what;
  const Yaml *value;
  bool open; /* evaluated at each use (deferred) */
} LetNode;

/* The lets being declared. */
typedef struct {
  SpecReader *r;
  int count;
  LetNode let[EXPR_MAX_LETS];
} LetReader;

/* --- names --- */

static LetNode *find_let(LetReader *l, const char *name) {
  for (int i = 0; i < l->count; i++)
    if (strcmp(l->let[i].name, name) == 0) return &l->let[i];
  return NULL;
}

static void add_let(LetReader *l, const Yaml *key, const Yaml *value) {
  const Reader *in = &l->r->in;
  const char *name = read_name(in, key, "let");
  if (!name) return;
  if (name_is_taken(l->r, name) || find_let(l, name))
    diag_error(in->diag, key->loc, "let '%s' has a name that expressions use already", name);
  else
    l->let[l->count++] = (LetNode){name, arena_printf(in->arena, "let '%s'", name), value, false};
}

static void add_lets(LetReader *l, const Yaml *root) {
  const Yaml *map = yaml_get(root, "let");
  if (!map || !expect_kind(&l->r->in, map, "let", YAML_MAP)) return;
  for (int i = 0; i < map->count; i++) add_let(l, map->pair[i].key, map->pair[i].value);
}

/* --- lets that can be evaluated once --- */

/* A let and the words of its text. */
typedef struct {
  LetReader *lets;
  LetNode *let;
  Names *names; /* the names that any scope has for it */
} Words;

/* With `tiles`, esize refers to the tile whose access uses the let. */
static void look_for_open(void *to, const char *word) {
  const Words *w = to;
  const SpecReader *r = w->lets->r;
  const int slot = names_find(&r->scope.names, word);
  const LetNode *other = find_let(w->lets, word);
  if (slot >= 0 ? slot == r->scope.esize_slot && r->out->many : !other || other->open)
    w->let->open = true;
}

/* True if one more let must be deferred, which may affect lets that read it. */
static bool open_more(LetReader *l) {
  bool more = false;
  for (int i = 0; i < l->count; i++) {
    LetNode *let = &l->let[i];
    Words w = {l, let, NULL};
    if (let->open || let->value->kind != YAML_TEXT) continue;
    expr_words(l->r->in.arena, let->value->text, look_for_open, &w);
    more = more || let->open;
  }
  return more;
}

/* --- the names that a deferred let may read --- */

/* The value of a key; NULL also if it has another kind. */
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

/* True for a loop variable of any access, in use or not: a spec may replace the template's. */
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

/* Adds a name that exists in some scope of the spec or its template: a lane's, a loop's, a tile's
 * extent, or one of the problem. */
static void add_place_name(void *to, const char *word) {
  const Words *w = to;
  const SpecReader *r = w->lets->r;
  bool found = is_lane_name(word) || is_extent(r, word) || strcmp(word, "shared_bytes") == 0;
  found = found || is_loop(r->spec, word) || is_loop(r->family, word);
  for (int d = 0; r->out->many && d < KGEN_MAX_RANK; d++)
    found = found || strcmp(word, arena_printf(r->in.arena, "d%d", d)) == 0;
  if (found && names_find(w->names, word) < 0) names_add(w->names, word);
}

/* Parses a deferred let with all names that exist in any scope, so that an error that every use
 * would have is reported once, here. */
static bool let_reads(LetReader *l, const Lets *all, LetNode *let) {
  Names names = l->r->scope.names;
  Words w = {l, let, &names};
  names.lets = all;
  for (int i = 0; i < l->count; i++)
    if (l->let[i].open) expr_words(l->r->in.arena, l->let[i].value->text, add_place_name, &w);
  return read_expr(&l->r->in, let->value, let->what, &names) != NULL;
}

/* --- declarations --- */

static void add_open(Lets *lets, const LetNode *let) {
  lets->let[lets->count++] = (Let){let->name, let->value->text, let->value->inner};
}

/* If a deferred `let` has an error, declare only its name, so that the expressions that use it are
 * not reported too. */
static void declare_open(LetReader *l) {
  Lets *all = ARENA_NEW(l->r->in.arena, Lets), *right = ARENA_NEW(l->r->in.arena, Lets);
  for (int i = 0; i < l->count; i++)
    if (l->let[i].open) add_open(all, &l->let[i]);
  for (int i = 0; i < l->count; i++) {
    if (!l->let[i].open) continue;
    if (let_reads(l, all, &l->let[i]))
      add_open(right, &l->let[i]);
    else
      scope_declare(&l->r->scope, l->let[i].name);
  }
  l->r->scope.names.lets = right;
}

static void declare_constant(SpecReader *r, const LetNode *let) {
  scope_define(&r->scope, scope_declare(&r->scope, let->name),
               (Definition){.what = let->what,
                            .loc = let->value->loc,
                            .node = let->value,
                            .esize = first_esize(r),
                            .min = INT64_MIN,
                            .max = INT64_MAX,
                            .named = true});
}

void declare_lets(SpecReader *r) {
  LetReader l = {.r = r};
  add_lets(&l, r->family);
  add_lets(&l, r->spec);
  while (open_more(&l)) continue;
  for (int i = 0; i < l.count; i++)
    if (!l.let[i].open) declare_constant(r, &l.let[i]);
  declare_open(&l);
}
