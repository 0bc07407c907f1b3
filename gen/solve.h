/* solve.h: stage 4. The cheapest layout of the family for all accesses of a tile at once, and the
 * proof. */
#ifndef KGEN_SOLVE_H
#define KGEN_SOLVE_H

#include "layout.h"

/* Wavefronts of one access, over all its instructions, under one layout. */
typedef struct {
  int64_t wavefronts, ideal;
  int worst; /* of one lane group */
} AccessCost;

/* Why a cheaper layout was refused. Re-checkable alone: build the layout, look at that group. */
typedef enum {
  REFUSED_CONFLICT,   /* the group costs more than it must: see access, warp, group, bank */
  REFUSED_WAVEFRONTS, /* its weighted total is no better: see total */
  REFUSED_RULE        /* breaks alignment, contiguity or the size limit */
} Refusal;

typedef struct {
  KgenLayout layout;
  Refusal why;
  int access, warp, group; /* indices into the AccessSet; group as in bank_groups */
  int bank;
  int wavefronts; /* of that group */
  int64_t
      total; /* weighted wavefronts of the whole layout in thousandths, REFUSED_WAVEFRONTS only */
} Witness;

/* The complete search over XOR maps at one set of strides: every F2-linear map of `row_bits` into
 * `col_bits` was covered. */
typedef struct {
  KgenLayout base; /* the strides; no terms */
  int row_bits, col_bits;
  int64_t
      nodes; /* partial maps that were looked at, a pruned one counting for all its extensions */
  bool complete; /* false: the search stopped at its limit */
  bool same_row; /* no search was needed: two words of one row meet in a bank under every XOR */
  int access, warp, group, bank; /* where, if same_row */
} XorProof;

typedef struct {
  int64_t
      candidates; /* layouts whose cost was decided, by evaluation or by a proof that covers them */
  int witnesses;
  const Witness *witness;
  int proofs;
  const XorProof *proof;
  const char *claim; /* one sentence */
} Certificate;

typedef struct {
  KgenLayout layout;
  bool conflict_free;           /* every instruction costs its ideal */
  bool minimal;                 /* nothing of the family is cheaper: proven */
  const AccessCost *cost;       /* one an access */
  const AccessCost *unswizzled; /* the same under the plain layout */
  Certificate certificate;
} Solution;

/* Solves for the tile's request. NULL if no layout of the requested kind is admissible, which is
 * then in d. */
const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set);

/* Weighted wavefronts in thousandths, and the cost of each access, under any layout. */
int64_t solve_cost(const AccessSet *set, const KgenLayout *l, AccessCost *cost);

#endif
