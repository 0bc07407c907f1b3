/* SPDX-License-Identifier: MIT */
/* op_video.h: the video instructions, vadd to vset4. */
#ifndef KGEN_EMU_OP_OP_VIDEO_H
#define KGEN_EMU_OP_OP_VIDEO_H

#include "emu/code/decode.h"

void decode_video(Decoder *d);

#endif
