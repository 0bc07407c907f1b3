/* SPDX-License-Identifier: MIT */
/*
 * core.h: when two accesses race, and how that is reported. Two accesses of different threads race
 * if one of them writes, neither happens before the other, and they are not both strong with scopes
 * that include both threads. The stores of shared and of global memory (shared.h, global.h)
 * remember accesses, each in its own way, and ask here.
 */
#ifndef KGEN_EMU_RUN_RACE_CORE_H
#define KGEN_EMU_RUN_RACE_CORE_H

#include "emu/run/race/kind.h"
#include "emu/run/race/order.h"
#include "emu/run/state/block.h"

/* One access. */
typedef struct {
  uint32_t block, thread; /* thread: of the block; from its warps' end on: its bulk copies */
  uint32_t tick;          /* of the warp */
  int32_t pc;
  bool reads, strong;
  const char *did; /* "reads", "writes" or "updates" */
} RacePoint;

/* The access of a lane that is compared with earlier ones. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  RacePoint now;
  bool is_global;
  uint64_t at; /* an offset in shared memory, or an address */
} RaceAccess;

/* True if `old` happens before the access. */
bool race_is_before(const RaceAccess *access, const RacePoint *old);
/* True if the two race, unless both write the same value. */
bool race_is_found(const RaceAccess *access, const RacePoint *old);
/* Adds a finding of the race. */
void race_report(const RaceAccess *access, const RacePoint *old);
/* Begins a finding of a race at the access; true if it is new, and needs a text. */
bool race_report_at(const RaceAccess *access, const RacePoint *old);
/* Writes its text: the other side did that, and lacks something. */
void race_describe(const RaceAccess *access, const RacePoint *here, const RacePoint *there,
                   const char *lacks);

#endif
