/* SPDX-License-Identifier: MIT */
/* expansion.h: the state of expanding one access: the values of its names per lane, and the
 * resulting coordinates. */
#ifndef KGEN_SPEC_EXPANSION_H
#define KGEN_SPEC_EXPANSION_H

#include "spec/spec.h"

/* The state of expanding one access. */
typedef struct {
  Arena *arena;
  Diag *diag;
  Budget *budget;
  const Spec *spec;
  const Tile *tile;
  const AccessSpec *access;
  int elements; /* elements per lane */
  WarpAccess *out;
  int *issue;              /* as in Access, parallel to `out` */
  int64_t (*source)[WARP]; /* for a cp_async, parallel to `out` */
  int count;               /* instructions in `out` */
  int issued;              /* by warps with and without active lanes, before this iteration */
  int64_t value[EXPR_MAX_VARS][WARP];
  int64_t turn[MAX_LOOPS]; /* current values of the loop variables */
  /* dimensions (for a linear index, the first) that are skipped because an error in them was
   * reported */
  bool lost[KGEN_MAX_RANK];
} Expansion;

/* False if an extent is unknown. */
bool expansion_is_sized(const Expansion *e);

/* Gives a name the same value in all lanes; gives the names that differ between lanes (lane, warp,
 * tid, tx, ty, tz) their values in a warp. */
void expansion_set(Expansion *e, int slot, int64_t v);
void expansion_set_lanes(Expansion *e, int warp);

/* The lanes whose addresses an instruction reads: 8 per matrix for ldmatrix and stmatrix, else
 * all. */
uint32_t expansion_address_lanes(const AccessSpec *a);
/* The lanes of that warp that exist in the block and for which `when` holds. False on an error in
 * the expression. */
bool expansion_active(Expansion *e, int warp, uint32_t *active);

/* Advances to the next iteration of the loops, the last loop fastest. False after the last. */
bool expansion_next_iteration(Expansion *e);

/* The position of an error in the expansion: "lane 3 of warp 1, j = 2". */
const char *expansion_where(const Expansion *e, int lane);
Loc expansion_loc(const Expansion *e, int dim);
/* "dimension 1", or "'col'" if the spec names it. */
const char *expansion_dim(const Expansion *e, int dim);

/* The number of expressions in `at`: one per dimension, or one for a linear index. */
int expansion_dims(const Expansion *e);
/* Skips the dimensions that cannot be checked in a spec with errors. */
void expansion_lose_unread(Expansion *e);
bool expansion_all_lost(const Expansion *e);
bool expansion_any_lost(const Expansion *e);

/* Splits a linear element index into a lane's coordinates; false, with an error, if it is outside
 * the tile. */
bool expansion_set_linear(Expansion *e, WarpAccess *w, int lane, int64_t index);
/* Evaluates `at` in one dimension for the active lanes of one instruction. */
bool expansion_resolve(Expansion *e, WarpAccess *w, int dim);

/* The number of instructions that an access may expand to; 0 with an error if `left` are fewer.
 * Spends what it takes to evaluate and to count them; 0 with an error if that ends the budget. */
int64_t expansion_limit(const Expansion *e, int64_t left);

#endif
