/* SPDX-License-Identifier: MIT */
#include "emu/run/access/memory.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/element.h"
#include "emu/memory/heap.h"
#include "emu/run/access/counters.h"
#include "emu/run/async/flight.h"
#include "emu/run/race/global.h"
#include "emu/run/race/shared.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/memory.h"

typedef struct {
  Warp *warp;
  const Insn *insn;
  EmuAccessKind kind;
  EmuSpace space;
  unsigned bytes;
  uint32_t active;
  const uint64_t *source; /* lane addresses that cp.async copies from, else NULL */
} Request;

void access_addresses(const Warp *w, const MemoryOp *op, uint64_t address[LANES]) {
  const uint64_t *base = warp_reg(w, op->base);
  uint64_t offset = (uint64_t)op->offset + (op->is_frame ? w->now->frame.local : 0);
  uint64_t mask = op->narrow ? UINT32_MAX : UINT64_MAX;
  for (int lane = 0; lane < LANES; lane++) address[lane] = (base[lane] + offset) & mask;
}

/* --- faults --- */

static const char *verb(EmuAccessKind kind) { return emu_access_kind_name[kind]; }

static void report(const Request *r, EmuFindingKind kind, unsigned lane, uint64_t address,
                   const char *what, uint64_t extent) {
  Block *block = r->warp->block;
  if (!finding_add(block, kind, r->insn, warp_thread(r->warp, lane), 1)) return;
  finding_describe(block, "%u-byte %s at %s address 0x%llx: %s %llu", r->bytes, verb(r->kind),
                   emu_space_name[r->space], (unsigned long long)address, what,
                   (unsigned long long)extent);
}

/* A GPU maps memory in pages of 2 MiB: an access outside its buffer but within a mapped page does
 * not fault. */
static bool is_mapped(const Buffer *near, uint64_t address) {
  const uint64_t page = 2 << 20;
  return near && address + page >= near->base && address < near->base + near->bytes + page;
}

/* All buffers are close together, so an address 2^40 bytes or more from the nearest one is not a
 * device address, and its distance is meaningless. */
static bool is_far(const Buffer *near, uint64_t address) {
  const uint64_t distance = address < near->base ? near->base - address : address - near->base;
  return distance >> 40 != 0;
}

static void describe_global(const Request *r, const Buffer *near, uint64_t address) {
  Block *block = r->warp->block;
  const char *op = verb(r->kind);
  if (!near || is_far(near, address)) {
    const bool null = address < 1 << 20;
    finding_describe(block, "%u-byte global %s at 0x%llx: %s", r->bytes, op,
                     (unsigned long long)address,
                     null   ? "a null pointer"
                     : near ? "far from every buffer, as the host's addresses are"
                            : "nothing is allocated");
    return;
  }
  const bool below = address < near->base;
  const uint64_t distance = below ? near->base - address : address - near->base;
  finding_describe(block, "%u-byte global %s %llu bytes %s the start of buffer %s of %llu bytes",
                   r->bytes, op, (unsigned long long)distance, below ? "before" : "past",
                   near->name, (unsigned long long)near->bytes);
}

static void report_global(const Request *r, unsigned lane, uint64_t address) {
  Block *block = r->warp->block;
  const bool mapped = is_mapped(memory_below(block->launch->memory, address), address);
  if (block->unchecked && mapped) return;
  if (!mapped) atomic_store(&block->launch->illegal, true);
  if (finding_add(block, EMU_OUT_OF_BOUNDS, r->insn, warp_thread(r->warp, lane), 1))
    describe_global(r, memory_nearest(block->launch->memory, address), address);
}

/* --- spaces --- */

static bool is_aligned(const Request *r, unsigned lane, uint64_t address) {
  if ((address & (r->bytes - 1)) == 0) return true;
  report(r, EMU_MISALIGNED, lane, address, "must be a multiple of", r->bytes);
  return false;
}

/* The storage of a buffer ends at a multiple of this many bytes, as a GPU's allocations do. An
 * aligned access that starts in a buffer and leaves it reads or writes that storage, as on a GPU,
 * and is reported. */
enum { STORAGE_UNIT = 16 };

static uint8_t *locate_global(const Request *r, unsigned lane, uint64_t address) {
  Block *block = r->warp->block;
  const Buffer *buffer = block->last_buffer;
  if (!buffer || address - buffer->base >= buffer->bytes) {
    buffer = memory_find(block->launch->memory, address);
    if (buffer) block->last_buffer = buffer;
  }
  if (!buffer || buffer->bytes - (address - buffer->base) < r->bytes) {
    report_global(r, lane, address);
    if (!buffer || r->bytes > STORAGE_UNIT) return NULL;
  }
  return buffer->host + (address - buffer->base);
}

/* A state space other than global memory, as seen by one lane. */
typedef struct {
  uint8_t *base;
  uint64_t extent;
} Window;

static Window window_of(const Warp *w, EmuSpace space, unsigned lane) {
  const Launch *launch = w->block->launch;
  const Program *program = w->block->program;
  const Frame *frame = &w->now->frame;
  switch (space) {
  case EMU_LOCAL:
    return (Window){w->local.bytes + local_index(&w->local, lane, 0),
                    frame->local + program->function[frame->function].local_end};
  case EMU_CONST: return (Window){(uint8_t *)launch->const_bank, launch->const_bytes};
  case EMU_PARAM: return (Window){(uint8_t *)launch->params, program->param_bytes};
  default: return (Window){w->block->shared, w->block->shared_bytes};
  }
}

/* The name in the source: the last component of a mangled name, for example `tile` of
 * _ZZ4stepPiE4tile. */
static const char *source_name(const char *name) {
  const char *last = name;
  for (const char *c = strchr(name, 'E'); c && strncmp(name, "_Z", 2) == 0;
       c = strchr(c + 1, 'E')) {
    char *end;
    const unsigned long length = strtoul(c + 1, &end, 10);
    if (end > c + 1 && length == strlen(end)) last = end;
  }
  return last;
}

/* Reports an address that was derived from one array but is outside of it: in a neighbouring array,
 * or before or after all arrays. False if the address is inside, or its array unknown. */
static bool check_array(const Request *r, unsigned lane, uint64_t offset) {
  const ArrayBounds *array = r->insn->memory.array;
  Block *block = r->warp->block;
  if (!array || array->space != r->space || block->unchecked) return false;
  const uint64_t frame = array->space == EMU_LOCAL ? r->warp->now->frame.local : 0;
  const int64_t past = (int32_t)(uint32_t)(offset - array->address - frame);
  if (past >= 0 && (uint64_t)past + r->bytes <= array->bytes) return false;
  if (!finding_add(block, EMU_OUT_OF_BOUNDS, r->insn, warp_thread(r->warp, lane), 1)) return true;
  finding_describe(block, "%u-byte %s %s %lld bytes %s the start of %s%.60s of %llu bytes",
                   r->bytes, emu_space_name[r->space], verb(r->kind),
                   (long long)(past < 0 ? -past : past), past < 0 ? "before" : "past",
                   array->name ? "array " : "a local array",
                   array->name ? source_name(array->name) : "", (unsigned long long)array->bytes);
  return true;
}

static bool is_beyond(const Request *r, uint64_t offset, uint64_t extent) {
  return offset > extent || extent - offset < r->bytes;
}

/* An H200 reads and writes shared memory after the bytes that the block requested normally, up to
 * the next multiple of 128 bytes; an access after that fails the launch. */
static uint8_t *locate_beyond(const Request *r, unsigned lane, uint64_t offset, Window window) {
  Block *block = r->warp->block;
  const bool there = r->space == EMU_SHARED && !is_beyond(r, offset, block->shared_room);
  if (!there) atomic_store(&block->launch->illegal, true);
  if (!there || !block->unchecked)
    report(r, EMU_OUT_OF_BOUNDS, lane, offset, "beyond the bytes there, which are", window.extent);
  return there ? window.base + offset : NULL;
}

static uint8_t *locate_window(const Request *r, unsigned lane, uint64_t offset) {
  Window window = window_of(r->warp, r->space, lane);
  bool read_only = r->space == EMU_CONST || r->space == EMU_PARAM;
  if (read_only && r->kind != EMU_LOAD) window.extent = 0;
  if (is_beyond(r, offset, window.extent)) return locate_beyond(r, lane, offset, window);
  check_array(r, lane, offset);
  return window.base + offset;
}

const uint8_t *access_peek(const Warp *w, unsigned lane, uint64_t address, unsigned bytes) {
  EmuSpace space = memory_space_of(address);
  if (space == EMU_GLOBAL) {
    const Buffer *buffer = memory_find(w->block->launch->memory, address);
    if (!buffer || buffer->bytes - (address - buffer->base) < bytes) return NULL;
    return buffer->host + (address - buffer->base);
  }
  Window window = window_of(w, space, lane);
  uint64_t offset = address - WINDOW_BASE(space);
  return offset > window.extent || window.extent - offset < bytes ? NULL : window.base + offset;
}

/* Fast path: all lanes are active, aligned, and in the latest buffer or in shared memory within the
 * array that they were derived from. False otherwise. */
static bool locate_together(const Request *r, Resolved *access) {
  Block *block = r->warp->block;
  const Buffer *buffer = block->last_buffer;
  const bool shared = r->space == EMU_SHARED;
  if (!shared && (r->space != EMU_GLOBAL || !buffer)) return false;
  const ArrayBounds *array = shared && !block->unchecked ? r->insn->memory.array : NULL;
  if (array && array->space != EMU_SHARED) return false;
  const uint64_t base = array ? array->address : shared ? 0 : buffer->base;
  const uint64_t extent = array ? array->bytes : shared ? block->shared_bytes : buffer->bytes;
  uint8_t *const host = shared ? block->shared + base : buffer->host;
  if (extent < r->bytes || r->active != ALL_LANES) return false;
  const uint64_t last = extent - r->bytes, part = r->bytes - 1;
  uint64_t wrong = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const uint64_t at = access->offset[lane] - base;
    /* at > last, without a branch */
    wrong |= (access->offset[lane] & part) | (at | (last - at)) >> 63;
    access->host[lane] = (uint8_t *)((uintptr_t)host + at);
  }
  return !wrong;
}

/* Resolves the lanes one by one; returns the valid ones. */
static uint32_t locate_lanes(const Request *r, Resolved *access) {
  uint32_t valid = 0;
  FOR_LANES(lane, r->active) {
    uint64_t at = access->offset[lane];
    if (!is_aligned(r, lane, at)) continue;
    uint8_t *host =
        r->space == EMU_GLOBAL ? locate_global(r, lane, at) : locate_window(r, lane, at);
    access->host[lane] = host;
    valid |= (host ? 1u : 0) << lane;
  }
  return valid;
}

/* --- other blocks of the cluster --- */

/* On an H200 the launch fails if the block keeps running for 1,000 cycles after such an access. The
 * emulator ends concurrent blocks one after the other, so an unchecked launch ignores such accesses
 * if they return no value. */
static void report_ended(const Request *r, unsigned lane, const Block *owner) {
  Block *block = r->warp->block;
  if (block->unchecked && r->kind != EMU_LOAD && !r->insn->n_d) return;
  if (!finding_add(block, EMU_EXITED, r->insn, warp_thread(r->warp, lane), 1)) return;
  finding_describe(block,
                   "%s of shared memory of block (%u, %u, %u), which has ended: its shared "
                   "memory is gone",
                   verb(r->kind), owner->index[0], owner->index[1], owner->index[2]);
}

static void report_remote(const Request *r, unsigned lane, const Block *owner, uint64_t offset) {
  const Cluster *cluster = r->warp->block->cluster;
  if (!owner && check_array(r, lane, offset)) return;
  report(r, EMU_OUT_OF_BOUNDS, lane, offset, "beyond the shared memory of blocks",
         (uint64_t)cluster->blocks);
}

/* Resolves a lane whose address holds the rank + 1 of another block of the cluster in its high
 * bits. */
static bool locate_remote(const Request *r, unsigned lane, Resolved *access) {
  const Cluster *cluster = r->warp->block->cluster;
  const uint64_t rank = (access->offset[lane] >> CLUSTER_SHIFT) - 1;
  const uint64_t offset = access->offset[lane] & ((1u << CLUSTER_SHIFT) - 1);
  const Block *owner = rank < (uint64_t)cluster->blocks ? cluster->block[rank] : NULL;
  if (!owner || offset > owner->shared_bytes || owner->shared_bytes - offset < r->bytes) {
    report_remote(r, lane, owner, access->offset[lane]);
    return false;
  }
  access->offset[lane] = offset;
  access->rank[lane] = (uint8_t)rank;
  access->host[lane] = owner->shared + offset;
  if (!is_aligned(r, lane, offset)) return false;
  if (owner->ended) report_ended(r, lane, owner);
  return !owner->ended;
}

/* Resolves the lanes that access shared memory of other blocks and removes them from the request;
 * lanes that name their own block stay. Accesses between SMs count no wavefronts: how hardware
 * counts them was not measured. */
static void take_remote(Request *r, Resolved *access) {
  const uint64_t own = (uint64_t)r->warp->block->rank + 1;
  FOR_LANES(lane, r->active) {
    const uint64_t rank = access->offset[lane] >> CLUSTER_SHIFT;
    if (rank == own) access->offset[lane] &= (1u << CLUSTER_SHIFT) - 1;
    if (rank == 0 || rank == own) continue;
    r->active &= ~(1u << lane);
    if (locate_remote(r, lane, access)) access->remote |= 1u << lane;
  }
  access->valid |= access->remote;
}

/* --- the device's heap --- */

static void report_heap(const Request *r, unsigned lane, uint64_t address) {
  Block *block = r->warp->block;
  char where[HEAP_TEXT];
  if (!finding_add(block, EMU_OUT_OF_BOUNDS, r->insn, warp_thread(r->warp, lane), 1)) return;
  heap_describe(block->launch->memory->heap, address, where);
  finding_describe(block, "%u-byte global %s %s", r->bytes, verb(r->kind), where);
}

/* Reports accesses outside their malloc block. They are harmless otherwise, because the heap is one
 * buffer. */
static void check_heap(const Request *r, const Resolved *access, uint32_t lanes) {
  const Block *block = r->warp->block;
  Heap *heap = block->launch->memory->heap;
  if (!heap || block->unchecked || r->space != EMU_GLOBAL) return;
  const uint32_t outside = heap_outside(heap, access->offset, lanes, r->bytes);
  FOR_LANES(lane, outside) report_heap(r, lane, access->offset[lane]);
}

static bool any_remote(const Request *r, const Resolved *access) {
  uint64_t any = 0;
  FOR_LANES(lane, r->active) any |= access->offset[lane];
  return any >> CLUSTER_SHIFT;
}

static void locate(const Request *r, Resolved *access) {
  const uint32_t valid = locate_together(r, access) ? r->active : locate_lanes(r, access);
  check_heap(r, access, valid);
  access->valid |= valid;
  if (r->space == EMU_SHARED) access->shared |= valid;
  if (r->space == EMU_GLOBAL) access->global |= valid;
  if (r->space == EMU_LOCAL) access->local |= valid;
}

static void resolve_space(Request *r, Resolved *access) {
  if (r->space == EMU_SHARED && any_remote(r, access)) take_remote(r, access);
  if (!r->active) return;
  const bool counted =
      !r->warp->block->unchecked && (r->space == EMU_GLOBAL || r->space == EMU_SHARED);
  if (counted)
    counters_observe(r->warp, r->insn, r->kind, r->space, r->bytes, r->active, access->offset,
                     r->source);
  uint32_t before = access->valid;
  locate(r, access);
  uint32_t valid = access->valid & ~before;
  if (counted && valid) {
    counters_add(r->warp, r->insn, r->kind, r->space, r->bytes, valid, access->offset, r->source);
  }
}

/* Starts with no valid lanes. */
static void begin(Resolved *access, const uint64_t address[LANES]) {
  access->valid = access->shared = access->global = access->local = access->remote = 0;
  memcpy(access->offset, address, sizeof access->offset);
}

void access_resolve(Warp *w, const Insn *insn, EmuAccessKind kind, int space, unsigned bytes,
                    uint32_t active, const uint64_t address[LANES], Resolved *access) {
  Request r = {w, insn, kind, EMU_GLOBAL, bytes, active, NULL};
  begin(access, address);
  if (space != SPACE_GENERIC) {
    r.space = (EmuSpace)space;
    resolve_space(&r, access);
    return;
  }
  while (active) {
    r.space = memory_space_of(address[lane_first(active)]);
    r.active = 0;
    FOR_LANES(lane, active) {
      if (memory_space_of(address[lane]) != r.space) continue;
      r.active |= 1u << lane;
      access->offset[lane] = address[lane] - WINDOW_BASE(r.space);
    }
    active &= ~r.active;
    resolve_space(&r, access);
  }
}

void access_resolve_copy(Warp *w, const Insn *insn, uint32_t active, const uint64_t address[LANES],
                         const uint64_t source[LANES], Resolved *access) {
  Request r = {w, insn, EMU_CP_ASYNC, EMU_SHARED, insn->memory.bytes, active, source};
  begin(access, address);
  resolve_space(&r, access);
}

/* --- shared memory --- */

static bool is_watched(const Warp *w, const Resolved *access) {
  return access->global && w->block->launch->global_race;
}

/* Completes copies by the async proxy that a watched access overlaps. */
static void meet_copies(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                        unsigned bytes) {
  if (is_watched(w, access) && w->block->leaving)
    flight_meet(w, insn, kind, access->global, access->offset, bytes);
}

static void touch_remote(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                         unsigned bytes, const uint8_t *const value[LANES]) {
  FOR_LANES(lane, access->remote) {
    Block *owner = block_owner(w->block, access, lane);
    race_access_of(owner, w, insn, kind, 1u << lane, access->offset, bytes, value);
    if (kind != RACE_READ) memset(owner->undefined + access->offset[lane], 0, bytes);
  }
}

/* Checks an access that does not carry values. */
static void touch(Warp *w, const Insn *insn, RaceKind kind, const Resolved *access,
                  unsigned bytes) {
  if (access->remote) touch_remote(w, insn, kind, access, bytes, NULL);
  if (access->shared) race_access(w, insn, kind, access->shared, access->offset, bytes, NULL);
  meet_copies(w, insn, kind, access, bytes);
  if (is_watched(w, access)) global_race_access(w, insn, kind, access, bytes);
}

void access_read(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes) {
  touch(w, insn, RACE_READ, access, bytes);
}

void access_read_constant(Warp *w, const Insn *insn, unsigned bytes, uint32_t active) {
  const Launch *launch = w->block->launch;
  uint64_t address[LANES];
  if (!launch->const_alias || !launch->global_race) return;
  access_addresses(w, &insn->memory, address);
  FOR_LANES(lane, active) address[lane] += launch->const_alias;
  global_race_constant(w, insn, active, address, bytes);
}

void access_atomic(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes) {
  touch(w, insn, RACE_ATOMIC, access, bytes);
}

void access_read_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                      const uint64_t address[LANES], bool is_row) {
  if (insn->memory.space == EMU_SHARED) {
    race_access(w, insn, RACE_READ, active, address, bytes, NULL);
  } else if (w->block->launch->global_race) {
    if (w->block->leaving) flight_meet(w, insn, RACE_READ, active, address, bytes);
    global_race_read(w, insn, active, address, bytes, is_row);
  }
}

void access_write(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes, unsigned piece,
                  const uint8_t *const value[LANES]) {
  if (access->remote) touch_remote(w, insn, RACE_WRITE, access, bytes, value);
  uint32_t left = access->valid;
  if (access->shared) {
    race_access(w, insn, RACE_WRITE, access->shared, access->offset, bytes, value);
  }
  undef_written(w, access, bytes);
  if (access->global) flight_check_maps(w, insn, access->global, access->offset, bytes);
  meet_copies(w, insn, RACE_WRITE, access, bytes);
  if (is_watched(w, access)) {
    global_race_write(w, insn, access, bytes, piece, value);
    left &= ~access->global;
  }
  FOR_LANES(lane, left) element_copy(access->host[lane], value[lane], bytes, piece);
}
