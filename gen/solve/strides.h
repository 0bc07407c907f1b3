/* strides.h: part of stage 4. Every way to pad a tile, fewest bytes first. */
#ifndef KGEN_STRIDES_H
#define KGEN_STRIDES_H

#include "model/layout.h"

/* One way to pad: elements added to the stride of each dimension but the last, and the period of a
 * rank-1 tile. */
typedef struct {
  int64_t elements; /* that the tile then occupies */
  int32_t period;
  int32_t pad[KGEN_MAX_RANK - 1];
} Padding;

/* Every padding that can matter, the plain layout first: bank costs depend on each stride modulo
 * the bank period only (docs/layout.md, "Bank rules"), so larger pads repeat smaller ones. A rank-1
 * tile also has every power of two below its size as a period. Of rank 3 and 4 there can be
 * millions, and mostly the first few decide: they are made one by one, from a heap with the next
 * pad of the outermost dimension for each choice of the others. */
typedef struct {
  const AccessSet *set;
  int pads;                        /* of one stride; 1: none adds anything to a row */
  int multiple[KGEN_MAX_RANK - 1]; /* each stride is one, of so many elements; the others are left
                                      out */
  int64_t most;                    /* elements that the tile may occupy */
  Arena *arena;                    /* the heap's own */
  Padding *heap;
  int count, capacity;
  Padding next;
  int steps;     /* that one more takes (budget.h) */
  bool complete; /* false: some were left out, since they are too many */
} PaddingWalk;

/* multiple: of each stride; NULL: strides may be anything. */
PaddingWalk strides_walk(const AccessSet *set, bool pads, const int *multiple);
/* The next one; NULL at the end. */
const Padding *strides_next(PaddingWalk *w);
void strides_end(PaddingWalk *w);
/* The one that adds `pad` elements to a row's stride; to every bank period of a rank-1 tile. */
Padding strides_given(const AccessSet *set, int pad);
/* The strides of one padding; no terms. */
KgenLayout strides_layout(const AccessSet *set, const Padding *p);

#endif
