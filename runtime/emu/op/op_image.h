/* op_image.h: operands that texture and surface instructions have alike, and queries. */
#ifndef KGEN_EMU_OP_IMAGE_H
#define KGEN_EMU_OP_IMAGE_H

#include "emu/code/decode.h"
#include "emu/memory/image.h"

enum { IMAGE_RANK = 3 };

/* Of an operand [image, {coordinates}]: a handle, the layer of a layered image, else 0, and as many
 * coordinates as there are, then zeros. */
enum { IMAGE_HANDLE, IMAGE_LAYER, IMAGE_COORD, IMAGE_REFS = IMAGE_COORD + IMAGE_RANK };

/* .1d and its like; fails where the modifier is missing or not among the first `shapes`. */
EmuImageShape image_take_shape(Decoder *d, int shapes);
/* Decodes [image, {coordinates}] into IMAGE_REFS references. */
void image_decode_place(Decoder *d, const Operand *operand, EmuImageShape shape, Ref *refs);
/* As many values of a vector, or of a single register, as `count`, then zeros up to `room`; more
 * are passed over. */
void image_decode_vector(Decoder *d, const Operand *operand, int count, int room, Ref *refs);

/* txq and suq. */
void decode_image_query(Decoder *d);

#endif
