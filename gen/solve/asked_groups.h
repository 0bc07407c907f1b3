/* asked_groups.h: part of stage 4. The groups that a search of maps asks. A group that may not cost
 * more than a wavefront is decided by pairs of its lanes, which close images to rows; the others
 * are counted as their lanes get their place. */
#ifndef KGEN_ASKED_GROUPS_H
#define KGEN_ASKED_GROUPS_H

#include "solve/map_rules.h"

typedef struct {
  const Group *group;
  bool by_pairs;
  bool carries;                 /* it takes more than the differences of rows */
  uint32_t bits;                /* of all its rows together */
  uint32_t with[MAPS_ROW_BITS]; /* the lanes whose rows have a bit */
  int32_t start[WARP];          /* of each lane's row */
  uint64_t *images_in;          /* of pairs: [lane][slot][words] what brings it there */
  uint64_t reach[WARP];         /* the slots that some image brings a lane to */
} Asked;

typedef struct {
  int count;
  Asked *ask;
  int64_t most;    /* weighted wavefronts: at most so many */
  uint32_t needed; /* row bits of the lanes that rules do not decide from the start on */
} AskedGroups;

/* What groups cost once some row bits have their images. */
typedef struct {
  int *cost;     /* [asked] of the lanes that are placed, or the floor */
  int64_t total; /* no map that goes on from here costs less */
} Costs;

/* Asks groups->count groups, those first that refused last. */
void asked_enter(const PartialMap *p, AskedGroups *groups);
/* Closes what pairs forbid, and counts, before any row bit has its image. False if no map can be
 * found. */
bool asked_start(const PartialMap *p, AskedGroups *groups, Rules *r, Costs *c);
/* Goes on from those costs with the bit that rules have placed last. False if that costs too much,
 * or two lanes meet that must not. */
bool asked_place(const PartialMap *p, const AskedGroups *groups, Rules *r, const Costs *from,
                 Costs *to);

#endif
