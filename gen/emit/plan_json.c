/* SPDX-License-Identifier: MIT */
#include "emit/plan_json.h"

#include <limits.h>

#include "base/number.h"

#include "emit/forms.h"
#include "emit/language.h"
#include "emit/operand.h"
#include "model/collision.h"
#include "model/modes.h"

static void put_ints(Json *j, const char *key, const int *v, int count) {
  json_row(j, key);
  for (int i = 0; i < count; i++) json_int(j, NULL, v[i]);
  json_end(j);
}

static void put_term(Json *j, const KgenLayout *l, const KgenTerm *t) {
  static const char *const coordinate[] = {"c0", "c1", "c2", "c3"};
  const char *const source[] = {"row", "index"};
  json_object(j, NULL);
  json_int(j, "shift", t->shift);
  json_int(j, "mask", t->mask);
  json_string(j, "source",
              t->source < KGEN_COORD ? source[t->source] : coordinate[t->source - KGEN_COORD]);
  json_string(j, "target", coordinate[t->target ? t->target - 1 : l->period ? 1 : l->rank - 1]);
  json_end(j);
}

/* The offset of every power of two of the index. */
static void put_matrix(Json *j, const KgenLayout *l) {
  const int bits = __builtin_ctz((unsigned)kgen_elements(l));
  json_row(j, "matrix");
  for (int b = 0; b < bits; b++) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, 1 << b, coord);
    json_int(j, NULL, layout_offset(l, coord));
  }
  json_end(j);
}

void layout_json(Json *j, const KgenLayout *l) {
  if (l->linear)
    json_null(j, "strides");
  else
    put_ints(j, "strides", l->stride, l->period ? 2 : l->rank);
  if (l->period)
    json_int(j, "period", l->period);
  else
    json_null(j, "period");
  json_row(j, "swizzle");
  for (int i = 0; i < l->terms && !l->linear; i++) put_term(j, l, &l->term[i]);
  json_end(j);
  if (l->linear) put_matrix(j, l);
}

/* The names of CuTe and TMA, and the layout in all languages. */
static void put_forms(Json *j, const PlanTile *t) {
  static const char *const name[] = {"none", "32B", "64B", "128B"};
  CuteSwizzle w;
  const int mode = forms_tma(t);
  const bool is_cute = forms_cute(t, &w);
  if (is_cute)
    put_ints(j, "cute", (int[]){w.b, w.m, w.s}, 3);
  else
    json_null(j, "cute");
  if (mode < 0)
    json_null(j, "tma");
  else
    json_string(j, "tma", name[mode ? __builtin_ctz((unsigned)mode) - 4 : 0]);
  language_json(j, t, is_cute ? &w : NULL);
}

static void put_layout(Json *j, const PlanTile *t) {
  const KgenLayout plain = layout_plain(t->set->tile);
  json_object(j, "layout");
  json_string(j, "kind", forms_kind(t));
  layout_json(j, t->solution->map ? &plain : &t->solution->layout);
  if (t->solution->map) json_string(j, "expr", t->solution->map->text);
  put_forms(j, t);
  json_int(j, "bytes", t->bytes);
  json_int(j, "pad_bytes", t->pad_bytes);
  if (mode_needed(t->set)) json_int(j, "align", forms_align(t));
  json_end(j);
}

/* The start of an instruction's operand at each step along k, one row of bytes per part. */
static void put_steps(Json *j, const OperandSteps *s) {
  json_int(j, "k_step", s->step);
  json_row(j, "k_offsets");
  for (int part = 0; part < s->parts; part++) {
    json_row(j, NULL);
    for (int i = 0; i < s->steps; i++) json_int(j, NULL, part * s->part_bytes + i * s->step_bytes);
    json_end(j);
  }
  json_end(j);
}

/* The fields of wgmma's descriptor for its operand, as the header's functions return them. */
static void put_descriptor(Json *j, const PlanTile *t, const Access *a) {
  const int mode = forms_tma(t);
  if (mode < 0) {
    json_null(j, "descriptor");
    return;
  }
  const Operand operand = operand_of(t->set->tile, mode, a->major);
  const OperandSteps steps = operand_steps(t->set->tile, a);
  json_line(j, "descriptor");
  json_int(j, "unit", OPERAND_UNIT);
  json_int(j, "leading", operand.leading);
  json_int(j, "stride", operand.stride);
  json_int(j, "base_offset", 0); /* operands begin at a pattern's first row */
  json_int(j, "swizzle", operand.mode_field);
  put_steps(j, &steps);
  json_end(j);
}

static void put_accesses(Json *j, const PlanTile *t) {
  json_array(j, "accesses");
  for (int i = 0; i < t->set->accesses; i++) {
    const Access *a = &t->set->access[i];
    const AccessCost *c = &t->solution->cost[i];
    json_line(j, NULL);
    json_string(j, "name", a->name);
    json_string(j, "op", op_name[a->op]);
    if (a->op == OP_CP_ASYNC) json_string(j, "cache", copy_cache_name[a->cache]);
    if (op_is_wgmma(a->op)) json_string(j, "major", major_name[a->major]);
    if (a->boxes) put_ints(j, "box", a->box, t->set->tile->rank);
    json_int(j, "bytes_per_lane", a->bytes_per_lane);
    json_int(j, "instructions", a->boxes ? a->boxes : a->warps);
    json_int(j, "wavefronts", c->wavefronts);
    json_int(j, "ideal", c->ideal);
    if (t->solution->unswizzled)
      json_int(j, "unswizzled", t->solution->unswizzled[i].wavefronts);
    else
      json_null(j, "unswizzled");
    json_int(j, "worst", c->worst);
    if (op_is_wgmma(a->op)) put_descriptor(j, t, a);
    json_end(j);
  }
  json_end(j);
}

/* Writes where a group has a bank conflict: the instruction, and two of its lanes with the words
 * that collide. */
static void put_place(Json *j, const PlanTile *t, const KgenLayout *l, Place at) {
  const Collision c = collision_at(t->set, l, at);
  json_string(j, "access", t->set->access[at.access].name);
  json_int(j, "instruction", at.warp);
  json_int(j, "group", at.group);
  if (t->set->access[at.access].op == OP_CP_ASYNC)
    json_null(j, "bank");
  else
    json_int(j, "bank", at.bank);
  const int shown = c.lanes < 2 ? c.lanes : 2;
  put_ints(j, "lanes", c.lane, shown);
  json_row(j, "words");
  for (int i = 0; i < shown; i++) json_int(j, NULL, c.word[i]);
  json_end(j);
}

static void put_witness(Json *j, const PlanTile *t, const Witness *w) {
  static const char *const why[] = {"conflict", "wavefronts", "rule", "rule"};
  json_line(j, NULL);
  json_string(j, "kind", "layout");
  json_string(j, "why", why[w->why]);
  if (refusal_is_rule(w->why))
    json_string(j, "rule", w->why == REFUSED_ALIGNMENT ? "alignment" : "contiguity");
  layout_json(j, &w->layout);
  if (!refusal_is_rule(w->why)) {
    put_place(j, t, &w->layout, w->at);
    json_int(j, "wavefronts", w->wavefronts);
    json_int(j, "total_thousandths", w->total);
  }
  json_end(j);
}

static void put_proof(Json *j, const PlanTile *t, const Proof *p) {
  static const char *const kind[] = {"xor-search", "xor-search", "xor-search",
                                     "same-place", "pads",       "same-row"};
  static const char *const why[] = {"conflict-free", "fewer-wavefronts", "fewer-terms",
                                    "same-place",    "alignment",        "same-row"};
  json_line(j, NULL);
  json_string(j, "kind", kind[p->kind]);
  json_string(j, "why", why[p->kind]);
  layout_json(j, &p->base);
  if (p->kind <= PROOF_NO_TERMS) {
    static const char *const maps[] = {"rows", "index", "linear", "coordinates"};
    json_string(j, "maps", maps[p->maps]);
    json_int(j, "row_bits", p->row_bits);
    json_int(j, "col_bits", p->col_bits);
    json_int(j, "total_thousandths", p->total);
    json_int(j, "nodes", p->nodes);
    json_bool(j, "complete", p->complete);
  } else if (p->kind == PROOF_ALIGNMENT) {
    json_int(j, "dimension", p->dim);
    json_int(j, "multiple", p->multiple);
  } else {
    put_place(j, t, &p->base, p->at);
    json_int(j, "piece_words", p->piece);
  }
  json_end(j);
}

static void put_certificate(Json *j, const PlanTile *t) {
  const Certificate *c = &t->solution->certificate;
  json_object(j, "certificate");
  json_string(j, "claim", c->claim);
  if (t->solution->better) {
    json_object(j, "better");
    layout_json(j, t->solution->better);
    json_end(j);
  }
  json_int(j, "candidates", c->candidates);
  const int most = j->most ? j->most : INT_MAX;
  const int witnesses = number_least(c->witnesses, most), proofs = number_least(c->proofs, most);
  json_array(j, "witnesses");
  for (int i = 0; i < witnesses; i++) put_witness(j, t, &c->witness[i]);
  for (int i = 0; i < proofs; i++) put_proof(j, t, &c->proof[i]);
  json_end(j);
  const int left_out = c->witnesses - witnesses + c->proofs - proofs;
  if (left_out) json_int(j, "witnesses_left_out", left_out);
  json_end(j);
}

static void put_error(Json *j, const PlanTile *t, const char *kind, const CoverageError *e) {
  if (!e->elements) return;
  int coord[KGEN_MAX_RANK];
  tile_coord(t->set->tile, e->first, coord);
  json_line(j, NULL);
  json_string(j, "kind", kind);
  json_string(j, "access", t->set->access[e->access].name);
  json_int(j, "elements", e->elements);
  put_ints(j, "first", coord, t->set->tile->rank);
  json_end(j);
}

static void put_coverage(Json *j, const PlanTile *t) {
  if (!t->coverage) {
    json_null(j, "coverage");
    return;
  }
  json_array(j, "coverage");
  put_error(j, t, "unwritten", &t->coverage->unwritten);
  put_error(j, t, "rewritten", &t->coverage->rewritten);
  json_end(j);
}

static void put_tile_head(Json *j, const Tile *t) {
  json_string(j, "dtype", t->dtype->name);
  put_ints(j, "tile", t->extent, t->rank);
}

static void put_verdict(Json *j, bool conflict_free, bool minimal) {
  json_bool(j, "conflict_free", conflict_free);
  json_bool(j, "minimal", minimal);
}

static void put_one_tile(Json *j, const PlanTile *t) {
  json_object(j, NULL);
  json_string(j, "name", t->set->tile->name);
  put_tile_head(j, t->set->tile);
  put_layout(j, t);
  put_verdict(j, t->solution->conflict_free, t->solution->minimal);
  put_accesses(j, t);
  put_coverage(j, t);
  put_certificate(j, t);
  json_end(j);
}

static void put_tiles(Json *j, const Plan *p) {
  json_array(j, "tiles");
  for (int i = 0; i < p->tiles; i++) put_one_tile(j, &p->tile[i]);
  json_end(j);
  json_int(j, "shared_bytes", p->bytes);
  put_verdict(j, p->conflict_free, p->minimal);
}

static void put_problem(Json *j, const Spec *s) {
  if (!s->sizes) return;
  json_line(j, "problem");
  for (int i = 0; i < s->sizes; i++) json_int(j, s->size[i].name, s->size[i].value);
  json_end(j);
}

/* Settings that the spec leaves open, and their origin. */
static void put_overrides(Json *j, const Spec *s) {
  if (!s->origin) return;
  json_object(j, "overrides");
  json_string(j, "origin", s->origin);
  json_object(j, "set");
  for (int i = 0; i < s->overrides; i++) json_int(j, s->override[i].name, s->override[i].value);
  json_ends(j, 2);
}

void plan_json(Json *j, const Plan *p, const char *const *files, int count) {
  const Spec *s = p->spec;
  json_object(j, NULL);
  json_string(j, "name", s->name);
  json_string(j, "kernel", s->kernel ? s->kernel : "none");
  if (!s->many) put_tile_head(j, p->tile[0].set->tile);
  put_ints(j, "block", s->block, 3);
  put_problem(j, s);
  if (s->many) {
    put_tiles(j, p);
  } else {
    put_layout(j, &p->tile[0]);
    json_int(j, "shared_bytes", p->bytes);
    put_verdict(j, p->conflict_free, p->minimal);
    put_accesses(j, &p->tile[0]);
    put_coverage(j, &p->tile[0]);
    put_certificate(j, &p->tile[0]);
  }
  put_overrides(j, s);
  json_array(j, "files");
  for (int i = 0; i < count; i++) json_string(j, NULL, files[i]);
  json_end(j);
}
