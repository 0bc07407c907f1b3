/* SPDX-License-Identifier: MIT */
/* plan.h: all decisions: layouts, costs, the template's values. Later stages only read it. */
#ifndef KGEN_EMIT_PLAN_H
#define KGEN_EMIT_PLAN_H

#include "solve/solution.h"
#include "spec/coverage.h"

typedef struct {
  const TileSpec *spec;
  const AccessSet *set;
  const Solution *solution;
  int64_t bytes, pad_bytes;
  const Coverage *coverage; /* NULL of accesses that no spec describes */
} PlanTile;

/* A value that replaces one in the template, spelled as C++. */
typedef struct {
  const char *name, *text;
} PlanValue;

typedef struct {
  const Spec *spec;
  int tiles;
  const PlanTile *tile;
  int64_t shared_bytes; /* per launch: all tiles, each aligned to TILE_ALIGN */
  int64_t bytes;        /* the tiles alone, as in reports */
  bool conflict_free, minimal;
  int values;
  const PlanValue *value; /* none for `kernel: none`, which has no template */
} Plan;

/* Solves every tile and spells the template's values. NULL on a user error (in d). */
const Plan *plan_make(Arena *a, Diag *d, const Spec *spec);
/* Like plan_make(), but takes the expanded accesses from `like`: a plan of the same spec that
 * differs only in its layouts. NULL: they are expanded. */
const Plan *plan_make_like(Arena *a, Diag *d, const Spec *spec, const Plan *like);

/* A layout as a C initializer of a KgenLayout. */
const char *plan_spell_layout(Arena *a, const KgenLayout *l);

/* Predicted shared-memory wavefronts of one block: loads (with ldmatrix), stores (with stmatrix),
 * copies by cp.async, and wgmma operands; atomics are separate, and TMA is not included. */
typedef struct {
  int64_t load, store, copy, wgmma, atomic;
} PlanWavefronts;
/* times[access] of tile t: number of executions per block beyond its loops; NULL: once each. */
PlanWavefronts plan_wavefronts(const PlanTile *t, const int64_t *times);
/* Adds the wavefronts of a tile `times` times. */
void plan_add_wavefronts(PlanWavefronts *sum, const PlanWavefronts *one, int64_t times);

#endif
