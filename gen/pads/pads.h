/* pads.h: kgen --pads. How far the rows of a tile must be padded so that a warp reads any of its
 * columns without a bank conflict; and well-known pads and rules, judged. */
#ifndef KGEN_PADS_PADS_H
#define KGEN_PADS_PADS_H

#include "base/arena.h"

enum { PADS_ELEMENTS = 6, PADS_WIDTHS = 11, PADS_RULES = 4 };

/* An element of a tile: `fields` values of one dtype, each read by an instruction of its own. */
typedef struct {
  const char *name, *dtype;
  int bytes; /* of the whole element */
  int fields;
} PadElement;

extern const PadElement pads_element[PADS_ELEMENTS];
extern const int pads_width[PADS_WIDTHS]; /* elements of a row */

/* 32 rows; lane i reads row i; the worst over all columns and fields. */
typedef struct {
  int ideal;    /* wavefronts of one such read without any conflict */
  int unpadded; /* with no pad */
  int pad;      /* the least pad that reaches the ideal, in elements */
} MinimalPad;

/* A tile [rows][width + pad] as it is often written: rows stored by consecutive threads and columns
 * read by consecutive threads of a block of rows x width. */
typedef struct {
  const char *text;
  int element; /* of pads_element */
  int rows, width, pad;
  int store, load, ideal; /* wavefronts of the worst store, the worst load and one without conflict;
                             of an element with fields, of one field */
  bool right;             /* both cost the ideal */
  int right_pad;          /* elements, the fewest for which that holds; -1: there are none */
  const char *swizzle;    /* then an XOR for which it does, as in offset_spell_swizzle; else NULL */
} KnownPad;

/* How well a rule that predicts from a row's pitch whether columns are conflict-free does, over one
 * bank period of pitches. */
typedef struct {
  int pitches;
  int passed;      /* pitches that the rule accepts although columns conflict */
  int first, most; /* of those the smallest pitch and the costliest, in elements; 0: none */
  int wavefronts;  /* of a column read at the costliest */
  int refused;     /* pitches that the rule refuses although columns are conflict-free */
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

/* Everything, by the solver and the bank model on 32 banks of 4 bytes. */
const Pads *pads_compute(Arena *a);

#endif
