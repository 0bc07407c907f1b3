/* SPDX-License-Identifier: MIT */
/* bulk_find.h: finds the bulk copy that is in flight at a byte of shared memory, for messages. */
#ifndef KGEN_EMU_RUN_STATE_BULK_FIND_H
#define KGEN_EMU_RUN_STATE_BULK_FIND_H

#include "emu/run/state/bulk_copy.h"

/* True if the copy that the warp issued belongs to a committed group. */
bool flight_is_committed(const Warp *issuer, const Flight *flight);
/* The copy by instruction `copy` that still writes byte `at` of the block's shared memory, or
 * NULL. */
const Flight *flight_inbound(const Block *owner, const Insn *copy, uint64_t at);
/* True if the copy by instruction `copy` that still reads byte `at` is in no committed group. */
bool flight_lacks_commit(const Block *owner, const Insn *copy, uint64_t at);

#endif
