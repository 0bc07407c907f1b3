/* SPDX-License-Identifier: MIT */
#include "emit/forms.h"

#include "emit/cute.h"
#include "model/modes.h"

const char *forms_kind(const PlanTile *t) {
  return t->solution->map ? "expr" : layout_kind(&t->solution->layout);
}

bool forms_cute(const PlanTile *t, CuteSwizzle *out) {
  const Solution *s = t->solution;
  *out = (CuteSwizzle){0, 0, 0};
  if (s->map) return cute_find_map(s->map->at, tile_elements(t->set->tile), out);
  return s->layout.terms == 0 || cute_find(&s->layout, out);
}

const char *forms_cute_text(Arena *a, const PlanTile *t) {
  const KgenLayout plain = layout_plain(t->set->tile);
  CuteSwizzle w;
  if (!t->solution->map) return cute_spell(a, &t->solution->layout);
  if (!forms_cute(t, &w)) return NULL;
  if (w.b == 0) return cute_spell(a, &plain);
  return arena_printf(a, "composition(Swizzle<%d, %d, %d>{}, %s)", w.b, w.m, w.s,
                      cute_spell(a, &plain));
}

/* TMA stores rows shorter than its swizzle span at a distance of that span; here they are
 * packed. */
static int mode_of_map(const PlanTile *t) {
  const Tile *tile = t->set->tile;
  const int bytes = tile->dtype->bytes, row = tile->extent[tile->rank - 1] * bytes;
  CuteSwizzle w;
  if (!forms_cute(t, &w) || row % 16) return -1;
  for (int mode = 32, b = 1; mode <= 128; mode *= 2, b++)
    if (w.b == b && w.m == 4 - __builtin_ctz((unsigned)bytes) && w.s == 3 && row == mode)
      return mode;
  return w.b == 0 ? 0 : -1;
}

int forms_tma(const PlanTile *t) {
  if (t->solution->map) return mode_of_map(t);
  return mode_bytes_of(t->set, &t->solution->layout);
}

const char *forms_tma_name(Arena *a, int mode) {
  return mode ? arena_printf(a, "CU_TENSOR_MAP_SWIZZLE_%dB", mode) : "CU_TENSOR_MAP_SWIZZLE_NONE";
}

int forms_align(const PlanTile *t) {
  const int pattern = 8 * forms_tma(t);
  return pattern > TILE_ALIGN ? pattern : TILE_ALIGN;
}

int forms_offset(const PlanTile *t, int index) {
  const KgenLayout *l = &t->solution->layout;
  int coord[KGEN_MAX_RANK];
  if (t->solution->map) return t->solution->map->at[index];
  tile_coord(t->set->tile, index, coord);
  return layout_offset(l, coord);
}
