/* SPDX-License-Identifier: MIT */
#include "spec/spec_access.h"

#include <string.h>

#include "spec/access_reader.h"
#include "spec/pattern.h"
#include "spec/spec_block.h"
#include "spec/spec_instruction.h"
#include "spec/spec_lanes.h"
#include "spec/spec_names.h"
#include "spec/spec_tile.h"

enum { MAX_VECTOR = 16 };

/* An access specifies its addresses in one of three ways, moves elements or matrices, belongs to a
 * template or not, and copies from device memory or not. */
enum { FORM_AT = 1, FORM_PATTERN = 2, FORM_LANES = 4, FORM_WHERE = 7 };
enum { FORM_ELEMENTS = 8, FORM_MATRICES = 16, FORM_MOVES = 24 };
enum { FORM_FAMILY = 32, FORM_ALONE = 64, FORM_STANDS = 96 };
enum { FORM_COPY = 128, FORM_DIRECT = 256, FORM_GOES = 384 };
enum { FORM_BOX = 512, FORM_WGMMA = 1024, FORM_THREADS = 2048, FORM_TAKES = 3584 };

/* --- keys --- */

/* `name`, `if` and `op` are read before the others: messages name the access, `if` decides if it
 * exists, and `op` determines its form. */
// clang-format off
static const Key access_keys[] = {
    {.name = "name", .kind = VALUE_NAME, .about = "what reports call it; default access0, ..."},
    {.name = "if", .kind = VALUE_EXPR, .about = "0: this variant has no such access"},
    {.name = "op", .kind = VALUE_WORD, .word = op_name, .max = OP_SPELLINGS,
     .about = "the instruction; default load"},
    {.name = "vector", .kind = VALUE_EXPR, .min = 1, .max = MAX_VECTOR, .read = read_vector,
     .about = "elements that a lane moves, 1 to 16 bytes",
     .forms = FORM_ELEMENTS, .elsewhere = "%s moves rows of 16 bytes: it has no vector"},
    {.name = "matrices", .kind = VALUE_EXPR, .min = 1, .max = 4, .read = read_matrices,
     .about = "1, 2 or 4: x1, x2, x4; default 4",
     .forms = FORM_MATRICES,
     .elsewhere = "matrices is for ldmatrix and stmatrix, not for %s"},
    {.name = "trans", .kind = VALUE_BOOL, .read = read_trans,
     .about = "whether the matrices are transposed, which costs the same; also op ldmatrix.trans",
     .forms = FORM_MATRICES, .elsewhere = "trans is for ldmatrix and stmatrix, not for %s"},
    {.name = "weight", .min = 1, .max = MAX_WEIGHT, .read = read_weight,
     .about = "how often it is executed, relative to others; default 1",
     .shape = {.kinds = 1 << VALUE_REAL}},
    {.name = "for", .kind = VALUE_MAP, .read = read_loops,
     .about = "loop variables and their counts",
     .shape = {.item = VALUE_EXPR, .most = MAX_LOOPS, .least = 1},
     .forms = FORM_AT, .elsewhere = "'for' goes with 'at', not with %s"},
    {.name = "when", .kind = VALUE_EXPR, .read = read_when,
     .about = "lanes where it is 0 are inactive",
     .forms = FORM_AT, .elsewhere = "'when' goes with 'at', not with %s"},
    {.name = "times", .kind = VALUE_EXPR, .read = read_times,
     .about = "how often the launch executes it",
     .forms = FORM_FAMILY, .elsewhere = "'times' is for a family, which has a problem's sizes"},
    {.name = "at", .forms = FORM_AT, .read = read_at,
     .about = "the lane's element, an expression a dimension, over lane warp tid tx ty tz, loops, params",
     .shape = {.kinds = 1 << VALUE_EXPR | 1 << VALUE_LIST, .item = VALUE_EXPR, .fewest = 1,
               .most = KGEN_MAX_RANK}},
    {.name = "cache", .kind = VALUE_EXPR, .read = read_cache,
     .about = "how it copies: ca, by way of L1, or cg, past it",
     .forms = FORM_COPY, .elsewhere = "cache is for cp_async, not for %s"},
    {.name = "from", .read = read_from,
     .about = "the lane's element in device memory, an expression a dimension; default: the tile's",
     .shape = {.kinds = 1 << VALUE_EXPR | 1 << VALUE_LIST, .item = VALUE_EXPR, .fewest = 1,
               .most = KGEN_MAX_RANK},
     .forms = FORM_COPY, .elsewhere = "from is for cp_async, not for %s"},
    {.name = "box", .kind = VALUE_LIST, .read = read_box,
     .about = "the innermost dimensions' extents of what is moved at once",
     .shape = {.item = VALUE_EXPR, .fewest = 1, .most = KGEN_MAX_RANK},
     .forms = FORM_BOX | FORM_WGMMA,
     .elsewhere = "box is for tma_load, tma_store, wgmma_a and wgmma_b, not for %s"},
    {.name = "major", .kind = VALUE_EXPR, .read = read_major,
     .about = "what the tile's last dimension is: k, or m or n; default k",
     .forms = FORM_WGMMA, .elsewhere = "major is for wgmma_a and wgmma_b, not for %s"},
    {.name = "pattern", .kind = VALUE_TEXT, .forms = FORM_PATTERN, .read = read_pattern_key,
     .about = "a named shorthand for the whole tile", .shape = {.regex = pattern_regex}},
    {.name = "lanes", .kind = VALUE_LIST, .forms = FORM_LANES, .read = read_lanes,
     .about = "the elements of one warp's lanes, by linear index; ~: an inactive lane",
     .shape = {.item = VALUE_EXPR, .fewest = WARP, .most = WARP, .gaps = true}},
};
// clang-format on

/* The forms that follow from the op: what it moves, and from where. */
static unsigned form_of_op(int spelling) {
  const int op = (int)op_of_spelling(spelling);
  if (op_is_wgmma((Op)op)) return FORM_DIRECT | FORM_WGMMA;
  if (op_moves_boxes((Op)op)) return FORM_DIRECT | FORM_BOX;
  return (op_moves_matrices((Op)op) ? FORM_MATRICES : FORM_ELEMENTS) |
         (op == OP_CP_ASYNC ? FORM_COPY : FORM_DIRECT) | FORM_THREADS;
}

/* An access of boxes without a position covers the tile. */
static const char *op_lacks(int op) {
  return op < OP_SPELLINGS ? op_moves_boxes(op_of_spelling(op)) ? op_name[op] : "" : NULL;
}

static const char *const ways[] = {"at", "pattern", "lanes"};
static const KeyForms access_forms[] = {
    {.forms = FORM_WHERE, .by_key = ways, .lacking = op_lacks},
    {.forms = FORM_MOVES, .by_word = "op", .of_word = form_of_op},
    {.forms = FORM_GOES, .by_word = "op", .of_word = form_of_op},
    {.forms = FORM_TAKES, .by_word = "op", .of_word = form_of_op},
    {.forms = FORM_STANDS, .alone = FORM_ALONE},
};
const KeyTable access_table = {access_keys, sizeof access_keys / sizeof *access_keys, access_forms,
                               sizeof access_forms / sizeof *access_forms};

/* Boxes are at the position in `at`, or cover the tile. */
static unsigned form_of_boxes(AccessReader *a) {
  static const char *const of_lanes[] = {"vector", "matrices", "pattern", "lanes"};
  for (size_t i = 0; i < sizeof of_lanes / sizeof *of_lanes; i++) {
    const Yaml *key = yaml_key(a->map, of_lanes[i]);
    if (key)
      diag_error(a->in->diag, key->loc, "'%s' is for lanes, but %s moves whole boxes", of_lanes[i],
                 op_name[a->out->op]);
  }
  if (yaml_get(a->map, "at")) return FORM_AT;
  keys_fit(a->in, a->map, &access_table, FORM_AT, 0, "boxes that cover the tile");
  return 0;
}

/* The form given by at, pattern or lanes; if several are given, the first, with an error. */
static unsigned form_where(AccessReader *a) {
  unsigned form = 0;
  int count = 0;
  if (op_moves_boxes(a->out->op)) return form_of_boxes(a);
  for (int i = 0; i < 3; i++)
    if (yaml_get(a->map, ways[i]) && count++ == 0) form = 1u << i;
  if (count == 1 && form != FORM_AT)
    keys_fit(a->in, a->map, &access_table, FORM_WHERE, form,
             form == FORM_LANES ? "'lanes'" : "'pattern'");
  if (count == 1) return form;
  a->out->unread = true;
  diag_error(a->in->diag, a->map->loc, "access '%s' %s", a->out->name,
             count ? "has more than one of 'at', 'pattern' and 'lanes'"
                   : "needs one of 'at', 'pattern' and 'lanes'");
  return form;
}

/* Selects the form of the op among `forms`; keys of the others are reported. */
static unsigned form_by_op(AccessReader *a, unsigned forms) {
  const unsigned form = form_of_op((int)a->out->op) & forms;
  keys_fit(a->in, a->map, &access_table, forms, form, op_name[a->out->op]);
  return form;
}

/* An unknown op may have any form. */
static unsigned forms_by_op(AccessReader *a) {
  const unsigned unknown = yaml_get(a->map, "matrices") ? FORM_MOVES : FORM_ELEMENTS;
  if (a->op_unknown) return unknown | FORM_GOES | FORM_TAKES;
  unsigned forms = op_moves_boxes(a->out->op) ? 0 : form_by_op(a, FORM_MOVES);
  forms |= form_by_op(a, FORM_GOES);
  return forms | form_by_op(a, FORM_TAKES);
}

static unsigned form_stands(const SpecReader *r) {
  return r->family || r->blind ? FORM_FAMILY : FORM_ALONE;
}

static unsigned form_other(unsigned stands) { return FORM_STANDS & ~stands; }

/* --- one access --- */

static void read_access_name(AccessReader *a) {
  const Yaml *value = yaml_get(a->map, "name");
  a->out->name = value ? read_name(a->in, value, "access") : NULL;
  if (!a->out->name) a->out->name = arena_printf(a->in->arena, "access%d", a->number);
  for (int i = 0; i < a->number; i++)
    if (strcmp(a->others[i].name, a->out->name) == 0)
      diag_error(a->in->diag, value ? value->loc : a->map->loc, "a second access named '%s'",
                 a->out->name);
}

static void read_access(AccessReader *a) {
  a->out->loc = a->map->loc;
  a->out->vector = 1;
  for (int i = 0; i < SLOT_FIXED; i++) names_add(&a->out->names, lane_names[i]);
  read_op(a);
  read_access_name(a);
  unsigned form = form_where(a);
  form |= forms_by_op(a);
  form |= form_stands(a->r);
  if (form & FORM_ALONE) keys_fit(a->in, a->map, &access_table, FORM_STANDS, FORM_ALONE, NULL);
  keys_read(a->in, a->map, &access_table, form, a);
  if (a->out->op == OP_CP_ASYNC && !a->op_unknown) check_copy(a);
  if (op_moves_boxes(a->out->op)) check_boxes(a);
  if (op_moves_boxes(a->out->op) && !(form & FORM_AT)) return;
  if (form & FORM_AT ? !block_is_known(a->r) : !a->out->at[0] && !a->out->lanes)
    a->out->unread = true;
}

/* False if its `if` is 0: this variant of the kernel lacks the access. */
static bool access_exists(AccessReader *a) {
  const Yaml *node = yaml_get(a->map, "if");
  int64_t holds = 1;
  if (node && !scope_read(a->scope, node, "if", INT64_MIN, INT64_MAX, &holds))
    a->out->unread = true;
  return holds;
}

/* Adds an access to the tile; false if its `if` is 0. */
static bool add_access(SpecReader *r, const TileNodes *nodes, Scope *scope, const Yaml *map,
                       TileSpec *tile, AccessSpec *access) {
  AccessReader a = {.r = r,
                    .in = &r->in,
                    .tile = nodes,
                    .scope = scope,
                    .map =
                        keys_known_without(&r->in, map, &access_table, form_other(form_stands(r))),
                    .out = &access[tile->accesses],
                    .others = access,
                    .number = tile->accesses};
  if (!access_exists(&a)) return false;
  read_access(&a);
  tile->accesses++;
  return true;
}

/* Reads each map of the list as an access. Returns the number omitted by their `if`. */
static int read_list(SpecReader *r, const TileNodes *nodes, const Yaml *list, TileSpec *tile,
                     AccessSpec *access) {
  Scope *scope = tile_scope(r, nodes);
  int absent = 0;
  for (int i = 0; i < list->count; i++) {
    const Yaml *map = list->item[i];
    if (expect_kind(&r->in, map, "an access", YAML_MAP))
      absent += !add_access(r, nodes, scope, map, tile, access);
  }
  return absent;
}

void read_accesses(SpecReader *r, const TileNodes *nodes, TileSpec *tile) {
  const Yaml *list = yaml_get(nodes->map, "access");
  if (!list || !expect_kind(&r->in, list, "access", YAML_LIST)) return;
  if (list->count < 1 || list->count > MAX_ACCESSES) {
    diag_error(r->in.diag, list->loc, "%d accesses, but a tile must have 1 to %d", list->count,
               MAX_ACCESSES);
    return;
  }
  AccessSpec *access = ARENA_ARRAY(r->in.arena, AccessSpec, (size_t)list->count);
  if (read_list(r, nodes, list, tile, access) == list->count)
    diag_error(r->in.diag, list->loc, "the 'if' of every access is 0");
  tile->access = access;
}
