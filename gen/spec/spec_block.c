/* SPDX-License-Identifier: MIT */
#include "spec/spec_block.h"

#include "spec/spec_names.h"
#include "spec/spec_override.h"

enum { MAX_THREADS = 1024, MAX_Z = 64, THREADS = 3, WARPS = 4 };

static const struct {
  const char *name, *what, *standard;
  int64_t max;
} row[BLOCK_NAMES] = {{"bx", "block's x", "32", MAX_THREADS},
                      {"by", "block's y", "1", MAX_THREADS},
                      {"bz", "block's z", "1", MAX_Z},
                      {"threads", "block's number of threads", NULL, MAX_THREADS},
                      {"warps", "block's number of warps", NULL, MAX_THREADS / WARP}};

static void define(SpecReader *r, int i, Loc loc, const Yaml *node, const char *text) {
  const bool own = node && node->loc.source == r->out->source;
  const Yaml *set = override_value(r, row[i].name, own, loc);
  if (set) node = set;
  scope_define(&r->scope, r->block_slot + i,
               (Definition){.what = row[i].what,
                            .loc = node ? node->loc : loc,
                            .node = node,
                            .text = text,
                            .esize = first_esize(r),
                            .min = 1,
                            .max = row[i].max});
}

/* `threads` and `warps` follow from the three extents. */
static void define_counts(SpecReader *r, Loc loc) {
  const char *const *name = &r->scope.names.name[r->block_slot];
  define(r, THREADS, loc, NULL,
         arena_printf(r->in.arena, "%s * %s * %s", name[0], name[1], name[2]));
  define(r, WARPS, loc, NULL, arena_printf(r->in.arena, "(%s + 31) / 32", name[THREADS]));
}

void declare_block(SpecReader *r) {
  r->block_slot = r->scope.names.count;
  for (int i = 0; i < BLOCK_NAMES; i++) declare_ours(r, row[i].name);
}

void define_block(SpecReader *r) {
  const Yaml *node = yaml_get(r->root, "block");
  const Loc loc = node ? node->loc : r->spec->loc;
  if (node ? !expect_kind(&r->in, node, "block", YAML_LIST) : r->blind) return;
  const int given = node ? node->count : 0;
  if (node && (given < 1 || given > 3)) {
    diag_error(r->in.diag, loc, "block has %d dimensions, but must have 1 to 3", given);
    return;
  }
  for (int i = 0; i < 3; i++)
    define(r, i, loc, i < given ? node->item[i] : NULL, given ? "1" : row[i].standard);
  define_counts(r, loc);
}

bool block_is_known(SpecReader *r) {
  bool known = true;
  for (int i = 0; i < BLOCK_NAMES; i++) known = scope_knows(&r->scope, r->block_slot + i) && known;
  return known;
}

void read_block(SpecReader *r, int block[3]) {
  for (int i = 0; i < 3; i++)
    block[i] =
        scope_knows(&r->scope, r->block_slot + i) ? (int)r->scope.value[r->block_slot + i] : 0;
}
