/* SPDX-License-Identifier: MIT */
#include "emu/run/async/bulk_global.h"

#include <string.h>

#include "base/number.h"
#include "emu/memory/element.h"
#include "emu/memory/heap.h"
#include "emu/run/race/global.h"
#include "emu/run/state/finding.h"

enum { SECTOR = 32 };

/* --- rows --- */

/* A run of contiguous bytes in global memory, and its place in the flight's data. */
typedef struct {
  uint64_t address;
  uint32_t at, bytes;
} Run;

typedef bool RunFn(Warp *w, const Flight *flight, const Run *run, void *context);

enum { STORED_WHOLE = 16 };

/* The number of elements of a row that a copy may access. Stores and reductions write the last 16
 * bytes entirely, even if the row ends within them (measured on an H200); a load is exact. */
static int64_t row_extent(const Flight *f, uint32_t size) {
  const uint64_t bytes = f->map.dim[0] * size;
  const uint64_t whole = number_up_bytes(bytes, STORED_WHOLE);
  return (int64_t)(f->writes ? whole / size : f->map.dim[0]);
}

/* The bytes of a box's row that are inside of the tensor; false if there are none. */
static bool clip(const Flight *f, uint32_t size, Run *run) {
  const TensorMap *m = &f->map;
  const int32_t c = f->coord[0];
  const int64_t extent = row_extent(f, size);
  const int64_t low = c < 0 ? 0 : c, end = (int64_t)c + m->box[0];
  const int64_t high = end < extent ? end : extent;
  if (low >= high) return false;
  run->address += (uint64_t)low * size;
  run->at += (uint32_t)(low - c) * size;
  run->bytes = (uint32_t)(high - low) * size;
  return true;
}

/* The address of a row by its number in the box; false if it is outside of the tensor. */
static bool row_address(const Flight *f, uint32_t row, uint64_t *out) {
  const TensorMap *m = &f->map;
  *out = m->address;
  for (int i = 1; i < m->rank; i++) {
    const uint32_t extent = tensor_map_extent(m, i);
    const int64_t at = (int64_t)f->coord[i] + (int64_t)(row % extent) * m->step[i];
    if (at < 0 || at >= (int64_t)m->dim[i]) return false;
    *out += (uint64_t)at * m->stride[i];
    row /= extent;
  }
  return true;
}

/* Calls fn for each run inside of the tensor, or for the whole range; stops if it returns false. */
static bool for_runs(Warp *w, const Flight *f, RunFn *fn, void *context) {
  const TensorMap *m = &f->map;
  if (!m->rank) return fn(w, f, &(Run){f->address, 0, f->box.bytes}, context);
  const uint32_t size = (uint32_t)tensor_type_bytes(m->type), rows = f->box.bytes / f->box.row;
  for (uint32_t row = 0; row < rows; row++) {
    Run run = {.at = row * f->box.row};
    if (!row_address(f, row, &run.address) || !clip(f, size, &run)) continue;
    if (!fn(w, f, &run, context)) return false;
  }
  return true;
}

typedef struct {
  uint64_t address, bytes;
} Range;

static bool are_apart(Range a, Range b) {
  return a.address + a.bytes <= b.address || b.address + b.bytes <= a.address;
}

static Range range_of(const Run *run) { return (Range){run->address, run->bytes}; }

static bool is_apart(Warp *w, const Flight *f, const Run *run, void *context) {
  (void)w, (void)f;
  return are_apart(range_of(run), *(const Range *)context);
}

bool bulk_touches(Warp *w, const Flight *f, uint64_t address, uint64_t bytes) {
  return !for_runs(w, f, is_apart, &(Range){address, bytes});
}

/* What a copy touches lies in this range. */
static Range hull(const Flight *f) {
  const TensorMap *m = &f->map;
  if (!m->rank) return (Range){f->address, f->box.bytes};
  uint64_t bytes = m->dim[0] * (uint64_t)tensor_type_bytes(m->type) + STORED_WHOLE;
  for (int i = 1; i < m->rank; i++) bytes += (m->dim[i] - 1) * m->stride[i];
  return (Range){m->address, bytes};
}

typedef struct {
  const Flight *other;
  Run run;
  uint64_t at;
} Meet;

static bool passes_run(Warp *w, const Flight *f, const Run *run, void *context) {
  Meet *m = context;
  (void)w, (void)f;
  m->at = run->address > m->run.address ? run->address : m->run.address;
  return are_apart(range_of(run), range_of(&m->run));
}

static bool passes(Warp *w, const Flight *f, const Run *run, void *context) {
  Meet *m = context;
  (void)f;
  m->run = *run;
  return for_runs(w, m->other, passes_run, m);
}

bool bulk_meets(Warp *w, const Flight *a, const Flight *b, uint64_t *at) {
  Meet m = {.other = b};
  if (are_apart(hull(a), hull(b)) || for_runs(w, a, passes, &m)) return false;
  *at = m.at;
  return true;
}

/* --- buffers --- */

static uint8_t *locate(const Warp *w, uint64_t address, uint64_t bytes) {
  const Buffer *b = memory_find(w->block->launch->memory, address);
  if (!b || b->bytes - (address - b->base) < bytes) return NULL;
  return b->host + (address - b->base);
}

static void report(Warp *w, const Flight *f, const Run *run) {
  Block *block = w->block;
  const Buffer *near = memory_nearest(block->launch->memory, run->address);
  if (!finding_add(block, EMU_OUT_OF_BOUNDS, f->insn, warp_thread(w, f->lane), 1)) return;
  finding_describe(block,
                   "a bulk copy of %u bytes at global address 0x%llx, %lld bytes from the "
                   "start of buffer %s of %llu bytes",
                   run->bytes, (unsigned long long)run->address,
                   near ? (long long)(run->address - near->base) : 0, near ? near->name : "?",
                   near ? (unsigned long long)near->bytes : 0);
}

/* As an access outside of a block of malloc, this does no harm. */
static void check_heap(Warp *w, const Flight *f, const Run *run) {
  Block *block = w->block;
  Heap *heap = block->launch->memory->heap;
  char where[HEAP_TEXT];
  if (!heap || block->unchecked || !heap_outside(heap, &run->address, 1, run->bytes)) return;
  if (!finding_add(block, EMU_OUT_OF_BOUNDS, f->insn, warp_thread(w, f->lane), 1)) return;
  heap_describe(heap, run->address, where);
  finding_describe(block, "a bulk copy of %u bytes %s", run->bytes, where);
}

static bool check_run(Warp *w, const Flight *f, const Run *run, void *context) {
  BulkTraffic *t = context;
  t->sectors += (run->address + run->bytes - 1) / SECTOR - run->address / SECTOR + 1;
  t->bytes += run->bytes;
  const bool found = locate(w, run->address, run->bytes);
  if (found)
    check_heap(w, f, run);
  else
    report(w, f, run);
  return found;
}

bool bulk_check(Warp *w, const Flight *f, BulkTraffic *traffic) {
  *traffic = (BulkTraffic){0};
  return for_runs(w, f, check_run, traffic);
}

/* --- pieces that the race detector takes --- */

/* The largest power of two, at most a sector, that divides the address and fits. */
static uint32_t piece_of(uint64_t address, uint32_t rest) {
  uint32_t piece = SECTOR;
  while (address % piece || piece > rest) piece /= 2;
  return piece;
}

static Resolved resolved(const Flight *f, uint64_t address, uint8_t *host) {
  Resolved access;
  access.valid = access.global = 1u << f->lane;
  access.shared = access.local = access.remote = 0;
  access.offset[f->lane] = address;
  access.host[f->lane] = host;
  return access;
}

static void watch(Warp *w, const Flight *f, const Run *run, RaceKind kind, uint8_t *host) {
  if (!w->block->launch->global_race) return;
  for (uint32_t i = 0, n; i < run->bytes; i += n) {
    n = piece_of(run->address + i, run->bytes - i);
    const Resolved access = resolved(f, run->address + i, host + i);
    global_race_access(w, f->insn, kind, &access, n);
  }
}

/* --- loading --- */

/* Elements of tf32 are rounded to the nearest, the even one of two, subnormals as well [measured on
 * an H200, as is the NaN]. */
static uint32_t round_tf32(uint32_t bits) {
  enum { CUT = 0x1fff, NAN_OF_TF32 = 0x7fffe000 };
  const bool is_nan = (bits & INT32_MAX) > 0x7f800000;
  return is_nan ? NAN_OF_TF32 : (bits + CUT / 2 + (bits >> 13 & 1)) & ~(uint32_t)CUT;
}

static void round_run(uint8_t *at, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += 4) {
    const uint32_t bits = round_tf32((uint32_t)element_read(at + i, 4));
    memcpy(at + i, &bits, sizeof bits);
  }
}

static bool load_run(Warp *w, const Flight *f, const Run *run, void *context) {
  (void)context;
  uint8_t *host = locate(w, run->address, run->bytes);
  if (!host) return false;
  watch(w, f, run, RACE_READ, host);
  memcpy(f->data + run->at, host, run->bytes);
  const TensorType type = f->map.rank ? f->map.type : TENSOR_U8;
  if (type == TENSOR_TF32 || type == TENSOR_TF32_FTZ) round_run(f->data + run->at, run->bytes);
  return true;
}

/* What is outside of the tensor: 0, or a NaN whose halves are these [measured on an H200]. */
static void fill(const Flight *f) {
  static const uint8_t nan[2] = {0xf7, 0x7f};
  memset(f->data, 0, f->box.bytes);
  if (!f->map.rank || !f->map.fill_nan) return;
  for (uint32_t i = 0; i < f->box.bytes; i++) f->data[i] = nan[i % sizeof nan];
}

bool bulk_load(Warp *w, const Flight *f, BulkTraffic *traffic) {
  if (!bulk_check(w, f, traffic)) return false;
  fill(f);
  return for_runs(w, f, load_run, NULL);
}

/* --- storing --- */

static void reduce_run(Warp *w, const Flight *f, const Run *run, uint8_t *host) {
  const FlightReduce *how = f->reduce;
  watch(w, f, run, RACE_ATOMIC, host);
  for (uint32_t i = 0; i < run->bytes; i += how->bytes)
    how->apply(how, false, host + i, element_read(f->data + run->at + i, how->bytes));
}

static void store_piece(Warp *w, const Flight *f, uint64_t address, uint8_t *host,
                        const uint8_t *from, uint32_t bytes) {
  const uint8_t *value[LANES];
  const unsigned piece = bytes < 8 ? bytes : 8;
  value[f->lane] = from;
  const Resolved access = resolved(f, address, host);
  if (w->block->launch->global_race)
    global_race_write(w, f->insn, &access, bytes, piece, value);
  else
    element_copy(host, from, bytes, piece);
}

static bool store_run(Warp *w, const Flight *f, const Run *run, void *context) {
  (void)context;
  uint8_t *host = locate(w, run->address, run->bytes);
  if (!host) return false;
  if (f->reduce) {
    reduce_run(w, f, run, host);
    return true;
  }
  for (uint32_t i = 0, n; i < run->bytes; i += n) {
    n = piece_of(run->address + i, run->bytes - i);
    store_piece(w, f, run->address + i, host + i, f->data + run->at + i, n);
  }
  return true;
}

void bulk_store(Warp *w, const Flight *f) { for_runs(w, f, store_run, NULL); }
