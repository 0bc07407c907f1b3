/* SPDX-License-Identifier: MIT */
/* ld and st, and parameters that are kept in registers. */
#include "emu/op/op_memory.h"

#include <string.h>

#include "emu/memory/element.h"
#include "emu/op/lane_data.h"
#include "emu/run/access/counters.h"
#include "emu/run/access/fast.h"
#include "emu/run/access/memory.h"
#include "emu/run/race/sync.h"
#include "emu/run/undef/memory.h"

static uint64_t sign_extend(uint64_t value, unsigned bytes) {
  unsigned shift = 64 - 8 * bytes;
  return (uint64_t)((int64_t)(value << shift) >> shift);
}

/* Loads element i of the active lanes: 0 where the access is invalid. */
static void load_element(const MemoryOp *op, unsigned i, const Resolved *access, uint32_t active,
                         uint64_t *d) {
  FOR_LANES(lane, active & access->valid) {
    const uint64_t value = element_load(access->host[lane] + i * op->bytes, op->bytes);
    d[lane] = op->is_signed ? sign_extend(value, op->bytes) : value;
  }
  FOR_LANES(lane, active & ~access->valid) d[lane] = 0;
}

static void load_words(unsigned i, const Resolved *access, uint64_t *d) {
  for (int lane = 0; lane < LANES; lane++) d[lane] = element_load(access->host[lane] + i * 4, 4);
}

/* The bytes of a vector that an access to what others write moves at once, as GPUs do: CUB keeps a
 * state and its value in 16 bytes. */
static unsigned bytes_at_once(const MemoryOp *op) {
  enum { MOST = 16 };
  const unsigned bytes = (unsigned)op->bytes * op->elements;
  if (!op->polls) return op->bytes;
  return bytes < MOST ? bytes : MOST;
}

static void load_at_once(Warp *w, const Insn *insn, const Resolved *access, uint32_t lanes) {
  const MemoryOp *op = &insn->memory;
  const unsigned bytes = (unsigned)op->bytes * op->elements, piece = bytes_at_once(op);
  Alias128 copy[2]; /* 32 bytes: of 4 elements of 64 bits */
  uint8_t *own = (uint8_t *)copy;
  FOR_LANES(lane, lanes) {
    for (unsigned i = 0; i < bytes; i += piece)
      if (piece == sizeof *copy)
        element_copy_16(own + i, access->host[lane] + i);
      else
        element_store(own + i, piece, element_load(access->host[lane] + i, piece));
    for (unsigned i = 0; i < op->elements; i++) {
      const uint64_t value = element_load(own + i * op->bytes, op->bytes);
      warp_reg(w, insn->d[i])[lane] = op->is_signed ? sign_extend(value, op->bytes) : value;
    }
  }
}

static void load_lanes(Warp *w, const Insn *insn, const Resolved *access, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  if (bytes_at_once(op) != op->bytes && access->valid == active) {
    load_at_once(w, insn, access, active);
    return;
  }
  const bool words = op->bytes == 4 && !op->is_signed && active == ALL_LANES;
  for (unsigned i = 0; i < op->elements; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    if (words && access->valid == ALL_LANES)
      load_words(i, access, d);
    else
      load_element(op, i, access, active, d);
  }
}

static void load_fast(Warp *w, const Insn *insn, uint32_t active, const Gather *g) {
  const MemoryOp *op = &insn->memory;
  const GatherLevel *gather = w->block->launch->gather;
  for (unsigned i = 0; i < op->elements; i++)
    gather->load(g, i, op->bytes, op->is_signed, active, warp_reg(w, insn->d[i]));
}

/* Places and judges a load on the fast path, where nothing is wrong with its addresses and nothing
 * that it reads is undefined; else NULL, and nothing is counted. */
static const Gather *check_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                                Gather *own) {
  const Block *block = w->block;
  const GatherLevel *level = block->launch->gather;
  const Gather *g = block->unchecked ? NULL : fast_resolve_checked(w, insn, bytes, active, own);
  if (g && insn->memory.space == EMU_CONST) access_read_constant(w, insn, bytes, active);
  if (!g || insn->memory.space == EMU_PARAM || insn->memory.space == EMU_CONST) return g;
  if (insn->memory.space == EMU_SHARED && level->any(g, block->undefined + g->base, bytes))
    return NULL;
  uint64_t moved[LANES];
  const uint64_t *address = g->address;
  if (g->shift) {
    level->shifted(g, moved);
    address = moved;
  }
  counters_add_fast(w, insn, bytes, active, g, address);
  access_read_fast(w, insn, bytes, active, address, g->row);
  return g;
}

static Flow exec_load(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  unsigned bytes = (unsigned)op->bytes * op->elements;
  Gather own;
  const Gather *lean = fast_resolve(w, insn, bytes, active, false, &own);
  if (!lean) lean = check_fast(w, insn, bytes, active, &own);
  if (lean) {
    load_fast(w, insn, active, lean);
    w->polled |= op->polls;
    return FLOW_NEXT;
  }
  uint64_t address[LANES];
  Resolved access;
  access_addresses(w, op, address);
  access_resolve(w, insn, EMU_LOAD, op->space, bytes, active, address, &access);
  access_read(w, insn, &access, bytes);
  if (op->space == EMU_CONST) access_read_constant(w, insn, bytes, active);
  if (w->undefined || undef_is_read(w, &access, bytes))
    undef_load(w, insn, op->elements, load_lanes, &access, bytes, active);
  load_lanes(w, insn, &access, active);
  w->polled |= op->polls;
  if (op->polls) sync_load(w, insn, &access);
  return FLOW_NEXT;
}

static void store_fast(Warp *w, const Insn *insn, uint32_t active, const Gather *g) {
  const MemoryOp *op = &insn->memory;
  const GatherLevel *gather = w->block->launch->gather;
  for (unsigned i = 0; i < op->elements; i++)
    gather->store(g, i, op->bytes, active, warp_reg(w, insn->s[i]));
}

static void store_resolved(Warp *w, const Insn *insn, unsigned bytes, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  uint64_t address[LANES];
  LaneData data;
  const uint8_t *value[LANES];
  Resolved access;
  access_addresses(w, op, address);
  lane_data_gather(w, insn, active, data);
  FOR_LANES(lane, active) value[lane] = data[lane];
  access_resolve(w, insn, EMU_STORE, op->space, bytes, active, address, &access);
  if (op->polls) sync_store(w, insn, &access);
  access_write(w, insn, &access, bytes, bytes_at_once(op), value);
  if (w->undefined) {
    const Insn of = undef_sources(w, insn, op->elements);
    lane_data_gather(w, &of, active, data);
    undef_stored(w, insn, op->elements, &access, bytes, value);
  }
}

/* A warp that polls may hand what it found to others by shared memory, over and over: only another
 * value is a change. */
static bool changes(const Warp *w, const Insn *insn, unsigned bytes, uint32_t active) {
  if (insn->memory.space != EMU_SHARED || !w->polled) return insn->memory.space != EMU_LOCAL;
  uint64_t address[LANES];
  LaneData data;
  access_addresses(w, &insn->memory, address);
  lane_data_gather(w, insn, active, data);
  FOR_LANES(lane, active) {
    const uint64_t window = address[lane] < WINDOW_BASE(EMU_SHARED) ? WINDOW_BASE(EMU_SHARED) : 0;
    const uint8_t *old = access_peek(w, lane, window + address[lane], bytes);
    if (!old || memcmp(old, data[lane], bytes) != 0) return true;
  }
  return false;
}

static Flow exec_store(Warp *w, const Insn *insn, uint32_t active) {
  const unsigned bytes = (unsigned)insn->memory.bytes * insn->memory.elements;
  Gather own;
  w->changed |= changes(w, insn, bytes, active);
  const Gather *lean = fast_resolve(w, insn, bytes, active, true, &own);
  if (lean)
    store_fast(w, insn, active, lean);
  else
    store_resolved(w, insn, bytes, active);
  return FLOW_NEXT;
}

/* --- parameters in registers --- */

/* An element of a .param variable in registers: of 8 bytes each, and in two of them where it is not
 * aligned, as members of packed structures may be. */
typedef struct {
  uint64_t *low, *high; /* by lane; high is NULL where it is in one */
  unsigned shift;
  uint64_t mask; /* before the shift */
} SlotElement;

static SlotElement slot_element(Warp *w, const MemoryOp *op, unsigned i) {
  const uint64_t at = (uint64_t)op->offset + i * op->bytes;
  const Ref first = op->base + (Ref)(at / 8);
  return (SlotElement){.low = warp_reg(w, first),
                       .high = at % 8 + op->bytes > 8 ? warp_reg(w, first + 1) : NULL,
                       .shift = (unsigned)(at % 8 * 8),
                       .mask = op->bytes == 8 ? UINT64_MAX : (1ull << op->bytes * 8) - 1};
}

static Flow exec_load_slot(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  for (unsigned i = 0; i < op->elements; i++) {
    const SlotElement e = slot_element(w, op, i);
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) {
      const uint64_t high = e.high ? e.high[lane] << (64 - e.shift) : 0;
      const uint64_t value = (e.low[lane] >> e.shift | high) & e.mask;
      d[lane] = op->is_signed ? sign_extend(value, op->bytes) : value;
    }
  }
  return FLOW_NEXT;
}

static uint64_t replace_bits(uint64_t old, uint64_t mask, uint64_t bits) {
  return (old & ~mask) | (bits & mask);
}

static Flow exec_store_slot(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  for (unsigned i = 0; i < op->elements; i++) {
    const SlotElement e = slot_element(w, op, i);
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) {
      e.low[lane] = replace_bits(e.low[lane], e.mask << e.shift, s[lane] << e.shift);
      if (!e.high) continue;
      const unsigned left = 64 - e.shift;
      e.high[lane] = replace_bits(e.high[lane], e.mask >> left, s[lane] >> left);
    }
  }
  return FLOW_NEXT;
}

/* Whether the address is that of a .param variable in registers; then it decodes it, with the
 * offset within the variable. */
static bool decode_slots(Decoder *d, const Operand *address) {
  const Symbol *symbol = address->kind == OPERAND_MEMORY ? address->item[0].symbol : NULL;
  if (!symbol || symbol->kind != SYMBOL_VAR || !symbol->in_slots) return false;
  MemoryOp *op = &d->insn->memory;
  uint64_t bytes = (uint64_t)op->bytes * op->elements;
  d->insn->kind = INSN_SLOT;
  op->offset = (int64_t)address->value;
  if (address->value > symbol->bytes || symbol->bytes - address->value < bytes) {
    decode_fail(d, "offset %llu is not one within '%.60s'", (unsigned long long)address->value,
                symbol->name);
  }
  op->base = ref_make(BANK_FRAME, (unsigned)symbol->slot);
  return true;
}

/* --- decoding --- */

/* Whether the access bypasses L1, so that blocks see each other's. To PTX such accesses are weak,
 * but programs pass flags between blocks by them, as by volatile ones before there were strong
 * ones. */
static bool take_bypass(Decoder *d) {
  static const char *const names[] = {"cg", "cv", "wt", NULL};
  return decode_take_one(d, names) >= 0;
}

static void take_shape(Decoder *d, MemoryOp *op) {
  static const char *const vectors[] = {"v2", "v4", "v8", NULL};
  int vector = decode_take_one(d, vectors);
  ArithType type = decode_take_type(d);
  if (type == ARITH_B128 && vector < 0)
    type = ARITH_B64, vector = 0; /* a register of 128 bits is two of 64 */
  unsigned bits = arith_bits(type);
  op->elements = (uint8_t)(vector < 0 ? 1 : 2 << vector);
  op->bytes = (uint8_t)(bits / 8);
  op->is_signed = type >= ARITH_S8 && type <= ARITH_S64;
  if (bits < 8 || bits > 64 || bits / 8 * op->elements > MAX_LANE_BYTES) {
    decode_fail(d, "this type is not supported");
    op->bytes = op->elements = 1;
  }
}

static void decode_data(Decoder *d, const Operand *operand, bool load) {
  Insn *insn = d->insn;
  unsigned count = insn->memory.elements;
  Ref *refs = decode_refs(d, (int)count);
  int given;
  const Operand *items = decode_items(operand, &given);
  if (given != (int)count) {
    decode_fail(d, "%d registers, expected %u", given, count);
    return;
  }
  for (unsigned i = 0; i < count; i++) {
    bool wide = !load && insn->memory.bytes == 8;
    refs[i] = load ? decode_dest(d, &items[i])
                   : decode_source(d, &items[i], wide ? ARITH_F64 : ARITH_F32);
  }
  if (load)
    insn->d = refs;
  else
    insn->s = refs;
}

static void decode_access(Decoder *d, bool load) {
  MemoryOp *op = &d->insn->memory;
  decode_take_order(d, op, false);
  /* A volatile access alone does not synchronize: except for flags, a race of such accesses is
   * one. */
  op->polls = decode_take(d, "volatile") || op->strong || take_bypass(d);
  op->space = (uint8_t)decode_space(d);
  take_shape(d, op);
  if (!decode_count_hinted(d, 2)) return;
  const Operand *address = decode_operand(d, load ? 1 : 0);
  decode_data(d, decode_operand(d, load ? 0 : 1), load);
  if (decode_slots(d, address)) {
    d->insn->fn = load ? exec_load_slot : exec_store_slot;
    return;
  }
  decode_address(d, address, op);
  if (!load && (op->space == EMU_PARAM || op->space == EMU_CONST)) {
    decode_fail(d, "this state space cannot be written");
  }
  decode_site(d, INSN_ACCESS);
  d->insn->fn = load ? exec_load : exec_store;
}

void decode_load(Decoder *d) { decode_access(d, true); }
void decode_store(Decoder *d) { decode_access(d, false); }
