/* SPDX-License-Identifier: MIT */
/* The device runtime of kernels that launch kernels. */
#include "emu/op/op_child.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/heap.h"
#include "emu/op/op_heap.h"
#include "emu/run/access/memory.h"
#include "emu/run/race/global.h"
#include "emu/run/undef/memory.h"

/* The members of cudaError that these functions return. */
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2 };

static uint64_t argument(const Warp *w, const Insn *insn, int i, unsigned lane) {
  return warp_param(w, insn->call.arg[i])[lane];
}

/* Returns `value` from the call, in one lane. */
static void give(const Warp *w, const Insn *insn, unsigned lane, uint64_t value) {
  for (int i = 0; i < insn->call.results; i++) warp_param(w, insn->call.result[i])[lane] = value;
}

/* Writes to a generic address, of the thread's own variable or of memory. */
static uint64_t put(Warp *w, unsigned lane, uint64_t address, uint64_t value) {
  uint8_t *at = (uint8_t *)(uintptr_t)access_peek(w, lane, address, sizeof value);
  if (!at) return INVALID_VALUE;
  memcpy(at, &value, sizeof value);
  undef_define_at(w, lane, address, sizeof value);
  return SUCCESS;
}

/* --- launching --- */

/* The address of a function is its index plus 1. */
static const Function *kernel_of(const Warp *w, uint64_t address) {
  for (const Function *f = w->block->program->ast->functions; f; f = f->next)
    if ((uint64_t)f->index + 1 == address) return f->is_entry && f->defined ? f : NULL;
  return NULL;
}

static uint64_t param_bytes(const Function *f) {
  const Symbol *last = f->params ? f->param[f->params - 1] : NULL;
  return last ? last->address + last->bytes : 0;
}

/* A dim3, which is passed in two registers of 64 bits. */
static void read_sizes(const Warp *w, const Symbol *symbol, unsigned lane, uint32_t out[3]) {
  const uint64_t *p = warp_param(w, symbol) + lane;
  out[0] = (uint32_t)p[0];
  out[1] = (uint32_t)(p[0] >> 32);
  out[2] = (uint32_t)p[LANES];
}

/* The address of the arguments of a launch to come; 0: none. */
static uint64_t prepare(Warp *w, const Insn *insn, unsigned lane) {
  Launch *launch = w->block->launch;
  Child child = {.kernel = kernel_of(w, argument(w, insn, 0, lane)),
                 .shared = (uint32_t)argument(w, insn, 3, lane)};
  if (!child.kernel) return 0;
  read_sizes(w, insn->call.arg[1], lane, child.grid);
  read_sizes(w, insn->call.arg[2], lane, child.block);
  child.buffer = heap_take(launch->heap, param_bytes(child.kernel) + 1, NULL);
  if (child.buffer && !children_prepare(&launch->children, &child)) {
    atomic_store(&launch->out_of_memory, true);
    return 0;
  }
  return child.buffer;
}

Flow exec_child_buffer(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) give(w, insn, lane, prepare(w, insn, lane));
  return FLOW_NEXT;
}

static uint64_t launch_one(Warp *w, uint64_t buffer) {
  Launch *launch = w->block->launch;
  Child child;
  if (!children_find(&launch->children, buffer, &child)) return INVALID_VALUE;
  const uint64_t bytes = param_bytes(child.kernel);
  uint8_t *params = malloc(bytes + 1);
  if (!params) {
    atomic_store(&launch->out_of_memory, true);
    return OUT_OF_MEMORY;
  }
  emu_copy_out(launch->memory, params, buffer, bytes);
  children_launch(&launch->children, buffer, w->block->number, params);
  heap_give_back(launch->heap, buffer);
  return SUCCESS;
}

Flow exec_child_launch(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) give(w, insn, lane, launch_one(w, argument(w, insn, 0, lane)));
  return FLOW_NEXT;
}

/* --- streams, memory, copies, conditions --- */

Flow exec_child_stream(Warp *w, const Insn *insn, uint32_t active) {
  enum { ANY_STREAM = 1 };
  FOR_LANES(lane, active) give(w, insn, lane, put(w, lane, argument(w, insn, 0, lane), ANY_STREAM));
  return FLOW_NEXT;
}

static uint64_t allocate(Warp *w, const Insn *insn, unsigned lane) {
  const HeapPlace place = heap_place(w, insn);
  const uint64_t address = heap_take(w->block->launch->heap, argument(w, insn, 1, lane), &place);
  return address ? put(w, lane, argument(w, insn, 0, lane), address) : OUT_OF_MEMORY;
}

Flow exec_child_malloc(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) give(w, insn, lane, allocate(w, insn, lane));
  return FLOW_NEXT;
}

Flow exec_child_free(Warp *w, const Insn *insn, uint32_t active) {
  exec_free(w, insn, active);
  return exec_child_nothing(w, insn, active);
}

static uint64_t copy(Warp *w, const Insn *insn, unsigned lane) {
  EmuMemory *memory = w->block->launch->memory;
  const uint64_t bytes = argument(w, insn, 2, lane);
  const uint64_t at = argument(w, insn, 0, lane), source = argument(w, insn, 1, lane);
  void *to = emu_view(memory, at, bytes);
  const void *from = emu_view(memory, source, bytes);
  if (!bytes) return SUCCESS;
  if (!to || !from) return INVALID_VALUE;
  global_race_copy(w, insn, lane, at, source, bytes);
  memmove(to, from, bytes);
  return SUCCESS;
}

Flow exec_child_copy(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) give(w, insn, lane, copy(w, insn, lane));
  return FLOW_NEXT;
}

Flow exec_child_condition(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) {
    const uint32_t value = (uint32_t)argument(w, insn, 1, lane);
    emu_copy_in(w->block->launch->memory, argument(w, insn, 0, lane), &value, sizeof value);
  }
  return FLOW_NEXT;
}

Flow exec_child_nothing(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) give(w, insn, lane, SUCCESS);
  return FLOW_NEXT;
}
