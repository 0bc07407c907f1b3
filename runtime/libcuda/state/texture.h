/* SPDX-License-Identifier: MIT */
/* texture.h: describes the program's texture and surface objects. */
#ifndef KGEN_LIBCUDA_STATE_TEXTURE_H
#define KGEN_LIBCUDA_STATE_TEXTURE_H

#include "lint/input/image.h"

/* Gets the image, with its address, and the sampler of a handle; false if it is invalid. */
bool texture_describe(uint64_t handle, LintImage *out);

#endif
