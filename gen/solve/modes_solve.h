/* SPDX-License-Identifier: MIT */
/* modes_solve.h: the layouts that TMA and wgmma have: solving among them, and what a certificate
 * says of them. */
#ifndef KGEN_SOLVE_MODES_SOLVE_H
#define KGEN_SOLVE_MODES_SOLVE_H

#include "model/modes.h"
#include "solve/solution.h"

typedef struct {
  ModeVerdict verdict;
  bool admitted;     /* it holds the tile, and breaks no rule of it */
  KgenLayout layout; /* if it is admitted */
  int64_t total;     /* weighted wavefronts in thousandths */
} Mode;

/* What each costs, whatever the request. */
void modes_judge(Arena *a, const AccessSet *set, Mode out[MODES]);

/* The best of the modes that the request and the accesses admit. NULL if none does, with the way to
 * split the tile in d. */
const Solution *modes_solve(Arena *a, Diag *d, const AccessSet *set);
/* Another layout of the same price that is a mode, if there is one, else `l`. total: what that
 * costs. */
KgenLayout modes_prefer(Arena *a, const AccessSet *set, const KgenLayout *l, int64_t total);
/* Adds to the claim which mode the layout is, or which of them would cost least. */
void modes_append_claim(Arena *a, const AccessSet *set, Solution *s);
/* Hints to the error recorded last: a tile whose rows are cut to those of a swizzle, of at most so
 * many bytes; and a mode that the tile and its accesses admit. */
void modes_hint_split(Diag *d, const Tile *t, int most);
void modes_hint_admitted(Arena *a, Diag *d, const AccessSet *set);

#endif
