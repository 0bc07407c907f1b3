/* SPDX-License-Identifier: MIT */
#include "emu/run/sched/translated.h"

#include <stddef.h>

_Static_assert(offsetof(NativeBuffer, base) == offsetof(Buffer, base) &&
                   offsetof(NativeBuffer, bytes) == offsetof(Buffer, bytes) &&
                   offsetof(NativeBuffer, host) == offsetof(Buffer, host),
               "a NativeBuffer is how a Buffer begins");
_Static_assert(sizeof(NativeStride) == sizeof(Stride) && (int)NATIVE_SITES == (int)RECENT_BUFFERS,
               "strides are the same");

static void execute(void *warp, int32_t pc, uint32_t active) {
  Warp *w = warp;
  const Insn *insn = &w->code[pc];
  w->now->pc = pc;
  insn->fn(w, insn, active);
  w->native.looks |= w->polled;
}

static const NativeBuffer *find(void *warp, uint32_t site, uint64_t address) {
  Block *block = ((Warp *)warp)->block;
  if (memory_space_of(address) != EMU_GLOBAL) return NULL;
  const Buffer *found = memory_find(block->launch->memory, address);
  if (found) block->recent[site % RECENT_BUFFERS] = found;
  return (const void *)found;
}

static int meets(void *warp, int32_t from, int32_t to) {
  const Warp *w = warp;
  for (int i = w->now->record; i != NO_RECORD; i = w->record[i].parent)
    if (w->record[i].pc > from && w->record[i].pc <= to) return 1;
  return 0;
}

void translated_open(Warp *w) {
  Block *block = w->block;
  const Launch *launch = block->launch;
  w->native = (NativeWarp){.special = w->special,
                           .block = block->special,
                           .shared = block->shared,
                           .shared_bytes = block->shared_bytes,
                           .constants = {0, launch->const_bytes, (uint8_t *)launch->const_bank},
                           .params = launch->params,
                           .recent = (const NativeBuffer **)(void *)block->recent,
                           .stride = (NativeStride *)(void *)block->stride,
                           .run = &w->run,
                           .warp = w,
                           .execute = execute,
                           .meets = meets,
                           .find = find};
}

/* Updates the fields that may have changed since the warp ran last. */
static NativeWarp *renew(Warp *w, int slice) {
  NativeWarp *native = &w->native;
  const Split *split = w->now;
  native->frame = w->base[BANK_FRAME];
  native->pred = w->pred;
  native->mask = split->mask;
  native->joins = split->record != NO_RECORD;
  native->local = w->local.bytes;
  native->local_bytes = w->local.capacity;
  native->local_frame = split->frame.local;
  native->local_end =
      split->frame.local + w->block->program->function[split->frame.function].local_end;
  native->left = slice;
  native->lane_steps = 0;
  native->changed = native->polled = 0;
  native->looks = w->polled;
  return native;
}

int translated_run(Warp *w, const NativeRun *runs, int slice, bool *ended) {
  NativeWarp *native = renew(w, slice);
  int32_t pc = w->now->pc;
  do pc = runs[pc](native);
  while (pc >= 0 && runs[pc] && !(native->joins && w->code[pc].join && warp_reconverges_at(w, pc)));
  *ended = pc < 0;
  w->now->pc = pc < 0 ? ~pc : pc;
  const int steps = (int)(slice - native->left);
  w->steps += (uint64_t)steps;
  w->lane_steps += native->lane_steps;
  w->translated[native->mask != ALL_LANES] += (uint64_t)steps;
  w->changed |= native->changed != 0;
  w->polled |= native->polled != 0;
  return steps;
}
