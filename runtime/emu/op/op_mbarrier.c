/*
 * mbarrier objects. The 64 bits in shared memory are opaque to programs; here they hold, from bit
 * 0: 20 bits of arrivals still missing, 20 of arrivals per phase, 23 of a transaction count (two's
 * complement), and the phase's parity.
 */
#include "emu/op/op_mbarrier.h"

#include <string.h>

#include "emu/memory/element.h"
#include "emu/run/access.h"
#include "emu/run/async.h"
#include "emu/run/race.h"
#include "emu/run/sync.h"
#include "emu/run/undef_memory.h"

enum { COUNT_BITS = 20, TX_SHIFT = 40, TX_BITS = 23, PHASE_SHIFT = 63, BYTES = 8 };

typedef enum {
  MBARRIER_INIT,
  MBARRIER_INVAL,
  MBARRIER_ARRIVE,
  MBARRIER_ARRIVE_DROP,
  MBARRIER_EXPECT_TX,
  MBARRIER_COMPLETE_TX,
  MBARRIER_ARRIVE_EXPECT_TX,
  MBARRIER_TEST_WAIT,
  MBARRIER_TEST_PARITY,
  MBARRIER_ASYNC_ARRIVE,    /* cp.async.mbarrier.arrive.noinc */
  MBARRIER_ASYNC_ARRIVE_INC /* without .noinc it adds the arrival that it takes: no change */
} MbarrierOp;

typedef struct {
  uint32_t missing, expected, phase;
  int32_t tx;
} Mbarrier;

static Mbarrier unpack(uint64_t bits) {
  const uint64_t count = (1u << COUNT_BITS) - 1, tx = (1u << TX_BITS) - 1;
  int32_t value = (int32_t)(bits >> TX_SHIFT & tx);
  return (Mbarrier){.missing = (uint32_t)(bits & count),
                    .expected = (uint32_t)(bits >> COUNT_BITS & count),
                    .phase = (uint32_t)(bits >> PHASE_SHIFT),
                    .tx = value >= 1 << (TX_BITS - 1) ? value - (1 << TX_BITS) : value};
}

static uint64_t pack(Mbarrier m) {
  const uint64_t count = (1u << COUNT_BITS) - 1, tx = (1u << TX_BITS) - 1;
  if (m.missing == 0 && m.tx == 0) {
    m.phase ^= 1;
    m.missing = m.expected;
  }
  return (m.missing & count) | (uint64_t)(m.expected & count) << COUNT_BITS |
         ((uint64_t)(uint32_t)m.tx & tx) << TX_SHIFT | (uint64_t)m.phase << PHASE_SHIFT;
}

static uint64_t apply(MbarrierOp op, uint64_t bits, uint32_t n) {
  Mbarrier m = unpack(bits);
  switch (op) {
  case MBARRIER_INIT: m = (Mbarrier){.missing = n, .expected = n}; break;
  case MBARRIER_ARRIVE_DROP:
    m.expected -= n;
    m.missing -= n;
    break;
  case MBARRIER_ARRIVE: m.missing -= n; break;
  case MBARRIER_ASYNC_ARRIVE: m.missing--; break;
  case MBARRIER_EXPECT_TX: m.tx += (int32_t)(n & ((1 << TX_BITS) - 1)); break;
  case MBARRIER_COMPLETE_TX: m.tx -= (int32_t)(n & ((1 << TX_BITS) - 1)); break;
  case MBARRIER_ARRIVE_EXPECT_TX:
    m.tx += (int32_t)(n & ((1 << TX_BITS) - 1));
    m.missing--;
    break;
  default: return bits;
  }
  return pack(m);
}

static bool phase_done(const Insn *insn, uint64_t bits, uint64_t token) {
  uint64_t phase =
      insn->memory.mbarrier.op == MBARRIER_TEST_PARITY ? token & 1 : token >> PHASE_SHIFT;
  return bits >> PHASE_SHIFT != phase;
}

static bool is_async(const Insn *insn) {
  return insn->memory.mbarrier.op == MBARRIER_ASYNC_ARRIVE ||
         insn->memory.mbarrier.op == MBARRIER_ASYNC_ARRIVE_INC;
}

static bool is_test(const Insn *insn) {
  return insn->memory.mbarrier.op == MBARRIER_TEST_WAIT ||
         insn->memory.mbarrier.op == MBARRIER_TEST_PARITY;
}

/* Lanes take their turns; returns those whose phase is over. */
static uint32_t update_lanes(Warp *w, const Insn *insn, const Resolved *access) {
  const uint64_t *n = insn->n_s ? warp_reg(w, insn->s[0]) : NULL;
  uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : NULL;
  uint32_t done = 0;
  FOR_LANES(lane, access->valid) {
    uint64_t bits = element_load(access->host[lane], BYTES);
    uint32_t count = n ? (uint32_t)n[lane] : 1;
    if (is_test(insn))
      done |= (phase_done(insn, bits, n[lane]) ? 1u : 0) << lane;
    else
      element_store(access->host[lane], BYTES,
                    apply((MbarrierOp)insn->memory.mbarrier.op, bits, count));
    if (d) d[lane] = bits;
  }
  return done;
}

static void mark_initialised(Warp *w, const Resolved *access) {
  FOR_LANES(lane, access->shared) memset(w->block->undefined + access->offset[lane], 0, BYTES);
}

static Flow exec_mbarrier(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  Resolved access;
  if (is_async(insn)) async_perform_all(w, active);
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_MBARRIER, insn->memory.space, BYTES, active, address, &access);
  if (insn->memory.mbarrier.op == MBARRIER_INIT) mark_initialised(w, &access);
  undef_demand(w, insn, &access, BYTES, "is used as a barrier");
  access_atomic(w, insn, &access, BYTES);
  uint32_t done = update_lanes(w, insn, &access);
  warp_set_pred(w, insn->p_out[0], done, active);
  w->polled = true;
  if (is_test(insn)) {
    access.valid &= done;
    sync_load(w, insn, &access);
  } else {
    sync_store(w, insn, &access);
  }
  return FLOW_NEXT;
}

/* --- decoding --- */

static void add_source(Decoder *d, int index, ArithType type) {
  Ref *s = decode_refs(d, 1);
  s[0] = decode_source(d, decode_operand(d, index), type);
  d->insn->s = s;
  d->insn->n_s = 1;
}

/* The state that arrive returns, unless it is `_`. */
static void add_state(Decoder *d) {
  const Operand *operand = decode_operand(d, 0);
  if (operand->kind == OPERAND_SINK) return;
  Ref *r = decode_refs(d, 1);
  r[0] = decode_dest(d, operand);
  d->insn->d = r;
  d->insn->n_d = 1;
}

static int take_op(Decoder *d) {
  if (decode_take(d, "init")) return MBARRIER_INIT;
  if (decode_take(d, "inval")) return MBARRIER_INVAL;
  if (decode_take(d, "arrive_drop")) return MBARRIER_ARRIVE_DROP;
  if (decode_take(d, "arrive")) {
    if (strcmp(d->modifier[0], "cp") == 0)
      return decode_take(d, "noinc") ? MBARRIER_ASYNC_ARRIVE : MBARRIER_ASYNC_ARRIVE_INC;
    return decode_take(d, "expect_tx") ? MBARRIER_ARRIVE_EXPECT_TX : MBARRIER_ARRIVE;
  }
  if (decode_take(d, "expect_tx")) return MBARRIER_EXPECT_TX;
  if (decode_take(d, "complete_tx")) return MBARRIER_COMPLETE_TX;
  if (!decode_take(d, "test_wait") && !decode_take(d, "try_wait")) {
    decode_fail(d, "this form is not supported");
  }
  return decode_take(d, "parity") ? MBARRIER_TEST_PARITY : MBARRIER_TEST_WAIT;
}

/* .release.cta, .b64 and the space; the object is synchronisation whatever they say. */
static void take_attributes(Decoder *d) {
  static const char *const known[] = {"release", "acquire", "relaxed", "cta", "cluster", "b64"};
  MemoryOp *op = &d->insn->memory;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) decode_take(d, known[i]);
  op->space = (uint8_t)decode_space(d);
  op->bytes = BYTES;
  op->elements = 1;
  op->strong = op->acquire = op->release = true;
  d->program->uses_fence = true;
}

static bool needs_count(const Insn *insn) {
  return is_test(insn) || insn->memory.mbarrier.op == MBARRIER_INIT ||
         insn->memory.mbarrier.op == MBARRIER_EXPECT_TX ||
         insn->memory.mbarrier.op == MBARRIER_COMPLETE_TX ||
         insn->memory.mbarrier.op == MBARRIER_ARRIVE_EXPECT_TX;
}

/* {state or predicate,} [object] {, count, state or parity}; arrive may leave its state out. */
void decode_mbarrier(Decoder *d) {
  Insn *insn = d->insn;
  insn->memory.mbarrier.op = (uint8_t)take_op(d);
  take_attributes(d);
  int at = decode_operand(d, 0)->kind == OPERAND_MEMORY ? 0 : 1;
  if (is_test(insn))
    insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  else if (at)
    add_state(d);
  decode_address(d, decode_operand(d, at), &insn->memory);
  bool counted = d->statement->operands > at + 1;
  if (counted)
    add_source(d, at + 1, is_test(insn) ? ARITH_B64 : ARITH_U32);
  else if (needs_count(insn))
    decode_fail(d, "an operand is missing");
  decode_site(d, INSN_MBARRIER);
  insn->fn = exec_mbarrier;
}
