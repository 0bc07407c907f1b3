/* SPDX-License-Identifier: MIT */
#include "emu/run/texture/cube.h"

#include <math.h>

/* The axes, and their signs, that become s and t on each face [CUDA programming guide,
 * cubemaps]. */
typedef struct {
  uint8_t s, t;
  int8_t s_sign, t_sign;
} Face;

enum { X, Y, Z };

static const Face faces[6] = {{Z, Y, -1, -1}, {Z, Y, 1, -1}, {X, Z, 1, 1},
                              {X, Z, 1, -1},  {X, Y, 1, -1}, {X, Y, -1, -1}};

/* The axis of the largest component; the last one if several are equal. */
static int longest(const float c[3]) {
  const float x = fabsf(c[X]), y = fabsf(c[Y]), z = fabsf(c[Z]);
  if (z >= x && z >= y) return Z;
  return y >= x ? Y : X;
}

uint32_t cube_face(const float c[3], float place[2]) {
  const int axis = longest(c);
  const uint32_t face = 2 * (uint32_t)axis + (signbit(c[axis]) ? 1 : 0);
  const Face *f = &faces[face];
  const float m = fabsf(c[axis]);
  place[0] = ((float)f->s_sign * c[f->s] / m + 1) / 2;
  place[1] = ((float)f->t_sign * c[f->t] / m + 1) / 2;
  return face;
}
