/* SPDX-License-Identifier: MIT */
#include "emu/run/state/sync_log.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPS = 1 << 16, MAX_LOGS = 64 };

SyncLogs *sync_logs_new(void) {
  SyncLogs *logs = calloc(1, sizeof *logs);
  if (logs) pthread_mutex_init(&logs->lock, NULL);
  return logs;
}

static void log_free(SyncLog *log) {
  if (log) free(log->op);
  free(log);
}

void sync_logs_free(SyncLogs *logs) {
  if (!logs) return;
  for (SyncLog *log = logs->first, *next; log; log = next) {
    next = log->next;
    log_free(log);
  }
  pthread_mutex_destroy(&logs->lock);
  free(logs);
}

void sync_log_drop(Block *block) {
  log_free(block->log);
  block->log = NULL;
}

void sync_log_begin(Block *block) {
  sync_log_drop(block);
  block->log = block->launch->logs ? calloc(1, sizeof *block->log) : NULL;
  if (block->log) block->log->block = block->number;
}

static bool same_op(const SyncOp *a, const SyncOp *b) {
  return a->kind == b->kind && a->pc == b->pc && a->warp == b->warp && a->lanes == b->lanes &&
         a->object == b->object && a->value == b->value;
}

/* True if each warp has the same operations, whatever the order of the warps. */
static bool same_log(const SyncLog *a, const SyncLog *b, int warps) {
  if (a->count != b->count || a->unfit != b->unfit) return false;
  for (int w = 0; w < warps; w++) {
    for (int i = 0, k = 0; i < a->count || k < b->count; i++, k++) {
      while (i < a->count && a->op[i].warp != w) i++;
      while (k < b->count && b->op[k].warp != w) k++;
      if ((i < a->count) != (k < b->count)) return false;
      if (i < a->count && !same_op(&a->op[i], &b->op[k])) return false;
    }
  }
  return true;
}

void sync_log_end(Block *block) {
  SyncLogs *logs = block->launch->logs;
  SyncLog *log = block->log;
  block->log = NULL;
  if (!log) return;
  pthread_mutex_lock(&logs->lock);
  const SyncLog *same = logs->first;
  while (same && !same_log(same, log, block->warps)) same = same->next;
  logs->blocks++;
  const bool keep = !same && logs->count < MAX_LOGS;
  if (keep) {
    log->next = logs->first;
    logs->first = log;
    logs->count++;
  }
  pthread_mutex_unlock(&logs->lock);
  if (!keep) log_free(log);
}

static void refuse(SyncLog *log, int32_t pc, const char *why) {
  if (log->unfit) return;
  log->unfit = why;
  log->unfit_pc = pc;
}

void sync_log_refuse(Warp *w, const Insn *insn, const char *why) {
  if (w->block->log) refuse(w->block->log, (int32_t)(insn - w->code), why);
}

void sync_log_fail(Warp *w, const Insn *insn, unsigned lane) {
  (void)insn;
  if (w->block->log) w->block->log->failed[w->index] |= 1u << lane;
}

void sync_log_add(Warp *w, const Insn *insn, SyncKind kind, uint32_t lanes, uint32_t object,
                  uint32_t value) {
  SyncLog *log = w->block->log;
  if (!log) return;
  const int32_t pc = (int32_t)(insn - w->code);
  const SyncOp op = {kind, pc, w->index, lanes, object, value, w->steps};
  SyncOp *last = log->count ? &log->op[log->count - 1] : NULL;
  const bool together = last && last->pc == pc && last->warp == w->index &&
                        last->step == w->steps && last->object == object;
  if (together && kind == SYNC_ARRIVE && value == 1 && last->kind == SYNC_EXPECT &&
      last->lanes == lanes) {
    last->kind = SYNC_ARRIVE_EXPECT;
    return;
  }
  if (kind == SYNC_WAIT || kind == SYNC_TOKEN)
    log->failed[w->index] &= ~lanes;
  else if (log->failed[w->index] & lanes)
    refuse(log, pc, "a test of an mbarrier that fails does more than wait");
  if (together && last->kind == kind && last->value == value && !(last->lanes & lanes)) {
    last->lanes |= lanes;
    return;
  }
  if (log->count == MAX_OPS) refuse(log, pc, "the block executes more than 65,536 operations");
  if (log->count == log->capacity && log->count < MAX_OPS) {
    const int capacity = log->capacity ? 2 * log->capacity : 64;
    SyncOp *grown = realloc(log->op, (size_t)capacity * sizeof *grown);
    if (grown) log->op = grown;
    if (grown) log->capacity = capacity;
  }
  if (log->count < log->capacity)
    log->op[log->count++] = op;
  else
    refuse(log, pc, "memory does not suffice");
}
