/* SPDX-License-Identifier: MIT */
/* pads.h: kgen --pads: the minimum padding of a tile's rows with which a warp reads any column
 * without a bank conflict; and an evaluation of well-known pads and rules. */
#ifndef KGEN_PADS_PADS_H
#define KGEN_PADS_PADS_H

#include "base/arena.h"

enum { PADS_ELEMENTS = 6, PADS_WIDTHS = 11, PADS_RULES = 4 };

/* An element of a tile: `fields` values of one dtype; one instruction reads one field. */
typedef struct {
  const char *name, *dtype;
  int bytes; /* size of the whole element */
  int fields;
} PadElement;

extern const PadElement pads_element[PADS_ELEMENTS];
extern const int pads_width[PADS_WIDTHS]; /* elements per row */

/* The cost of reading columns of 32 rows, lane i reading row i: the maximum over all columns and
 * fields. */
typedef struct {
  int ideal;    /* wavefronts of one read without conflicts */
  int unpadded; /* wavefronts without a pad */
  int pad;      /* the minimum pad that reaches the ideal, in elements */
} MinimalPad;

/* A tile [rows][width + pad] as it is often written. Consecutive threads of a block of rows x width
 * store rows and load columns. */
typedef struct {
  const char *text;
  int element; /* index in pads_element */
  int rows, width, pad;
  int store, load, ideal; /* wavefronts of the costliest store, of the costliest load, and of one
                             without conflicts; for an element with fields, of one field */
  bool right;             /* store and load both cost the ideal */
  int right_pad;          /* the minimum pad with which both do, in elements; -1: none */
  const char *swizzle;    /* if there is none, an XOR with which both do, spelled by
                             offset_spell_swizzle(); else NULL */
} KnownPad;

/* The accuracy of a rule that predicts from a row's pitch whether columns are conflict-free, over
 * one bank period of pitches. */
typedef struct {
  int pitches;
  int passed;      /* pitches that the rule accepts although their columns conflict */
  int first, most; /* the smallest and the costliest such pitch, in elements; 0: none */
  int wavefronts;  /* wavefronts of a column read at the costliest one */
  int refused;     /* pitches that the rule rejects although their columns are conflict-free */
  int first_free;  /* the smallest such pitch, in elements; 0: none */
} RuleVerdict;

typedef struct {
  const char *text;
  bool (*holds)(int pitch, const PadElement *e); /* pitch in elements */
  RuleVerdict verdict[PADS_ELEMENTS];
} PadRule;

typedef struct {
  MinimalPad minimal[PADS_ELEMENTS][PADS_WIDTHS];
  int known;
  const KnownPad *known_pad;
  PadRule rule[PADS_RULES];
} Pads;

/* Computes all of it with the solver and the bank model, for 32 banks of 4 bytes. */
const Pads *pads_compute(Arena *a);

#endif
