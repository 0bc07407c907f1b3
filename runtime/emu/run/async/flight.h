/* SPDX-License-Identifier: MIT */
/*
 * flight.h: bulk copies by the async proxy in flight. Copies into a block's shared memory land
 * when a thread tests the mbarrier that they signal; copies out of it when the issuing thread
 * waits for their group. They land that late so that a missing wait shows.
 */
#ifndef KGEN_EMU_RUN_ASYNC_FLIGHT_H
#define KGEN_EMU_RUN_ASYNC_FLIGHT_H

#include "emu/run/async/mbarrier.h"
#include "emu/run/race/kind.h"
#include "emu/run/state/bulk_copy.h"

/* A lane issues a copy; the flight owns `data` from here on. `owner` has its mbarrier. False when
 * out of memory. */
bool flight_into(Block *owner, Warp *w, const Flight *flight);
bool flight_out(Warp *w, const Flight *flight);
/* Lands the copies that signal the mbarrier; false if there are none. */
bool flight_land(const MbarrierUse *use);
/* Performs the copies of `active` lanes in groups before newest[lane], or reads their sources.
 * Where races of global memory are not looked for, both are one: on a GPU copies land soon after
 * they have been read. */
void flight_wait(Warp *w, uint32_t active, const uint32_t newest[LANES], bool only_read);
/* Lanes are about to touch global memory. What a copy out of the block's shared memory may still
 * write there is a finding, and lands first, as on a GPU it mostly has. */
void flight_meet(Warp *w, const Insn *insn, RaceKind kind, uint32_t lanes,
                 const uint64_t address[LANES], unsigned bytes);
/* Lanes are about to write global memory: reports a tensor map that a copy into shared memory still
 * uses. */
void flight_check_maps(Warp *w, const Insn *insn, uint32_t lanes, const uint64_t address[LANES],
                       unsigned bytes);
/* The same of a copy that is about to be issued: whatever order two copies are issued in, the first
 * one may come last. */
void flight_meet_copy(Warp *w, const Flight *copy);
/* The block begins, or has ended: its copies out are then performed, those into it reported. */
void flight_start(Block *block);
void flight_finish(Block *block);
void flight_free_outbound(Warp *w);
void flight_free_inbound(Block *block);

#endif
