/* SPDX-License-Identifier: MIT */
/* partial_map.h: a map that is built row bit by row bit. The image of a row is what the map XORs
 * into its column, a value of the column bits that banks see; a set of images has a bit for each.
 * While the map is built, images are closed to rows, since two lanes would meet, and the cost of
 * the lane groups that are asked is counted. */
#ifndef KGEN_SOLVE_PARTIAL_MAP_H
#define KGEN_SOLVE_PARTIAL_MAP_H

#include "solve/maps.h"

/* A group that is asked. If it may not cost more than a wavefront, pairs of its lanes decide, which
 * close images to rows; else it is counted as its lanes get their place. */
typedef struct {
  const Group *group;
  bool by_pairs;
  bool carries;                 /* differences of images do not decide all its pairs */
  uint32_t bits;                /* row bits of all its lanes, ORed */
  uint32_t with[MAPS_ROW_BITS]; /* the lanes whose rows have a bit */
  int32_t start[WARP];          /* where each lane's row starts */
  uint64_t *images_in;          /* by_pairs: [lane][slot] the images that bring it there */
  uint64_t reach[WARP];         /* the slots that some image brings a lane to */
} GroupConstraint;

typedef struct {
  const MapSpace *space;
  Arena *arena;
  Budget *budget;
  int images, words, low; /* words of a set; image v XORs v << low into columns */
  int32_t *index;         /* [rows] where a rule may be found */
  uint64_t *set;          /* scratch: the set that is being collected */
  int constraints;        /* so many groups, those first that refused last */
  GroupConstraint *constraint;
  int64_t most;    /* weighted wavefronts: at most so many */
  uint32_t needed; /* row bits of the lanes that rules do not decide from the start on */
  Map map;         /* of the row bits that have their images, 0 elsewhere */
} PartialMap;

/* What is known once some row bits have their images. */
typedef struct {
  int rules;          /* X(of) is none of the images that are closed */
  uint32_t *of;       /* [rule] bits without an image */
  uint64_t *closed;   /* [rule][words] */
  uint32_t open;      /* row bits without an image */
  uint32_t last;      /* the one that got its image last; 0: none did */
  int *cost;          /* [asked] of the lanes that are placed, or the floor */
  int64_t total;      /* no map that goes on from here costs less */
  uint64_t diagonals; /* those that hold a bit of the map: its terms */
  int bits;           /* mask bits of the map */
} SearchNode;

/* --- sets of images --- */

enum { SET_WORD = 64 };

static inline bool images_have(const uint64_t *set, unsigned v) {
  return set[v / SET_WORD] >> v % SET_WORD & 1;
}
int images_count(const PartialMap *p, const uint64_t *set);

/* --- the map --- */

/* What is known before any row bit has its image, once the space, the arena, the budget, `asked`
 * and `most` are set. False if that excludes every map. */
bool partial_start(PartialMap *p, SearchNode *d);
/* Gives a row bit the image v. False if a rule forbids that, two lanes meet that must not, or it
 * costs too much. */
bool partial_place(PartialMap *p, const SearchNode *from, SearchNode *to, int bit, unsigned v);
/* Whether an image is closed to rows. */
bool partial_excludes(const PartialMap *p, const SearchNode *d, uint32_t rows, unsigned v);

#endif
