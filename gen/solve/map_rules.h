/* map_rules.h: part of stage 4. A map that is built row bit by row bit, and the images that are
 * closed to rows on the way. Images are values of the column bits that banks see; a set of images
 * has a bit for each. */
#ifndef KGEN_MAP_RULES_H
#define KGEN_MAP_RULES_H

#include "solve/maps.h"

typedef struct {
  const MapSpace *space;
  Arena *arena;
  Budget *budget;
  int images, words, low; /* words of a set; image v XORs v << low into columns */
  int32_t *index;         /* [rows] where a rule may be found */
  uint64_t *set, *met;    /* scratch: the sets that are being collected */
  Map map;                /* of the row bits that have their images, 0 elsewhere */
} PartialMap;

/* What is closed once some row bits have their images. */
typedef struct {
  int count;        /* X(of) is none of the images that are closed */
  uint32_t *of;     /* [rule] bits without an image */
  uint64_t *closed; /* [rule][words] */
  uint32_t open;    /* row bits without an image */
  uint32_t last;    /* the one that got its image last; 0: none did */
} Rules;

void rules_enter_space(PartialMap *p, const MapSpace *space, Arena *a, Budget *b);
/* What the bits of a row that have their images contribute to its own. */
static inline unsigned rules_image(const PartialMap *p, int32_t row) {
  return (unsigned)maps_image(&p->map, row) >> p->low;
}

/* --- sets of images --- */

enum { SET_WORD = 64 };

static inline bool images_have(const uint64_t *set, unsigned v) {
  return set[v / SET_WORD] >> v % SET_WORD & 1;
}
static inline void images_add(uint64_t *set, unsigned v) {
  set[v / SET_WORD] |= UINT64_C(1) << v % SET_WORD;
}
uint64_t *images_clear(const PartialMap *p, uint64_t *set);
int images_count(const PartialMap *p, const uint64_t *set);
/* A word of a set with each image XORed by v: bit i becomes bit i ^ v. */
uint64_t images_xor(uint64_t word, unsigned v);

/* --- rules --- */

/* The images closed to rows; NULL: none is. */
uint64_t *rules_find(const PartialMap *p, const Rules *r, uint32_t rows);
/* Rows have none of the images, each XORed by v. False if the rows are none, whose image is 0. */
bool rules_close(const PartialMap *p, Rules *r, uint32_t rows, const uint64_t *images, unsigned v);
/* Room for a rule a row: there are no more. */
void rules_reserve(const PartialMap *p, Rules *r);
/* No row bit has its image, and what would split pieces is closed. */
void rules_start(const PartialMap *p, Rules *r);
/* Gives a row bit the image v. False if a rule forbids that. */
bool rules_place(PartialMap *p, const Rules *from, Rules *to, int bit, unsigned v);

#endif
