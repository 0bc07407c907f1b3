/* SPDX-License-Identifier: MIT */
#include "emit/header_boxes.h"

#include <inttypes.h>
#include <string.h>

#include "emit/forms.h"
#include "emit/offset.h"
#include "emit/operand.h"
#include "model/modes.h"
#include "model/tensor_map.h"

typedef struct {
  Text *out;
  Diag *diag;
  Templates *templates;
  const PlanTile *tile;
  const char *prefix; /* prefix of the names */
  size_t columns;
  int mode; /* bytes */
} Boxes;

static bool stamp(const Boxes *b, const char *file, const PlanValue *value, int values) {
  const Stamp s = {
      .prefix = b->prefix, .columns = b->columns, .value = value, .values = values, .lines = 0};
  return stamp_fill(b->out, b->diag, b->templates, file, &s);
}

static const char *number(const Boxes *b, int n) { return arena_printf(b->out->arena, "%d", n); }

static const Tile *tile_of(const Boxes *b) { return b->tile->set->tile; }

/* --- the mode --- */

/* Above this number of elements their 16-byte units are compared instead, so that a compiler can
 * evaluate the static_assert (clang: a million steps). */
enum { MAX_COMPARED = 1 << 16, PIECE = 16 };

static bool put_mode(const Boxes *b) {
  const int bytes = tile_of(b)->dtype->bytes;
  const bool many = kgen_elements(&b->tile->solution->layout) > MAX_COMPARED;
  const PlanValue value[] = {
      {"MODE", number(b, b->mode)},
      {"MASK", arena_printf(b->out->arena, "0x%x", b->mode ? 8 * b->mode - 128 : 0)},
      {"COORDINATES", offset_spell_coordinates(b->out->arena, tile_of(b))},
      {"ELEMENT_BYTES", number(b, bytes)},
      {"STEP", number(b, many ? PIECE / bytes : 1)},
  };
  return stamp(b, "tile_mode.h", value, sizeof value / sizeof *value);
}

/* --- boxes --- */

/* A tensor map's dimensions, innermost first. */
static const char *const dim_name[KGEN_MAX_RANK][2] = {
    {"cols", ""}, {"rows", "row_pitch"}, {"planes", "plane_pitch"}, {"volumes", "volume_pitch"}};

/* The rank of a box: dimensions with extent 1 only determine its position, except in a matrix. */
static int box_rank(const Tile *t, const int *box) {
  int rank = t->rank;
  while (rank > 2 && box[t->rank - rank] == 1) rank--;
  return rank;
}

/* "rows = 64" for each dimension, outermost first. */
static const char *spell_extents(const Boxes *b, const char *name, const int *box, int rank) {
  Text t = text_new(b->out->arena);
  for (int i = rank - 1; i >= 0; i--)
    text_printf(&t, "%s%s%s_%s = %d", t.len ? ", " : "", b->prefix, name, dim_name[i][0],
                box[tile_of(b)->rank - 1 - i]);
  return t.s;
}

/* The same names, innermost first, as the driver takes them. */
static const char *spell_box(const Boxes *b, const char *name, int rank) {
  Text t = text_new(b->out->arena);
  for (int i = 0; i < rank; i++)
    text_printf(&t, "%s%s%s_%s", i ? ", " : "", b->prefix, name, dim_name[i][0]);
  return t.s;
}

/* "long long rows, long long cols, long long row_pitch". */
static const char *spell_tensor(Arena *a, int rank) {
  Text t = text_new(a);
  for (int i = rank - 1; i >= 0; i--)
    text_printf(&t, "%slong long %s", t.len ? ", " : "", dim_name[i][0]);
  for (int i = rank - 1; i > 0; i--) text_printf(&t, ", long long %s", dim_name[i][1]);
  return t.s;
}

static const char *spell_dims(Arena *a, int rank) {
  Text t = text_new(a);
  for (int i = 0; i < rank; i++) text_printf(&t, "%s%s", i ? ", " : "", dim_name[i][0]);
  return t.s;
}

static const char *spell_pitches(Arena *a, int rank) {
  Text t = text_new(a);
  for (int i = 1; i < rank; i++) text_printf(&t, "%s%s", i > 1 ? ", " : "", dim_name[i][1]);
  return rank > 1 ? t.s : "0";
}

/* The type of a map's elements as cuda.h names it. */
static const char *spell_type(Arena *a, const Dtype *dtype) {
  static const char *const name[TENSOR_TYPES] = {
      "UINT8",   "UINT16",  "UINT32",   "INT32",       "UINT64",   "INT64",       "FLOAT16",
      "FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ"};
  TensorType type = TENSOR_U8;
  tensor_type_of(dtype, &type); /* boxes with other types are rejected when specs are read */
  return arena_printf(a, "CU_TENSOR_MAP_DATA_TYPE_%s", name[type]);
}

static bool moves_box(const Access *a, const int *box) {
  return a->boxes && !op_is_wgmma(a->op) && memcmp(a->box, box, sizeof a->box) == 0;
}

/* The names of the accesses that move the same box; NULL if an access before `access` moves it. */
static const char *spell_movers(const Boxes *b, int access) {
  const AccessSet *set = b->tile->set;
  Text t = text_new(b->out->arena);
  for (int i = 0; i < set->accesses; i++) {
    if (!moves_box(&set->access[i], set->access[access].box)) continue;
    if (i < access) return NULL;
    text_printf(&t, "%s%s", t.len ? ", " : "", set->access[i].name);
  }
  return t.len ? t.s : NULL;
}

/* which: number of the box among those that differ, from 1 on. */
static bool put_box(const Boxes *b, const char *whose, const int *box, int which) {
  Arena *a = b->out->arena;
  const Tile *t = tile_of(b);
  const char *suffix = which > 1 ? number(b, which) : "";
  const char *name = arena_printf(a, "box%s", suffix);
  const int rank = box_rank(t, box);
  const PlanValue value[] = {
      {"GUARD", arena_printf(a, "%sBOX%s", b->prefix, suffix)},
      {"WHOSE", whose},
      {"EXTENTS", spell_extents(b, name, box, rank)},
      {"SIZE", arena_printf(a, "%s%s_size", b->prefix, name)},
      {"BOX_BYTES", arena_printf(a, "%" PRId64, tile_box_bytes(t, box))},
      {"FILL_MAP", arena_printf(a, "%smap%s", b->prefix, suffix)},
      {"PARAMETERS", spell_tensor(a, rank)},
      {"RANK", number(b, rank)},
      {"DIMS", spell_dims(a, rank)},
      {"PITCHES", spell_pitches(a, rank)},
      {"BOX", spell_box(b, name, rank)},
      {"TYPE", spell_type(a, t->dtype)},
      {"SWIZZLE", forms_tma_name(a, b->mode)},
      {"TYPE_BYTES", number(b, t->dtype->bytes)},
  };
  return stamp(b, "tile_box.h", value, sizeof value / sizeof *value);
}

static bool put_all_boxes(const Boxes *b) {
  const AccessSet *set = b->tile->set;
  bool ok = true;
  for (int i = 0, which = 0; i < set->accesses; i++) {
    const Access *access = &set->access[i];
    const char *whose = moves_box(access, access->box) ? spell_movers(b, i) : NULL;
    if (whose) ok = put_box(b, whose, access->box, ++which) && ok;
  }
  return ok;
}

/* --- operands of wgmma --- */

static bool put_operand(const Boxes *b, Major major) {
  Arena *a = b->out->arena;
  const Tile *t = tile_of(b);
  const KgenLayout plain = layout_plain(t);
  const Operand operand = operand_of(t, b->mode, major);
  const char *name = major_name[major];
  const PlanValue value[] = {
      {"GUARD", arena_printf(a, "%sOPERAND_%s", b->prefix, major == MAJOR_MN ? "MN" : "K")},
      {"WHOSE", major == MAJOR_MN ? "m or n" : name},
      {"LEADING", arena_printf(a, "%sleading_%s", b->prefix, name)},
      {"LEADING_BYTES", number(b, operand.leading)},
      {"STRIDE", arena_printf(a, "%sstride_%s", b->prefix, name)},
      {"STRIDE_BYTES", number(b, operand.stride)},
      {"MODE_FIELD", number(b, operand.mode_field)},
      {"DESCRIBE", arena_printf(a, "%sdescriptor_%s", b->prefix, name)},
      {"PARAMETERS", offset_spell_parameters(a, t->rank, t->dim)},
      {"PLAIN", offset_spell(a, &plain, t->dim)},
      {"ELEMENT_BYTES", number(b, t->dtype->bytes)},
  };
  return stamp(b, "tile_operand.h", value, sizeof value / sizeof *value);
}

static bool put_operands(const Boxes *b) {
  const AccessSet *set = b->tile->set;
  bool ok = true, has[] = {[MAJOR_K] = false, [MAJOR_MN] = false};
  for (int i = 0; i < set->accesses; i++)
    if (op_is_wgmma(set->access[i].op)) has[set->access[i].major] = true;
  for (int m = MAJOR_K; m <= MAJOR_MN; m++)
    if (has[m]) ok = put_operand(b, (Major)m) && ok;
  return ok;
}

bool header_put_boxes(Text *out, Diag *d, const PlanTile *t, Templates *templates,
                      const Stamp *header) {
  const Boxes b = {.out = out,
                   .diag = d,
                   .templates = templates,
                   .tile = t,
                   .prefix = header->prefix,
                   .columns = header->columns,
                   .mode = forms_tma(t)};
  if (b.mode < 0 || !mode_needed(t->set)) return true;
  text_puts(out, "\n");
  return put_mode(&b) && put_all_boxes(&b) && put_operands(&b);
}
