/* collision.h: which lanes of a group meet in a bank; for certificates and for --explain. */
#ifndef KGEN_MODEL_COLLISION_H
#define KGEN_MODEL_COLLISION_H

#include "model/bank.h"
#include "model/layout.h"

/* One bank of one lane group of one instruction; indices into the AccessSet, as in a Witness. */
typedef struct {
  int access, warp, group, bank;
} Place;

/* The lanes of the group that the bank serves one after another, and the word each takes there;
 * lanes that share a word with an earlier one are left out, except those of an atomic. Of a
 * cp.async, which no bank alone decides: lanes that each add a wavefront to those before them. */
typedef struct {
  int lanes;
  int lane[WARP];
  int64_t word[WARP];
} Collision;

Collision collision_at(const AccessSet *set, const KgenLayout *l, Place at);

/* The fullest bank of the costliest group of the instruction that exceeds its ideal most under that
 * layout (of those at their ideal the costliest), and how many words that bank serves. */
Place collision_worst(const AccessSet *set, const KgenLayout *l, int *wavefronts);

#endif
