/* strides.h: part of stage 4. Every way to pad a tile, and what the accesses demand of a row. */
#ifndef KGEN_STRIDES_H
#define KGEN_STRIDES_H

#include "model/layout.h"
#include "solve/budget.h"

/* One way to pad: elements added to the stride of each dimension but the last, and the period of a
 * rank-1 tile. */
typedef struct {
  int32_t elements; /* that the tile then occupies */
  int32_t period;
  int16_t pad[KGEN_MAX_RANK - 1];
} Padding;

/* Every padding that can matter, the plain layout first, fewest bytes first: bank costs depend on
 * each stride modulo the bank period only (docs/layout.md, "Bank rules"), so larger pads repeat
 * smaller ones. A rank-1 tile also has every power of two below its size as a period. Without
 * `pads`: only those that add nothing to a row. Listed piece by piece: of rank 3 and 4 there can be
 * millions, and mostly the first few decide. */
typedef struct {
  const AccessSet *set;
  int pads;     /* of one stride */
  int64_t upto; /* elements: those that occupy no more are listed */
  int64_t step; /* by so many elements the last piece went further */
  int64_t most; /* elements that the tile may occupy */
  Budget *budget;
  Arena *arena;  /* the list's own */
  Padding *list; /* this piece of it */
  int count, next;
  bool complete; /* false: some were left out */
} PaddingWalk;

PaddingWalk strides_walk(const AccessSet *set, bool pads, Budget *b);
/* The next one; NULL at the end. */
const Padding *strides_next(PaddingWalk *w);
void strides_end(PaddingWalk *w);
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
  int32_t (*coord)[KGEN_MAX_RANK - 1]; /* of each row, outermost dimension first */
  int32_t stride[KGEN_MAX_RANK - 1];
  bool placed; /* false: only those rows that were needed have their start */
  const int32_t *unit;
  int max_unit;
  int align; /* elements: what `align` asks of every row */
} Rows;

/* The rows of a tile cut by `period` (0 if its rank is above 1); base is not filled yet. */
Rows rows_new(Arena *a, const AccessSet *set, int period);
/* Takes over strides; starts are filled for rows that are needed, or for all at once. */
void rows_enter(Rows *r, const KgenLayout *l);
void rows_need(const Rows *r, const int32_t *row, int count);
void rows_place(Rows *r);

/* Whether rows of these strides keep their pieces, and if not, what they break. */
typedef enum { ROWS_HOLD, ROWS_MISALIGN, ROWS_TEAR } RowsVerdict;
/* Before the rows are placed: what strides alone show, which refuses most paddings of a tile that
 * is read by vectors. */
RowsVerdict rows_judge_strides(const Rows *r, const KgenLayout *l);
RowsVerdict rows_judge(const Rows *r, const KgenLayout *l);

#endif
