/* SPDX-License-Identifier: MIT */
/* address.h: a layout's index expression, as it is emitted: which XORs of which coordinates it
 * evaluates, and how many operations that takes. */
#ifndef KGEN_MODEL_ADDRESS_H
#define KGEN_MODEL_ADDRESS_H

#include "model/layout.h"

/* ((source >> shift) & mask) * factor, with the coordinates first to last, flattened, as the
 * source. */
typedef struct {
  int shift, mask, factor;
  int first, last;
  int target; /* the coordinate that it is XORed into; 0 where it is all from layout_first_changed()
                 on */
} AddressTerm;

/* Fills in out[KGEN_MAX_TERMS]; returns their number. */
int address_terms(const KgenLayout *l, AddressTerm *out);
/* True if the changed coordinates are XORed one by one, not as one number. */
bool address_is_separate(const KgenLayout *l);
/* The elements added to every row of a rank-1 tile. */
int address_pad(const KgenLayout *l);
/* The number of operators of the expression. */
int address_operations(const KgenLayout *l);

#endif
