/* SPDX-License-Identifier: MIT */
/* op_bulk.h: copies by the async proxy: cp.async.bulk and its tensor forms, st.async, red.async. */
#ifndef KGEN_EMU_OP_OP_BULK_H
#define KGEN_EMU_OP_OP_BULK_H

#include "emu/code/decode.h"

/* cp.async.bulk... and cp.reduce.async.bulk... */
void decode_bulk(Decoder *d);
void decode_store_async(Decoder *d);
void decode_red_async(Decoder *d);

#endif
