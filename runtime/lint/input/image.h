/* SPDX-License-Identifier: MIT */
/*
 * image.h: a texture or a surface on the command line.
 *
 *   tex:TYPE:dims=W[xH[xD]][:KEY=VALUE...]      surf: the same
 *
 *   shape=1d|2d|3d|a1d|a2d|cube|acube|buffer
 *   channels=1|2|4, levels=N, pitch=BYTES, zero, at=BUFFER[+OFFSET]
 *   filter=linear, levels_filter=linear, address=A[/A[/A]] with A wrap, clamp, mirror or border
 *   normalised, fractions, srgb, seamless, border=R[/G/B/A], bias=V, least=V, most=V
 *   handle=N
 *
 * TYPE is u8, i8, u16, i16, u32, i32, f16 or f32. By default dims give the shape by their number;
 * layers, and the faces of cubes, are the last of three: an a1d of W x L is dims=Wx1xL. Without
 * `at` it is a new buffer of random values, or zeros. A saved launch gives the handle itself.
 */
#ifndef KGEN_LINT_INPUT_IMAGE_H
#define KGEN_LINT_INPUT_IMAGE_H

#include "emu/emu.h"
#include "model/tile.h"

typedef struct {
  bool is_surface, zero;
  EmuImage image; /* with address 0 */
  EmuSampler sampler;
  const Dtype *dtype;
  const char *at;  /* NAME[+OFFSET] of a buffer, or NULL */
  uint64_t handle; /* 0: use a new handle */
} LintImage;

/* Parses the text after `tex:` or `surf:`. False, with the error in *why. */
bool lint_image_read(Arena *a, const char *text, bool is_surface, LintImage *out, const char **why);
/* The same text for an image in the memory with the name `at`. */
const char *lint_image_spell(Arena *a, const LintImage *image);

#endif
