/* strides.h: part of stage 4. Every way to pad a tile, and what the accesses demand of a row. */
#ifndef KGEN_STRIDES_H
#define KGEN_STRIDES_H

#include "model/layout.h"

/* One way to pad: elements added to the stride of each dimension but the last, and the period of a
 * rank-1 tile. */
typedef struct {
  int32_t elements; /* that the tile then occupies */
  int32_t period;
  int16_t pad[KGEN_MAX_RANK - 1];
} Padding;

typedef struct {
  int count;
  const Padding *padding;
  bool complete; /* false: there are too many, and some are left out */
} PaddingList;

/* Every padding that can matter, the plain layout among them, fewest bytes first: bank costs depend
 * on each stride modulo the bank period only (docs/layout.md, "Bank rules"), so larger pads repeat
 * smaller ones. A rank-1 tile also has every power of two below its size as a period. Without
 * `pads`: only those that add nothing to a row. */
PaddingList strides_list(Arena *a, const AccessSet *set, bool pads);
/* The one that adds `pad` elements to a row's stride; to every bank period of a rank-1 tile. */
Padding strides_given(const AccessSet *set, int pad);
/* The strides of one padding; no terms. */
KgenLayout strides_layout(const AccessSet *set, const Padding *p);

/* Rows of one set of strides. base[row]: element offset of a row's start, for rows up to 1 <<
 * row_bits. unit[row]: pieces of so many elements must stay aligned and contiguous there; a power
 * of two. */
typedef struct {
  int row_bits;
  int32_t *base;
  int32_t *x; /* X(row) of the map under test */
  const int32_t *unit;
  int max_unit;
  int align; /* elements: what `align` asks of every row */
} Rows;

/* The rows of a tile cut by `period` (0 if its rank is above 1); base is not filled yet. */
Rows rows_new(Arena *a, const AccessSet *set, int period);
void rows_place(Rows *r, const KgenLayout *l);
/* False if strides alone show that rows_admissible is, before the rows are placed: most paddings of
 * a tile that is read by vectors. */
bool rows_may_admit(const Rows *r, const KgenLayout *l);
/* True if every row starts where its pieces stay aligned, and the size limit holds. */
bool rows_admissible(const Rows *r, const KgenLayout *l, const AccessSet *set);

#endif
