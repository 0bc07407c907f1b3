/* SPDX-License-Identifier: MIT */
/* cube.h: selects the face of a cube map that a direction hits, and the coordinates on it. */
#ifndef KGEN_EMU_RUN_TEXTURE_CUBE_H
#define KGEN_EMU_RUN_TEXTURE_CUBE_H

#include <stdint.h>

/* Returns the face, in CUDA's order +x, -x, +y, -y, +z, -z; place: coordinates on it, 0 to 1. */
uint32_t cube_face(const float direction[3], float place[2]);

#endif
