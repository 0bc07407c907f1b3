/* SPDX-License-Identifier: MIT */
/*
 * sync_log.h: the synchronisation operations of blocks, in the order of the run: barriers,
 * mbarriers, bar.warp.sync, and copies that signal mbarriers. The search for hangs repeats them in
 * all orders.
 */
#ifndef KGEN_EMU_RUN_STATE_SYNC_LOG_H
#define KGEN_EMU_RUN_STATE_SYNC_LOG_H

#include <pthread.h>

#include "emu/run/state/block.h"

typedef enum {
  SYNC_BARRIER,        /* bar.sync: object: number; value: thread count, 0: all threads */
  SYNC_BARRIER_ARRIVE, /* bar.arrive */
  SYNC_MEET,           /* bar.warp.sync: object: warp; value: member mask */
  SYNC_INIT,           /* mbarriers: object: offset in shared memory; value: count or bytes */
  SYNC_ARRIVE,
  SYNC_EXPECT,
  SYNC_ARRIVE_EXPECT,
  SYNC_COPY,  /* a copy is issued that will signal its bytes */
  SYNC_WAIT,  /* a test found a phase complete; value: its parity */
  SYNC_TOKEN, /* likewise, for the phase of the lane's latest arrival */
  SYNC_KINDS
} SyncKind;

typedef struct {
  SyncKind kind;
  int32_t pc;
  int warp;
  uint32_t lanes, object, value;
  uint64_t step; /* Warp.steps */
} SyncOp;

/* The operations of one block. */
typedef struct SyncLog SyncLog;
struct SyncLog {
  SyncLog *next;
  uint64_t block;
  int count, capacity;
  SyncOp *op;
  uint32_t failed[MAX_WARPS]; /* lanes whose latest test failed */
  const char *unfit;          /* why it cannot be searched; or NULL */
  int32_t unfit_pc;
};

/* The logs of a launch: one of each set of blocks with equal operations. */
struct SyncLogs {
  pthread_mutex_t lock;
  SyncLog *first;
  int count;
  uint64_t blocks;
};

SyncLogs *sync_logs_new(void);
void sync_logs_free(SyncLogs *logs);
/* A block begins, and ends; its log is kept unless an equal one is there. */
void sync_log_begin(Block *block);
void sync_log_end(Block *block);
/* Frees the log of a block that did not end. */
void sync_log_drop(Block *block);

void sync_log_add(Warp *w, const Insn *insn, SyncKind kind, uint32_t lanes, uint32_t object,
                  uint32_t value);
/* A lane's test failed: it must wait, or else the block is not searched. */
void sync_log_fail(Warp *w, const Insn *insn, unsigned lane);
/* The block does something that the search does not know. */
void sync_log_refuse(Warp *w, const Insn *insn, const char *why);

#endif
