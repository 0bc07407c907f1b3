#include "spec/spec_access.h"

#include <string.h>

#include "spec/access_reader.h"
#include "spec/names.h"
#include "spec/pattern.h"
#include "spec/spec_block.h"
#include "spec/spec_keys.h"
#include "spec/spec_names.h"
#include "spec/spec_pattern.h"
#include "spec/spec_tile.h"

enum { MAX_VECTOR = 16, MAX_WEIGHT = 1000000 };

/* An access gives its addresses in one of three ways, moves elements or matrices, belongs to a
 * family or not, and copies from device memory or not. */
enum { FORM_AT = 1, FORM_PATTERN = 2, FORM_LANES = 4, FORM_WHERE = 7 };
enum { FORM_ELEMENTS = 8, FORM_MATRICES = 16, FORM_MOVES = 24 };
enum { FORM_FAMILY = 32, FORM_ALONE = 64, FORM_STANDS = 96 };
enum { FORM_COPY = 128, FORM_DIRECT = 256, FORM_GOES = 384 };
enum { FORM_BOX = 512, FORM_WGMMA = 1024, FORM_THREADS = 2048, FORM_TAKES = 3584 };

/* --- name, op, weight --- */

static void read_access_name(AccessReader *a) {
  const Yaml *value = yaml_get(a->map, "name");
  a->out->name = value ? read_name(a->in, value, "access") : NULL;
  if (!a->out->name) a->out->name = arena_printf(a->in->arena, "access%d", a->number);
  for (int i = 0; i < a->number; i++)
    if (strcmp(a->others[i].name, a->out->name) == 0)
      diag_error(a->in->diag, value ? value->loc : a->map->loc, "a second access named '%s'",
                 a->out->name);
}

/* A near-miss is taken for the op that is meant, so that the rest of the access is checked. */
static Op guess_op(AccessReader *a, const Yaml *node) {
  const char *near = node->kind == YAML_TEXT ? diag_nearest(node->text, op_name, OP_COUNT) : NULL;
  a->op_unknown = !near;
  for (int op = 0; near && op < OP_COUNT; op++)
    if (strcmp(op_name[op], near) == 0) return (Op)op;
  return OP_LOAD;
}

static void read_op(AccessReader *a) {
  const Yaml *node = yaml_get(a->map, "op");
  const int op = node ? read_choice(a->in, node, "op", op_name, OP_COUNT) : OP_LOAD;
  a->out->op = op < 0 ? guess_op(a, node) : (Op)op;
  const Arch *arch = a->r->out->arch;
  static const int needs[OP_COUNT] = {[OP_STMATRIX] = 90,  [OP_CP_ASYNC] = 80, [OP_TMA_LOAD] = 90,
                                      [OP_TMA_STORE] = 90, [OP_WGMMA_A] = 90,  [OP_WGMMA_B] = 90};
  const int sm = arch_number(arch);
  if (sm < needs[a->out->op])
    diag_error(a->in->diag, node->loc, "%s needs sm_%d, not %s", op_name[a->out->op],
               needs[a->out->op], arch->name);
  else if (op_is_wgmma(a->out->op) && sm != 90)
    diag_error(a->in->diag, node->loc, "%s needs sm_90a: %s has no wgmma", op_name[a->out->op],
               arch->name);
}

/* "1.5" in thousandths; -1 if it is no such number. */
static long thousandths(const char *s) {
  long v = 0;
  int digits = 0, places = -1;
  for (; *s; s++) {
    if (*s == '.' && places < 0 && digits > 0)
      places = 0;
    else if (*s < '0' || *s > '9' || places == 3 || v > MAX_WEIGHT * 10L)
      return -1;
    else {
      v = v * 10 + (*s - '0');
      digits++;
      if (places >= 0) places++;
    }
  }
  if (digits == 0 || places == 0) return -1;
  for (places = places < 0 ? 0 : places; places < 3; places++) v *= 10;
  return v;
}

static void read_weight(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  a->out->weight = WEIGHT_ONE;
  if (!value) return;
  if (value->kind == YAML_TEXT && strchr(value->text, '.')) {
    const long w = thousandths(value->text);
    if (w > 0 && w <= (long)MAX_WEIGHT * WEIGHT_ONE)
      a->out->weight = w;
    else
      diag_error(a->in->diag, value->loc,
                 "weight must be a number from 0.001 to %d with at most 3 decimals", MAX_WEIGHT);
  } else if (scope_read(a->scope, value, key->name, key->min, key->max, &v)) {
    a->out->weight = (long)v * WEIGHT_ONE;
  }
}

/* --- how much a lane moves --- */

static void read_vector(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  if (!value || !scope_read(a->scope, value, key->name, key->min, key->max, &v)) return;
  const Dtype *d = a->tile->dtype;
  const int64_t bytes = d ? v * d->bytes : 1;
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0)
    a->out->vector = (int)v;
  else
    diag_error(a->in->diag, value->loc,
               "%lld elements of %s are %lld bytes a lane, but must be 1, 2, 4, 8 or 16",
               (long long)v, d->name, (long long)bytes);
}

static void read_matrices(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v = 4;
  if (value && scope_read(a->scope, value, key->name, key->min, key->max, &v) && v == 3)
    diag_error(a->in->diag, value->loc, "matrices is 3, but must be 1, 2 or 4");
  a->out->matrices = (int)v;
}

/* --- how cp.async copies, and from where --- */

/* One of `count` words, or a formula over them, where each stands for its index. False, with an
 * error, if it is neither. */
static bool read_word(const AccessReader *a, const Key *key, const Yaml *value,
                      const char *const *words, int count, int64_t *out) {
  const bool word = value->kind == YAML_TEXT && is_identifier(value->text);
  if (word && names_find(&a->scope->names, value->text) < 0 &&
      !names_let(&a->scope->names, value->text) &&
      read_choice(a->in, value, key->name, words, count) < 0)
    return false;
  Scope *s = ARENA_NEW(a->in->arena, Scope);
  *s = *a->scope;
  for (int i = 0; i < count; i++) scope_set(s, scope_declare(s, words[i]), i);
  const Expr *e = read_expr(a->in, value, key->name, &s->names);
  if (!e || !scope_eval(s, e, out)) return false;
  if (*out >= 0 && *out < count) return true;
  diag_error(a->in->diag, value->loc, "%s is %lld, but must be %s or %s", key->name,
             (long long)*out, words[0], words[count - 1]);
  return false;
}

/* An expression over the params and the two words, which stand for numbers. */
static void read_cache(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  if (value && read_word(a, key, value, copy_cache_name, 2, &v)) a->out->cache = (CopyCache)v;
}

/* What a lane may copy: it is read before. */
static void check_copy(const AccessReader *a) {
  const Yaml *op = yaml_get(a->map, "op"), *vector = yaml_get(a->map, "vector");
  const Dtype *d = a->tile->dtype;
  const BankGeometry banks = a->r->out->banks;
  const int bytes = d ? a->out->vector * d->bytes : 16;
  const Loc loc = vector ? vector->loc : op->loc;
  if (a->out->cache == COPY_CG && bytes != 16)
    diag_error(a->in->diag, loc, "cp_async past L1 (cg) copies 16 bytes a lane, not %d", bytes);
  else if (bytes < 4)
    diag_error(a->in->diag, loc, "cp_async copies 4, 8 or 16 bytes a lane, not %d", bytes);
  if (banks.count != 32 || banks.bytes != 4)
    diag_error(a->in->diag, op->loc,
               "what cp_async costs is known of 32 banks of 4 bytes, not of %d of %d", banks.count,
               banks.bytes);
}

/* --- boxes of TMA and wgmma --- */

static void read_major(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const Dtype *d = a->tile->dtype;
  int64_t v;
  if (!value || !read_word(a, key, value, major_name, 2, &v)) return;
  a->out->major = (Major)v;
  if (v == MAJOR_MN && d && d->bytes != 2)
    diag_error(a->in->diag, value->loc, "with major mn wgmma reads only f16 and bf16, not %s",
               d->name);
}

/* What TMA can move, and the tile holds. */
static void check_box_extent(const AccessReader *a, const Yaml *value, int d, int64_t v) {
  Scope *names = &a->r->scope;
  const int slot = a->tile->slot[d];
  if (scope_knows(names, slot) && v > names->value[slot])
    diag_error(a->in->diag, value->loc, "a box of %lld in a dimension of %lld", (long long)v,
               (long long)names->value[slot]);
  else if (!op_is_wgmma(a->out->op) && v > TENSOR_MAX_BOX)
    diag_error(a->in->diag, value->loc,
               "a box of TMA has at most %d elements in a dimension, not %lld", TENSOR_MAX_BOX,
               (long long)v);
}

/* The innermost dimensions' extents; of others the box has one element. */
static void read_box(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const int rank = a->tile->rank;
  int64_t v;
  if (!value || !rank) return;
  if (value->count < 1 || value->count > rank) {
    diag_error(a->in->diag, value->loc, "box has %d extents, but the tile has rank %d",
               value->count, rank);
    return;
  }
  a->out->box_loc = value->loc;
  for (int d = 0; d < rank; d++) a->out->box[d] = 1;
  for (int i = 0; i < value->count; i++) {
    const int d = rank - value->count + i;
    if (!scope_read(a->scope, value->item[i], "a box's extent", 1, MAX_EXTENT, &v)) continue;
    a->out->box[d] = (int)v;
    check_box_extent(a, value->item[i], d, v);
  }
  (void)key;
}

/* Where boxes may come from and go to. */
static void check_boxes(const AccessReader *a) {
  const Dtype *d = a->tile->dtype;
  const Loc loc = yaml_get(a->map, "op")->loc;
  static const char *const read[] = {"f16", "bf16", "f32", "e4m3", "e5m2",
                                     "i8",  "u8",   "b8",  "b16",  "b32"};
  bool known = !d || !op_is_wgmma(a->out->op);
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    known = known || strcmp(d->name, read[i]) == 0;
  if (!known) diag_error(a->in->diag, loc, "wgmma has no operands of type %s", d->name);
  if (op_is_wgmma(a->out->op) && a->tile->rank == 1)
    diag_error(a->in->diag, loc, "wgmma reads a matrix, and a tile of one dimension is not one");
  if (d && d->bytes > 8)
    diag_error(a->in->diag, loc, "TMA copies elements of 1, 2, 4 or 8 bytes, not %d", d->bytes);
}

/* --- where: for, when, at, from --- */

/* A loop variable may hide names of ours, and no others. */
static bool loop_name_is_free(const AccessReader *a, const char *name) {
  const int hidden = names_find(&a->scope->names, name);
  return (hidden < 0 || slot_is_ours(a->r, hidden)) && names_find(&a->out->names, name) < 0 &&
         !names_let(&a->scope->names, name);
}

static void read_loop(AccessReader *a, const Yaml *key, const Yaml *value) {
  const char *name = read_name(a->in, key, "loop variable");
  int64_t count = 1;
  const char *what = arena_printf(a->in->arena, "the count of '%s'", key->text);
  if (!scope_read(a->scope, value, what, 1, MAX_TURNS, &count) || !name) a->out->unread = true;
  if (!name) return;
  if (loop_name_is_free(a, name)) {
    access_add_loop(a, name, count);
    return;
  }
  diag_error(a->in->diag, key->loc, "loop variable '%s' hides a name that expressions have", name);
  a->out->unread = true;
}

static void read_loops(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  (void)key;
  if (yaml_get(a->map, "for") && (!value || value->count > MAX_LOOPS)) a->out->unread = true;
  if (value && value->count > MAX_LOOPS)
    diag_error(a->in->diag, value->loc, "%d loops, but there can be %d", value->count, MAX_LOOPS);
  for (int i = 0; value && i < value->count && i < MAX_LOOPS; i++)
    read_loop(a, value->pair[i].key, value->pair[i].value);
  access_add_constants(a);
}

/* True if a name that is the same for every lane has no value, which was reported. */
static bool reads_unknown(const AccessReader *a, const Expr *e) {
  const int first = a->out->names.count - a->scope->names.count;
  bool unknown = false;
  for (int i = 0; i < a->scope->names.count; i++)
    if (expr_uses(e, first + i)) unknown = !scope_knows(a->scope, i) || unknown;
  return unknown;
}

/* An expression over lanes, loops and constants; NULL if it cannot be evaluated. */
static const Expr *read_lane_expr(AccessReader *a, const Yaml *node, const char *what) {
  const Expr *e = read_expr(a->in, node, what, &a->out->names);
  return e && !reads_unknown(a, e) ? e : NULL;
}

static void read_when(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  if (!value) return;
  a->out->when = read_lane_expr(a, value, key->name);
  if (!a->out->when) a->out->unread = true;
}

static void read_at(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  const int rank = a->tile->rank;
  if (value->kind != YAML_LIST && rank <= 1) {
    a->out->at[0] = read_lane_expr(a, value, key->name);
    return;
  }
  if (!expect_kind(a->in, value, key->name, YAML_LIST)) return;
  if (rank && value->count != rank) {
    diag_error(a->in->diag, value->loc, "at has length %d, but the tile has rank %d", value->count,
               rank);
    a->out->unread = true;
  }
  for (int i = 0; i < value->count; i++) {
    const Expr *e = read_lane_expr(a, value->item[i], key->name);
    if (i < KGEN_MAX_RANK) a->out->at[i] = e;
  }
}

/* The source in device memory: a coordinate a dimension, or the element alone. */
static void read_from(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  const bool list = value && value->kind == YAML_LIST;
  if (!value) return;
  if (!yaml_get(a->map, "at")) {
    diag_error(a->in->diag, value->loc, "'from' needs 'at', whose names it uses");
    return;
  }
  if (list && (value->count < 1 || value->count > KGEN_MAX_RANK)) {
    diag_error(a->in->diag, value->loc, "from has length %d, but a source has 1 to %d dimensions",
               value->count, KGEN_MAX_RANK);
    a->out->unread = true;
    return;
  }
  a->out->from_dims = list ? value->count : 1;
  for (int i = 0; i < a->out->from_dims; i++) {
    a->out->from[i] = read_lane_expr(a, list ? value->item[i] : value, key->name);
    if (!a->out->from[i]) a->out->unread = true;
  }
}

/* --- where: lanes --- */

static void read_lanes(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  (void)key;
  if (value && value->count != WARP)
    diag_error(a->in->diag, value->loc, "lanes has %d entries, but a warp has %d", value->count,
               WARP);
  if (!value || value->count != WARP) return;
  const int64_t n = tile_elements(a->r, a->tile), max = n > 0 ? n - 1 : INT32_MAX;
  int64_t *lanes = ARENA_ARRAY(a->in->arena, int64_t, WARP);
  for (int i = 0; i < WARP; i++) {
    lanes[i] = -1;
    if (yaml_is_null(value->item[i])) continue;
    if (!scope_read(a->scope, value->item[i], "a lane's element", 0, max, &lanes[i]))
      a->out->unread = true;
  }
  a->out->lanes = lanes;
}

static void read_pattern_key(void *to, const Key *key, const Yaml *value) {
  (void)key;
  if (value) read_pattern(to, value);
}

static void read_times(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const ProblemSpec *problem = a->r->out->problem;
  if (value && problem) a->out->times = read_expr(a->in, value, key->name, &problem->names);
}

/* --- one access --- */

/* `name`, `if` and `op` are read before: the others' messages, whether there is an access, and of
 * which form, depend on them. */
// clang-format off
static const Key access_keys[] = {
    {.name = "name", .kind = VALUE_NAME, .about = "what reports call it; default access0, ..."},
    {.name = "if", .kind = VALUE_EXPR, .about = "0: this variant has no such access"},
    {.name = "op", .kind = VALUE_WORD, .word = op_name, .max = OP_COUNT,
     .about = "the instruction; default load"},
    {.name = "vector", .kind = VALUE_EXPR, .min = 1, .max = MAX_VECTOR, .read = read_vector,
     .about = "elements that a lane moves, 1 to 16 bytes",
     .forms = FORM_ELEMENTS, .elsewhere = "%s moves rows of 16 bytes: it has no vector"},
    {.name = "matrices", .kind = VALUE_EXPR, .min = 1, .max = 4, .read = read_matrices,
     .about = "1, 2 or 4: x1, x2, x4; default 4",
     .forms = FORM_MATRICES,
     .elsewhere = "matrices is for ldmatrix and stmatrix, not for %s"},
    {.name = "weight", .min = 1, .max = MAX_WEIGHT, .read = read_weight,
     .about = "how often it is executed, relative to others; default 1",
     .shape = {.kinds = 1 << VALUE_REAL}},
    {.name = "for", .kind = VALUE_MAP, .read = read_loops,
     .about = "loop variables and their counts",
     .shape = {.item = VALUE_EXPR, .most = MAX_LOOPS, .least = 1},
     .forms = FORM_AT, .elsewhere = "'for' beside '%s': use 'at' instead"},
    {.name = "when", .kind = VALUE_EXPR, .read = read_when,
     .about = "lanes where it is 0 are inactive",
     .forms = FORM_AT, .elsewhere = "'when' beside '%s': use 'at' instead"},
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

/* What the op says of the form: what it moves, and from where. */
static unsigned form_of_op(int op) {
  if (op_is_wgmma((Op)op)) return FORM_DIRECT | FORM_WGMMA;
  if (op_moves_boxes((Op)op)) return FORM_DIRECT | FORM_BOX;
  return (op_moves_matrices((Op)op) ? FORM_MATRICES : FORM_ELEMENTS) |
         (op == OP_CP_ASYNC ? FORM_COPY : FORM_DIRECT) | FORM_THREADS;
}

/* Boxes that cover the tile stand nowhere else. */
static const char *op_lacks(int op) {
  return op < OP_COUNT ? op_moves_boxes((Op)op) ? op_name[op] : "" : NULL;
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

/* Boxes stand where `at` says, or cover the tile. */
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

/* Which of at, pattern and lanes it has; the first of several. */
static unsigned form_where(AccessReader *a) {
  unsigned form = 0;
  int count = 0;
  if (op_moves_boxes(a->out->op)) return form_of_boxes(a);
  for (int i = 0; i < 3; i++)
    if (yaml_get(a->map, ways[i]) && count++ == 0) form = 1u << i;
  if (count == 1 && form != FORM_AT)
    keys_fit(a->in, a->map, &access_table, FORM_WHERE, form,
             form == FORM_LANES ? ways[2] : ways[1]);
  if (count == 1) return form;
  a->out->unread = true;
  diag_error(a->in->diag, a->map->loc, "access '%s' %s", a->out->name,
             count ? "has more than one of 'at', 'pattern' and 'lanes'"
                   : "needs one of 'at', 'pattern' and 'lanes'");
  return form;
}

/* An op that is not known may be of either form. */
static unsigned form_moves(AccessReader *a) {
  if (a->op_unknown) return yaml_get(a->map, "matrices") ? FORM_MOVES : FORM_ELEMENTS;
  if (op_moves_boxes(a->out->op)) return 0;
  const unsigned form = form_of_op((int)a->out->op) & FORM_MOVES;
  keys_fit(a->in, a->map, &access_table, FORM_MOVES, form, op_name[a->out->op]);
  return form;
}

static unsigned form_goes(AccessReader *a) {
  if (a->op_unknown) return FORM_GOES;
  const unsigned form = form_of_op((int)a->out->op) & FORM_GOES;
  keys_fit(a->in, a->map, &access_table, FORM_GOES, form, op_name[a->out->op]);
  return form;
}

static unsigned form_takes(AccessReader *a) {
  if (a->op_unknown) return FORM_TAKES;
  const unsigned form = form_of_op((int)a->out->op) & FORM_TAKES;
  keys_fit(a->in, a->map, &access_table, FORM_TAKES, form, op_name[a->out->op]);
  return form;
}

static unsigned form_stands(AccessReader *a) {
  if (a->r->family || a->r->blind) return FORM_FAMILY;
  keys_fit(a->in, a->map, &access_table, FORM_STANDS, FORM_ALONE, NULL);
  return FORM_ALONE;
}

static void read_access(AccessReader *a) {
  a->out->loc = a->map->loc;
  a->out->vector = 1;
  for (int i = 0; i < SLOT_FIXED; i++) names_add(&a->out->names, lane_names[i]);
  read_op(a);
  read_access_name(a);
  const unsigned form =
      form_where(a) | form_moves(a) | form_goes(a) | form_takes(a) | form_stands(a);
  keys_read(a->in, a->map, &access_table, form, a);
  if (a->out->op == OP_CP_ASYNC && !a->op_unknown) check_copy(a);
  if (op_moves_boxes(a->out->op)) check_boxes(a);
  if (op_moves_boxes(a->out->op) && !(form & FORM_AT)) return;
  if (form & FORM_AT ? !block_is_known(a->r) : !a->out->at[0] && !a->out->lanes)
    a->out->unread = true;
}

/* False if its `if` is 0: this variant of the kernel has no such access. */
static bool access_exists(AccessReader *a) {
  const Yaml *node = yaml_get(a->map, "if");
  int64_t holds = 1;
  if (node && !scope_read(a->scope, node, "if", INT64_MIN, INT64_MAX, &holds))
    a->out->unread = true;
  return holds;
}

/* One more access of the tile; false if its `if` says that there is none. */
static bool add_access(SpecReader *r, const TileNodes *nodes, Scope *scope, const Yaml *map,
                       TileSpec *tile, AccessSpec *access) {
  AccessReader a = {.r = r,
                    .in = &r->in,
                    .tile = nodes,
                    .scope = scope,
                    .map = keys_known(&r->in, map, &access_table),
                    .out = &access[tile->accesses],
                    .others = access,
                    .number = tile->accesses};
  if (!access_exists(&a)) return false;
  read_access(&a);
  tile->accesses++;
  return true;
}

/* The list's maps, as accesses; how many of them do not exist. */
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
