/* SPDX-License-Identifier: MIT */
/* sum.h: sums for the references, in more precision than any kernel's, with an error bound for the
 * kernel's order of additions. */
#ifndef KGEN_JUDGE_REFERENCE_SUM_H
#define KGEN_JUDGE_REFERENCE_SUM_H

#include "judge/problem.h"

/* A running sum. Integers wrap in `bits`. Other numbers are summed in twice the precision of a
 * double: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM
 * 54, 1974. */
typedef struct {
  uint64_t bits;
  double high, low;
  double magnitude; /* the sum of the absolute values */
} Sum;

bool sum_is_integer(const Dtype *t);
/* Adds an element of type t. */
void sum_add(Sum *s, const Dtype *t, const void *element);
/* Writes the sum as an element of type t: an integer if the addends were integers, else rounded
 * once. */
void sum_store(const Sum *s, const Dtype *t, void *element);
/* The error bound of a kernel's sum in type t along a tree with at most `depth` additions between
 * any addend and the result: Higham, Accuracy and Stability of Numerical Algorithms, 4.2. Includes
 * the rounding by sum_store(). 0 for integers. */
double sum_bound(const Sum *s, const Dtype *t, int64_t depth);

/* The prefix sums of `count` elements of type t and their bounds; if exclusive, an element is not
 * part of its own sum. */
void sum_scan(const Dtype *t, const unsigned char *in, int64_t count, bool exclusive, int64_t depth,
              unsigned char *want, double *bound);

#endif
