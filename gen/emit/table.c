/* SPDX-License-Identifier: MIT */
#include "emit/table.h"

#include <inttypes.h>
#include <string.h>

#include "emit/offset.h"

void table_layout(Text *out, const PlanTile *t) {
  if (t->set->tile->name) text_printf(out, "%s: ", t->set->tile->name);
  text_printf(out, "%s [", t->set->tile->dtype->name);
  for (int d = 0; d < t->set->tile->rank; d++)
    text_printf(out, d ? ", %d" : "%d", t->set->tile->extent[d]);
  text_printf(out, "], offset = %s, %" PRId64 " bytes", offset_spell_tile(out->arena, t), t->bytes);
  if (t->pad_bytes) text_printf(out, ", %" PRId64 " of them padding", t->pad_bytes);
}

static int name_width(const PlanTile *t) {
  size_t width = strlen("access");
  for (int i = 0; i < t->set->accesses; i++) {
    const size_t n = strlen(t->set->access[i].name);
    if (n > width) width = n;
  }
  return (int)width;
}

const char *table_plain_cost(Arena *a, const PlanTile *t, int access) {
  if (!t->solution->unswizzled) return "-";
  return arena_printf(a, "%" PRId64, t->solution->unswizzled[access].wavefronts);
}

void table_accesses(Text *out, const char *prefix, const PlanTile *t) {
  const int width = name_width(t);
  text_printf(out,
              "%s%-*s  op        bytes/lane  instructions  wavefronts: plain    here   ideal\n",
              prefix, width, "access");
  for (int i = 0; i < t->set->accesses; i++) {
    const Access *a = &t->set->access[i];
    const AccessCost *c = &t->solution->cost[i];
    text_printf(out, "%s%-*s  %-8s  %10d  %12d  %17s  %6" PRId64 "  %6" PRId64 "\n", prefix, width,
                a->name, op_name[a->op], a->bytes_per_lane, a->boxes ? a->boxes : a->warps,
                table_plain_cost(out->arena, t, i), c->wavefronts, c->ideal);
  }
}

void table_coverage(Text *out, const char *prefix, const PlanTile *t) {
  if (!t->coverage) return;
  const char *unwritten = coverage_spell_unwritten(out->arena, t->coverage, t->set);
  const char *rewritten = coverage_spell_rewritten(out->arena, t->coverage, t->set);
  if (unwritten) text_printf(out, "%snote: %s\n", prefix, unwritten);
  if (rewritten) text_printf(out, "%snote: %s\n", prefix, rewritten);
}
