/* SPDX-License-Identifier: MIT */
#include "emu/run/access/fast.h"

#include "emu/memory/heap.h"
#include "emu/run/race/global.h"

/* The buffer that contains an address. It is usually the one that this instruction found last. */
static const Buffer *buffer_of(Block *block, const MemoryOp *op, uint64_t address) {
  const Buffer **recent = &block->recent[(unsigned)op->site % RECENT_BUFFERS];
  if (!*recent || address - (*recent)->base >= (*recent)->bytes)
    *recent = memory_find(block->launch->memory, address);
  return *recent;
}

/* Sets the start and the size of a block-private space; false for other spaces and for writes to
 * read-only ones. */
static bool open_space(const Warp *w, EmuSpace space, bool writes, Gather *g) {
  const Launch *launch = w->block->launch;
  const Program *program = w->block->program;
  switch (space) {
  case EMU_SHARED:
    g->host = w->block->shared;
    g->extent = w->block->shared_bytes;
    return true;
  case EMU_LOCAL:
    g->host = w->local.bytes;
    g->extent = w->now->frame.local + program->function[w->now->frame.function].local_end;
    return true;
  case EMU_CONST:
    g->host = (uint8_t *)launch->const_bank;
    g->extent = launch->const_bytes;
    return !writes;
  case EMU_PARAM:
    g->host = (uint8_t *)launch->params;
    g->extent = program->param_bytes;
    return !writes;
  default: return false;
  }
}

/* Prefetches for loops that step from page to page by a constant distance, as grid-stride loops do.
 * CPU prefetchers do not recognize that pattern. */
static void fetch_ahead(Block *block, const MemoryOp *op, const Buffer *buffer, uint64_t address) {
  enum { LINE = 64, NEXT = 2048 };
  Stride *last = &block->stride[(unsigned)op->site % RECENT_BUFFERS];
  const uint64_t step = address - last->address, ahead = address + step - buffer->base;
  const bool goes_on = step == last->step && step + NEXT > 2 * NEXT && ahead < buffer->bytes;
  *last = (Stride){address, step};
  if (!goes_on) return;
  __builtin_prefetch(buffer->host + ahead);
  __builtin_prefetch(buffer->host + ahead + LINE);
  if (block->launch->global_race)
    global_race_fetch(block->launch->global_race, buffer->base + ahead);
}

static bool open_global(Warp *w, const MemoryOp *op, uint64_t address, Gather *g) {
  const Buffer *buffer = buffer_of(w->block, op, address);
  if (!buffer) return false;
  fetch_ahead(w->block, op, buffer, address);
  g->host = buffer->host;
  g->base = buffer->base;
  g->extent = buffer->bytes;
  return true;
}

/* Adds each lane's own offset in local memory. */
static void part_lanes(const Warp *w, Gather *g) {
  for (unsigned lane = 0; lane < LANES; lane++) g->at[lane] += local_index(&w->local, lane, 0);
  g->uniform = g->row = false;
}

/* --- leaders --- */

/* Reuses the leader's addresses, shifted by this access's distance. NULL if the leader did not
 * resolve them in this run with the same lanes, or if the shifted addresses are out of bounds or
 * misaligned. */
static const Gather *follow(Warp *w, const Insn *insn, unsigned bytes, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  ResolvedLanes *p = &w->placed[op->place];
  Gather *g = &p->gather;
  if (!op->follows || p->leader != insn - op->follows || p->run != w->run || p->active != active)
    return NULL;
  const uint64_t shift = (uint64_t)(op->offset - p->leader->memory.offset);
  const uint64_t last = g->extent - bytes;
  if (g->least + shift > last || g->most + shift > last || ((g->low | shift) & (bytes - 1)))
    return NULL;
  g->shift = shift;
  return g;
}

static Gather *room_for(Warp *w, const MemoryOp *op, Gather *own) {
  return op->leads ? &w->placed[op->place].gather : own;
}

/* Remembers the resolved addresses for the accesses that follow this leader. */
static void lead(Warp *w, const Insn *insn, uint32_t active) {
  if (!insn->memory.leads) return;
  ResolvedLanes *p = &w->placed[insn->memory.place];
  p->leader = insn;
  p->run = w->run;
  p->active = active;
  p->costed = false;
  w->block->launch->gather->spread(&p->gather);
}

/* --- accesses --- */

/* Resolves all lanes within the memory that the first lane addresses, and sets *space to its space.
 * False if that fails for some lane. */
static bool place_all(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, bool writes,
                      EmuSpace *space, Gather *g) {
  const MemoryOp *op = &insn->memory;
  const uint64_t *base = warp_reg(w, op->base);
  const uint64_t frame = op->is_frame ? w->now->frame.local : 0;
  const uint64_t mask = op->narrow ? UINT32_MAX : UINT64_MAX;
  const uint64_t first = (base[lane_first(active)] + (uint64_t)op->offset + frame) & mask;
  const bool generic = op->space == SPACE_GENERIC;
  *space = generic ? memory_space_of(first) : (EmuSpace)op->space;
  const uint64_t window = generic && *space != EMU_GLOBAL ? WINDOW_BASE(*space) : 0;
  g->base = 0;
  const bool open =
      *space == EMU_GLOBAL ? open_global(w, op, first, g) : open_space(w, *space, writes, g);
  return open && w->block->launch->gather->place(g, base, (uint64_t)op->offset + frame - window,
                                                 mask, bytes, active);
}

const Gather *fast_resolve(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, bool writes,
                           Gather *own) {
  const MemoryOp *op = &insn->memory;
  EmuSpace space;
  /* A poll of memory that another host thread may write must not be read in advance. Shared memory
   * is written only by the host thread of its block. */
  if (!w->block->unchecked || (op->polls && op->space != EMU_SHARED)) return NULL;
  const Gather *as_before = follow(w, insn, bytes, active);
  if (as_before) return as_before;
  Gather *g = room_for(w, op, own);
  if (op->leads) w->placed[op->place].leader = NULL;
  if (!place_all(w, insn, bytes, active, writes, &space, g)) return NULL;
  if (space == EMU_LOCAL) part_lanes(w, g);
  /* other spaces are read-only and need no leader */
  else if (space == EMU_SHARED || space == EMU_GLOBAL)
    lead(w, insn, active);
  g->own = space == EMU_SHARED || space == EMU_LOCAL;
  return g;
}

/* Narrows the bounds to the array that the address was derived from. */
static void narrow_to(const ArrayBounds *array, Gather *g) {
  if (!array || array->space != EMU_SHARED) return;
  g->host += array->address;
  g->base = array->address;
  g->extent = array->bytes;
}

const Gather *fast_resolve_checked(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                                   Gather *own) {
  const MemoryOp *op = &insn->memory;
  if (op->polls || w->undefined) return NULL;
  const Gather *as_before = follow(w, insn, bytes, active);
  if (as_before) return as_before;
  Gather *g = room_for(w, op, own);
  const uint64_t *base = warp_reg(w, op->base), offset = (uint64_t)op->offset;
  const uint64_t mask = op->narrow ? UINT32_MAX : UINT64_MAX;
  const uint64_t first = (base[lane_first(active)] + offset) & mask;
  if (op->leads) w->placed[op->place].leader = NULL;
  g->base = 0;
  const bool other = op->space == EMU_SHARED || op->space == EMU_PARAM || op->space == EMU_CONST;
  const bool open = op->space == EMU_GLOBAL ? open_global(w, op, first, g)
                                            : other && open_space(w, (EmuSpace)op->space, false, g);
  if (!open || (op->space == EMU_GLOBAL && g->base == heap_base(w->block->launch->memory->heap)))
    return NULL;
  if (op->space == EMU_SHARED) narrow_to(op->array, g);
  if (!w->block->launch->gather->place(g, base, offset, mask, bytes, active)) return NULL;
  if (op->space == EMU_GLOBAL || op->space == EMU_SHARED) lead(w, insn, active);
  return g;
}
