/* SPDX-License-Identifier: MIT */
/* Bulk copies in flight. */
#include "emu/run/async/flight.h"

#include <stdlib.h>
#include <string.h>

#include "emu/memory/element.h"
#include "emu/memory/tensor.h"
#include "emu/run/async/bulk_global.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/sync.h"
#include "emu/run/state/bulk_find.h"
#include "emu/run/state/finding.h"

static bool push(Flight **list, int *count, int *capacity, const Flight *flight) {
  if (*count == *capacity) {
    const int more = 2 * *capacity + 8;
    Flight *grown = realloc(*list, (size_t)more * sizeof *grown);
    if (!grown) return false;
    *list = grown;
    *capacity = more;
  }
  (*list)[(*count)++] = *flight;
  return true;
}

/* The copy will signal its mbarrier, which must have been initialised. The signal has release
 * semantics [PTX ISA, cp.async.bulk, st.async]: who waits for it comes after what the issuing
 * thread did before, too. */
static void release_at(Block *owner, Warp *w, const Flight *f) {
  uint64_t offset[LANES];
  offset[f->lane] = f->mbarrier;
  race_access_of(owner, w, f->insn, RACE_ATOMIC, 1u << f->lane, offset, MBARRIER_BYTES, NULL);
  const OrderAccess signal = {
      f->insn, 1u << f->lane, sync_location(owner, f->mbarrier), SCOPE_CLUSTER, true, true, false};
  order_publish(w, &signal);
}

/* The block into whose shared memory a flight writes that `holder` holds. */
static Block *target_of(Block *holder, const Flight *f) { return f->into ? f->into : holder; }

bool flight_into(Block *owner, Warp *w, const Flight *flight) {
  if (!push(&owner->inbound, &owner->inbounds, &owner->inbound_capacity, flight)) {
    free(flight->data);
    return false;
  }
  Flight *f = &owner->inbound[owner->inbounds - 1];
  f->by = w->block->number;
  f->thread = warp_thread(w, f->lane);
  f->phase = mbarrier_phase(owner, f->mbarrier);
  release_at(owner, w, f);
  mbarrier_check_init(owner, w, f);
  Block *target = target_of(owner, f);
  race_catch_up(target->race);
  proxy_check_async_write(target, w, f->insn, f->lane, &f->box);
  race_bulk_issue(target, w, flight->insn, flight->lane, flight->reduce ? RACE_ATOMIC : RACE_WRITE,
                  &flight->box);
  return true;
}

/* --- landing --- */

/* Reduces elements in shared memory. */
static void combine(const Flight *f, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  const FlightReduce *how = f->reduce;
  for (uint32_t i = 0; i < bytes; i += how->bytes)
    how->apply(how, true, to + i, element_read(from + i, how->bytes));
}

static void write_box(Block *owner, const Flight *f) {
  for (uint32_t i = 0; i < f->box.bytes; i += box_piece(&f->box, i)) {
    const uint32_t at = box_place(&f->box, i), bytes = box_piece(&f->box, i);
    if (f->reduce)
      combine(f, owner->shared + at, f->data + i, bytes);
    else
      memcpy(owner->shared + at, f->data + i, bytes);
    memset(owner->undefined + at, 0, bytes);
  }
}

static void land(const MbarrierUse *use, Flight *f, uint64_t flying) {
  Block *owner = use->owner, *target = target_of(owner, f);
  race_bulk_land(target, f->insn, &f->box);
  write_box(target, f);
  if (f->source) race_bulk_leave(f->source, &f->from);
  order_copy_publish(target, sync_location(owner, use->offset));
  mbarrier_complete(use, f->box.bytes, flying);
  free(f->data);
}

bool flight_land(const MbarrierUse *use) {
  Block *owner = use->owner;
  uint64_t flying = 0;
  int kept = 0;
  for (int i = 0; i < owner->inbounds; i++)
    if (owner->inbound[i].mbarrier == use->offset) flying += owner->inbound[i].box.bytes;
  if (!flying) return false;
  for (int i = 0; i < owner->inbounds; i++) {
    Flight f = owner->inbound[i];
    if (f.mbarrier != use->offset) {
      owner->inbound[kept++] = f;
      continue;
    }
    flying -= f.box.bytes;
    land(use, &f, flying);
  }
  owner->inbounds = kept;
  return true;
}

/* --- leaving --- */

static void read_box(Warp *w, Flight *f) {
  if (f->is_read) return;
  for (uint32_t i = 0; i < f->box.bytes; i += box_piece(&f->box, i))
    memcpy(f->data + i, w->block->shared + box_place(&f->box, i), box_piece(&f->box, i));
  race_bulk_read(w, f->insn, f->lane, &f->box);
  f->is_read = true;
}

static void perform(Warp *w, Flight *f) {
  read_box(w, f);
  w->block->leaving--;
  bulk_store(w, f);
  free(f->data);
}

/* Unchecked, it lands at once: on a GPU it mostly has read its source before others write there. */
bool flight_out(Warp *w, const Flight *flight) {
  const bool ok = push(&w->outbound, &w->outbounds, &w->outbound_capacity, flight);
  w->block->leaving += ok;
  if (ok && w->block->unchecked) perform(w, &w->outbound[--w->outbounds]);
  return ok;
}

void flight_wait(Warp *w, uint32_t active, const uint32_t newest[LANES], bool only_read) {
  const bool lands = !only_read || !w->block->launch->global_race;
  int kept = 0;
  for (int i = 0; i < w->outbounds; i++) {
    Flight *f = &w->outbound[i];
    const bool named = (active >> f->lane & 1) && f->group < newest[f->lane];
    if (named && !lands) read_box(w, f);
    if (named && lands)
      perform(w, f);
    else
      w->outbound[kept++] = *f;
  }
  w->outbounds = kept;
}

/* --- in global memory --- */

/* A lane's access, or its copy. */
typedef struct {
  Warp *warp;
  const Insn *insn;
  RaceKind kind;
  unsigned lane;
  uint64_t address;
  unsigned bytes;
  const Flight *copy; /* NULL: an access */
} Meeting;

static void report_outbound(const Meeting *m, const Warp *issuer, const Flight *f) {
  static const char *const did[] = {"reads", "writes", "updates"};
  Block *block = m->warp->block;
  if (!finding_add(block, EMU_RACE, m->insn, warp_thread(m->warp, m->lane), 1)) return;
  const Buffer *buffer = memory_find(block->launch->memory, m->address);
  finding_describe(
      block, "%s byte %llu of buffer %s that the bulk copy of %s still writes: %s", did[m->kind],
      (unsigned long long)(buffer ? m->address - buffer->base : m->address),
      buffer ? buffer->name : "?", insn_line(block->program, f->insn).text,
      flight_is_committed(issuer, f) ? "no wait for its bulk group without .read between"
                                     : "no cp.async.bulk.commit_group has committed it");
}

/* Reductions and atomics do not race, and neither do two stores, which may write the same values.
 */
static bool race_if_they_meet(const Meeting *m, const Flight *f) {
  if (m->copy && m->kind == RACE_WRITE) return f->reduce;
  return !f->reduce || m->kind != RACE_ATOMIC;
}

static bool touches(Meeting *m, Warp *issuer, const Flight *f) {
  return m->copy ? bulk_meets(issuer, m->copy, f, &m->address)
                 : bulk_touches(issuer, f, m->address, m->bytes);
}

/* Lands what a warp's copies write of the memory. */
static void meet(Meeting *m, Warp *issuer) {
  int kept = 0;
  for (int i = 0; i < issuer->outbounds; i++) {
    Flight *f = &issuer->outbound[i];
    if (!race_if_they_meet(m, f) || !touches(m, issuer, f)) {
      issuer->outbound[kept++] = *f;
      continue;
    }
    report_outbound(m, issuer, f);
    perform(issuer, f);
  }
  issuer->outbounds = kept;
}

void flight_meet(Warp *w, const Insn *insn, RaceKind kind, uint32_t lanes,
                 const uint64_t address[LANES], unsigned bytes) {
  Block *block = w->block;
  FOR_LANES(lane, lanes) {
    if (!block->leaving) return;
    Meeting m = {w, insn, kind, lane, address[lane], bytes, NULL};
    for (int i = 0; i < block->warps; i++) meet(&m, &block->warp[i]);
  }
}

static const Flight *user_of_map(const Block *block, uint64_t address, unsigned bytes) {
  for (int i = 0; i < block->inbounds; i++) {
    const Flight *f = &block->inbound[i];
    if (f->map_at && address < f->map_at + TENSOR_MAP_BYTES && f->map_at < address + bytes)
      return f;
  }
  return NULL;
}

void flight_check_maps(Warp *w, const Insn *insn, uint32_t lanes, const uint64_t address[LANES],
                       unsigned bytes) {
  Block *block = w->block;
  if (!block->inbounds || block->unchecked) return;
  FOR_LANES(lane, lanes) {
    const Flight *f = user_of_map(block, address[lane], bytes);
    if (!f || !finding_add(block, EMU_TENSOR_MAP, insn, warp_thread(w, lane), 1)) continue;
    finding_describe(block,
                     "writes the tensor map at 0x%llx, which the bulk copy of %s still uses: no "
                     "wait for its mbarrier between",
                     (unsigned long long)f->map_at, insn_line(block->program, f->insn).text);
  }
}

void flight_meet_copy(Warp *w, const Flight *copy) {
  Block *block = w->block;
  const RaceKind kind = !copy->writes ? RACE_READ : copy->reduce ? RACE_ATOMIC : RACE_WRITE;
  Meeting m = {.warp = w, .insn = copy->insn, .kind = kind, .lane = copy->lane, .copy = copy};
  for (int i = 0; i < block->warps && block->leaving; i++) meet(&m, &block->warp[i]);
}

/* --- a block's beginning and end --- */

void flight_start(Block *block) {
  block->leaving = 0;
  for (int i = 0; i < block->inbounds; i++) free(block->inbound[i].data);
  block->inbounds = 0;
  for (int i = 0; i < block->warps; i++) {
    Warp *w = &block->warp[i];
    for (int k = 0; k < w->outbounds; k++) free(w->outbound[k].data);
    w->outbounds = 0;
  }
}

/* Copies that were not waited for would land in memory that is gone. An H200 goes on. */
static void report_inbound(Block *block, const Flight *f) {
  if (block->unchecked) return;
  if (!finding_add_at(block, EMU_EXITED, f->insn, f->by, f->thread, 1)) return;
  finding_describe(block,
                   "the block ends while a bulk copy still writes its shared memory: nobody "
                   "waits for the mbarrier at shared 0x%x",
                   f->mbarrier);
}

void flight_finish(Block *block) {
  for (int i = 0; i < block->inbounds; i++) report_inbound(block, &block->inbound[i]);
  uint32_t all[LANES];
  memset(all, 0xff, sizeof all);
  for (int i = 0; i < block->warps; i++)
    if (block->warp[i].outbounds) flight_wait(&block->warp[i], ALL_LANES, all, false);
}

void flight_free_outbound(Warp *w) {
  for (int k = 0; k < w->outbounds; k++) free(w->outbound[k].data);
  free(w->outbound);
}

void flight_free_inbound(Block *block) {
  for (int i = 0; i < block->inbounds; i++) free(block->inbound[i].data);
  free(block->inbound);
}
