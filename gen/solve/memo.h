/* memo.h: part of stage 4. Spaces of maps that were searched through. Strides of outer dimensions
 * often leave alone all that decides a search. */
#ifndef KGEN_MEMO_H
#define KGEN_MEMO_H

#include "solve/swizzle.h"

enum { MEMO_SPACES = 64, MEMO_GROUPS = 1024 };

typedef struct {
  MapSpace space; /* a copy */
  int64_t least;  /* no map of it costs less */
} Searched;

struct Memo {
  Arena *arena;
  int count;
  Searched searched[MEMO_SPACES];
};

/* Whether an equal space is known to hold no map below `below`. */
bool memo_refuses(const Memo *m, const MapSpace *space, int64_t below);
/* Remembers that. Spaces of many groups and those after the first MEMO_SPACES are left out. */
void memo_add(Memo *m, const MapSpace *space, int64_t least);

#endif
