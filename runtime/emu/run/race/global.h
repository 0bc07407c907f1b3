/* SPDX-License-Identifier: MIT */
/*
 * global.h: finds data races in global memory, within a block and between blocks. Blocks are
 * ordered by fences around strong accesses alone, not by the order in which they happen to run, so
 * that the verdict does not depend on it.
 */
#ifndef KGEN_EMU_RUN_RACE_GLOBAL_H
#define KGEN_EMU_RUN_RACE_GLOBAL_H

#include "emu/run/race/kind.h"
#include "emu/run/race/remote_clock.h"
#include "emu/run/state/block.h"

/* The detector of a launch by `workers` host threads; NULL when out of memory. */
GlobalRace *global_race_new(const Launch *launch, int workers);
void global_race_free(GlobalRace *race);
/* Whether a launch of the program can be watched: whether stamps have room for so many blocks and
 * instructions. */
bool global_race_fits(const Program *program, uint64_t blocks);
RemoteClockPool *global_race_pool(GlobalRace *race);

/* A read by `active` lanes at their addresses, `bytes` each; is_row: each lane's address is `bytes`
 * above that of the lane before. */
void global_race_read(Warp *w, const Insn *insn, uint32_t active, const uint64_t at[LANES],
                      unsigned bytes, bool is_row);
/* Prefetches what is remembered of an address. */
void global_race_fetch(const GlobalRace *race, uint64_t address);
/* One access by the lanes whose addresses are in global memory, `bytes` each. */
void global_race_access(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                        unsigned bytes);
/* A lane's call of the device runtime copies bytes within global memory: it reads and writes them
 * as weak accesses. */
void global_race_copy(Warp *w, const Insn *insn, unsigned lane, uint64_t to, uint64_t from,
                      uint64_t bytes);
/* A write, which this performs, too, in pieces of `piece` bytes: whether it changes memory decides
 * whether it races with another write, and must be seen before another host thread writes. */
void global_race_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                       unsigned piece, const uint8_t *const value[LANES]);
/* A read of constant memory, at its global addresses: its cache is not kept coherent with stores.
 */
void global_race_constant(Warp *w, const Insn *insn, uint32_t active, const uint64_t at[LANES],
                          unsigned bytes);
/* A tensor map of `bytes` at an address, which the async proxy reads for a lane, or which the
 * lane's instruction writes. */
void global_race_map(Warp *w, const Insn *insn, unsigned lane, RaceKind kind, uint64_t at,
                     unsigned bytes);
/* A digest of the last writes to a range, and the pc of one; 0 if the launch has not written it. */
uint64_t global_race_digest(Warp *w, const Insn *insn, uint64_t at, unsigned bytes, int32_t *pc);

#endif
