/* SPDX-License-Identifier: MIT */
/* solution.h: what was decided for a tile, and what it costs. */
#ifndef KGEN_SOLVE_SOLUTION_H
#define KGEN_SOLVE_SOLUTION_H

#include "base/text.h"
#include "model/cost.h"
#include "solve/certificate.h"

/* A given layout that is no KgenLayout. */
typedef struct {
  const char *text;  /* C over the names of the tile's dimensions */
  const int32_t *at; /* offset of each element by row-major index */
  int elements;      /* that it occupies */
} GivenMap;

typedef struct {
  KgenLayout layout;            /* of a map: one dimension, of all that it occupies */
  const GivenMap *map;          /* or NULL */
  const AccessSet *set;         /* that `layout` is of: of a map, the accesses as it places them */
  const KgenLayout *better;     /* than a given layout: the best that the family holds; or NULL */
  bool conflict_free;           /* every instruction costs its ideal */
  bool minimal;                 /* nothing of the layout space is cheaper: proven */
  bool left_out;                /* linear layouts that no search covers */
  bool stopped;                 /* a search stopped at its limit */
  int left;                     /* percent of the budget, then */
  int64_t total;                /* weighted wavefronts in thousandths */
  int64_t wavefronts, ideal;    /* of all accesses, unweighted */
  const AccessCost *cost;       /* one an access */
  const AccessCost *unswizzled; /* the same under the plain layout; NULL where that misaligns or
                                   splits what a lane accesses */
  int64_t effort;               /* steps that it took */
  Certificate certificate;
} Solution;

/* What layouts are compared by, in the order of importance. */
typedef struct {
  int64_t total; /* weighted wavefronts in thousandths */
  int64_t bytes;
  int operations; /* the emitted expression's */
  int bits;       /* the masks' */
} Price;

Price solution_price(const Tile *t, const KgenLayout *l, int64_t total);
bool solution_is_cheaper(const Price *a, const Price *b);

/* Counts out->layout: sets total, wavefronts, ideal, cost, unswizzled, conflict_free and set; adds
 * what that takes to effort. */
void solution_count(Arena *a, const AccessSet *set, Solution *out);
/* Sets the certificate of what was counted; floor: what every layout costs at least,
 * thousandths. */
void solution_certify(Solution *out, CertificateBuilder *b, int64_t floor);
/* Writes that no layout of the space is `how`, and how the certificate covers them. */
void solution_put_rivals(Text *t, const Solution *s, const char *how);

#endif
