/* solve.h: stage 4. The cheapest layout of the family for all accesses of a tile at once, and the
 * proof. */
#ifndef KGEN_SOLVE_H
#define KGEN_SOLVE_H

#include "model/cost.h"

/* Why a layout was refused. Re-checkable alone: build the layout, look at that lane group. */
typedef enum {
  REFUSED_CONFLICT,   /* the group costs more than it must, and the chosen layout costs what every
                         group must */
  REFUSED_WAVEFRONTS, /* its weighted total is at least `total`, no better than the chosen layout's
                       */
  REFUSED_RULE        /* breaks alignment, contiguity or the size limit */
} Refusal;

typedef struct {
  KgenLayout layout;
  Refusal why;
  int access, warp, group; /* AccessSet access, its instruction, its group as in bank_groups; -1 for
                              REFUSED_RULE */
  int bank;                /* the group's fullest */
  int wavefronts;          /* of that group */
  int64_t total;           /* weighted wavefronts in thousandths: at least so many */
} Witness;

/* What a search without a witness for each layout covered. */
typedef enum {
  PROOF_NO_XOR,   /* every F2-linear map of row bits into column bits: none has fewer wavefronts */
  PROOF_NO_TERMS, /* every map of fewer terms, or as many and fewer mask bits: none has so few
                     wavefronts */
  PROOF_SAME_PLACE, /* pieces of several words stay whole, so words of one place in them share count
                       / piece banks: the ideal cannot be reached */
  PROOF_SAME_ROW    /* words of one row meet in a bank under every pad and XOR: the ideal cannot be
                       reached */
} ProofKind;

typedef struct {
  ProofKind kind;
  KgenLayout base;   /* the strides; no terms */
  int row_bits;      /* of the map */
  unsigned col_bits; /* mask of the column bits that it may change */
  int64_t total;     /* weighted wavefronts in thousandths that it was to get below, or down to */
  int64_t nodes;     /* partial maps looked at, a refused one standing for all its extensions */
  bool complete;     /* false: stopped at its limit */
  int access, warp, group, bank; /* PROOF_SAME_ROW, PROOF_SAME_PLACE: where */
  int piece;                     /* PROOF_SAME_PLACE: words of a piece */
} Proof;

typedef struct {
  int64_t candidates; /* layouts decided one by one */
  int witnesses;      /* at most SOLVE_MAX_WITNESSES of them are kept */
  const Witness *witness;
  int proofs;
  const Proof *proof;
  const char *claim; /* one sentence */
} Certificate;

enum { SOLVE_MAX_WITNESSES = 1 << 14 };

typedef struct {
  KgenLayout layout;
  bool conflict_free;           /* every instruction costs its ideal */
  bool minimal;                 /* nothing of the family is cheaper: proven; of a given pad false */
  const AccessCost *cost;       /* one an access */
  const AccessCost *unswizzled; /* the same under the plain layout */
  Certificate certificate;
} Solution;

/* Solves for the tile's request, or costs the pad that it gives. NULL if no layout of the requested
 * kind is admissible, which is then in d. */
const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set);

#endif
