/* cube.h: the face of a cube that a direction hits, and the place on it. */
#ifndef KGEN_EMU_RUN_TEXTURE_CUBE_H
#define KGEN_EMU_RUN_TEXTURE_CUBE_H

#include <stdint.h>

/* The face, in CUDA's order +x, -x, +y, -y, +z, -z, and the place on it, 0 to 1 each way. */
uint32_t cube_face(const float direction[3], float place[2]);

#endif
