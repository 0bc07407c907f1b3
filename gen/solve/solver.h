/* solver.h: part of stage 4. One tile under way: its groups at each period, the best layout so far,
 * and how a layout or a set of strides is taken over or refused. */
#ifndef KGEN_SOLVER_H
#define KGEN_SOLVER_H

#include "solve/certificate.h"
#include "solve/map_search.h"
#include "solve/strides.h"

enum { MAX_PERIODS = 20, CLASS_KINDS = 3 };

/* The best layout so far and its price, in the order of importance. */
typedef struct {
  KgenLayout layout;
  int64_t total; /* weighted wavefronts in thousandths */
  int64_t bytes;
  int terms, bits;
  const Group *culprit; /* a group above its floor, NULL if there is none */
} Best;

/* A tile of rank 1 cut into rows of a period; all there is of another tile. */
typedef struct {
  Rows rows;
  Suspects *suspects[CLASS_KINDS];
} Cut;

typedef struct {
  Arena *arena;
  const AccessSet *set;
  bool pads, xors;      /* what the family holds */
  int64_t floor;        /* no layout of the family costs less */
  int64_t least;        /* nor less than this, once it is known that none is at the floor */
  Cut cut[MAX_PERIODS]; /* by period_index */
  Best best;
  int64_t most;   /* costlier layouts are of no interest in the stage under way */
  Budget budget;  /* all that may be spent */
  Budget stage;   /* the part of the stage under way */
  bool exhausted; /* some search stopped at its limit */
  CertificateBuilder certificate;
} Solver;

/* One set of strides that keeps all pieces, its rows placed. */
typedef struct {
  KgenLayout layout;
  Cut *cut;
  int64_t bytes;
  RowsVerdict verdict;
  Suspects *groups; /* as the maps at these strides see them */
  MapSpace space;
} Strides;

Suspects *solver_suspects(Solver *s, int period, ClassKind kind);
const Classes *solver_plain_classes(Solver *s, int period);
/* What no layout of the family falls below; weighted wavefronts in thousandths. */
int64_t solver_floor(Solver *s);
bool solver_is_better(const Best *a, const Best *b);
/* The most that a layout of that price may cost to be better than the best. */
int64_t solver_interest(const Solver *s, int64_t bytes, int terms, int bits);
void solver_refuse(Solver *s, const KgenLayout *l, const Group *g, int64_t total);
/* A layout without a culprit that is not better costs as few wavefronts, only more bytes or a
 * dearer address: that needs no witness. */
void solver_consider(Solver *s, const Best *b);
Best solver_candidate(const Solver *s, const KgenLayout *l);
/* The group that costs most under every layout with these rows; NULL if that is what every layout
 * costs. */
const Group *solver_highest_floor(const Solver *s, const Classes *c);
bool solver_is_spent(Solver *s);
void solver_prove(Solver *s, const Strides *at, ProofKind kind, int64_t total, const MapSearch *r);
/* False if these strides break a rule. */
bool solver_enter_strides(Solver *s, const KgenLayout *l, Strides *at);
/* What the strides of all paddings that are tried are multiples of. Of a tile with more than one
 * stride there can be thousands that misalign pieces: these are not refused one by one. */
void solver_multiples(Solver *s, int multiple[KGEN_MAX_RANK - 1]);
void solver_walk(Solver *s, StridesVisit *visit, void *visitor);
/* The witness of strides that cannot be used. */
void solver_refuse_strides(Solver *s, const Strides *at);
/* Rows of a period that stand side by side are the plain layout, which is tried without a period.
 */
bool solver_repeats_plain(const KgenLayout *l);
/* Places all rows and fills in groups and space. False if there is no map but that of no term. */
bool solver_find_maps(Solver *s, Strides *at);
/* Takes over a map as a layout. */
void solver_consider_map(Solver *s, const Strides *at, const Map *m);

#endif
