/* SPDX-License-Identifier: MIT */
#include "spec/spec_pattern.h"

#include <string.h>

#include "base/utf8.h"
#include "spec/expr_parse.h"
#include "spec/pattern.h"
#include "spec/spec_block.h"
#include "spec/spec_tile.h"

enum { MATRIX_ROW = 16 }; /* bytes */

static Loc part_loc(const Yaml *node, int offset, int length) {
  Loc loc = node->inner;
  const char *s = node->text;
  if (utf8_count(s, s + strlen(s)) != loc.width) return node->loc;
  loc.col += utf8_count(s, s + offset);
  loc.width = length > 0 ? utf8_count(s + offset, s + offset + length) : 1;
  return loc;
}

/* Reads the pattern's arguments between its brackets; false after an error. */
static bool read_arguments(AccessReader *a, const Yaml *node, const Pattern *p, int64_t *arg) {
  const char *s = node->text + strlen(p->name);
  int count = 0;
  const size_t n = strlen(s);
  const bool list = n >= 2 && s[0] == '(' && s[n - 1] == ')';
  for (const char *begin = s + 1, *end; list && begin < s + n; begin = end + 1) {
    for (end = begin; end < s + n - 1 && *end != ',';) end++;
    const int length = (int)(end - begin), offset = (int)(begin - node->text);
    const Loc loc = part_loc(node, offset, length);
    const char *text = arena_strndup(a->in->arena, begin, (size_t)length);
    const Expr *e = expr_parse(a->in->arena, a->in->diag, loc, text, &a->scope->names);
    int64_t v;
    if (!e || !scope_eval(a->scope, e, &v)) return false;
    if (!check_range(a->in, loc, "a pattern's argument", v, 1, MAX_EXTENT)) return false;
    if (count < PATTERN_MAX_ARGS) arg[count] = v;
    count++;
  }
  if (count == p->args && (list || n == 0)) return true;
  diag_error(a->in->diag, node->loc, "pattern '%s' is written %s", p->name, p->usage);
  return false;
}

static const Pattern *read_pattern_name(AccessReader *a, const Yaml *node) {
  const size_t n = strcspn(node->text, "( ");
  const Yaml word = {.kind = YAML_TEXT,
                     .loc = part_loc(node, 0, (int)n),
                     .text = arena_strndup(a->in->arena, node->text, n),
                     .quoted = true};
  const char **names = ARENA_ARRAY(a->in->arena, const char *, (size_t)pattern_count);
  for (int i = 0; i < pattern_count; i++) names[i] = pattern_table[i].name;
  const int i = read_choice(a->in, &word, "pattern", names, pattern_count);
  return i < 0 ? NULL : &pattern_table[i];
}

/* The reason why the pattern does not fit the tile, or NULL. */
static const char *misfit(const Pattern *p, const PatternShape *s, bool matrix) {
  if (strcmp(p->name, "matrix") == 0 && !matrix)
    return "pattern 'matrix' is for ldmatrix and stmatrix";
  if (s->cols % s->vector) return "a pattern needs rows that are a multiple of what a lane takes";
  if (p->taker == BY_WHOLE_WARP && s->threads % WARP)
    return "this pattern needs a block of whole warps";
  if (p->args == 2 && s->arg[0] * s->arg[1] > WARP) return "a patch has more than 32 lanes";
  return NULL;
}

/* The flattened tile as the pattern uses it; false if something it needs is unknown or does not
 * fit. */
static bool pattern_shape(AccessReader *a, const Yaml *node, const Pattern *p, PatternShape *s) {
  const TileNodes *t = a->tile;
  const bool matrix = op_moves_matrices(a->out->op);
  const int block = a->r->block_slot;
  const int64_t bytes = spec_tile_bytes(a->r, t);
  if (bytes == 0 || !block_is_known(a->r)) return false;
  if (bytes > a->r->out->arch->shared_per_block) return false; /* reported with the tile */
  s->cols = a->r->scope.value[t->slot[t->rank - 1]];
  s->rows = spec_tile_elements(a->r, t) / s->cols;
  s->vector = matrix ? MATRIX_ROW / t->dtype->bytes : a->out->vector;
  s->threads = a->r->scope.value[block + 3];
  s->warps = a->r->scope.value[block + 4];
  s->matrices = a->out->matrices;
  const char *wrong = misfit(p, s, matrix);
  if (wrong) diag_error(a->in->diag, node->loc, "%s", wrong);
  return !wrong;
}

static void use_pattern(AccessReader *a, const Yaml *node, const Pattern *p,
                        const PatternShape *s) {
  const char *turn = "turn";
  while (names_find(&a->scope->names, turn) >= 0) turn = arena_printf(a->in->arena, "%s_", turn);
  const PatternText text = pattern_write(a->in->arena, p, s, turn);
  Loc loc = node->loc;
  loc.width = 1; /* the texts are not in the file */
  if (text.turns > MAX_TURNS) {
    diag_error(a->in->diag, node->loc, "the pattern takes %lld loop iterations, more than %d",
               (long long)text.turns, MAX_TURNS);
    return;
  }
  if (text.turns > 1) access_add_loop(a, turn, text.turns);
  access_add_constants(a);
  a->out->linear = true;
  a->out->at[0] = expr_parse(a->in->arena, a->in->diag, loc, text.at, &a->out->names);
  if (text.when)
    a->out->when = expr_parse(a->in->arena, a->in->diag, loc, text.when, &a->out->names);
}

void read_pattern(AccessReader *a, const Yaml *node) {
  const Pattern *p = read_pattern_name(a, node);
  PatternShape shape = {.arg = {1, 1}};
  if (!p || !read_arguments(a, node, p, shape.arg)) return;
  if (pattern_shape(a, node, p, &shape)) use_pattern(a, node, p, &shape);
}
