/* SPDX-License-Identifier: MIT */
/* places.h: replacement functions for functions of the program. Each replacement identifies its
 * original by a fixed index, because a C function carries no state. */
#ifndef KGEN_PRELOAD_PLACES_H
#define KGEN_PRELOAD_PLACES_H

/* A function of any type; cast before it is called. */
typedef void PlaceCall(void);
typedef _Atomic(PlaceCall *) Place;

/* The index for `real`, always the same one; -1 if all are in use. */
int place_of(Place *place, int count, PlaceCall *real);

#endif
