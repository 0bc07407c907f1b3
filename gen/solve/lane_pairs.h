/* lane_pairs.h: part of stage 4. Groups that may not cost more than a wavefront: pairs of their
 * lanes decide. Two lanes forbid images of the difference of their rows under which they meet
 * whatever the one's image is, from the start on; where rows carry, one forbids images of the
 * other's row once its own has its place. */
#ifndef KGEN_LANE_PAIRS_H
#define KGEN_LANE_PAIRS_H

#include "solve/map_rules.h"

/* A group that is asked, and where images bring its lanes. */
typedef struct {
  const Group *group;
  uint32_t bits;                /* of all its rows together */
  uint32_t with[MAPS_ROW_BITS]; /* the lanes whose rows have a bit */
  int32_t start[WARP];          /* of each lane's row */
  bool by_pairs;                /* decided by them, else counted; what follows is of pairs alone */
  bool carries;                 /* it takes more than the difference of two rows */
  uint32_t moved;               /* lanes that some image moves otherwise than by its own bits */
  int32_t *piece;               /* [lane][image] where that brings it */
  uint64_t *images_in;          /* [lane][slot][words] what brings it there */
  uint64_t reach[WARP];         /* the slots that some image brings a lane to */
} Asked;

/* Lists where images bring the lanes. */
void pairs_enter(const PartialMap *p, Asked *a);
/* Closes the images of differences of rows. False if two lanes meet under every map. */
bool pairs_close(const PartialMap *p, Rules *r, Asked *a);
/* Closes to lanes without a place what those that got theirs last, the fresh ones, leave no room
 * for. Those that had theirs before closed it to these. False if two of the fresh ones meet. */
bool pairs_place(const PartialMap *p, Rules *r, const Asked *a, uint32_t fresh);

#endif
