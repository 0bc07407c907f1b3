/* SPDX-License-Identifier: MIT */
/* value.h: elements of every dtype on the host: random ones, their numbers, their text. */
#ifndef KGEN_JUDGE_VALUE_H
#define KGEN_JUDGE_VALUE_H

#include "spec/spec.h"

/* Fills `count` elements with the sequence for `seed`. any_bits: every bit pattern, including NaN,
 * as suits kernels that only move elements. Otherwise floating-point elements have random signs and
 * mantissas and magnitudes from 1/16 up to 1, so that arithmetic on them stays finite; integers
 * have any value. */
void value_fill(const Dtype *t, bool any_bits, uint64_t seed, void *to, int64_t count);

/* The numbers per element: 2 for a complex one, else 1. */
int value_parts(const Dtype *t);
/* The number in one part of an element; for opaque dtypes its low bytes as an unsigned integer. */
double value_decode(const Dtype *t, const void *element, int part);
/* Stores a number in one part of a floating-point element, rounded to nearest even; above the
 * largest value it becomes infinite or, in e4m3, NaN. */
void value_encode(const Dtype *t, double number, int part, void *element);
/* The relative error of one such rounding: half an ulp of 1. */
double value_roundoff(const Dtype *t);
/* The element as number and bits: -1.5 (0xbfc00000). */
void value_print(Text *out, const Dtype *t, const void *element);

#endif
