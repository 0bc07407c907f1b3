/* SPDX-License-Identifier: MIT */
#include "emit/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/xml.h"
#include "emit/forms.h"
#include "emit/offset.h"
#include "model/collision.h"
#include "model/cost.h"

/* Units are pixels. */
enum {
  PANEL = 416,
  TALLEST = 560,
  CELL_MOST = 16,
  CELL_LEAST = 2,
  GRID_FROM = 6,
  NUMBERS_FROM = 11
};
enum { LEFT = 34, TOP = 46, LINE = 15, GAP = 30 };
enum { MAX_STYLE = 1 << 16 };

typedef struct {
  Arena *arena;
  Xml x;
  const PlanTile *tile;
  const Tile *shape;
  KgenLayout plain;
  int count, across, rows; /* number of elements; cells per row; rows of cells */
  int cell;
  bool lanes;  /* some access has lanes; boxes have none */
  Place worst; /* in the unpadded layout */
  int ideal;   /* wavefronts of that group */
} Picture;

/* One of the two layouts. */
typedef struct {
  const char *name, *offset;
  const AccessSet *set; /* the accesses under this layout */
  const KgenLayout *layout;
  const int32_t *map; /* offset of each element if the layout is not a KgenLayout; or NULL */
  int64_t bytes;
  const AccessCost *cost; /* NULL: the layout cannot be used */
} Drawn;

/* --- selecting the tile --- */

static int64_t excess(const PlanTile *t) {
  int64_t sum = 0;
  for (int a = 0; a < t->set->accesses; a++) {
    const AccessCost *c = t->solution->unswizzled ? t->solution->unswizzled : t->solution->cost;
    sum += c[a].wavefronts - c[a].ideal;
  }
  return sum;
}

const PlanTile *picture_tile(const Plan *p, const char *name) {
  const PlanTile *most = name ? NULL : &p->tile[0];
  for (int i = 0; i < p->tiles; i++) {
    const char *own = p->tile[i].set->tile->name;
    if (name && own && strcmp(own, name) == 0) return &p->tile[i];
    if (!name && excess(&p->tile[i]) > excess(most)) most = &p->tile[i];
  }
  return most;
}

/* --- cells --- */

/* The number of cells side by side, as in the HTML report: a row of the tile, several if rows are
 * short; for a one-dimensional tile, a line of all banks. */
static int cells_across(const Picture *p) {
  const BankGeometry banks = p->tile->set->banks;
  const int last = p->shape->extent[p->shape->rank - 1];
  if (p->shape->rank == 1) {
    const int line = banks.count * banks.bytes / p->shape->dtype->bytes;
    return number_least(last, line < 8 ? 8 : line);
  }
  int fold = 1;
  while (last < 8 && last * fold * 2 <= 32) fold *= 2;
  return number_least(last * fold, p->count);
}

static int64_t byte_of(const Picture *p, const Drawn *d, int index) {
  int coord[KGEN_MAX_RANK];
  if (d->map) return (int64_t)d->map[index] * p->shape->dtype->bytes;
  tile_coord(p->shape, index, coord);
  return (int64_t)layout_offset(d->layout, coord) * p->shape->dtype->bytes;
}

static int bank_of(const Picture *p, const Drawn *d, int index) {
  const BankGeometry banks = p->tile->set->banks;
  return (int)(byte_of(p, d, index) / banks.bytes % banks.count);
}

/* A bank's colour: nine stops of viridis, as in the HTML report; lightness grows with the bank. */
static const char *color_of(const Picture *p, int bank) {
  static const int stop[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},
                                {49, 104, 142}, {38, 130, 142}, {31, 158, 137},
                                {53, 183, 121}, {110, 206, 88}, {216, 226, 60}};
  enum { STOPS = sizeof stop / sizeof *stop };
  const int count = p->tile->set->banks.count > 1 ? p->tile->set->banks.count - 1 : 1;
  const int at = bank * (STOPS - 1), i = number_least(at / count, STOPS - 2), part = at - i * count;
  int rgb[3];
  for (int k = 0; k < 3; k++)
    rgb[k] = stop[i][k] + ((stop[i + 1][k] - stop[i][k]) * part + count / 2) / count;
  return arena_printf(p->arena, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* Draws one path per bank, with strokes as wide as a cell: neighbours in a column form one
 * stroke. */
static void put_cells(Picture *p, const Drawn *d) {
  const int banks = p->tile->set->banks.count;
  Text *path = ARENA_ARRAY(p->arena, Text, (size_t)banks);
  for (int b = 0; b < banks; b++) path[b] = text_new(p->arena);
  for (int col = 0; col < p->across; col++)
    for (int row = 0, run; row < p->rows && row * p->across + col < p->count; row += run) {
      const int bank = bank_of(p, d, row * p->across + col);
      for (run = 1; (row + run) * p->across + col < p->count; run++)
        if (bank_of(p, d, (row + run) * p->across + col) != bank) break;
      text_printf(&path[bank], "M%d %dv%d", col, row, run);
    }
  for (int b = 0; b < banks; b++) {
    if (path[b].len == 0) continue;
    xml_open(&p->x, "path");
    xml_string(&p->x, "stroke", color_of(p, b));
    xml_string(&p->x, "d", path[b].s);
    xml_close(&p->x);
  }
}

static void put_path(Picture *p, const char *kind, const Text *d) {
  if (d->len == 0) return;
  xml_open(&p->x, "path");
  xml_string(&p->x, "class", kind);
  xml_string(&p->x, "d", d->s);
  xml_close(&p->x);
}

static void put_grid(Picture *p) {
  Text d = text_new(p->arena);
  if (p->cell < GRID_FROM) return;
  for (int row = 1; row < p->rows; row++) text_printf(&d, "M0 %dh%d", row, p->across);
  for (int col = 1; col < p->across; col++) text_printf(&d, "M%d 0v%d", col, p->rows);
  put_path(p, "grid", &d);
}

/* True if a 128-byte line ends between a cell and its right neighbour. */
static bool line_ends(const Picture *p, const Drawn *d, int row, int col) {
  const int index = row * p->across + col;
  const int line = p->tile->set->banks.count * p->tile->set->banks.bytes;
  return index + 1 < p->count && byte_of(p, d, index) / line != byte_of(p, d, index + 1) / line;
}

static void put_lines(Picture *p, const Drawn *d) {
  Text path = text_new(p->arena);
  for (int col = 0; col + 1 < p->across; col++)
    for (int row = 0; row < p->rows; row++) {
      int run = 0;
      while (row + run < p->rows && line_ends(p, d, row + run, col)) run++;
      if (run) text_printf(&path, "M%d %dv%d", col + 1, row, run);
      row += run;
    }
  put_path(p, "line", &path);
}

/* --- lanes --- */

static const WarpAccess *worst_warp(const Picture *p, const AccessSet *set) {
  return &set->access[p->worst.access].warp[p->worst.warp];
}

/* Computes the wavefronts of the worst group under a layout, its lanes, and the lanes that
 * collide. */
static int judge_group(const Picture *p, const Drawn *d, uint32_t *lanes, uint32_t *waits) {
  const Access *a = &d->set->access[p->worst.access];
  const WarpAccess *w = worst_warp(p, d->set);
  int64_t address[WARP];
  uint32_t mask[4];
  Place at = p->worst;
  layout_addresses(d->layout, p->shape->dtype->bytes, w, address);
  cost_groups(a, w, address, mask);
  *lanes = mask[p->worst.group];
  const int cost = cost_group(d->set->banks, a, w, *lanes, address, &at.bank);
  const Collision c = collision_at(d->set, d->layout, at);
  *waits = 0;
  for (int i = 0; cost > p->ideal && i < c.lanes; i++) *waits |= UINT32_C(1) << c.lane[i];
  return cost;
}

static void put_words(Picture *p, const char *kind, double x, double y, const char *text) {
  xml_open(&p->x, "text");
  xml_string(&p->x, "class", kind);
  xml_number(&p->x, "x", x);
  xml_number(&p->x, "y", y);
  xml_text(&p->x, text);
  xml_close(&p->x);
}

/* Draws the outline of the elements of a lane that takes several. */
static void put_span(Picture *p, int element) {
  const int elements = p->tile->set->access[p->worst.access].elements;
  if (elements < 2 || p->cell < GRID_FROM / 2) return;
  xml_open(&p->x, "rect");
  xml_string(&p->x, "class", "span");
  xml_number(&p->x, "x", element % p->across * p->cell);
  xml_number(&p->x, "y", element / p->across * p->cell);
  xml_number(&p->x, "width", number_least(elements, p->across - element % p->across) * p->cell);
  xml_number(&p->x, "height", p->cell);
  xml_close(&p->x);
}

/* Draws a lane: round if it is conflict-free and square if it collides, so not only by colour. */
static void put_lane(Picture *p, int lane, int element, bool waits) {
  const double x = (element % p->across + 0.5) * p->cell, y = (element / p->across + 0.5) * p->cell;
  const double r = p->cell < GRID_FROM ? p->cell * 0.6 : p->cell * 0.42;
  put_span(p, element);
  xml_open(&p->x, waits ? "rect" : "circle");
  xml_string(&p->x, "class", waits ? "waits" : "lane");
  xml_number(&p->x, waits ? "x" : "cx", waits ? x - r : x);
  xml_number(&p->x, waits ? "y" : "cy", waits ? y - r : y);
  xml_number(&p->x, waits ? "width" : "r", waits ? 2 * r : r);
  if (waits) xml_number(&p->x, "height", 2 * r);
  xml_close(&p->x);
  if (p->cell >= NUMBERS_FROM)
    put_words(p, waits ? "in-waits" : "in-lane", x, y + 3, arena_printf(p->arena, "%d", lane));
}

static void put_lanes(Picture *p, uint32_t lanes, uint32_t waits) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const int element = layout_lane(&p->plain, worst_warp(p, p->tile->set), lane);
    put_lane(p, lane, element, waits >> lane & 1);
  }
}

/* --- one layout --- */

static int64_t wavefronts_of(const Picture *p, const AccessCost *cost) {
  int64_t sum = 0;
  for (int a = 0; cost && a < p->tile->set->accesses; a++) sum += cost[a].wavefronts;
  return sum;
}

static void put_head(Picture *p, const Drawn *d) {
  put_words(p, "name", LEFT, 13, arena_printf(p->arena, "%s: %s", d->name, d->offset));
  const char *cost = "cannot run: vectors misaligned";
  if (d->cost)
    cost = arena_printf(p->arena, "%" PRId64 " wavefronts a block", wavefronts_of(p, d->cost));
  put_words(p, "about", LEFT, 13 + LINE,
            arena_printf(p->arena, "%" PRId64 " bytes, %s", d->bytes, cost));
}

static void put_foot(Picture *p, int cost) {
  const Access *a = &p->tile->set->access[p->worst.access];
  put_words(p, cost > p->ideal ? "bad" : "good", LEFT, TOP + p->rows * p->cell + LINE,
            arena_printf(p->arena, "%s: one instruction's lanes, %d wavefront%s%s", a->name, cost,
                         cost == 1 ? "" : "s", cost > p->ideal ? "" : ", the ideal"));
}

/* Labels the coordinates of every fourth row, or more rows if cells are large. */
static void put_rows(Picture *p) {
  const int every = p->cell >= NUMBERS_FROM ? 4 : 16;
  for (int row = 0; row < p->rows; row += every) {
    int coord[KGEN_MAX_RANK];
    tile_coord(p->shape, row * p->across, coord);
    Text t = text_new(p->arena);
    const int dims = p->shape->rank > 1 ? p->shape->rank - 1 : 1;
    for (int d = 0; d < dims; d++) text_printf(&t, d ? ",%d" : "%d", coord[d]);
    put_words(p, "row", LEFT - 5, TOP + (row + 0.5) * p->cell + 3, t.s);
  }
}

static void open_group(Picture *p, const char *kind, const char *transform) {
  xml_open(&p->x, "g");
  if (kind) xml_string(&p->x, "class", kind);
  xml_string(&p->x, "transform", transform);
}

/* Draws the lanes of the worst group and, below the tile, their cost. */
static void put_group(Picture *p, const Drawn *d) {
  uint32_t lanes, waits;
  if (!p->lanes) return;
  const int cost = judge_group(p, d, &lanes, &waits);
  open_group(p, NULL, arena_printf(p->arena, "translate(%d %d)", LEFT, TOP));
  put_lanes(p, lanes, waits);
  xml_close(&p->x);
  put_foot(p, cost);
}

static void put_panel(Picture *p, int x, const Drawn *d) {
  open_group(p, NULL, arena_printf(p->arena, "translate(%d 0)", x));
  put_head(p, d);
  put_rows(p);
  open_group(
      p, "cells",
      arena_printf(p->arena, "translate(%g %d) scale(%d)", LEFT + p->cell / 2.0, TOP, p->cell));
  put_cells(p, d);
  xml_close(&p->x);
  open_group(p, NULL, arena_printf(p->arena, "translate(%d %d) scale(%d)", LEFT, TOP, p->cell));
  put_grid(p);
  put_lines(p, d);
  xml_close(&p->x);
  put_group(p, d);
  xml_close(&p->x);
}

static Drawn draw_plain(const Picture *p) {
  return (Drawn){.name = "plain",
                 .offset = offset_spell(p->arena, &p->plain, p->shape->dim),
                 .set = p->tile->set,
                 .layout = &p->plain,
                 .bytes = layout_bytes(&p->plain, p->shape->dtype->bytes),
                 .cost = p->tile->solution->unswizzled};
}

static Drawn draw_chosen(const Picture *p) {
  const Solution *s = p->tile->solution;
  return (Drawn){.name = p->shape->want.given ? "given" : "chosen",
                 .offset = offset_spell_tile(p->arena, p->tile),
                 .set = s->set,
                 .layout = &s->layout,
                 .map = s->map ? s->map->at : NULL,
                 .bytes = p->tile->bytes,
                 .cost = s->cost};
}

/* --- the whole picture --- */

static void put_element(Picture *p, const char *name, const char *text) {
  xml_open(&p->x, name);
  xml_text(&p->x, text);
  xml_close(&p->x);
}

static void put_legend(Picture *p, double y) {
  enum { WIDTH = 11, HEIGHT = 12 };
  const int count = p->tile->set->banks.count;
  put_words(p, "about", LEFT, y + 10, "banks");
  for (int b = 0; b < count; b++) {
    xml_open(&p->x, "rect");
    xml_string(&p->x, "fill", color_of(p, b));
    xml_number(&p->x, "x", LEFT + 44 + b * WIDTH);
    xml_number(&p->x, "y", y);
    xml_number(&p->x, "width", WIDTH);
    xml_number(&p->x, "height", HEIGHT);
    xml_close(&p->x);
  }
  put_words(p, "about", LEFT + 50 + count * WIDTH, y + 10,
            arena_printf(p->arena, "0 to %d", count - 1));
}

static Picture picture_new(Arena *a, const PlanTile *t, Text *out) {
  Picture p = {.arena = a,
               .x = xml_new(out),
               .tile = t,
               .shape = t->set->tile,
               .plain = layout_plain(t->set->tile),
               .ideal = 1};
  int before;
  p.count = tile_elements(t->set->tile);
  p.across = cells_across(&p);
  p.rows = (p.count + p.across - 1) / p.across;
  p.cell = number_least(number_least(PANEL / p.across, TALLEST / p.rows), CELL_MOST);
  if (p.cell < CELL_LEAST) p.cell = CELL_LEAST;
  p.worst = collision_worst(t->set, &p.plain, &before);
  p.lanes = before > 0;
  return p;
}

/* The width of the cells, and of the words above and below them. */
static int panel_width(const Picture *p, const char *offset) {
  enum { LETTER = 7, WORDS = 60 };
  const int cells = p->across * p->cell, letters = (int)strlen(offset) + (int)strlen("chosen: ");
  const int text = (letters > WORDS ? letters : WORDS) * LETTER;
  return LEFT + (cells > text ? cells : text);
}

/* Panels side by side, with the legend below. */
static void put_picture(Picture *p, const char *title, const char *style) {
  const PlanTile *t = p->tile;
  const bool twice = strcmp(forms_kind(t), "none") != 0;
  const Drawn plain = draw_plain(p), chosen = draw_chosen(p);
  const int panel = panel_width(p, chosen.offset), y = TOP + p->rows * p->cell + 2 * LINE;
  const int legend = LEFT + 96 + t->set->banks.count * 11;
  int width = (twice ? 2 * panel + GAP : panel) + 6;
  if (width < legend) width = legend;
  xml_open(&p->x, "svg");
  xml_string(&p->x, "xmlns", "http://www.w3.org/2000/svg");
  xml_string(&p->x, "viewBox", arena_printf(p->arena, "0 0 %d %d", width, y + 18));
  xml_number(&p->x, "width", width);
  xml_number(&p->x, "height", y + 18);
  xml_string(&p->x, "role", "img");
  put_element(p, "title", title);
  put_element(p, "style", style);
  put_panel(p, 0, &plain);
  if (twice) put_panel(p, panel + GAP, &chosen);
  put_legend(p, y);
  xml_close(&p->x);
}

static const char *title_of(Arena *a, const Plan *plan, const PlanTile *t) {
  const char *name = t->set->tile->name;
  return arena_printf(a, "Banks of %s%s%s, a colour a bank: plain, and as kgen lays it out",
                      plan->spec->name, name ? ", tile " : "", name ? name : "");
}

const char *picture_svg(Arena *a, const Plan *plan, const PlanTile *t, const char *template_dir,
                        Text *why) {
  size_t size;
  const char *file = arena_printf(a, "%s/page/picture.css", template_dir);
  const char *style = file_read(a, file, MAX_STYLE, &size);
  if (!style) {
    text_printf(why, "cannot read %s: %s", file, strerror(errno));
    return NULL;
  }
  Text out = text_new(a);
  Picture p = picture_new(a, t, &out);
  put_picture(&p, title_of(a, plan, t), style);
  return out.s;
}
