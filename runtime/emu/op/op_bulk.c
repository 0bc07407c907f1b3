/* SPDX-License-Identifier: MIT */
/* Copies by the async proxy: cp.async.bulk, cp.reduce.async.bulk, st.async and red.async. */
#include "emu/op/op_bulk.h"

#include <string.h>

#include "emu/op/op_atomic.h"
#include "emu/op/op_memory.h"
#include "emu/op/op_move.h"
#include "emu/run/async/flight.h"
#include "emu/run/copy/bulk_issue.h"

/* --- groups --- */

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn;
  w->counted = true;
  FOR_LANES(lane, active) w->bulk_group[lane]++;
  return FLOW_NEXT;
}

/* wait_group's value: how many groups may be pending, and with .read this bit: the others need only
 * have read their sources. */
enum { WAIT_READ = 1 << 16 };

static Flow exec_wait(Warp *w, const Insn *insn, uint32_t active) {
  const uint32_t most = (uint32_t)insn->value % WAIT_READ;
  uint32_t newest[LANES] = {0};
  FOR_LANES(lane, active)
    newest[lane] = w->bulk_group[lane] > most ? w->bulk_group[lane] - most : 0;
  flight_wait(w, active, newest, insn->value & WAIT_READ);
  return FLOW_NEXT;
}

static void decode_wait(Decoder *d) {
  const bool read = decode_take(d, "read");
  if (!decode_count(d, 1, 1)) return;
  const Operand *count = decode_operand(d, 0);
  if (count->kind != OPERAND_INT || count->value >= WAIT_READ)
    decode_fail(d, "the number of groups is not a constant below %d", WAIT_READ);
  d->insn->kind = INSN_VALUE;
  d->insn->value = count->value | (read ? WAIT_READ : 0);
  d->insn->fn = exec_wait;
}

/* --- operands --- */

static const MemoryOp *new_place(Decoder *d, int index, EmuSpace space) {
  MemoryOp *op = ARENA_NEW(d->arena, MemoryOp);
  op->space = (uint8_t)space;
  decode_address(d, decode_operand(d, index), op);
  return op;
}

static const Ref *new_source(Decoder *d, int index) {
  Ref *r = decode_refs(d, 1);
  r[0] = decode_source(d, decode_operand(d, index), ARITH_U32);
  return r;
}

/* [map, {c0, c1, ...}], where the map's address is generic. */
static void decode_tensor(Decoder *d, int index, BulkOp *bulk) {
  const Operand *whole = decode_operand(d, index);
  if (whole->kind != OPERAND_MEMORY || whole->items != 2) {
    decode_fail(d, "an operand is not a tensor map with coordinates");
    return;
  }
  Operand map = *whole;
  map.items = 1;
  MemoryOp *op = ARENA_NEW(d->arena, MemoryOp);
  op->space = SPACE_GENERIC;
  decode_address(d, &map, op);
  Ref *coord = decode_refs(d, bulk->rank);
  decode_fragment(d, &whole->item[1], bulk->rank, false, coord);
  bulk->other = op;
  bulk->coord = coord;
}

/* --- modifiers --- */

typedef enum { TO_SHARED, TO_GLOBAL, BETWEEN_BLOCKS } Direction;

/* Whether .global precedes .shared::cta or .shared::cluster: the destination is named first. */
static bool is_global_first(const Decoder *d) {
  int i = 1;
  while (strcmp(d->modifier[i], "global") != 0 && strncmp(d->modifier[i], "shared", 6) != 0) i++;
  return strcmp(d->modifier[i], "global") == 0;
}

static Direction take_direction(Decoder *d) {
  const bool cluster = decode_take(d, "shared::cluster"), global = decode_take(d, "global");
  const bool cta = decode_take(d, "shared::cta");
  if (global && (cluster || cta)) return is_global_first(d) ? TO_GLOBAL : TO_SHARED;
  if (!cluster || !cta) decode_fail(d, "these state spaces are not supported");
  return BETWEEN_BLOCKS;
}

static int take_rank(Decoder *d) {
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d", NULL};
  return decode_take_one(d, ranks) + 1;
}

/* The type in which elements of a tensor are reduced. */
static ArithType type_of(TensorType type) {
  static const ArithType types[TENSOR_TYPES] = {
      [TENSOR_U8] = ARITH_U8,       [TENSOR_U16] = ARITH_U16,     [TENSOR_U32] = ARITH_U32,
      [TENSOR_S32] = ARITH_S32,     [TENSOR_U64] = ARITH_U64,     [TENSOR_S64] = ARITH_S64,
      [TENSOR_F16] = ARITH_F16,     [TENSOR_F32] = ARITH_F32,     [TENSOR_F64] = ARITH_F64,
      [TENSOR_BF16] = ARITH_BF16,   [TENSOR_F32_FTZ] = ARITH_F32, [TENSOR_TF32] = ARITH_F32,
      [TENSOR_TF32_FTZ] = ARITH_F32};
  return types[type];
}

/* Sums of no other elements, and no elements that are loaded, flush subnormals [measured on an
 * H200]. */
static bool flushes(TensorType type) { return type == TENSOR_F32_FTZ || type == TENSOR_TF32_FTZ; }

/* The reduction of elements of one type, as BulkOp has it. */
static const FlightReduce **reduction_of(Decoder *d, int op, ArithType type) {
  const FlightReduce **how = ARENA_ARRAY(d->arena, const FlightReduce *, 1);
  how[0] = atomic_reduce(d, op, type, false);
  if (!how[0]) decode_fail(d, "this reduction is not supported");
  return how;
}

/* The type is named by the opcode or, of a tensor, by its map, which only the launch supplies: then
 * there is a reduction for each type. */
static void take_reduction(Decoder *d, BulkOp *bulk) {
  const int op = atomic_take_op(d);
  const FlightReduce **how = ARENA_ARRAY(d->arena, const FlightReduce *, TENSOR_TYPES);
  for (int i = 0; bulk->rank && i < TENSOR_TYPES; i++)
    how[i] = atomic_reduce(d, op, type_of((TensorType)i), flushes((TensorType)i));
  bulk->reduce = bulk->rank ? how : reduction_of(d, op, decode_take_type(d));
}

static void finish(Decoder *d, const BulkOp *bulk, ExecFn fn) {
  d->program->uses_bulk = true;
  d->insn->memory.scope = SCOPE_DEVICE;
  decode_site(d, INSN_BULK);
  d->insn->memory.bulk = bulk;
  d->insn->fn = fn;
}

/* --- forms --- */

/* [to], [from], size, [mbarrier] {, mask}; of a tensor [to], [map, {...}], [mbarrier] {, mask} */
static void decode_in(Decoder *d, BulkOp *bulk, Direction way) {
  static const char *const groups[] = {"cta_group::1", "cta_group::2", NULL};
  bulk->group = (uint8_t)(bulk->rank ? decode_take_one(d, groups) + 1 : 0);
  const bool multicast = decode_take(d, "multicast::cluster");
  const int mbarrier = bulk->rank ? 2 : 3;
  if (!decode_take(d, "mbarrier::complete_tx::bytes"))
    decode_fail(d, "this completion mechanism is not supported");
  if (!decode_count_hinted(d, mbarrier + 1 + multicast)) return;
  d->insn->memory.space = EMU_SHARED;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  if (bulk->rank) {
    decode_tensor(d, 1, bulk);
  } else {
    bulk->other = new_place(d, 1, way == TO_SHARED ? EMU_GLOBAL : EMU_SHARED);
    bulk->size = *new_source(d, 2);
  }
  bulk->mbarrier = new_place(d, mbarrier, EMU_SHARED);
  if (multicast) bulk->mask = new_source(d, mbarrier + 1);
  finish(d, bulk, way == TO_SHARED ? bulk_issue_load : bulk_issue_shared);
}

/* [to], [from], size; of a tensor [map, {...}], [from] */
static void decode_out(Decoder *d, BulkOp *bulk) {
  const int from = 1, count = bulk->rank ? 2 : 3;
  if (!decode_take(d, "bulk_group")) decode_fail(d, "this completion mechanism is not supported");
  if (!decode_count_hinted(d, count)) return;
  d->insn->memory.space = EMU_SHARED;
  decode_address(d, decode_operand(d, from), &d->insn->memory);
  if (bulk->rank) {
    decode_tensor(d, 0, bulk);
  } else {
    bulk->other = new_place(d, 0, EMU_GLOBAL);
    bulk->size = *new_source(d, 2);
  }
  finish(d, bulk, bulk_issue_store);
}

static void decode_copy(Decoder *d, bool reduces) {
  BulkOp *bulk = ARENA_NEW(d->arena, BulkOp);
  if (decode_take(d, "tensor")) bulk->rank = take_rank(d);
  const Direction way = take_direction(d);
  if (reduces) take_reduction(d, bulk);
  if (d->failed) return;
  if (way == TO_GLOBAL)
    decode_out(d, bulk);
  else
    decode_in(d, bulk, way);
}

void decode_bulk(Decoder *d) {
  const bool reduces = decode_take(d, "reduce");
  if (decode_take(d, "commit_group"))
    d->insn->fn = exec_commit;
  else if (decode_take(d, "wait_group"))
    decode_wait(d);
  else if (decode_take(d, "prefetch"))
    decode_nothing(d);
  else
    decode_copy(d, reduces);
}

/* --- st.async and red.async --- */

/* [to], value, [mbarrier] */
static void decode_value(Decoder *d, bool reduces) {
  static const char *const vectors[] = {"v2", "v4", NULL};
  BulkOp *bulk = ARENA_NEW(d->arena, BulkOp);
  const int vector = decode_take_one(d, vectors), op = reduces ? atomic_take_op(d) : -1;
  const ArithType type = decode_take_type(d);
  if (d->failed || !decode_count(d, 3, 3)) return;
  bulk->values = vector < 0 ? 1 : 2 << vector;
  bulk->bytes = (int)arith_bits(type) / 8;
  if (bulk->bytes < 4 || bulk->bytes > 8) decode_fail(d, "this type is not supported");
  Ref *value = decode_refs(d, bulk->values);
  decode_fragment(d, decode_operand(d, 1), bulk->values, false, value);
  bulk->value = value;
  if (reduces) bulk->reduce = reduction_of(d, op, type);
  d->insn->memory.space = EMU_SHARED;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  bulk->mbarrier = new_place(d, 2, EMU_SHARED);
  finish(d, bulk, bulk_issue_value);
}

void decode_store_async(Decoder *d) { decode_value(d, false); }
void decode_red_async(Decoder *d) { decode_value(d, true); }
