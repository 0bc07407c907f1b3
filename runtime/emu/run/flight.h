/*
 * flight.h: bulk copies by the async proxy that are under way: into a block's shared memory, until
 * somebody looks at the mbarrier that hears of them; out of it, until the thread that issued them
 * waits for their group. So late, that a forgotten wait is seen as what it is.
 */
#ifndef KGEN_EMU_FLIGHT_H
#define KGEN_EMU_FLIGHT_H

#include "emu/run/bulk_copy.h"
#include "emu/run/mbarrier.h"

/* A lane issues one; the flight owns `data` from here on. False when out of memory. */
bool flight_into(Block *owner, Warp *w, const Flight *flight);
bool flight_out(Warp *w, const Flight *flight);
/* Copies that signal the object land; false if there are none. */
bool flight_land(const MbarrierUse *use);
/* Those of `active` lanes in groups before newest[lane] are performed, or only read. */
void flight_wait(Warp *w, uint32_t active, const uint32_t newest[LANES], bool only_read);
/* The block begins, or has ended: what it still has under way goes out; what still comes in is
 * reported. */
void flight_start(Block *block);
void flight_finish(Block *block);
void flight_free_outbound(Warp *w);
void flight_free_inbound(Block *block);

#endif
