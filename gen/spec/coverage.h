/* SPDX-License-Identifier: MIT */
/* coverage.h: finds the elements of a tile that its accesses read and write. An element that is
 * read but never written has no value. An element that two threads write, with no read in between,
 * loses a value. Both are errors of the spec, whatever the layout. */
#ifndef KGEN_SPEC_COVERAGE_H
#define KGEN_SPEC_COVERAGE_H

#include "spec/spec.h"

/* Elements with one kind of error. access: the first one in the spec that reads such an element,
 * or writes it again. */
typedef struct {
  int elements;
  int first; /* the lowest row-major index, if there are any */
  int access;
} CoverageError;

typedef struct {
  CoverageError unwritten; /* read by an access, written by none */
  CoverageError rewritten; /* written by two threads, of one access or two, not read in between */
} Coverage;

/* Reports only what the accesses state:
 * - Nothing is unwritten in a tile that no access writes, or only atomics: code that the spec does
 *   not show fills it. Nor where a writing access has `lanes`, one instruction of perhaps many.
 * - TMA and wgmma without `at` move boxes that cover the tile: such a write writes all of it, and
 *   such a read asks for none of it.
 * - An atomic writes its element, may find it unwritten, and does not overwrite it.
 * - Threads write one element twice if they do so in the same iteration of the access's loops; or
 * in different ones, unless an access with the same outermost loop (name and count) reads the
 * element in an iteration from the first write's to the second's. The same thread may write it
 * again.
 * - Threads of two accesses write one element twice if no access listed between the two reads it.
 *   A write by TMA, or in a loop that some read shares, is left out: a read may be in between;
 *   and so is a store into part of what the earlier ones wrote, which updates initial values. */
Coverage coverage_of(const Spec *spec, const TileSpec *tile, const AccessSet *set);

/* One sentence, without its end: "1024 elements are read but no access writes them; ...". NULL if
 * there is no such error. */
const char *coverage_spell_unwritten(Arena *a, const Coverage *c, const AccessSet *set);
const char *coverage_spell_rewritten(Arena *a, const Coverage *c, const AccessSet *set);

#endif
