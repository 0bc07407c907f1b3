/* bulk_global.h: the side of a bulk copy that lies in global memory: a range, or a box of a tensor.
 */
#ifndef KGEN_EMU_BULK_GLOBAL_H
#define KGEN_EMU_BULK_GLOBAL_H

#include "emu/run/bulk_copy.h"

/* What a copy touches in global memory. */
typedef struct {
  uint64_t sectors, bytes;
} BulkTraffic;

/* Reads what a flight of a lane of the warp takes from global memory into its data; elements
 * outside of the tensor are 0, or NaN. False with a finding if it leaves a buffer. */
bool bulk_load(Warp *w, const Flight *flight, BulkTraffic *traffic);
/* Writes its data, or reduces them; what lies outside of the tensor is dropped. */
void bulk_store(Warp *w, const Flight *flight);
/* Whether all of it lies in buffers: a finding if not. */
bool bulk_check(Warp *w, const Flight *flight, BulkTraffic *traffic);

#endif
