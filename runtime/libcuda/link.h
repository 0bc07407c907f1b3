/*
 * link.h: several units of PTX made one, as nvcc's -rdc=true leaves them to the driver, and
 * cuLinkCreate.
 */
#ifndef KGEN_LIBCUDA_LINK_H
#define KGEN_LIBCUDA_LINK_H

#include "libcuda/fatbin.h"

/* Names that begin with $ are each unit's own, and so are the numbers of its files. Of what is weak
 * in several units the first stays, and of what is declared in one and defined in another the
 * definition. */
PtxUnit link_units(Arena *a, const PtxUnit *unit, int count);

#endif
