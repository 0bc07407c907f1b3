/* SPDX-License-Identifier: MIT */
/* location.h: the locations at which a cluster's threads release. For order.c. */
#ifndef KGEN_EMU_RUN_RACE_LOCATION_H
#define KGEN_EMU_RUN_RACE_LOCATION_H

#include "emu/run/race/view.h"

/* NULL: nothing was released there. */
Location *location_find(Order *o, uint64_t key);
/* The location of a key, new if nothing was released there; NULL when out of memory. */
Location *location_at(Order *o, uint64_t key);
void location_free_all(Order *o);

#endif
