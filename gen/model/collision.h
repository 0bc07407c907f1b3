/* SPDX-License-Identifier: MIT */
/* collision.h: finds the lanes of a group that collide in a bank, for certificates and
 * --explain. */
#ifndef KGEN_MODEL_COLLISION_H
#define KGEN_MODEL_COLLISION_H

#include "model/bank.h"
#include "model/layout.h"

/* One bank of one lane group of one instruction; indices into the AccessSet, as in a Witness. */
typedef struct {
  int access, warp, group, bank;
} Place;

/* The lanes of a group that one bank serves one after another, with the word that each accesses. A
 * lane that shares its word with an earlier lane is left out, except for atomics. A cp.async has no
 * single deciding bank: its lanes here each add a wavefront to those before them. */
typedef struct {
  int lanes;
  int lane[WARP];
  int64_t word[WARP];
} Collision;

Collision collision_at(const AccessSet *set, const KgenLayout *l, Place at);

/* Finds the instruction that exceeds its ideal by the most wavefronts under this layout; ties go to
 * the one whose costliest group is the costliest. Returns the fullest bank of that group, and in
 * *wavefronts the number of words that the bank serves. */
Place collision_worst(const AccessSet *set, const KgenLayout *l, int *wavefronts);

#endif
