/* bulk_find.h: which bulk copy is in flight at a byte, and what it waits for, for messages. */
#ifndef KGEN_EMU_RUN_STATE_BULK_FIND_H
#define KGEN_EMU_RUN_STATE_BULK_FIND_H

#include "emu/run/state/bulk_copy.h"

/* Whether the copy that a warp issued belongs to a group that has been committed. */
bool flight_is_committed(const Warp *issuer, const Flight *flight);
/* The copy by that instruction that still writes the byte of a block's shared memory, or NULL. */
const Flight *flight_inbound(const Block *owner, const Insn *copy, uint64_t at);
/* Whether the copy by that instruction that still reads the byte belongs to no committed group. */
bool flight_lacks_commit(const Block *owner, const Insn *copy, uint64_t at);

#endif
