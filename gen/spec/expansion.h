/* expansion.h: one access while it is expanded: its names' values, lane by lane, and the
 * coordinates that they give. */
#ifndef KGEN_SPEC_EXPANSION_H
#define KGEN_SPEC_EXPANSION_H

#include "spec/spec.h"

/* What the expansion of one access carries along. */
typedef struct {
  Arena *arena;
  Diag *diag;
  const Spec *spec;
  const Tile *tile;
  const AccessSpec *access;
  int elements; /* per lane */
  WarpAccess *out;
  int *issue;              /* beside `out`, as in Access */
  int64_t (*source)[WARP]; /* of a cp_async, beside `out` */
  int count;               /* instructions in `out` */
  int issued;              /* by warps with and without active lanes, before this iteration */
  int64_t value[EXPR_MAX_VARS][WARP];
  int64_t turn[MAX_LOOPS];  /* the loop variables' current values */
  bool lost[KGEN_MAX_RANK]; /* dimensions (of a linear index, the first) that are skipped: an
                               error in them was reported */
} Expansion;

/* False if an extent is unknown. */
bool expansion_is_sized(const Expansion *e);

/* Gives a name the same value in all lanes; and the names that differ from lane to lane theirs, in
 * a warp: lane, warp, tid, tx, ty, tz. */
void expansion_set(Expansion *e, int slot, int64_t v);
void expansion_set_lanes(Expansion *e, int warp);

/* The lanes whose address an instruction reads: 8 per matrix of ldmatrix and stmatrix, else all. */
uint32_t expansion_address_lanes(const AccessSpec *a);
/* Lanes of that warp that exist in the block and for which `when` holds. False on an error in the
 * expression. */
bool expansion_active(Expansion *e, int warp, uint32_t *active);

/* The next turn of the loops, the last loop fastest. False after the last. */
bool expansion_next_turn(Expansion *e);

/* "lane 3 of warp 1, j = 2": where in the expansion an error occurred. */
const char *expansion_where(const Expansion *e, int lane);
Loc expansion_loc(const Expansion *e, int dim);
/* "dimension 1", or "'col'" if the spec names it. */
const char *expansion_dim(const Expansion *e, int dim);

/* How many expressions `at` has: one a dimension, or one for a linear index. */
int expansion_dims(const Expansion *e);
/* Loses what cannot be checked in a spec with errors. */
void expansion_lose_unread(Expansion *e);
bool expansion_all_lost(const Expansion *e);
bool expansion_any_lost(const Expansion *e);

/* Splits a linear element index into a lane's coordinates; false, with an error, outside of the
 * tile. */
bool expansion_set_linear(Expansion *e, WarpAccess *w, int lane, int64_t index);
/* Evaluates `at` in one dimension for the active lanes of one instruction. */
bool expansion_place(Expansion *e, WarpAccess *w, int dim);

/* How many instructions an access may expand to; 0 with an error if `left` are fewer. */
int64_t expansion_limit(const Expansion *e, int64_t left);

#endif
