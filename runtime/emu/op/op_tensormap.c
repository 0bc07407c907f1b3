/* SPDX-License-Identifier: MIT */
/* tensormap.replace and tensormap.cp_fenceproxy. Whether a map is valid as a whole is checked when
 * a copy uses it; here only one field is checked. Maps are opaque: undefined bits of their bytes
 * are not tracked, and a change of a field counts as a write of the whole map. */
#include "emu/op/op_tensormap.h"

#include <string.h>

#include "emu/memory/tensor.h"
#include "emu/run/access/memory.h"
#include "emu/run/async/flight.h"
#include "emu/run/async/proxy.h"
#include "emu/run/state/finding.h"

/* A lane's map, to be changed; NULL after a finding that ends the launch. */
static uint8_t *map_at(Warp *w, const Insn *insn, unsigned lane, const MemoryOp *op, uint64_t at) {
  const uint64_t address = op->space == EMU_SHARED && memory_space_of(at) == EMU_GLOBAL
                               ? WINDOW_BASE(EMU_SHARED) + at
                               : at;
  const bool aligned = address % TENSOR_MAP_ALIGN == 0;
  const uint8_t *bytes = access_peek(w, lane, address, TENSOR_MAP_BYTES);
  if (bytes && aligned) return (uint8_t *)(uintptr_t)bytes;
  finding_end(w, insn, aligned ? EMU_OUT_OF_BOUNDS : EMU_MISALIGNED, 1u << lane,
              "tensor map at 0x%llx, %s", (unsigned long long)address,
              aligned ? "where no memory is" : "no multiple of 64");
  return NULL;
}

/* A lane has changed a map. */
static void note_write(Warp *w, const Insn *insn, unsigned lane, uint64_t address) {
  uint64_t at[LANES];
  w->changed = true;
  if (insn->memory.space == EMU_SHARED || memory_space_of(address) != EMU_GLOBAL) return;
  if (w->block->unchecked) return;
  at[lane] = address;
  flight_check_maps(w, insn, 1u << lane, at, TENSOR_MAP_BYTES);
  proxy_write_map(w, insn, lane, address);
}

/* MemoryOp.bytes holds the field, and .elements the dimension of a field that has one. */
static Flow exec_replace(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  const uint64_t *value = warp_reg(w, insn->s[0]);
  access_addresses(w, &insn->memory, address);
  FOR_LANES(lane, active) {
    uint8_t *map = map_at(w, insn, lane, &insn->memory, address[lane]);
    if (!map) return FLOW_WAIT;
    const TensorField field = (TensorField)insn->memory.bytes;
    const char *why = tensor_map_replace(map, field, insn->memory.elements, value[lane]);
    if (why)
      return finding_end(w, insn, EMU_OUT_OF_BOUNDS, 1u << lane, "tensormap.replace of 0x%llx: %s",
                         (unsigned long long)address[lane], why);
    if (field == TENSOR_FIELD_TYPE && tensor_map_is_left_rounding(map))
      finding_report(w, insn, EMU_HARDWARE, lane,
                     "the type of a tensor map of tf32 is replaced by another: an H200 goes on to "
                     "round f32, and ends in an illegal instruction for elements of other types; "
                     "begin with a map of another type");
    note_write(w, insn, lane, address[lane]);
  }
  return FLOW_NEXT;
}

/* The warp copies one map: all lanes must have the same addresses. */
static Flow exec_copy(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t to[LANES], from[LANES];
  const unsigned lane = lane_first(active);
  access_addresses(w, &insn->memory, to);
  access_addresses(w, insn->memory.copy.from, from);
  uint8_t *target = map_at(w, insn, lane, &insn->memory, to[lane]);
  const uint8_t *source = target ? map_at(w, insn, lane, insn->memory.copy.from, from[lane]) : NULL;
  if (!source) return FLOW_WAIT;
  memmove(target, source, TENSOR_MAP_BYTES);
  note_write(w, insn, lane, to[lane]);
  return FLOW_NEXT;
}

/* --- decoding --- */

static const char *const fields[] = {
    "global_address", "rank",           "box_dim",  "global_dim",
    "global_stride",  "element_stride", "elemtype", "interleave_layout",
    "swizzle_mode",   "fill_mode",      NULL};

static bool has_dimension(int field) {
  return field >= TENSOR_FIELD_BOX && field <= TENSOR_FIELD_STEP;
}

/* [map], {dimension,} value */
static void decode_replace(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  const int field = decode_take_one(d, fields), given = has_dimension(field) ? 1 : 0;
  op->space = (uint8_t)decode_space(d);
  if (d->failed || !decode_count(d, 2 + given, 2 + given)) return;
  decode_address(d, decode_operand(d, 0), op);
  const Operand *dimension = given ? decode_operand(d, 1) : NULL;
  if (dimension && (dimension->kind != OPERAND_INT || dimension->value >= TENSOR_MAX_RANK))
    decode_fail(d, "the dimension is not 0 to %d", TENSOR_MAX_RANK - 1);
  decode_sources(d, 1 + given, 1, ARITH_U64);
  op->bytes = (uint8_t)(field < 0 ? 0 : field);
  op->elements = (uint8_t)(dimension ? dimension->value : 0);
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = exec_replace;
}

/* [to], [from], 128: from shared to global memory, with a fence for those who use the map. */
static void decode_copy(Decoder *d) {
  if (!decode_count(d, 3, 3)) return;
  MemoryOp *from = ARENA_NEW(d->arena, MemoryOp);
  from->space = EMU_SHARED;
  decode_address(d, decode_operand(d, 1), from);
  d->insn->memory.space = EMU_GLOBAL;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  if (decode_operand(d, 2)->value != TENSOR_MAP_BYTES) decode_fail(d, "the size is not 128");
  d->insn->memory.copy.from = from;
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = exec_copy;
}

void decode_tensormap(Decoder *d) {
  if (decode_take(d, "replace"))
    decode_replace(d);
  else
    decode_copy(d);
}
