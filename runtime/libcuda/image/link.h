/* SPDX-License-Identifier: MIT */
/* link.h: links PTX units, which nvcc -rdc=true and cuLinkCreate leave to the driver. */
#ifndef KGEN_LIBCUDA_IMAGE_LINK_H
#define KGEN_LIBCUDA_IMAGE_LINK_H

#include "base/arena.h"
#include "libcuda/image/cubin.h"

/* Links the units. Names that begin with $ and file indices are local to a unit. The first of
 * several weak definitions is kept, and definitions replace declarations. */
PtxUnit link_units(Arena *a, const PtxUnit *unit, int count);

#endif
