/* SPDX-License-Identifier: MIT */
#include "emit/explain.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/span.h"
#include "emit/forms.h"
#include "emit/offset.h"
#include "emit/table.h"
#include "model/collision.h"
#include "model/cost.h"

enum { WINDOW = 16, SHOWN_WITNESSES = 8, SHOWN_LANES = 8 };

typedef struct {
  Text *out;
  Arena *arena;
  const PlanTile *tile;
  KgenLayout plain;
  bool plain_conflicts; /* the plain layout has an instruction above its ideal */
  bool given_conflicts; /* the user-specified layout also has one */
  Place worst; /* in the user-specified layout if that has conflicts, else in the unpadded one */
  int cost;    /* wavefronts of that group */
  int before, after; /* wavefronts of the costliest group under the plain and the chosen layout */
  bool color;
} Explain;

/* --- colours: problems are red, improvements green, and each bank has a hue of its own --- */

static const char BOLD[] = "1", RED[] = "1;31", GREEN[] = "1;32";

static void put_painted(Text *out, bool color, const char *how, const char *text) {
  if (color)
    text_printf(out, "\033[%sm%s\033[0m", how, text);
  else
    text_puts(out, text);
}

/* A bank's colour in the 6 x 6 x 6 cube of xterm-256: hues around the circle, with every other bank
 * paler, so that each of 32 banks has its own colour. */
static int bank_color(int bank, int banks) {
  const int low = bank % 2 ? 2 : 1, steps = 5 - low, ring = 6 * steps;
  const int at = bank * ring / banks, side = at / steps, k = at % steps;
  const int up = low + k, down = 5 - k;
  const int rgb[6][3] = {{5, up, low},   {down, 5, low}, {low, 5, up},
                         {low, down, 5}, {up, low, 5},   {5, low, down}};
  return 16 + 36 * rgb[side][0] + 6 * rgb[side][1] + rgb[side][2];
}

/* The tile as rows of cells: a cell is a bank's word, or an element if it is wider. */
typedef struct {
  int rows, cols; /* cells */
  int width;      /* elements per row */
  int step;       /* elements per cell */
  int row0, col0; /* first cell drawn */
} Panel;

static Panel panel_of(const Explain *e) {
  /* A user-specified layout may be a map, which has only one dimension. */
  const KgenLayout *l = e->plain.rank > 1 ? &e->plain : &e->tile->solution->layout;
  const int bank_bytes = e->tile->set->banks.bytes, bytes = e->tile->set->tile->dtype->bytes;
  Panel g = {.step = bytes < bank_bytes ? bank_bytes / bytes : 1};
  g.width = layout_cols(l);
  if (l->rank == 1 && (!l->period || e->tile->solution->map))
    g.width = e->tile->set->banks.count * g.step;
  const int elements = tile_elements(e->tile->set->tile);
  g.rows = (elements + g.width - 1) / g.width;
  g.cols = (g.width + g.step - 1) / g.step;
  return g;
}

/* The row-major index of the element at which a lane of the worst instruction starts. */
static int lane_element(const Explain *e, int lane) {
  return layout_lane(&e->plain, &e->tile->set->access[e->worst.access].warp[e->worst.warp], lane);
}

static bool is_marked(const Explain *e, const Panel *g, const Collision *c, int row, int cell) {
  const int first = row * g->width + cell * g->step;
  for (int i = 0; i < c->lanes; i++) {
    const int element = lane_element(e, c->lane[i]);
    if (element >= first && element < first + g->step) return true;
  }
  return false;
}

/* Places the window so that the first two lanes that collide are seen, if possible. */
static void place_window(const Explain *e, const Collision *c, Panel *g) {
  if (c->lanes == 0) return;
  const int first = lane_element(e, c->lane[0]);
  g->row0 = first / g->width / WINDOW * WINDOW;
  g->col0 = first % g->width / g->step / WINDOW * WINDOW;
}

/* An element's offset in the unpadded tile, or in the chosen layout. */
static int offset_of(const Explain *e, const Panel *g, bool stored, int row, int cell) {
  const int index = row * g->width + cell * g->step;
  return stored ? forms_offset(e->tile, index) : index;
}

static void draw_cell(const Explain *e, const Collision *c, const Panel *g, bool stored, int row,
                      int cell) {
  const BankGeometry banks = e->tile->set->banks;
  const int64_t byte =
      (int64_t)offset_of(e, g, stored, row, cell) * e->tile->set->tile->dtype->bytes;
  const int bank = (int)(byte / banks.bytes % banks.count);
  if (!is_marked(e, g, c, row, cell) && e->color)
    text_printf(e->out, " \033[38;5;%dm%2d\033[0m ", bank_color(bank, banks.count), bank);
  else if (!is_marked(e, g, c, row, cell))
    text_printf(e->out, " %2d ", bank);
  else if (e->color)
    text_printf(e->out, "\033[1;31m[%2d]\033[0m", bank);
  else
    text_printf(e->out, "[%2d]", bank);
}

/* A row's coordinates without the last, "3" or "0,3"; of one dimension its first element. */
static const char *spell_row(const Explain *e, const Panel *g, int row) {
  const Tile *t = e->tile->set->tile;
  int coord[KGEN_MAX_RANK];
  tile_coord(t, (int64_t)row * g->width, coord);
  Text s = text_new(e->arena);
  for (int d = 0; d < t->rank - (t->rank > 1); d++) text_printf(&s, d ? ",%d" : "%d", coord[d]);
  return s.s;
}

/* The names of rows and columns: "row\\col", "z,y\\x"; empty for one dimension. */
static const char *spell_dims(const Explain *e) {
  const Tile *t = e->tile->set->tile;
  Text s = text_new(e->arena);
  for (int d = 0; t->rank > 1 && d < t->rank; d++)
    text_printf(&s, "%s%s", d == 0 ? "" : d == t->rank - 1 ? "\\" : ",", t->dim[d]);
  return s.s;
}

static int label_width(const Explain *e, const Panel *g) {
  const size_t dims = strlen(spell_dims(e)), row = strlen(spell_row(e, g, g->rows - 1));
  return (int)(dims > row ? dims : row) < 5 ? 5 : (int)(dims > row ? dims : row);
}

static void draw(const Explain *e, const Panel *g, const Collision *c, bool stored) {
  const int rows = number_least(g->rows, g->row0 + WINDOW);
  const int cols = number_least(g->cols, g->col0 + WINDOW);
  const int elements = tile_elements(e->tile->set->tile);
  text_printf(e->out, "%*s ", label_width(e, g), spell_dims(e));
  for (int cell = g->col0; cell < cols; cell++) text_printf(e->out, "%3d ", cell * g->step);
  text_puts(e->out, g->cols > cols ? "...\n" : "\n");
  for (int row = g->row0; row < rows; row++) {
    text_printf(e->out, "%*s ", label_width(e, g), spell_row(e, g, row));
    for (int cell = g->col0; cell < cols; cell++)
      if (row * g->width + cell * g->step < elements) draw_cell(e, c, g, stored, row, cell);
    text_puts(e->out, "\n");
  }
  if (g->rows > rows) text_printf(e->out, "  ... (%d rows)\n", g->rows);
}

static void put_lanes(Text *out, const Collision *c) {
  text_puts(out, c->lanes == 1 ? "lane " : "lanes ");
  for (int i = 0; i < number_least(c->lanes, SHOWN_LANES); i++)
    text_printf(out, i ? ", %d" : "%d", c->lane[i]);
  if (c->lanes > SHOWN_LANES) text_printf(out, " and %d more", c->lanes - SHOWN_LANES);
}

/* Writes "access 'drain', instruction 0, group 0: bank 0 serves 32 words, lanes 0, 1, ...". set:
 * that the layout is of. */
static void put_place(const Explain *e, const AccessSet *set, const KgenLayout *l, Place at) {
  const Collision c = collision_at(set, l, at);
  const Access *a = &set->access[at.access];
  text_printf(e->out, "access '%s', instruction %d, group %d: ", a->name, at.warp, at.group);
  if (a->op == OP_CP_ASYNC)
    text_printf(e->out, "a copy in %d parts, which begin at ", c.lanes);
  else
    text_printf(e->out, "bank %d serves %d %s%s, ", at.bank, c.lanes,
                a->op == OP_ATOMIC ? "lane" : "word", c.lanes == 1 ? "" : "s");
  put_lanes(e->out, &c);
}

static void put_plain_banks(const Explain *e, const Panel *g, const Collision *c) {
  text_puts(e->out, "\n  ");
  put_painted(e->out, e->color, BOLD, "banks of the plain tile");
  if (!e->tile->solution->unswizzled) text_puts(e->out, ", which cannot hold the vectors");
  text_puts(e->out, c->lanes == 0        ? ":\n"
                    : e->given_conflicts ? ", [] where the lanes that collide below start:\n"
                                         : ", [] where the lanes below collide:\n");
  draw(e, g, c, false);
  if (c->lanes == 0 || e->given_conflicts) return;
  text_puts(e->out, "  ");
  put_place(e, e->tile->set, &e->plain, e->worst);
  text_puts(e->out, "\n");
}

static void put_chosen_banks(const Explain *e, const Panel *g, const Collision *c) {
  text_puts(e->out, "\n  ");
  put_painted(e->out, e->color, BOLD, "banks of the chosen layout");
  text_puts(e->out, c->lanes == 0 ? ":\n" : ", [] for the same elements:\n");
  draw(e, g, c, true);
  if (e->given_conflicts) {
    text_puts(e->out, "  ");
    put_place(e, e->tile->solution->set, &e->tile->solution->layout, e->worst);
    text_puts(e->out, "\n");
    return;
  }
  if (e->before == 0) return;
  text_puts(e->out, "  the costliest group now takes ");
  put_painted(e->out, e->color, e->after < e->before ? GREEN : RED,
              arena_printf(e->arena, "%d wavefront%s", e->after, e->after == 1 ? "" : "s"));
  text_puts(e->out, "\n");
}

static void put_banks(const Explain *e) {
  Panel g = panel_of(e);
  const Solution *s = e->tile->solution;
  Collision c = {.lanes = 0};
  if (e->given_conflicts)
    c = collision_at(s->set, &s->layout, e->worst);
  else if (e->plain_conflicts)
    c = collision_at(e->tile->set, &e->plain, e->worst);
  place_window(e, &c, &g);
  put_plain_banks(e, &g, &c);
  if (strcmp(forms_kind(e->tile), "none") != 0) put_chosen_banks(e, &g, &c);
}

static const char *spell_offset(const Explain *e, const KgenLayout *l) {
  return offset_spell(e->arena, l, e->tile->set->tile->dim);
}

static void put_c_line(const Explain *e) {
  const char *const *dim = e->tile->set->tile->dim;
  CuteSwizzle w;
  text_printf(e->out, "\n  as C: int offset(%s) { return %s; }\n",
              offset_spell_parameters(e->arena, e->plain.rank, dim),
              offset_spell_tile(e->arena, e->tile));
  if (forms_cute(e->tile, &w) && w.b)
    text_printf(e->out, "  as CuTe: Swizzle<%d, %d, %d> on element offsets\n", w.b, w.m, w.s);
  const int mode = forms_tma(e->tile);
  if (mode > 0) text_printf(e->out, "  as TMA: the %d-byte swizzle mode\n", mode);
}

static void put_language(const Explain *e, Language language) {
  const LanguageText is = language_spell(e->arena, e->tile, language);
  text_printf(e->out, "\n  as %s: %s%s\n", language_title[language],
              is.text ? "" : "none: ", is.text ? is.text : is.none);
}

static void put_witness(const Explain *e, const Witness *w) {
  text_printf(e->out, "    offset = %s: ", spell_offset(e, &w->layout));
  if (refusal_is_rule(w->why)) {
    text_puts(e->out, w->why == REFUSED_ALIGNMENT
                          ? "rows start where vectors or aligned pieces are not aligned\n"
                          : "splits vectors or aligned pieces\n");
    return;
  }
  put_place(e, e->tile->set, &w->layout, w->at);
  text_puts(e->out, "\n");
}

static void put_searched(const Explain *e, const Proof *p) {
  static const char *const none[] = {[PROOF_NO_FREE] = "none keeps all lanes apart",
                                     [PROOF_NO_XOR] = "none has fewer wavefronts",
                                     [PROOF_NO_TERMS] = "none with fewer terms does"};
  static const char *const maps[] = {
      [MAPS_OF_ROWS] = "every map of %d row bits into %d column bits",
      [MAPS_OF_INDEX] = "every map of %d index bits into %d of them",
      [MAPS_LINEAR] = "every linear map of %d index bits to %d bank bits",
      [MAPS_OF_COORDINATES] = "every map of %d coordinate bits into %d of them"};
  text_printf(e->out, maps[p->maps], p->row_bits, __builtin_popcount(p->col_bits));
  text_printf(e->out, ", %" PRId64 " partial maps, %s: %s\n", p->nodes,
              p->complete ? "complete" : "stopped at its limit", none[p->kind]);
}

static void put_proof(const Explain *e, const Proof *p) {
  if (p->kind == PROOF_ALIGNMENT) {
    text_printf(e->out,
                "    every pad that makes stride %d no multiple of %d elements misaligns rows\n",
                p->dim, p->multiple);
    return;
  }
  text_printf(e->out, "    offset = %s and any XOR: ", spell_offset(e, &p->base));
  if (p->kind != PROOF_SAME_ROW && p->kind != PROOF_SAME_PLACE) {
    put_searched(e, p);
    return;
  }
  put_place(e, e->tile->set, &p->base, p->at);
  if (p->kind == PROOF_SAME_ROW)
    text_puts(e->out, " of one row, which no pad and no XOR separates\n");
  else
    text_printf(e->out, "; pieces of %d words stay whole, so words of one place share %d banks\n",
                p->piece, e->tile->set->banks.count / p->piece);
}

static void put_certificate(const Explain *e) {
  const Certificate *c = &e->tile->solution->certificate;
  text_puts(e->out, "\n  ");
  put_painted(e->out, e->color, BOLD,
              e->tile->solution->better ? "as specified:" : "why nothing cheaper works:");
  text_printf(e->out, " %s\n", c->claim);
  for (int i = 0; i < number_least(c->witnesses, SHOWN_WITNESSES); i++)
    put_witness(e, &c->witness[i]);
  if (c->witnesses > SHOWN_WITNESSES)
    text_printf(e->out, "    ... and %d more, all in --json\n", c->witnesses - SHOWN_WITNESSES);
  for (int i = 0; i < number_least(c->proofs, SHOWN_WITNESSES); i++) put_proof(e, &c->proof[i]);
  if (c->proofs > SHOWN_WITNESSES)
    text_printf(e->out, "    ... and %d more searches\n", c->proofs - SHOWN_WITNESSES);
}

/* The distance between consecutive active lanes' elements, if it is constant; else 0. */
static int lane_stride(const Explain *e) {
  const uint32_t active = e->tile->set->access[e->worst.access].warp[e->worst.warp].active;
  int stride = 0, last = -1;
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m), element = lane_element(e, lane);
    if (last >= 0 && stride && element - last != stride) return 0;
    if (last >= 0) stride = element - last;
    last = element;
  }
  return stride;
}

static void put_strided(const Explain *e) {
  const int stride = lane_stride(e);
  if (stride)
    text_printf(e->out, "    strided?     yes, lanes are %d elements (%d bytes) apart\n", stride,
                stride * e->tile->set->tile->dtype->bytes);
  else
    text_puts(e->out, "    strided?     no single stride\n");
}

/* Recognizes access to a struct member: every lane takes one element of a short last dimension. */
static void put_member(const Explain *e) {
  const Access *a = &e->tile->set->access[e->worst.access];
  const WarpAccess *w = &a->warp[e->worst.warp];
  const int last = e->plain.rank - 1, fields = e->plain.extent[last];
  bool member = e->plain.rank > 1 && fields <= 8 && a->elements < fields;
  const int first = w->coord[last][__builtin_ctz(w->active)];
  for (uint32_t m = w->active; m; m &= m - 1)
    member = member && w->coord[last][__builtin_ctz(m)] == first;
  if (member)
    text_printf(e->out,
                "    a member?    yes, one of %d in a struct; a struct of arrays would be "
                "free as well\n",
                fields);
  else
    text_puts(e->out, "    a member?    no\n");
}

static void put_padding(const Explain *e, const char *why) {
  const bool terms = e->tile->solution->layout.terms > 0;
  text_printf(e->out, "%" PRId64 " bytes of padding%s%s\n", e->tile->pad_bytes,
              terms ? " with an XOR" : "", why);
}

/* The wavefronts of one access if rows were 16 bytes longer. */
static int64_t padded_cost(const Explain *e, int access) {
  AccessCost *cost = ARENA_ARRAY(e->arena, AccessCost, (size_t)e->tile->set->accesses);
  const int pad = 16 / e->tile->set->tile->dtype->bytes;
  KgenLayout l = e->plain;
  for (int d = l.rank - 2; d >= 0; d--)
    l.stride[d] = l.extent[d + 1] * l.stride[d + 1] + (d == l.rank - 2 ? pad : 0);
  cost_count(e->tile->set, &l, cost);
  return cost[access].wavefronts;
}

/* Explains how a pad and an XOR affect copies that bypass L1, whose cost does not depend on
 * banks. */
static void put_copies(const Explain *e) {
  for (int i = 0; e->plain.rank > 1 && i < e->tile->set->accesses; i++) {
    const Access *a = &e->tile->set->access[i];
    const AccessCost *c = &e->tile->solution->cost[i];
    if (a->op != OP_CP_ASYNC || a->cache != COPY_CG) continue;
    const int64_t padded = padded_cost(e, i);
    text_printf(e->out,
                "    bypassing?   '%s' goes past L1: %" PRId64 " wavefronts here, ideal %" PRId64,
                a->name, c->wavefronts, c->ideal);
    if (padded > c->wavefronts)
      text_printf(e->out,
                  "; a pad of 16 bytes slows it to %" PRId64
                  ", since rows then begin within sectors, and an XOR does not",
                  padded);
    text_puts(e->out, "\n");
  }
}

static void put_fix(const Explain *e) {
  const bool any = e->tile->set->tile->want.kind == WANT_AUTO;
  text_puts(e->out, "    fix:         ");
  if (!e->tile->solution->unswizzled)
    put_padding(e, ": without it vectors are not aligned");
  else if (e->tile->set->tile->want.given)
    text_puts(e->out, e->tile->solution->better ? "there is a better layout, see above\n"
                                                : "the given layout\n");
  else if (e->after >= e->before)
    text_puts(e->out, "none of this family takes fewer wavefronts\n");
  else if (e->tile->pad_bytes == 0)
    text_puts(e->out, "an XOR: it costs no memory and keeps every element in its row\n");
  else
    put_padding(e,
                any ? ": no XOR of the unpadded tile takes so few wavefronts" : ", as asked for");
}

/* Explains the conflicts of the unpadded tile, and asks the questions that lead to a fix. */
static void put_questions(const Explain *e) {
  const Access *a = &e->tile->set->access[e->worst.access];
  const bool runs = e->tile->solution->unswizzled;
  text_printf(e->out, "    %-13s", runs ? "conflict?" : "aligned?");
  put_painted(e->out, e->color, RED, runs ? "yes" : "no");
  if (runs)
    text_printf(e->out, ", %d wavefronts for a group of access '%s'\n", e->cost, a->name);
  else
    text_puts(e->out, ": rows of the plain tile start within vectors\n");
  put_strided(e);
  put_member(e);
  text_printf(e->out, "    vectorised?  %s, %d bytes per lane\n", a->elements > 1 ? "yes" : "no",
              a->bytes_per_lane);
}

static void put_diagnosis(const Explain *e) {
  text_puts(e->out, "\n  ");
  put_painted(e->out, e->color, BOLD, "diagnosis:");
  text_puts(e->out, "\n");
  if (e->before == 0) {
    text_puts(e->out, "    boxes        of TMA and wgmma never conflict; they ask for one of their "
                      "modes\n");
    return;
  }
  if (!e->plain_conflicts && e->tile->solution->unswizzled) {
    text_puts(e->out, "    conflict?    ");
    put_painted(e->out, e->color, GREEN, "no");
    text_puts(e->out, e->given_conflicts
                          ? ": the plain tile is conflict-free; the given layout is not, drop it\n"
                          : ": the plain tile is conflict-free, nothing to do\n");
    put_copies(e);
    return;
  }
  put_questions(e);
  put_copies(e);
  put_fix(e);
}

/* The conflict table; accesses above their ideal are red. */
static void put_accesses(const Explain *e) {
  Text table = text_new(e->arena);
  table_accesses(&table, "    ", e->tile);
  const char *at = table.s;
  for (int i = -1; *at; i++) {
    const Span line = span_line(&at);
    const AccessCost *c = i >= 0 && i < e->tile->set->accesses ? &e->tile->solution->cost[i] : NULL;
    const bool worse = c && c->wavefronts > c->ideal;
    put_painted(e->out, e->color && worse, RED, arena_strndup(e->arena, line.s, line.len));
    text_puts(e->out, "\n");
  }
}

static void find_worst(Explain *e) {
  const Solution *s = e->tile->solution;
  const AccessSet *set = e->tile->set;
  const Place plain = collision_worst(set, &e->plain, &e->before);
  const Place chosen = collision_worst(s->set, &s->layout, &e->after);
  e->plain_conflicts = !s->unswizzled && e->before > 1;
  for (int i = 0; s->unswizzled && i < set->accesses; i++)
    if (s->unswizzled[i].wavefronts > s->unswizzled[i].ideal) e->plain_conflicts = true;
  e->given_conflicts =
      set->tile->want.given && strcmp(forms_kind(e->tile), "none") != 0 && s->wavefronts > s->ideal;
  e->worst = e->given_conflicts ? chosen : plain;
  e->cost = e->given_conflicts ? e->after : e->before;
}

static void explain_tile(Text *out, Arena *a, const PlanTile *t, int language, bool color) {
  Explain e = {
      .out = out, .arena = a, .tile = t, .plain = layout_plain(t->set->tile), .color = color};
  find_worst(&e);
  text_puts(out, "\n  ");
  table_layout(out, t);
  text_puts(out, "\n");
  put_accesses(&e);
  table_coverage(out, "    ", t);
  put_banks(&e);
  if (language >= 0)
    put_language(&e, (Language)language);
  else
    put_c_line(&e);
  put_certificate(&e);
  put_diagnosis(&e);
}

/* The values of settings that the spec leaves open, and their origin. */
static void put_overrides(Text *out, const Spec *s) {
  for (int i = 0; i < s->overrides; i++)
    text_printf(out, "%s%s = %" PRId64, i ? ", " : "\n  set: ", s->override[i].name,
                s->override[i].value);
  if (s->overrides) text_printf(out, "\n  by %s\n", s->origin);
}

void explain_plan(Text *out, Arena *a, const Plan *plan, int language, bool color) {
  put_painted(out, color, BOLD, plan->spec->name);
  text_puts(out, ": ");
  put_painted(out, color, plan->conflict_free ? GREEN : RED,
              plan->conflict_free ? "conflict-free" : "not conflict-free");
  text_puts(out, ", ");
  put_painted(out, color, plan->minimal ? GREEN : BOLD,
              plan->minimal ? "proven minimal" : "not proven minimal");
  text_puts(out, "\n");
  put_overrides(out, plan->spec);
  for (int i = 0; i < plan->tiles; i++) explain_tile(out, a, &plan->tile[i], language, color);
}
