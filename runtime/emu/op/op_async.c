/* SPDX-License-Identifier: MIT */
/* cp.async: copies from global to shared memory, which take place only when a thread waits for
 * them: until then shared memory keeps its contents, so that a missing wait shows. */
#include "emu/op/op_async.h"

#include "emu/run/access/memory.h"
#include "emu/run/copy/cp_async.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/shared.h"

/* --- issuing --- */

/* The bytes that each lane reads: all, the number that is given, or none where the predicate
 * ignore-src holds. The rest is filled with zeros [PTX ISA, cp.async]. */
static void source_bytes(const Warp *w, const Insn *insn, uint8_t count[LANES]) {
  uint32_t ignored = insn->p_in.slot >= 0 ? warp_pred(w, insn->p_in) : 0;
  const uint64_t *given = insn->n_s ? warp_reg(w, insn->s[0]) : NULL;
  for (unsigned lane = 0; lane < LANES; lane++) {
    uint32_t bytes = given ? (uint32_t)given[lane] : insn->memory.bytes;
    if (bytes > insn->memory.bytes) bytes = insn->memory.bytes;
    count[lane] = (uint8_t)(ignored >> lane & 1 ? 0 : bytes);
  }
}

/* Lanes that read all of the copy's bytes are checked as one access. */
static uint32_t resolve_whole(Warp *w, const Insn *insn, uint32_t lanes,
                              const uint64_t address[LANES], uint8_t *host[LANES]) {
  const unsigned bytes = insn->memory.bytes;
  Resolved access;
  if (!lanes) return 0;
  access_resolve(w, insn, EMU_CP_ASYNC, EMU_GLOBAL, bytes, lanes, address, &access);
  access_read(w, insn, &access, bytes);
  FOR_LANES(lane, access.valid) host[lane] = access.host[lane];
  return access.valid;
}

/* Shorter reads are checked at their first and last byte. */
static uint32_t resolve_part(Warp *w, const Insn *insn, uint32_t lanes,
                             const uint64_t address[LANES], const uint64_t last[LANES],
                             uint8_t *host[LANES]) {
  Resolved access, end;
  if (!lanes) return 0;
  access_resolve(w, insn, EMU_CP_ASYNC, EMU_GLOBAL, 1, lanes, address, &access);
  access_resolve(w, insn, EMU_CP_ASYNC, EMU_GLOBAL, 1, lanes, last, &end);
  access_read(w, insn, &access, 1);
  access_read(w, insn, &end, 1);
  FOR_LANES(lane, access.valid & end.valid) host[lane] = access.host[lane];
  return access.valid & end.valid;
}

/* Checks what the lanes read, and finds it on the host. Returns the lanes whose reads are valid. */
static uint32_t resolve_source(Warp *w, const Insn *insn, uint32_t active,
                               const uint8_t count[LANES], uint8_t *host[LANES]) {
  uint64_t address[LANES], last[LANES];
  uint32_t whole = 0, part = 0, none = 0;
  access_addresses(w, insn->memory.copy.from, address);
  FOR_LANES(lane, active) {
    uint32_t *set = count[lane] == insn->memory.bytes ? &whole : count[lane] ? &part : &none;
    *set |= 1u << lane;
    last[lane] = address[lane] + (count[lane] ? count[lane] - 1u : 0);
  }
  whole = resolve_whole(w, insn, whole, address, host);
  return none | whole | resolve_part(w, insn, part, address, last, host);
}

static void issue(Warp *w, const Insn *insn, unsigned lane, uint32_t to, const uint8_t *from,
                  uint8_t count) {
  race_async_issue(w, insn, lane, to);
  w->async[w->asyncs++] = (AsyncCopy){.insn = insn,
                                      .from = from,
                                      .to = to,
                                      .group = w->async_group[lane],
                                      .lane = (uint8_t)lane,
                                      .bytes = insn->memory.bytes,
                                      .from_bytes = count};
}

static void source_addresses(Warp *w, const Insn *insn, const uint8_t count[LANES],
                             uint64_t source[LANES]) {
  access_addresses(w, insn->memory.copy.from, source);
  for (int lane = 0; lane < LANES; lane++)
    if (!count[lane]) source[lane] = EMU_NO_SOURCE;
}

static Flow exec_cp_async(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES], source[LANES];
  uint8_t count[LANES], *host[LANES] = {0};
  Resolved access;
  source_bytes(w, insn, count);
  uint32_t readable = resolve_source(w, insn, active, count, host);
  access_addresses(w, &insn->memory, address);
  source_addresses(w, insn, count, source);
  access_resolve_copy(w, insn, active, address, source, &access);
  uint32_t lanes = access.valid & readable;
  if (!async_reserve(w, LANES)) {
    atomic_store(&w->block->launch->out_of_memory, true);
    block_stop(w->block);
    return FLOW_WAIT;
  }
  race_access(w, insn, RACE_WRITE, lanes, access.offset, insn->memory.bytes, NULL);
  FOR_LANES(lane, lanes) {
    issue(w, insn, lane, (uint32_t)access.offset[lane], host[lane], count[lane]);
  }
  return FLOW_NEXT;
}

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn;
  w->counted = true;
  FOR_LANES(lane, active) w->async_group[lane]++;
  return FLOW_NEXT;
}

static Flow exec_wait_group(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t newest[LANES] = {0};
  FOR_LANES(lane, active) {
    uint32_t groups = w->async_group[lane];
    newest[lane] = groups > insn->value ? groups - (uint32_t)insn->value : 0;
  }
  async_perform_until(w, active, newest);
  if (!w->block->unchecked) async_note_wait(w, active, insn);
  return FLOW_NEXT;
}

static Flow exec_wait_all(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn;
  async_perform_all(w, active);
  return FLOW_NEXT;
}

/* --- decoding --- */

static void decode_wait_group(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  const Operand *count = decode_operand(d, 0);
  if (count->kind != OPERAND_INT) decode_fail(d, "the number of groups is not a constant");
  d->insn->kind = INSN_VALUE;
  d->insn->value = count->value;
  d->insn->fn = exec_wait_group;
}

/* .ca copies 4, 8 or 16 bytes, .cg only 16. */
static void decode_size(Decoder *d, const Operand *size) {
  MemoryOp *op = &d->insn->memory;
  bool known = size->kind == OPERAND_INT &&
               (size->value == 4 || size->value == 8 || size->value == MAX_COPY);
  if (!known || (op->copy.bypass && size->value != MAX_COPY)) {
    decode_fail(d, "this copy size is not supported");
    return;
  }
  op->bytes = (uint8_t)size->value;
}

/* Decodes how much is read: a number of bytes, or a predicate that says whether to read nothing. */
static void decode_limit(Decoder *d, int index) {
  const Operand *limit = decode_operand(d, index);
  if (limit->kind == OPERAND_PRED)
    d->insn->p_in = decode_pred(d, limit);
  else
    decode_sources(d, index, 1, ARITH_U32);
}

/* [to], [from], bytes {, limit} {, cache policy} */
static void decode_copy(Decoder *d) {
  enum { LIMIT = 3 };
  Insn *insn = d->insn;
  MemoryOp *from = ARENA_NEW(d->arena, MemoryOp);
  d->insn->memory.copy.bypass = decode_take(d, "cg");
  const bool policy = decode_take(d, "L2::cache_hint");
  if (d->failed || !decode_count(d, LIMIT + policy, LIMIT + 1 + policy)) return;
  insn->memory.space = EMU_SHARED;
  from->space = EMU_GLOBAL;
  decode_address(d, decode_operand(d, 0), &insn->memory);
  decode_address(d, decode_operand(d, 1), from);
  insn->memory.copy.from = from;
  decode_size(d, decode_operand(d, 2));
  if (d->statement->operands > LIMIT + policy) decode_limit(d, LIMIT);
  decode_site(d, INSN_COPY);
  insn->fn = exec_cp_async;
}

void decode_cp_async(Decoder *d) {
  if (decode_take(d, "commit_group"))
    d->insn->fn = exec_commit;
  else if (decode_take(d, "wait_all"))
    d->insn->fn = exec_wait_all;
  else if (decode_take(d, "wait_group"))
    decode_wait_group(d);
  else
    decode_copy(d);
}
