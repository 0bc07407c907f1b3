/* SPDX-License-Identifier: MIT */
/* mov.b128, atom.exch.b128 and atom.cas.b128. */
#include "emu/op/op_wide.h"

#include <string.h>

#include "emu/op/op_atomic.h"
#include "emu/op/op_move.h"
#include "emu/run/access/memory.h"
#include "emu/run/race/sync.h"
#include "emu/run/undef/memory.h"

enum { WIDE_BYTES = 16, PIECES = 2, PIECE_BYTES = WIDE_BYTES / PIECES };

/* --- mov --- */

static Flow exec_mov_wide(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t copy[PIECES][LANES];
  for (int i = 0; i < PIECES; i++) memcpy(copy[i], warp_reg(w, insn->s[i]), sizeof copy[i]);
  for (int i = 0; i < PIECES; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) d[lane] = copy[i][lane];
  }
  return FLOW_NEXT;
}

void decode_mov_wide(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  Ref *r = decode_refs(d, PIECES), *s = decode_refs(d, PIECES);
  decode_fragment(d, decode_operand(d, 0), PIECES, true, r);
  decode_fragment(d, decode_operand(d, 1), PIECES, false, s);
  d->insn->d = r;
  d->insn->s = s;
  d->insn->n_d = d->insn->n_s = PIECES;
  d->insn->kind = INSN_PACK;
  d->insn->pack.bits = 8 * PIECE_BYTES;
  d->insn->fn = exec_mov_wide;
}

/* --- atom --- */

__extension__ typedef unsigned __int128 Wide;
typedef Wide __attribute__((may_alias)) AliasWide;

/* cmpxchg16b, which all x86-64 processors but the first have, is not part of the baseline. Its
 * function is never inlined: clang would inline it into functions that are compiled without it. */
#ifdef __x86_64__
#define HAS_SWAP __attribute__((target("cx16"), noinline))
#else
#define HAS_SWAP
#endif

HAS_SWAP static Wide swap(uint8_t *at, Wide expected, Wide value) {
  return __sync_val_compare_and_swap((AliasWide *)(void *)at, expected, value);
}

static Wide join(uint64_t low, uint64_t high) { return (Wide)high << 64 | low; }

/* Returns what memory held. The first try compares with an unlikely value, and so only reads. */
static Wide exchange(uint8_t *at, Wide value) {
  Wide old = swap(at, 0, 0), seen;
  while ((seen = swap(at, old, value)) != old) old = seen;
  return old;
}

/* Sources: the halves of the value; of a compare-and-swap those of the comparand come first. */
static void update(Warp *w, const Insn *insn, const Resolved *access) {
  const bool compares = insn->n_s > PIECES;
  const uint64_t *s[2 * PIECES];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  FOR_LANES(lane, access->valid) {
    const Wide first = join(s[0][lane], s[1][lane]);
    const Wide value = compares ? join(s[2][lane], s[3][lane]) : first;
    const Wide old =
        compares ? swap(access->host[lane], first, value) : exchange(access->host[lane], value);
    w->changed |= (!compares || old == first) && old != value;
    for (int i = 0; i < insn->n_d; i++) warp_reg(w, insn->d[i])[lane] = (uint64_t)(old >> (64 * i));
  }
}

static Flow exec_atomic_wide(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  Resolved access;
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_ATOMIC, insn->memory.space, WIDE_BYTES, active, address, &access);
  access_atomic(w, insn, &access, WIDE_BYTES);
  for (unsigned i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active & ~access.valid) d[lane] = 0;
  }
  if (w->undefined || undef_is_read(w, &access, WIDE_BYTES))
    undef_updated(w, insn, &access, insn->n_s == PIECES);
  sync_store(w, insn, &access);
  update(w, insn, &access);
  sync_load(w, insn, &access);
  w->polled = true;
  return FLOW_NEXT;
}

/* d, [a], b{, c} */
void decode_atomic_wide(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  decode_take_order(d, op, true);
  op->space = (uint8_t)decode_space(d);
  const bool compares = decode_take(d, "cas");
  const int values = compares ? 2 : 1;
  if (d->failed || !decode_count_hinted(d, 2 + values)) return;
  Ref *r = decode_refs(d, PIECES), *s = decode_refs(d, PIECES * values);
  const bool returns = decode_operand(d, 0)->kind != OPERAND_SINK;
  if (returns) decode_fragment(d, decode_operand(d, 0), PIECES, true, r);
  decode_address(d, decode_operand(d, 1), op);
  for (int i = 0; i < values; i++)
    decode_fragment(d, decode_operand(d, 2 + i), PIECES, false, s + PIECES * i);
  op->bytes = PIECE_BYTES;
  op->elements = PIECES;
  op->atomic.passes = (uint8_t)values;
  d->insn->d = r;
  d->insn->s = s;
  d->insn->n_d = returns ? PIECES : 0;
  d->insn->n_s = (uint8_t)(PIECES * values);
  decode_site(d, INSN_ATOMIC);
  d->insn->fn = exec_atomic_wide;
}
