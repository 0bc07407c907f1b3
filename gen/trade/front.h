/* front.h: the whole trade of a tile, bytes against wavefronts: every pad, and every XOR on each.
 * The solver takes the fewest wavefronts whatever they cost in bytes; this shows what the others
 * are. */
#ifndef KGEN_TRADE_FRONT_H
#define KGEN_TRADE_FRONT_H

#include "solve/solve.h"

/* Layouts of one set of strides that cost the same, without an XOR or with one. */
typedef struct {
  KgenLayout layout;  /* the cheapest of them to address */
  int layouts;        /* how many they are; of maps of two terms and more the best alone */
  int64_t bytes;      /* of the tile */
  int64_t wavefronts; /* of all instructions */
  int64_t total;      /* the same in thousandths, each access by its weight */
  bool best;   /* none of so few bytes has a lower total, none of so low a total fewer bytes */
  bool chosen; /* the solution is one of them, and stands for them */
} FrontPoint;

typedef struct {
  int points;
  const FrontPoint *point; /* fewest bytes first, then the lowest total */
  bool exact;              /* the best ones are proven to be it, over maps of any number of terms */
  bool complete;           /* and every pad of the family and every XOR of one term is listed */
} Front;

/* What a listing may spend, in steps of about a nanosecond (budget.h). */
enum { FRONT_EFFORT = 400 * 1000 * 1000 };

/* Every admissible layout of the family `auto` within the tile's limit, whatever kind its request
 * names, and the solution's, even where it is of no family; where TMA or wgmma move boxes, of their
 * modes alone. */
Front front_list(Arena *a, const AccessSet *set, const Solution *solution, int64_t effort);

#endif
