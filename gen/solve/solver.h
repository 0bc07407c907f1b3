/* SPDX-License-Identifier: MIT */
/* solver.h: the state of solving one tile: its groups at each period, the best layout so far, and a
 * set of strides that is entered. */
#ifndef KGEN_SOLVE_SOLVER_H
#define KGEN_SOLVE_SOLVER_H

#include "solve/certificate.h"
#include "solve/coordinates.h"
#include "solve/linear.h"
#include "solve/solution.h"
#include "solve/strides.h"

enum { MAX_PERIODS = 32 };

/* A tile of rank 1, cut into rows of a period, or a tile of higher rank, whose rows are given. */
typedef struct {
  Rows rows;
  Classes *classes[2]; /* [linear] */
} RowPartition;

typedef struct {
  KgenLayout layout;
  Price price;
  const Group *violating_group; /* a group above its floor, NULL if there is none */
} Candidate;

typedef struct {
  Arena *keep;  /* for the solution, which outlives the search */
  Arena *arena; /* for data that all strides share */
  Arena *lists; /* for one set of strides; cleared for the next */
  const AccessSet *set;
  bool pads, xors; /* the layout space holds them */
  bool linear;     /* so also linear layouts; xors only if rows or the index take some */
  int fixed;       /* of the index, bits that stay where they are; -1: no bit can be changed */
  Classes *finest; /* of whose floors: */
  int64_t floor;   /* no layout of the family costs less */
  int64_t least;   /* nor less than this, once it is known that none is at the floor */
  RowPartition cut[MAX_PERIODS]; /* by __builtin_ffs(period) */
  CoordinateSpace coordinates;   /* XORs among coordinates of the unpadded tile */
  Reach reach;                   /* the part of it that is searched */
  RowPartition coordinate_cut;
  unsigned coordinate_bits; /* the bits of an image */
  /* What the strides of all paddings that are tried are multiples of. Of a tile with more than one
   * stride there can be thousands that misalign pieces: these are not refused one by one. */
  int multiple[KGEN_MAX_RANK - 1];
  Candidate best;   /* before one is found: what is of max_improving_cost, of INT64_MAX bytes */
  int64_t effort;   /* what may be spent, save where narrower families have taken more of it */
  int64_t separate; /* spent by stages that have a budget of their own */
  Budget budget;    /* what is spent, without a limit */
  Budget stage;     /* the current stage's part of it */
  bool counts;      /* no layout is free: the least total is searched for */
  bool stopped;     /* some search for fewer wavefronts or bytes stopped at its limit */
  CertificateBuilder certificate;
} Solver;

/* One set of strides that keeps all pieces, its rows placed. */
typedef struct {
  KgenLayout layout;
  int64_t bytes;
  Rows *rows;
  MapSpace space;
} Strides;

/* For a family of layouts; keep: for the solution; effort: all that may be spent, in steps
 * (budget.h). Call solver_end() afterwards. */
void solver_begin(Solver *s, Arena *keep, const AccessSet *set, Want family, int64_t effort);
void solver_end(Solver *s);
Classes *solver_classes(Solver *s, int period, bool linear);
bool solver_is_spent(Solver *s);
/* True if some elements are in no vector of the longest unit, which the index keeps everywhere. */
bool solver_is_uneven(Solver *s);
/* Where bits of the index are XORed into others. */
Reach solver_linear(Solver *s, LinearSpace *out);
/* The tile without pads as rows of a period, whose XORs are those of the index. False if it cuts
 * pieces. */
bool solver_enter_rows(Solver *s, int period, Strides *at);
/* Whether pieces hold at these strides; where they do not, nothing more is asked of them. */
RowsVerdict solver_enter_strides(Solver *s, const KgenLayout *l, Strides *at);
StridesWalk solver_walk(const Solver *s);
/* Rows of a period side by side are the plain layout, which is tried without a period; where they
 * fill the tile, their XORs are those of its index. */
bool solver_repeats_plain(const KgenLayout *l);
bool solver_fills_rows(const KgenLayout *l);
/* Fills in the space of the maps at these strides. False if only the map without terms is in it. */
bool solver_find_maps(Solver *s, Strides *at);
/* The unpadded tile as rows whose maps are XORs among coordinates. */
Reach solver_enter_coordinates(Solver *s, Strides *at);
/* A map as a layout of the tile. False if it takes too many terms. */
bool solver_layout(const Solver *s, const Strides *at, const Map *m, KgenLayout *out);
/* Counts a layout of these strides, at most until it is known to cost more than `most`. */
Candidate solver_count(Solver *s, const Strides *at, const KgenLayout *l, int64_t most);
/* All its wavefronts, each once whatever the weight of its access. */
int64_t solver_wavefronts(Solver *s, const Strides *at, const KgenLayout *l);

#endif
