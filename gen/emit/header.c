/* SPDX-License-Identifier: MIT */
#include "emit/header.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "emit/forms.h"
#include "emit/header_boxes.h"
#include "emit/lane_runs.h"
#include "emit/offset.h"
#include "emit/stamp.h"
#include "emit/table.h"

/* Limits per access: with more forms of groups the header would be unreadable, and with more lanes
 * compilers would not evaluate a static_assert (clang: a million steps, 8 per lane). */
enum { MAX_GROUPS = 64, MAX_LANES = 1 << 16 };

enum { HEADER_COLUMNS = 120 };

/* --- the asserts --- */

typedef struct {
  const Access *access;
  const char *refused; /* the reason why it is not asserted, or NULL */
  int groups;
  LaneGroup group[MAX_GROUPS];
} Asserted;

static int64_t lane_count(const Asserted *s) {
  int64_t lanes = 0;
  for (int i = 0; i < s->groups; i++)
    for (int r = 0; r < s->group[i].runs; r++)
      lanes += (int64_t)s->group[i].run[r].count * s->group[i].count[0] * s->group[i].count[1];
  return lanes;
}

/* The unit that a bank serves at once: a word, or its part of a wider lane. */
static int unit_bytes(const PlanTile *t, const Access *a) {
  return a->bytes_per_lane > t->set->banks.bytes ? a->bytes_per_lane : t->set->banks.bytes;
}

static void collect(Arena *a, const PlanTile *t, int access, Asserted *out) {
  const BankGeometry banks = t->set->banks;
  const AccessCost *cost = &t->solution->cost[access];
  out->access = &t->set->access[access];
  out->refused = NULL;
  out->groups = 0;
  if (out->access->boxes)
    out->refused = "which moves boxes: 128 bytes a wavefront";
  else if (out->access->op == OP_CP_ASYNC)
    out->refused = "whose source decides, too";
  else if (cost->worst > 1)
    out->refused = arena_printf(a, "whose costliest group takes %d wavefronts", cost->worst);
  else if (out->access->op == OP_ATOMIC && out->access->bytes_per_lane < banks.bytes)
    out->refused = "whose atomics take parts of words";
  else if (banks.count * banks.bytes % unit_bytes(t, out->access))
    out->refused = "whose lanes are wider than what divides the banks";
  else
    out->groups = lane_runs_collect(a, t, access, MAX_GROUPS, out->group);
  if (out->refused || (out->groups && lane_count(out) <= MAX_LANES)) return;
  out->refused = "whose lanes are more than a compiler goes through";
  out->groups = 0;
}

static Asserted *collect_all(Arena *a, const PlanTile *t, int *lines) {
  Asserted *all = ARENA_ARRAY(a, Asserted, (size_t)t->set->accesses);
  *lines = 0;
  for (int i = 0; i < t->set->accesses; i++) {
    collect(a, t, i, &all[i]);
    *lines += all[i].groups;
  }
  return all;
}

static const char *spell_runs(Arena *a, const LaneGroup *g) {
  Text t = text_new(a);
  for (int i = 0; i < g->runs; i++)
    text_printf(&t, "%s{%d, %d, %d}", i ? ", " : "{", g->run[i].first, g->run[i].count,
                g->run[i].step);
  text_puts(&t, "}");
  return t.s;
}

enum { LINE_VALUES = 4 };

static void spell_line(Arena *a, const Access *access, const LaneGroup *g,
                       PlanValue out[LINE_VALUES]) {
  out[0] = (PlanValue){"LANE_BYTES", arena_printf(a, "%d", access->bytes_per_lane)};
  out[1] = (PlanValue){"PLACES", arena_printf(a, "{%d, %d, %d, %d}", g->count[0], g->step[0],
                                              g->count[1], g->step[1])};
  out[2] = (PlanValue){"LANES", spell_runs(a, g)};
  out[3] = (PlanValue){"MESSAGE", arena_printf(a, "\"access '%s' conflicts\"", access->name)};
}

/* Spells `lines` + 1 lines; the last one only supplies the names. */
static const PlanValue *spell_lines(Arena *a, const PlanTile *t, const Asserted *all, int lines) {
  PlanValue *value = ARENA_ARRAY(a, PlanValue, (size_t)(lines + 1) * LINE_VALUES);
  int n = 0;
  for (int i = 0; i < t->set->accesses; i++)
    for (int g = 0; g < all[i].groups; g++)
      spell_line(a, all[i].access, &all[i].group[g], &value[n++ * LINE_VALUES]);
  spell_line(a, &t->set->access[0], &all[0].group[0], &value[n * LINE_VALUES]);
  return value;
}

/* --- the values --- */

enum { VALUES = 9 };

static void spell_values(Arena *a, const PlanTile *t, PlanValue out[VALUES]) {
  const Tile *tile = t->set->tile;
  const KgenLayout *l = &t->solution->layout;
  const BankGeometry banks = t->set->banks;
  out[0] = (PlanValue){"PARAMETERS", offset_spell_parameters(a, tile->rank, tile->dim)};
  out[1] = (PlanValue){"OFFSET", offset_spell_function(a, t)};
  out[2] = (PlanValue){"COORDINATES", offset_spell_coordinates(a, tile)};
  out[3] = (PlanValue){"ELEMENTS", arena_printf(a, "%d", kgen_elements(l))};
  out[4] = (PlanValue){"BYTES", arena_printf(a, "%" PRId64, t->bytes)};
  out[5] = (PlanValue){"ALIGN", arena_printf(a, "%d", forms_align(t))};
  out[6] = (PlanValue){"ELEMENT_BYTES", arena_printf(a, "%d", tile->dtype->bytes)};
  out[7] = (PlanValue){"BANKS", arena_printf(a, "%d", banks.count)};
  out[8] = (PlanValue){"BANK_BYTES", arena_printf(a, "%d", banks.bytes)};
}

/* --- the comment --- */

/* Writes a sentence of the comment, wrapped. */
static void put_sentence(Text *out, const char *s) {
  text_puts(out, out->len ? " *" : "/*");
  for (size_t column = 2; *s;) {
    const size_t n = strcspn(s, " ");
    if (column > 2 && column + 1 + n > HEADER_COLUMNS - 3) {
      text_puts(out, "\n *  ");
      column = 4;
    }
    text_printf(out, " %.*s", (int)n, s);
    column += 1 + n;
    s += n + (s[n] == ' ');
  }
  text_puts(out, "\n");
}

static const char *spell_title(Arena *a, const Plan *p, const PlanTile *t) {
  const Tile *tile = t->set->tile;
  Text s = text_new(a);
  text_puts(&s, path_name(p->spec->source->path));
  if (tile->name) text_printf(&s, ", tile %s,", tile->name);
  text_printf(&s, " by kgen " KGEN_VERSION ": %s [", tile->dtype->name);
  for (int d = 0; d < tile->rank; d++) text_printf(&s, d ? ", %d" : "%d", tile->extent[d]);
  text_printf(&s, "], %" PRId64 " bytes", t->bytes);
  if (t->pad_bytes) text_printf(&s, ", %" PRId64 " of them padding", t->pad_bytes);
  text_printf(&s, ", aligned to %d.", forms_align(t));
  return s.s;
}

static const char *spell_verdict(Arena *a, const PlanTile *t) {
  const Solution *s = t->solution;
  Text out = text_new(a);
  text_printf(&out, "%s, %sproven minimal. Wavefronts (ideal, plain):",
              s->conflict_free ? "Conflict-free" : "Not conflict-free", s->minimal ? "" : "not ");
  for (int i = 0; i < t->set->accesses; i++)
    text_printf(&out, "%s %s %" PRId64 " (%" PRId64 ", %s)", i ? "," : "", t->set->access[i].name,
                s->cost[i].wavefronts, s->cost[i].ideal, table_plain_cost(a, t, i));
  text_puts(&out, ".");
  return out.s;
}

/* Writes the forms for code that uses CuTe or TMA; on one line if that is not too long. */
static void put_others(Text *out, const PlanTile *t) {
  Arena *a = out->arena;
  const int mode = forms_tma(t) > 0 ? forms_tma(t) : 0;
  const char *cute = forms_cute_text(a, t);
  const char *tma = mode ? arena_printf(a, "TMA: %s", forms_tma_name(a, mode)) : "";
  if (!cute) return;
  const bool one = strlen(cute) + strlen(tma) + 16 < HEADER_COLUMNS;
  text_printf(out, " * CuTe: %s%s%s\n", cute, mode ? one ? "   " : "\n * " : "", tma);
}

static void put_note(Text *out, const char *note) {
  if (note) put_sentence(out, arena_printf(out->arena, "Note: %s.", note));
}

static const char *spell_comment(Arena *a, const Plan *p, const PlanTile *t, const Asserted *all) {
  Text out = text_new(a);
  put_sentence(&out, spell_title(a, p, t));
  put_sentence(&out, spell_verdict(a, t));
  put_others(&out, t);
  for (int i = 0; i < t->set->accesses; i++)
    if (all[i].refused)
      put_sentence(&out,
                   arena_printf(a, "Not asserted: %s, %s.", all[i].access->name, all[i].refused));
  if (t->coverage) {
    put_note(&out, coverage_spell_unwritten(a, t->coverage, t->set));
    put_note(&out, coverage_spell_rewritten(a, t->coverage, t->set));
  }
  out.s[--out.len] = 0;
  text_puts(&out, " */\n");
  return out.s;
}

bool header_put(Text *out, Diag *d, const Plan *p, const PlanTile *t, Templates *templates) {
  Arena *a = out->arena;
  const char *name =
      p->spec->many ? arena_printf(a, "%s_%s", p->spec->name, t->set->tile->name) : p->spec->name;
  int lines;
  PlanValue value[VALUES];
  const Asserted *all = collect_all(a, t, &lines);
  text_puts(out, spell_comment(a, p, t, all));
  spell_values(a, t, value);
  const Stamp stamp = {.prefix = arena_printf(a, "%s_", name),
                       .columns = HEADER_COLUMNS,
                       .value = value,
                       .values = VALUES,
                       .each = spell_lines(a, t, all, lines),
                       .each_values = LINE_VALUES,
                       .lines = lines};
  return stamp_fill(out, d, templates, "header.h", &stamp) &&
         header_put_boxes(out, d, t, templates, &stamp);
}
