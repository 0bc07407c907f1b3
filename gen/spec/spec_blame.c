/* SPDX-License-Identifier: MIT */
#include "spec/spec_blame.h"

#include <string.h>

#include "spec/expr_parse.h"

/* Records the named values that a formula reads, and the deferred lets. */
typedef struct {
  const SpecReader *r;
  bool defaults; /* also follow the template's own values of params, extents and the block */
  bool slot[EXPR_MAX_VARS], let[EXPR_MAX_LETS];
} Reads;

static bool is_own(const SpecReader *r, const Yaml *node) {
  return node && node->loc.source == r->out->source;
}

static void read_text(Reads *w, const char *text);

/* The thread names depend on the block, extent by extent. */
static void read_thread(Reads *w, const char *word) {
  static const char *const of_block[] = {"tx", "ty", "tz", "tid", "warp"};
  for (int i = 0; i < BLOCK_NAMES; i++)
    if (strcmp(word, of_block[i]) == 0) w->slot[w->r->block_slot + i] = true;
}

static void read_word(void *to, const char *word) {
  Reads *w = to;
  const Names *names = &w->r->scope.names;
  const int slot = names_find(names, word);
  if (slot < 0) {
    const Let *let = names_let(names, word);
    bool *seen = let ? &w->let[let - names->lets->let] : NULL;
    if (!let) read_thread(w, word);
    if (!let || *seen) return;
    *seen = true;
    read_text(w, let->text);
    return;
  }
  const Definition *d = &w->r->scope.definition[slot];
  if (w->slot[slot]) return;
  w->slot[slot] = true;
  if (is_own(w->r, d->node) || !(d->named || w->defaults)) return;
  if (d->text) read_text(w, d->text);
  if (d->node && d->node->kind == YAML_TEXT) read_text(w, d->node->text);
}

static void read_text(Reads *w, const char *text) {
  expr_words(w->r->in.arena, text, read_word, w);
}

static void read_below(Reads *w, const Yaml *node) {
  if (node->kind == YAML_TEXT) read_text(w, node->text);
  for (int i = 0; node->kind == YAML_LIST && i < node->count; i++) read_below(w, node->item[i]);
  for (int i = 0; node->kind == YAML_MAP && i < node->count; i++)
    read_below(w, node->pair[i].value);
}

/* --- the spec's own values --- */

static const Yaml *own_param(const Reads *w) {
  const Names *names = &w->r->scope.names;
  for (int slot = 0; slot < names->count; slot++) {
    const Yaml *own = yaml_get(w->r->own_params, names->name[slot]);
    if (own && w->slot[slot]) return own;
  }
  return NULL;
}

/* The value of a size of the problem, under its own name or its old one. */
static const Yaml *own_size(const Reads *w) {
  const Scope *scope = &w->r->scope;
  for (int i = 0; i < w->r->out->sizes; i++) {
    const char *name = arena_printf(w->r->in.arena, "timed_%s", w->r->out->size[i].name);
    const int slot = names_find(&scope->names, name);
    if (slot < 0 || !w->slot[slot]) continue;
    if (is_own(w->r, scope->definition[slot].node)) return scope->definition[slot].node;
  }
  return NULL;
}

/* A tile with an error has all names. */
static int extents_of(const TileNodes *t) { return t->rank ? t->rank : KGEN_MAX_RANK; }

static const Yaml *own_extents(const Reads *w) {
  for (int t = 0; t < w->r->tiles; t++) {
    const TileNodes *tile = &w->r->tile[t];
    for (int i = 0; is_own(w->r, tile->extents) && i < extents_of(tile); i++)
      if (w->slot[tile->slot[i]]) return tile->extents;
  }
  return NULL;
}

static bool reads_block(const Reads *w) {
  bool reads = false;
  for (int i = 0; i < BLOCK_NAMES; i++) reads = reads || w->slot[w->r->block_slot + i];
  return reads;
}

/* True if it reads `esize`, `dtype`, or the ones prefixed with a tile's name. */
static bool reads_type(const Reads *w) {
  const Names *names = &w->r->scope.names;
  bool reads = w->slot[w->r->scope.esize_slot];
  for (int slot = 0; slot < names->count; slot++) {
    const char *name = names->name[slot];
    reads = reads ||
            (w->slot[slot] && (text_ends_with(name, "dtype") || text_ends_with(name, "_esize")));
  }
  return reads;
}

/* NULL if it reads none of them. */
static const Yaml *own_value(const Reads *w) {
  const SpecReader *r = w->r;
  const Yaml *own = own_param(w);
  if (!own) own = own_size(w);
  if (!own) own = own_extents(w);
  if (!own && reads_block(w)) own = yaml_get(r->spec, "block");
  if (!own && reads_type(w)) own = yaml_get(r->spec, "dtype");
  if (!own && w->slot[r->sm_slot]) own = yaml_get(r->spec, "arch");
  return own;
}

static Loc own_or_kernel(const SpecReader *r, const Yaml *own) {
  static const char *const keys[] = {"layout", "tile", "tiles", "arch", "kernel"};
  for (int i = 0; !own && i < 5; i++) own = yaml_get(r->spec, keys[i]);
  return own ? own->loc : r->spec->loc;
}

Loc blame_formula(const SpecReader *r, const char *formula) {
  Reads w = {.r = r, .defaults = true};
  read_text(&w, formula);
  return own_or_kernel(r, own_value(&w));
}

const char *blame_readings(const SpecReader *r, const char *formula) {
  Reads w = {.r = r};
  Text t = text_new(r->in.arena);
  read_text(&w, formula);
  for (int slot = 0; slot < r->scope.names.count; slot++)
    if (w.slot[slot] && r->scope.state[slot] == STATE_KNOWN)
      text_printf(&t, "%s%s = %lld", t.len ? ", " : "", r->scope.names.name[slot],
                  (long long)r->scope.value[slot]);
  return t.s;
}

/* --- a location in the template's file --- */

/* The nodes from the root to the last one that starts at or before a location, and their keys. */
typedef struct {
  int depth;
  const Yaml *node[YAML_MAX_DEPTH + 1];
  const char *key[YAML_MAX_DEPTH + 1];
} Path;

static bool begins_before(Loc a, Loc b) {
  return a.line < b.line || (a.line == b.line && a.col <= b.col);
}

static Path path_to(const Yaml *root, Loc at) {
  Path p = {1, {root}, {""}};
  for (const Yaml *n = root; n && p.depth <= YAML_MAX_DEPTH;) {
    const Yaml *next = NULL;
    for (int i = 0; n->kind != YAML_TEXT && i < n->count; i++) {
      const Yaml *begin = n->kind == YAML_MAP ? n->pair[i].key : n->item[i];
      if (!begins_before(begin->loc, at)) continue;
      next = n->kind == YAML_MAP ? n->pair[i].value : begin;
      p.key[p.depth] = n->kind == YAML_MAP ? begin->text : "";
    }
    if (next) p.node[p.depth++] = next;
    n = next;
  }
  return p;
}

/* A tile's accesses depend on its extents and its type, whatever they read. */
static void read_tile(Reads *w, const Path *p, int depth) {
  static const char *const keys[] = {"tile", "dtype", "access"};
  const SpecReader *r = w->r;
  for (int t = 0; t < r->tiles; t++) {
    const char *name = r->tile[t].name;
    bool inside =
        name && strcmp(p->key[1], "tiles") == 0 && (depth < 3 || strcmp(p->key[2], name) == 0);
    for (int i = 0; !name && i < 3; i++) inside = inside || strcmp(p->key[1], keys[i]) == 0;
    for (int d = 0; inside && d < extents_of(&r->tile[t]); d++) w->slot[r->tile[t].slot[d]] = true;
    if (inside) w->slot[r->scope.esize_slot] = true;
  }
}

/* True for an op that the architecture lacks. */
static bool is_of_arch(const SpecReader *r, const Path *p) {
  const Yaml *node = p->node[p->depth - 1];
  if (strcmp(p->key[p->depth - 1], "op") != 0 || node->kind != YAML_TEXT) return false;
  const int op = op_find(node->text);
  return op >= 0 && !op_runs_on((Op)op, r->out->arch);
}

/* The spec's own `arch`, unless the command line or the template sets another. */
static Loc blame_arch(const SpecReader *r) {
  const Yaml *own = r->options->arch ? NULL : yaml_get(r->spec, "arch");
  if (!own) own = yaml_get(r->spec, "kernel");
  return own ? own->loc : r->spec->loc;
}

/* The value that the formula at that location reads, or else the enclosing construct. The layout
 * reads nothing. */
static Loc blame_place(const SpecReader *r, const Path *p) {
  if (is_of_arch(r, p)) return blame_arch(r);
  const Yaml *own = NULL;
  const bool layout = strcmp(p->key[p->depth - 1], "layout") == 0;
  for (int depth = layout ? 0 : p->depth; !own && depth > 1; depth--) {
    Reads w = {.r = r, .defaults = true};
    read_below(&w, p->node[depth - 1]);
    own = own_value(&w);
    if (!own) read_tile(&w, p, depth);
    if (!own) own = own_value(&w);
  }
  return own_or_kernel(r, own);
}

/* --- the error --- */

static void tell(Diag *d, Loc loc, const DiagEntry *e) {
  diag_error(d, loc, "%s", e->text);
  if (e->hint) diag_hint(d, "%s", e->hint);
}

static bool has_error_at(const SpecReader *r, const Diag *d, Loc at) {
  int count;
  const DiagEntry *e = diag_list(d, r->in.arena, &count);
  for (int i = 0; i < count; i++)
    if (e[i].loc.source == at.source && e[i].loc.line == at.line && e[i].loc.col == at.col)
      return true;
  return false;
}

/* "templates/copy.yaml:17 has d0 / vector; here d0 = 1, vector = 4" */
static const char *spell_place(const SpecReader *r, const Path *p, const DiagEntry *e) {
  const Yaml *node = p->node[p->depth - 1];
  Text t = text_new(r->in.arena);
  const bool formula = node->kind == YAML_TEXT;
  text_printf(&t, formula ? "%s:%d" : "see %s:%d", e->loc.source->path, e->loc.line);
  if (!formula) return t.s;
  const char *readings = blame_readings(r, node->text);
  text_printf(&t, " has %s%s%s", node->text, *readings ? "; here " : "", readings);
  return t.s;
}

Diag *blame_begin(const SpecReader *r, Diag *d) {
  Diag *kept = diag_new(r->in.arena);
  if (r->family) diag_divert(d, r->family->loc.source, kept);
  return kept;
}

void blame_end(const SpecReader *r, Diag *d, Diag *kept, bool broken) {
  int count;
  const DiagEntry *e = diag_list(kept, r->in.arena, &count);
  diag_divert(d, NULL, NULL);
  for (int i = 0; broken && i < count; i++) tell(d, e[i].loc, &e[i]);
  if (broken || count == 0 || r->unfit) return;
  const Path p = path_to(r->family, e[0].loc);
  const Loc at = blame_place(r, &p);
  if (has_error_at(r, d, at)) return;
  const char *hint = e[0].hint ? e[0].hint : spell_place(r, &p, &e[0]);
  tell(d, at, &(DiagEntry){.text = e[0].text, .hint = hint});
}
