/* SPDX-License-Identifier: MIT */
/* linear.h: linear layouts of an unpadded tile. Its row-major index is its offset, so that the bank
 * of an element is a matrix over F2, whatever the tile's shape: each bit of the index has an image,
 * the bank bits that it changes. Two lanes conflict exactly if the images of the bits that their
 * indices differ in cancel. docs/explanation/layouts-and-banks.md,
 * "Linear layouts". */
#ifndef KGEN_SOLVE_LINEAR_H
#define KGEN_SOLVE_LINEAR_H

#include "solve/map_search.h"

/* The lowest `fixed` bits of the index stay where they are, for vectors and words that stay whole.
 * Bit b in what follows is index bit fixed + b, and bank bit b likewise. */
typedef struct {
  Classes *classes; /* of rows of 1 << fixed elements */
  int fixed;
  int bits;    /* of the index */
  int banks;   /* bank bits */
  int targets; /* the lowest bits that others may be XORed into; at most `banks` */
  bool moves;  /* bits may change places: every extent is a power of two */
} LinearSpace;

/* The bits of the index that stay in place for words and for the pieces of `unit` elements; and
 * those below which every bit belongs to one coordinate alone. */
int linear_fixed_bits(const AccessSet *set, int unit);
int linear_changeable_bits(const Tile *t);
/* The part of the linear layouts that a search can cover. REACH_NOTHING: there is only the unpadded
 * one. REACH_UNKNOWN: more than banks decides what a group costs, banks are no bits of an address,
 * or there are too many bits. */
typedef enum { REACH_NOTHING, REACH_ALL, REACH_UNKNOWN } Reach;
Reach linear_space(const AccessSet *set, Classes *classes, int fixed, LinearSpace *out);

/* Matrices of at most `most` wavefronts; of at most `least` any. moves: whether the lowest bank
 * bits, too, may get any image; else each keeps its own, and others are XORed into them. */
MapSearch linear_search(const LinearSpace *s, bool moves, int64_t least, int64_t most, Budget *b);

/* Weighted wavefronts; counting stops above `most`. *violating_group as by total_count(). */
int64_t linear_count(const LinearSpace *s, const Map *m, int64_t most,
                     const Group **violating_group, Budget *b);

/* The matrix of one XOR of index bits, `shift` above those of the mask, into these, and its layout.
 */
Map linear_of_term(const LinearSpace *s, int shift, int mask);
void linear_of_term_layout(const Tile *t, int shift, int mask, KgenLayout *out);
typedef struct {
  int shift, mask; /* on the offset */
  PricedTerm price;
} IndexTerm;
/* All single XORs of the index, cheapest first; among equals, the row's own bits. */
int linear_terms(Arena *a, const LinearSpace *s, IndexTerm **out);
/* The layout of a matrix: XORs of the index into its lowest bits where these keep their places,
 * else one that moves bits. False if it takes more than KGEN_MAX_TERMS. */
bool linear_layout(const LinearSpace *s, const Map *m, KgenLayout *out);

/* A layout of rows of a period as one of the tile: without pads its terms are of the index. False
 * if there are too many. */
bool linear_of_rows(const Tile *t, KgenLayout *l);

#endif
