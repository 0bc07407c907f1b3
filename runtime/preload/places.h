/* places.h: functions of the program's that ones of ours stand for. Each of ours knows its own by
 * the number of a place, since a function of C keeps nothing. */
#ifndef KGEN_PRELOAD_PLACES_H
#define KGEN_PRELOAD_PLACES_H

/* Of any type, to which it is cast before it is called. */
typedef void PlaceCall(void);
typedef _Atomic(PlaceCall *) Place;

/* The place of `real`, the same one each time; -1 if all of them are taken by others. */
int place_of(Place *place, int count, PlaceCall *real);

#endif
