/* SPDX-License-Identifier: MIT */
/*
 * search.h: runs the synchronisation operations of a block in all orders, to find one in which
 * threads wait forever.
 */
#ifndef KGEN_EMU_RUN_SEARCH_SEARCH_H
#define KGEN_EMU_RUN_SEARCH_SEARCH_H

#include "emu/run/state/sync_log.h"

typedef enum {
  SEARCH_PROVED, /* no order hangs */
  SEARCH_BOUND,  /* none of the states up to the bound does */
  SEARCH_HANGS,
  SEARCH_OVERFLOW, /* in some order a phase gets more arrivals than it has */
  SEARCH_OUT_OF_MEMORY
} SearchEnd;

enum { SEARCH_BLOCKED = 8, SEARCH_STEPS = 64 };

/* Threads of one or more warps with equal operations, of which `agents` wait here. */
typedef struct {
  const SyncOp *op;
  int agents;
} SearchBlocked;

typedef struct {
  SearchEnd end;
  uint64_t states;
  int agents, operations;
  int blocked; /* if it hangs: where threads wait */
  SearchBlocked at[SEARCH_BLOCKED];
  int steps; /* the last operations before that, in order */
  const SyncOp *step[SEARCH_STEPS];
} SearchResult;

/* lanes: of each warp; most: states. */
SearchResult search_run(const SyncLog *log, int warps, const uint32_t *lanes, uint64_t most);

#endif
