/* SPDX-License-Identifier: MIT */
#include "preload/places.h"

#include <stdatomic.h>
#include <stddef.h>

int place_of(Place *place, int count, PlaceCall *real) {
  for (int i = 0; i < count; i++) {
    PlaceCall *here = NULL;
    if (atomic_compare_exchange_strong(&place[i], &here, real) || here == real) return i;
  }
  return -1;
}
