/* SPDX-License-Identifier: MIT */
#include "emu/run/copy/bulk_issue.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/tensor.h"
#include "emu/run/access/counters.h"
#include "emu/run/access/memory.h"
#include "emu/run/async/bulk_global.h"
#include "emu/run/async/flight.h"
#include "emu/run/async/mbarrier.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/state/finding.h"
#include "emu/run/state/sync_log.h"

enum { TENSOR_ALIGN = 128 };

/* One lane's copy. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  const BulkOp *bulk;
  unsigned lane;
} Issue;

/* --- faults --- */

static bool fault(const Issue *i, EmuFindingKind kind) {
  return finding_add(i->warp->block, kind, i->insn, warp_thread(i->warp, i->lane), 1);
}

static bool is_aligned(const Issue *i, const char *what, uint64_t value, uint32_t align) {
  if (value % align == 0) return true;
  if (fault(i, EMU_MISALIGNED))
    finding_describe(i->warp->block, "%s 0x%llx of a bulk copy: must be a multiple of %u", what,
                     (unsigned long long)value, align);
  return false;
}

static uint64_t address_of(const Issue *i, const MemoryOp *op) {
  uint64_t address[LANES];
  access_addresses(i->warp, op, address);
  return address[i->lane];
}

/* --- places in shared memory --- */

/* A byte of a block's shared memory. */
typedef struct {
  Block *owner;
  uint32_t at;
} Place;

/* The block that an address of shared::cluster names; NULL with a finding if there is none. */
static Block *owner_of(const Issue *i, uint64_t address) {
  Block *block = i->warp->block;
  const Cluster *cluster = block->cluster;
  const uint64_t rank = address >> CLUSTER_SHIFT;
  if (rank == 0) return block;
  if (rank <= (uint64_t)cluster->blocks) return cluster->block[rank - 1];
  if (fault(i, EMU_OUT_OF_BOUNDS))
    finding_describe(block, "a bulk copy names block %llu of a cluster of %d",
                     (unsigned long long)rank - 1, cluster->blocks);
  return NULL;
}

static bool is_within(const Issue *i, const Place *p, uint64_t bytes) {
  if (p->at <= p->owner->shared_bytes && p->owner->shared_bytes - p->at >= bytes) return true;
  if (fault(i, EMU_OUT_OF_BOUNDS))
    finding_describe(i->warp->block,
                     "a bulk copy of %llu bytes at shared address 0x%x: beyond the %u bytes there",
                     (unsigned long long)bytes, p->at, p->owner->shared_bytes);
  return false;
}

/* Unchecked, a copy into a block that has ended is dropped, as its stores are: see access/memory.c.
 */
static bool is_alive(const Issue *i, const Block *owner) {
  if (!owner->ended) return true;
  if (i->warp->block->unchecked && !i->bulk->mask) return false;
  if (fault(i, EMU_EXITED))
    finding_describe(i->warp->block,
                     "a bulk copy into shared memory of block (%u, %u, %u), which has ended",
                     owner->index[0], owner->index[1], owner->index[2]);
  return false;
}

static bool find_place(const Issue *i, const MemoryOp *op, uint32_t align, const char *what,
                       Place *out) {
  const uint64_t address = address_of(i, op);
  out->owner = owner_of(i, address);
  out->at = (uint32_t)address & ((1u << CLUSTER_SHIFT) - 1);
  return out->owner && is_alive(i, out->owner) && is_aligned(i, what, address, align);
}

static bool find_mbarrier(const Issue *i, const Block *owner, Place *out) {
  if (!find_place(i, i->bulk->mbarrier, MBARRIER_BYTES, "the mbarrier", out) ||
      !is_within(i, out, MBARRIER_BYTES))
    return false;
  if (out->owner == owner || (i->bulk->group == 2 && (out->owner->rank ^ 1) == owner->rank))
    return true;
  if (fault(i, EMU_OUT_OF_BOUNDS))
    finding_describe(i->warp->block, "a bulk copy whose mbarrier is not in the block that it "
                                     "writes to");
  return false;
}

/* --- shapes --- */

static uint32_t value_of(const Issue *i, Ref ref) {
  return (uint32_t)warp_reg(i->warp, ref)[i->lane];
}

/* If the rows of a box are narrower than the swizzle, each takes the swizzle's width. */
static Box box_of(const TensorMap *m, uint32_t at) {
  const uint32_t row = m->box[0] * (uint32_t)tensor_type_bytes(m->type);
  const uint32_t pitch = row < (uint32_t)m->swizzle ? (uint32_t)m->swizzle : row;
  return (Box){at, tensor_map_box_bytes(m), row, pitch, m->swizzle, m->atom32};
}

/* A box must begin at a multiple of 16 bytes of the tensor's rows, and a store's not before the
 * tensor in any dimension: else an H200 reports an illegal instruction. */
static bool corner_is_allowed(const Issue *i, const Flight *f) {
  const int64_t byte = (int64_t)f->coord[0] * tensor_type_bytes(f->map.type);
  int first = 0;
  while (f->writes && first < f->map.rank && f->coord[first] >= 0) first++;
  if (byte % BOX_CHUNK == 0 && (!f->writes || first == f->map.rank)) return true;
  if (!fault(i, EMU_MISALIGNED)) return false;
  if (byte % BOX_CHUNK)
    finding_describe(i->warp->block,
                     "a box at innermost coordinate %d, byte %lld: must be a multiple of 16 bytes",
                     f->coord[0], (long long)byte);
  else
    finding_describe(i->warp->block,
                     "a box that is stored at coordinate %d of dimension %d: must not be below 0",
                     f->coord[first], first);
  return false;
}

/* True if the map has type tf32 now, or never had: otherwise its rounding remains, with which types
 * other than f32 are an illegal instruction on an H200. */
static bool rounding_is_allowed(const Issue *i, const uint8_t *bytes, TensorType type) {
  const bool rounds = type == TENSOR_TF32 || type == TENSOR_TF32_FTZ;
  if (rounds || !tensor_map_is_left_rounding(bytes)) return true;
  if (fault(i, EMU_MISALIGNED))
    finding_describe(i->warp->block, "a tensor map of tf32 whose type was replaced by one that is "
                                     "not rounded to tf32: begin with a map of another type");
  return false;
}

static bool find_map(const Issue *i, Flight *f) {
  Block *block = i->warp->block;
  const uint64_t address = address_of(i, i->bulk->other);
  const uint8_t *bytes = access_peek(i->warp, i->lane, address, TENSOR_MAP_BYTES);
  if (!is_aligned(i, "the tensor map", address, TENSOR_MAP_ALIGN)) return false;
  if (!bytes || !tensor_map_decode(bytes, &f->map)) {
    if (fault(i, EMU_OUT_OF_BOUNDS))
      finding_describe(block, "at 0x%llx there is no tensor map of the emulator's (--arg tmap:...)",
                       (unsigned long long)address);
    return false;
  }
  if (!rounding_is_allowed(i, bytes, f->map.type)) return false;
  if (f->map.rank != i->bulk->rank && fault(i, EMU_OUT_OF_BOUNDS))
    finding_describe(block, "a tensor map of %d dimensions, used with %d", f->map.rank,
                     i->bulk->rank);
  if (memory_space_of(address) == EMU_GLOBAL && !block->unchecked) {
    f->map_at = address;
    proxy_use_map(i->warp, i->insn, i->lane, address);
  }
  for (int k = 0; k < i->bulk->rank; k++) f->coord[k] = (int32_t)value_of(i, i->bulk->coord[k]);
  return f->map.rank == i->bulk->rank && corner_is_allowed(i, f);
}

/* A tensor's type may not have the operation: then an H200 reports an illegal instruction. */
static bool find_reduction(const Issue *i, Flight *f) {
  const BulkOp *bulk = i->bulk;
  if (!bulk->reduce) return true;
  f->reduce = bulk->reduce[bulk->rank ? f->map.type : 0];
  if (!f->reduce && fault(i, EMU_MISALIGNED))
    finding_describe(i->warp->block, "a reduction that elements of the tensor's type do not have");
  return f->reduce;
}

/* An H200 does nothing then, wherever the addresses are, and whatever they are aligned to. */
static bool copies_nothing(const Issue *i) { return !i->bulk->rank && !value_of(i, i->bulk->size); }

/* Notes a swizzled box that begins within the pattern of 8 rows, or 4. The pattern goes by address
 * bits: code that swizzles by the row within the tile reads other bytes. */
static void note_base(const Issue *i, const Box *box) {
  const Block *block = i->warp->block;
  const uint32_t rows = box->atom32 ? 4 : 8;
  const uint32_t align = rows * (uint32_t)box->swizzle, past = align ? box->at % align : 0;
  if (!past ||
      !finding_add_note(i->warp->block, EMU_MISALIGNED, i->insn, warp_thread(i->warp, i->lane), 1))
    return;
  const bool dynamic =
      block->launch->config->dynamic_shared && box->at >= block->program->dynamic_offset;
  finding_describe(i->warp->block,
                   "a box with the %d-byte swizzle begins at shared 0x%x, %u bytes past a multiple "
                   "of %u: the swizzle goes by address bits, not by rows of the tile; %s %u bytes",
                   box->swizzle, box->at, past, align,
                   dynamic ? "in the dynamic array, align the tile to"
                           : "align the array, by __align__, to",
                   align);
}

/* Computes the box and the global-memory side of a copy to or from a place in shared memory. False
 * with a finding if that is a fault. */
static bool shape(const Issue *i, const Place *place, Flight *f) {
  const BulkOp *bulk = i->bulk;
  if (bulk->rank) {
    if (!find_map(i, f)) return false;
    f->box = box_of(&f->map, place->at);
    note_base(i, &f->box);
  } else {
    const uint32_t size = value_of(i, bulk->size);
    f->address = address_of(i, bulk->other);
    f->box = box_flat(place->at, size);
    if (!is_aligned(i, "the size", size, BOX_CHUNK) ||
        !is_aligned(i, "the global address", f->address, BOX_CHUNK))
      return false;
  }
  if (!find_reduction(i, f)) return false;
  const uint32_t extent = box_end(&f->box) - f->box.at;
  if (!is_within(i, place, extent)) return false;
  counters_observe_async(i->warp, i->insn, f->writes ? EMU_BULK_STORE : EMU_BULK_LOAD, place->at,
                         extent, bulk->rank ? &f->box : NULL);
  return true;
}

static bool allocate(const Issue *i, Flight *f) {
  f->data = malloc(f->box.bytes ? f->box.bytes : 1);
  if (f->data) return true;
  atomic_store(&i->warp->block->launch->out_of_memory, true);
  block_stop(i->warp->block);
  return false;
}

static uint32_t place_align(const Issue *i) { return i->bulk->rank ? TENSOR_ALIGN : BOX_CHUNK; }

/* --- into shared memory --- */

/* The mbarrier of a copy into `owner` is there or, with .cta_group::2, in the block of its pair
 * whose rank is even or odd as `signalled`'s [PTX ISA, cp.async.bulk.tensor]. */
static Block *signalled_by(const Issue *i, Block *owner, const Block *signalled) {
  const int rank = (owner->rank & ~1) | (signalled->rank & 1);
  return i->bulk->group == 2 ? owner->cluster->block[rank] : owner;
}

static bool send_to(const Issue *i, const Flight *f, Block *owner, const Block *signalled) {
  Flight copy = *f;
  Block *holder = signalled_by(i, owner, signalled);
  copy.into = holder == owner ? NULL : owner;
  if (!allocate(i, &copy)) return false;
  memcpy(copy.data, f->data, f->box.bytes);
  return flight_into(holder, i->warp, &copy);
}

/* Issues the copy to each block of the mask, at the same offsets. */
static void multicast(const Issue *i, const Flight *f, const Block *signalled) {
  const Cluster *cluster = i->warp->block->cluster;
  const uint32_t mask = value_of(i, *i->bulk->mask) & 0xffff;
  FOR_LANES(rank, mask) {
    if (rank < (unsigned)cluster->blocks) {
      if (is_alive(i, cluster->block[rank])) send_to(i, f, cluster->block[rank], signalled);
    } else if (fault(i, EMU_OUT_OF_BOUNDS)) {
      finding_describe(i->warp->block, "a multicast to block %u of a cluster of %d", rank,
                       cluster->blocks);
    }
  }
}

static void issue_load(const Issue *i) {
  Flight f = {.insn = i->insn, .lane = i->lane};
  Place to, mbarrier;
  BulkTraffic traffic;
  if (copies_nothing(i) ||
      !find_place(i, &i->insn->memory, place_align(i), "the shared address", &to) ||
      !find_mbarrier(i, to.owner, &mbarrier) || !shape(i, &to, &f) || !allocate(i, &f))
    return;
  f.mbarrier = mbarrier.at;
  sync_log_add(i->warp, i->insn, SYNC_COPY, 1u << i->lane, mbarrier.at, f.box.bytes);
  flight_meet_copy(i->warp, &f);
  if (bulk_load(i->warp, &f, &traffic)) {
    counters_bulk(i->warp, i->insn, EMU_BULK_LOAD, f.box.bytes, traffic.sectors, traffic.bytes);
    if (i->bulk->mask)
      multicast(i, &f, mbarrier.owner);
    else
      send_to(i, &f, to.owner, mbarrier.owner);
  }
  free(f.data);
}

Flow bulk_issue_load(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) issue_load(&(Issue){w, insn, insn->memory.bulk, lane});
  w->changed = true;
  return FLOW_NEXT;
}

/* --- out of shared memory --- */

/* True if the async proxy may read it, and no other copy still writes it. */
static void check_source(const Issue *i, const Box *from) {
  Warp *w = i->warp;
  race_bulk_issue(w->block, w, i->insn, i->lane, RACE_READ, from);
  for (uint32_t k = 0, n; k < from->bytes; k += n) {
    n = box_is_dense(from) ? from->bytes : box_piece(from, k);
    const uint32_t at = box_is_dense(from) ? from->at : box_place(from, k);
    if (!proxy_check_async_read(w, i->insn, i->lane, at, n, "a bulk copy")) return;
  }
}

static bool is_inside(const Flight *f) {
  for (int k = 0; k < f->map.rank; k++)
    if (f->coord[k] < 0 || (uint64_t)f->coord[k] + f->map.box[k] > f->map.dim[k]) return false;
  return true;
}

/* Unwritten bytes are no fault outside of the tensor, where they are dropped. */
static void check_defined(const Issue *i, const Flight *f) {
  Block *block = i->warp->block;
  if (block->unchecked) return;
  for (uint32_t k = 0; is_inside(f) && k < f->box.bytes; k++) {
    const uint32_t at = box_place(&f->box, k / BOX_CHUNK * BOX_CHUNK) + k % BOX_CHUNK;
    if (!block->undefined[at]) continue;
    if (fault(i, EMU_UNINITIALISED))
      finding_describe(block, "a bulk copy reads shared byte 0x%x, which nothing wrote", at);
    return;
  }
}

static void issue_store(const Issue *i) {
  Flight f = {
      .insn = i->insn, .lane = i->lane, .group = i->warp->bulk_group[i->lane], .writes = true};
  Place from;
  BulkTraffic traffic;
  if (copies_nothing(i) ||
      !find_place(i, &i->insn->memory, place_align(i), "the shared address", &from) ||
      !shape(i, &from, &f) || !bulk_check(i->warp, &f, &traffic) || !allocate(i, &f))
    return;
  flight_meet_copy(i->warp, &f);
  check_source(i, &f.box);
  check_defined(i, &f);
  counters_bulk(i->warp, i->insn, EMU_BULK_STORE, f.box.bytes, traffic.sectors, traffic.bytes);
  if (!flight_out(i->warp, &f)) free(f.data);
}

Flow bulk_issue_store(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) issue_store(&(Issue){w, insn, insn->memory.bulk, lane});
  w->changed = true;
  return FLOW_NEXT;
}

/* --- from shared memory to shared memory --- */

static void issue_shared(const Issue *i) {
  Flight f = {.insn = i->insn, .lane = i->lane};
  Place to, mbarrier, from;
  const uint32_t size = value_of(i, i->bulk->size);
  if (!find_place(i, &i->insn->memory, BOX_CHUNK, "the shared address", &to) ||
      !find_place(i, i->bulk->other, BOX_CHUNK, "the source's shared address", &from) ||
      !is_aligned(i, "the size", size, BOX_CHUNK) || !find_mbarrier(i, to.owner, &mbarrier) ||
      !is_within(i, &to, size) || !is_within(i, &from, size) || !size)
    return;
  f.box = box_flat(to.at, size);
  f.from = box_flat(from.at, size);
  f.source = i->warp->block;
  f.mbarrier = mbarrier.at;
  if (i->bulk->reduce) f.reduce = i->bulk->reduce[0];
  if (!allocate(i, &f)) return;
  check_source(i, &f.from);
  memcpy(f.data, i->warp->block->shared + from.at, size);
  counters_bulk(i->warp, i->insn, EMU_BULK_LOAD, size, 0, 0);
  counters_observe_async(i->warp, i->insn, EMU_BULK_LOAD, to.at, size, NULL);
  counters_observe_async(i->warp, i->insn, EMU_BULK_LOAD, from.at, size, NULL);
  flight_into(to.owner, i->warp, &f);
}

Flow bulk_issue_shared(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) issue_shared(&(Issue){w, insn, insn->memory.bulk, lane});
  w->changed = true;
  return FLOW_NEXT;
}

/* --- from registers --- */

static void issue_value(const Issue *i) {
  const BulkOp *bulk = i->bulk;
  const uint32_t size = (uint32_t)(bulk->values * bulk->bytes);
  Flight f = {.insn = i->insn, .lane = i->lane};
  Place to, mbarrier;
  if (!find_place(i, &i->insn->memory, size, "the shared address", &to) ||
      !find_mbarrier(i, to.owner, &mbarrier) || !is_within(i, &to, size))
    return;
  f.box = box_flat(to.at, size);
  f.mbarrier = mbarrier.at;
  if (bulk->reduce) f.reduce = bulk->reduce[0];
  if (!allocate(i, &f)) return;
  for (int k = 0; k < bulk->values; k++)
    memcpy(f.data + k * bulk->bytes, &warp_reg(i->warp, bulk->value[k])[i->lane],
           (size_t)bulk->bytes);
  flight_into(to.owner, i->warp, &f);
}

Flow bulk_issue_value(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) issue_value(&(Issue){w, insn, insn->memory.bulk, lane});
  w->changed = true;
  return FLOW_NEXT;
}
