/* asked_groups.h: part of stage 4. The groups that a search of maps asks, and what those of their
 * lanes cost that have their place: pairs of lanes decide a group that may not cost more than a
 * wavefront, the others are counted. */
#ifndef KGEN_ASKED_GROUPS_H
#define KGEN_ASKED_GROUPS_H

#include "solve/lane_pairs.h"

typedef struct {
  int count;
  Asked *ask;
  int64_t most;    /* weighted wavefronts: at most so many */
  uint32_t needed; /* row bits of the lanes that rules do not decide */
} AskedGroups;

/* Lanes of a group in each slot. */
typedef struct {
  uint8_t lanes[MOST_SLOTS];
} SlotCounts;

/* What groups cost once some row bits have their images. */
typedef struct {
  int *cost;         /* [asked] of the lanes that are placed, or the floor */
  SlotCounts *count; /* [asked] of them in each slot */
  int64_t total;     /* no map that goes on from here costs less */
} Costs;

/* Asks groups->count groups, those first that refused last. */
void asked_enter(const PartialMap *p, AskedGroups *groups);
void asked_reserve(const PartialMap *p, const AskedGroups *groups, Costs *c);
/* Closes what pairs forbid, and counts, before any row bit has its image. False if no map can be
 * found. */
bool asked_start(const PartialMap *p, AskedGroups *groups, Rules *r, Costs *c);
/* Goes on from those costs with the bit that rules have placed last. False if that costs too much,
 * or two lanes meet that must not. */
bool asked_place(const PartialMap *p, const AskedGroups *groups, Rules *r, const Costs *from,
                 Costs *to);

#endif
