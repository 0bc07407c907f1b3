/* tensor.h: tensor maps as the emulator keeps them in the 128 bytes of a CUtensorMap. */
#ifndef KGEN_EMU_TENSOR_H
#define KGEN_EMU_TENSOR_H

#include "emu/emu.h"

/* False if the bytes are none that emu_tensor_map_encode has written: the driver's, say. */
bool tensor_map_decode(const void *bytes, TensorMap *out);

#endif
