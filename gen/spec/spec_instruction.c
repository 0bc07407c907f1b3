/* SPDX-License-Identifier: MIT */
#include "spec/spec_instruction.h"

#include <string.h>

#include "base/number.h"
#include "spec/names.h"
#include "spec/spec_names.h"

/* --- the op and its weight --- */

/* Assumes the op that a misspelled word probably means, so that the rest of the access is
 * checked. */
static Op guess_op(AccessReader *a, const Yaml *node) {
  const char *near =
      node->kind == YAML_TEXT ? diag_nearest(node->text, op_name, OP_SPELLINGS) : NULL;
  a->op_unknown = !near;
  return near ? (Op)op_find(near) : OP_LOAD;
}

void read_op(AccessReader *a) {
  const Yaml *node = yaml_get(a->map, "op");
  const int op = node ? read_choice(a->in, node, "op", op_name, OP_SPELLINGS) : OP_LOAD;
  a->out->op = op < 0 ? guess_op(a, node) : op_of_spelling(op);
  const Arch *arch = a->r->out->arch;
  if (op_runs_on(a->out->op, arch)) return;
  const char *name = op_name[a->out->op];
  if (arch_number(arch) < op_sm(a->out->op))
    diag_error(a->in->diag, node->loc, "%s needs sm_%d, not %s", name, op_sm(a->out->op),
               arch->name);
  else
    diag_error(a->in->diag, node->loc, "%s needs sm_90a: %s has no wgmma", name, arch->name);
}

/* "1.5" in thousandths; -1 if it is not such a number. */
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

/* True for a number that no expression can hold: 1.5, 1e3. */
static bool is_fraction(const char *s) {
  const size_t digits = strspn(s, "0123456789");
  return strchr(s, '.') || (digits > 0 && (s[digits] == 'e' || s[digits] == 'E'));
}

void read_weight(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  a->out->weight = WEIGHT_ONE;
  if (!value) return;
  if (value->kind == YAML_TEXT && is_fraction(value->text)) {
    const long w = thousandths(value->text);
    if (w > 0 && w <= (long)MAX_WEIGHT * WEIGHT_ONE)
      a->out->weight = w;
    else
      diag_error(a->in->diag, value->loc,
                 "weight must be a number from 0.001 to %d with at most 3 decimals", MAX_WEIGHT);
  } else if (scope_read(a->scope, value, key->name, INT64_MIN, INT64_MAX, &v)) {
    if (v >= key->min && v <= key->max)
      a->out->weight = (long)v * WEIGHT_ONE;
    else
      diag_error(a->in->diag, value->loc, "weight is %lld, but must be 0.001 to %d", (long long)v,
                 MAX_WEIGHT);
  }
}

/* --- the amount that a lane moves --- */

void read_vector(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  if (!value || !scope_read(a->scope, value, key->name, key->min, key->max, &v)) return;
  const Dtype *d = a->tile->dtype;
  const int64_t bytes = d ? v * d->bytes : 1;
  if (bytes <= 16 && number_is_power(bytes))
    a->out->vector = (int)v;
  else
    diag_error(a->in->diag, value->loc,
               "%lld elements of %s are %lld bytes per lane, but must be 1, 2, 4, 8 or 16",
               (long long)v, d->name, (long long)bytes);
}

void read_matrices(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v = 4;
  if (value && scope_read(a->scope, value, key->name, key->min, key->max, &v) && v == 3)
    diag_error(a->in->diag, value->loc, "matrices is 3, but must be 1, 2 or 4");
  a->out->matrices = (int)v;
}

/* Transposing matrices costs the same, so the value is checked and then ignored. */
void read_trans(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  bool trans = true;
  if (!key_bool(a->in, key, value, &trans) || trans) return;
  const char *op = yaml_text(a->map, "op");
  if (op && strcmp(op, op_name[a->out->op]) != 0)
    diag_error(a->in->diag, value->loc, "trans is false, but the op is %s", op);
}

/* --- cache mode and source of cp.async --- */

/* Reads one of two words, or a formula over them in which each represents its index. False, with an
 * error, if it is neither. */
static bool read_word(const AccessReader *a, const Key *key, const Yaml *value,
                      const char *const words[2], int64_t *out) {
  const bool word = value->kind == YAML_TEXT && is_identifier(value->text);
  if (word && names_find(&a->scope->names, value->text) < 0 &&
      !names_let(&a->scope->names, value->text) &&
      read_choice(a->in, value, key->name, words, 2) < 0)
    return false;
  Scope *s = ARENA_NEW(a->in->arena, Scope);
  *s = *a->scope;
  for (int i = 0; i < 2; i++) scope_set(s, scope_declare(s, words[i]), i);
  const Expr *e = read_expr(a->in, value, key->name, &s->names);
  if (!e || !scope_eval(s, e, out)) return false;
  if (*out >= 0 && *out < 2) return true;
  diag_error(a->in->diag, value->loc, "%s is %lld, but must be %s or %s", key->name,
             (long long)*out, words[0], words[1]);
  return false;
}

/* `cache` is a word, or an expression over the params in which the words represent numbers. */
void read_cache(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  int64_t v;
  if (value && read_word(a, key, value, copy_cache_name, &v)) a->out->cache = (CopyCache)v;
}

void check_copy(const AccessReader *a) {
  const Yaml *op = yaml_get(a->map, "op"), *vector = yaml_get(a->map, "vector");
  const Dtype *d = a->tile->dtype;
  const BankGeometry banks = a->r->out->banks;
  const int bytes = d ? a->out->vector * d->bytes : 16;
  const Loc loc = vector ? vector->loc : op->loc;
  if (a->out->cache == COPY_CG && bytes != 16)
    diag_error(a->in->diag, loc, "cp_async past L1 (cg) copies 16 bytes per lane, not %d", bytes);
  else if (bytes < 4)
    diag_error(a->in->diag, loc, "cp_async copies 4, 8 or 16 bytes per lane, not %d", bytes);
  if (banks.count != 32 || banks.bytes != 4)
    diag_error(a->in->diag, op->loc,
               "what cp_async costs is known of 32 banks of 4 bytes, not of %d of %d", banks.count,
               banks.bytes);
}

/* --- boxes of TMA and wgmma --- */

void read_major(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const Dtype *d = a->tile->dtype;
  int64_t v;
  if (!value || !read_word(a, key, value, major_name, &v)) return;
  a->out->major = (Major)v;
  if (v == MAJOR_MN && d && d->bytes != 2)
    diag_error(a->in->diag, value->loc, "with major mn wgmma reads only f16 and bf16, not %s",
               d->name);
}

/* Checks that a box fits in the tile and TMA's limits. False, with an error, if not. */
static bool box_extent_fits(const AccessReader *a, const Yaml *value, int d, int64_t v) {
  Scope *names = &a->r->scope;
  const int slot = a->tile->slot[d];
  if (scope_knows(names, slot) && v > names->value[slot])
    diag_error(a->in->diag, value->loc, "a box of %lld in a dimension of %lld", (long long)v,
               (long long)names->value[slot]);
  else if (!op_is_wgmma(a->out->op) && v > TENSOR_MAX_BOX)
    diag_error(a->in->diag, value->loc,
               "a box of TMA has at most %d elements in a dimension, not %lld", TENSOR_MAX_BOX,
               (long long)v);
  else
    return true;
  return false;
}

/* The list has the extents of the innermost dimensions; in other dimensions a box has extent 1. */
void read_box(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const int rank = a->tile->rank;
  int64_t v;
  (void)key;
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
    if (scope_read(a->scope, value->item[i], "a box's extent", 1, MAX_EXTENT, &v) &&
        box_extent_fits(a, value->item[i], d, v))
      a->out->box[d] = (int)v;
    else
      a->out->unread = true; /* a box that does not fit would also not cover the tile */
  }
}

/* A box is shared by all threads: its position must not differ between lanes or warps. */
static void check_corner(const AccessReader *a) {
  for (int d = 0; d < KGEN_MAX_RANK; d++)
    for (int slot = 0; a->out->at[d] && slot < SLOT_FIXED; slot++) {
      if (!expr_uses(a->out->at[d], slot)) continue;
      diag_error(a->in->diag, a->out->at[d]->loc,
                 "'at' is the corner of a whole box: it cannot depend on %s", lane_names[slot]);
      diag_hint(a->in->diag, "for: {i: ...}, at: [...]: a box for each i");
      return;
    }
}

void check_boxes(const AccessReader *a) {
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
  check_corner(a);
}
