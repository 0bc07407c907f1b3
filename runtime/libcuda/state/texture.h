/* texture.h: what the program's texture and surface objects are made of. */
#ifndef KGEN_LIBCUDA_STATE_TEXTURE_H
#define KGEN_LIBCUDA_STATE_TEXTURE_H

#include "lint/input/image.h"

/* The image, with its address, and the sampler behind a handle; false if it is none. */
bool texture_describe(uint64_t handle, LintImage *out);

#endif
