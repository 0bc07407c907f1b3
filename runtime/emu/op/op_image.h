/* SPDX-License-Identifier: MIT */
/* op_image.h: operands that texture and surface instructions share, and queries. */
#ifndef KGEN_EMU_OP_OP_IMAGE_H
#define KGEN_EMU_OP_OP_IMAGE_H

#include "emu/code/decode.h"

enum { IMAGE_RANK = 3 };

/* The references of an operand [image, {coordinates}]: the handle, the layer of a layered image or
 * 0, the coordinates, then zeros. */
enum { IMAGE_HANDLE, IMAGE_LAYER, IMAGE_COORD, IMAGE_REFS = IMAGE_COORD + IMAGE_RANK };

/* Decodes the shape, such as .1d. */
EmuImageShape image_take_shape(Decoder *d);
/* Decodes [image, {coordinates}] into IMAGE_REFS references. */
void image_decode_place(Decoder *d, const Operand *operand, EmuImageShape shape, Ref *refs);
/* Decodes the first `count` values of a vector, or a single register, then zeros up to `room`. */
void image_decode_vector(Decoder *d, const Operand *operand, int count, int room, Ref *refs);

/* txq and suq. */
void decode_image_query(Decoder *d);

#endif
