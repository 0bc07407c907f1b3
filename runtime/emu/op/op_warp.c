/* SPDX-License-Identifier: MIT */
/* Warp-wide instructions: shfl, vote, match, redux, elect and bar.warp.sync. */
#include "emu/op/op_warp.h"

#include <string.h>

#include "emu/code/shuffle.h"
#include "emu/run/race/order.h"
#include "emu/run/sched/converge.h"
#include "emu/run/sched/warp.h"
#include "emu/run/state/finding.h"
#include "emu/run/state/sync_log.h"
#include "emu/run/undef/set.h"
#include "emu/run/undef/values.h"

/* --- members --- */

/* The lanes of `active` that have the same member mask as the first of them. */
static uint32_t same_members(const uint64_t *member, uint32_t active) {
  uint32_t first = (uint32_t)member[lane_first(active)], same = 0;
  FOR_LANES(lane, active) same |= ((uint32_t)member[lane] == first ? 1u : 0) << lane;
  return same;
}

static Flow run_body(Warp *w, const Insn *insn, uint32_t active);

/* Only bar.warp.sync orders memory: shfl, vote, match and redux exchange registers and imply no
 * memory barrier [CUDA C++ Programming Guide, warp shuffle and vote functions]. */
static void order_memory(Warp *w, const Insn *insn, uint32_t lanes) {
  if (!insn->meet.anywhere) return;
  order_lanes(w, lanes);
  sync_log_add(w, insn, SYNC_MEET, lanes, 0, lanes);
}

/* Disjoint groups of lanes, such as the tiles of cooperative groups, each execute the instruction
 * on their own; a group that waits for other lanes is split off. */
static Flow exec_groups(Warp *w, const Insn *insn, uint32_t active, const uint64_t *member) {
  for (uint32_t rest = active, same; rest; rest &= ~same) {
    same = same_members(member, rest);
    if (!((uint32_t)member[lane_first(same)] & w->alive & ~same)) continue;
    warp_diverge(w, same, w->now->pc, w->now->pc, -1);
    return FLOW_GONE;
  }
  for (uint32_t rest = active, same; rest; rest &= ~same) {
    same = same_members(member, rest);
    order_memory(w, insn, same);
    run_body(w, insn, same);
  }
  return FLOW_NEXT;
}

/* A lane that executes the instruction must name itself [PTX ISA, shfl.sync, bar.warp.sync]. */
static void check_named(Warp *w, const Insn *insn, uint32_t active, const uint64_t *member) {
  uint32_t others = 0;
  FOR_LANES(lane, active) others |= (member[lane] >> lane & 1 ? 0 : 1u) << lane;
  if (!others) return;
  unsigned lane = lane_first(others);
  if (finding_add(w->block, EMU_BARRIER, insn, warp_thread(w, lane), lane_count(others))) {
    finding_describe(w->block,
                     "%s by lane %u with member mask 0x%08x, which does not name that lane",
                     insn->statement->opcode, lane, (uint32_t)member[lane]);
  }
}

static Flow exec_members(Warp *w, const Insn *insn, uint32_t active) {
  if (insn->whole && active == ALL_LANES) {
    order_memory(w, insn, active);
    return run_body(w, insn, active);
  }
  const uint64_t *member = warp_reg(w, insn->s[insn->n_s - 1]);
  check_named(w, insn, active, member);
  if (same_members(member, active) != active) {
    uint64_t copy[LANES]; /* the instruction may write the register */
    memcpy(copy, member, sizeof copy);
    return exec_groups(w, insn, active, copy);
  }
  if (!warp_converge(w, insn, (uint32_t)member[lane_first(active)], &active)) return FLOW_WAIT;
  order_memory(w, insn, active);
  return run_body(w, insn, active);
}

static Flow exec_warp_barrier(Warp *w, const Insn *insn, uint32_t active) {
  (void)w, (void)insn, (void)active;
  return FLOW_NEXT;
}

/* --- shfl --- */

/* The lanes whose source lane does not execute the instruction: their results are undefined [PTX
 * ISA, shfl.sync]. from: that source lane, as an origin. */
static uint32_t find_outside(const Warp *w, const Insn *insn, uint32_t active,
                             uint64_t from[LANES]) {
  const uint64_t *b = warp_reg(w, insn->s[1]), *c = warp_reg(w, insn->s[2]);
  uint32_t outside = 0;
  FOR_LANES(lane, active) {
    uint32_t source;
    shuffle_source((ShflMode)insn->meet.mode, lane, (uint32_t)b[lane], (uint32_t)c[lane], &source);
    if (active >> source & 1) continue;
    from[lane] = undef_origin(w, insn, lane, source, 0);
    outside |= 1u << lane;
  }
  return outside;
}

/* A shuffle by all lanes whose operands b and c are constants: each lane's source is known. */
static Flow shuffle_all(Warp *w, const Insn *insn) {
  const ShflMap *map = insn->meet.map;
  uint32_t a[LANES];
  const uint64_t *from = warp_reg(w, insn->s[0]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  for (unsigned lane = 0; lane < LANES; lane++) a[lane] = (uint32_t)from[lane];
  for (unsigned lane = 0; lane < LANES; lane++) d[lane] = a[map->from[lane]];
  warp_set_pred(w, insn->p_out[0], map->within, ALL_LANES);
  return FLOW_NEXT;
}

/* A lane that takes no part gives 0 [measured on an H200; PTX ISA: undefined]. */
static Flow exec_shfl(Warp *w, const Insn *insn, uint32_t active) {
  if (insn->meet.map && active == ALL_LANES) return shuffle_all(w, insn);
  uint64_t a[LANES];
  memcpy(a, warp_reg(w, insn->s[0]), sizeof a);
  const uint64_t *b = warp_reg(w, insn->s[1]), *c = warp_reg(w, insn->s[2]);
  uint64_t result[LANES];
  uint32_t within = 0;
  FOR_LANES(lane, active) {
    uint32_t from;
    bool ok = shuffle_source((ShflMode)insn->meet.mode, lane, (uint32_t)b[lane], (uint32_t)c[lane],
                             &from);
    within |= (ok ? 1u : 0) << lane;
    result[lane] = active >> from & 1 ? (uint32_t)a[from] : 0;
  }
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = result[lane];
  warp_set_pred(w, insn->p_out[0], within, active);
  return FLOW_NEXT;
}

/* Executes the instruction, and marks as undefined what lanes get from lanes that do not execute
 * it. */
static Flow run_body(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t all[LANES], from[LANES];
  const bool shuffles = insn->meet.body == exec_shfl && active != ALL_LANES && !w->block->unchecked;
  const uint32_t outside = shuffles ? find_outside(w, insn, active, from) : 0;
  const Flow flow = undef_run(w, insn, insn->meet.body, active);
  FOR_LANES(lane, outside) all[lane] = UINT32_MAX;
  if (outside) undef_set_reg(w, insn->d[0], outside, all, from);
  return flow;
}

/* --- vote, match, redux, elect, activemask --- */

typedef enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } VoteMode;

static void set_lanes(Warp *w, const Insn *insn, uint64_t value, uint32_t active) {
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = value;
}

static Flow exec_vote(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t ballot = warp_pred(w, insn->p_in) & active;
  if (insn->meet.mode == VOTE_BALLOT) {
    set_lanes(w, insn, ballot, active);
    return FLOW_NEXT;
  }
  bool all = ballot == active, any = ballot != 0;
  bool result = insn->meet.mode == VOTE_ALL ? all : insn->meet.mode == VOTE_ANY ? any : all || !any;
  warp_set_pred(w, insn->p_out[0], result ? ALL_LANES : 0, active);
  return FLOW_NEXT;
}

/* Mode 0 is .any: the lanes that have this lane's value; 1 is .all: all of them, if they have one
 * value. */
static Flow exec_match(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t a[LANES], mask = insn->meet.bits == 64 ? UINT64_MAX : UINT32_MAX;
  uint32_t equal[LANES];
  memcpy(a, warp_reg(w, insn->s[0]), sizeof a);
  FOR_LANES(lane, active) {
    equal[lane] = 0;
    for (unsigned k = 0; k < LANES; k++) {
      bool same = (active >> k & 1) && ((a[k] ^ a[lane]) & mask) == 0;
      equal[lane] |= (same ? 1u : 0) << k;
    }
  }
  bool all = equal[lane_first(active)] == active;
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = insn->meet.mode ? (all ? active : 0) : equal[lane];
  warp_set_pred(w, insn->p_out[0], all ? ALL_LANES : 0, active);
  return FLOW_NEXT;
}

typedef enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR } ReduxOp;

/* `turn` is the sign bit if values are signed: flipping it maps their order to that of unsigned
 * values. */
static uint32_t redux(ReduxOp op, uint32_t a, uint32_t b, uint32_t turn) {
  switch (op) {
  case REDUX_ADD: return a + b;
  case REDUX_MIN: return (a ^ turn) < (b ^ turn) ? a : b;
  case REDUX_MAX: return (a ^ turn) > (b ^ turn) ? a : b;
  case REDUX_AND: return a & b;
  case REDUX_OR: return a | b;
  case REDUX_XOR: return a ^ b;
  }
  return 0;
}

static Flow exec_redux(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *a = warp_reg(w, insn->s[0]);
  uint32_t result = (uint32_t)a[lane_first(active)];
  FOR_LANES(lane, active & (active - 1)) {
    result = redux((ReduxOp)insn->meet.mode, result, (uint32_t)a[lane], (uint32_t)insn->meet.turn);
  }
  set_lanes(w, insn, result, active);
  return FLOW_NEXT;
}

static Flow exec_activemask(Warp *w, const Insn *insn, uint32_t active) {
  set_lanes(w, insn, active, active);
  return FLOW_NEXT;
}

static Flow exec_elect(Warp *w, const Insn *insn, uint32_t active) {
  unsigned leader = lane_first(active);
  set_lanes(w, insn, leader, active);
  warp_set_pred(w, insn->p_out[0], 1u << leader, active);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* Sources from operand `first` on, the last of which is the member mask. */
static void decode_members(Decoder *d, int first, int count, ArithType type) {
  decode_sources(d, first, count, type);
  d->insn->kind = INSN_MEET;
  d->insn->fn = exec_members;
}

/* d or d|p */
static void decode_answer(Decoder *d) {
  const Operand *second = decode_operand(d, 0)->second;
  decode_result(d);
  if (second) d->insn->p_out[0] = decode_pred_dest(d, second);
}

void decode_shfl(Decoder *d) {
  d->insn->meet.mode = (uint8_t)decode_choice(d, 0);
  if (!decode_count(d, 5, 5)) return;
  decode_answer(d);
  decode_members(d, 1, 4, ARITH_B32);
  d->insn->meet.shuffles = true;
  d->insn->meet.body = exec_shfl;
}

void decode_vote(Decoder *d) {
  const bool ballot = decode_take(d, "ballot");
  d->insn->meet.mode = (uint8_t)(ballot ? VOTE_BALLOT : decode_choice(d, 0));
  if (!decode_count(d, 3, 3)) return;
  if (ballot)
    decode_answer(d);
  else
    d->insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  d->insn->p_in = decode_pred(d, decode_operand(d, 1));
  decode_members(d, 2, 1, ARITH_B32);
  d->insn->meet.body = exec_vote;
}

void decode_match(Decoder *d) {
  d->insn->meet.mode = (uint8_t)decode_choice(d, 0);
  const ArithType type = decode_take_type(d);
  if (!decode_count(d, 3, 3)) return;
  d->insn->meet.bits = (uint8_t)arith_bits(type);
  decode_answer(d);
  decode_members(d, 1, 2, type);
  d->insn->meet.body = exec_match;
}

void decode_redux(Decoder *d) {
  const ArithType type = decode_take_type(d);
  d->insn->meet.mode = (uint8_t)((type == ARITH_B32 ? REDUX_AND : REDUX_ADD) + decode_choice(d, 0));
  if (!decode_count(d, 3, 3)) return;
  d->insn->meet.turn = type == ARITH_S32 ? 0x80000000u : 0;
  decode_answer(d);
  decode_members(d, 1, 2, type);
  d->insn->meet.body = exec_redux;
}

void decode_activemask(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  decode_answer(d);
  d->insn->fn = exec_activemask;
}

void decode_elect(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  decode_answer(d);
  decode_members(d, 1, 1, ARITH_B32);
  d->insn->meet.body = exec_elect;
}

void decode_warp_barrier(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  decode_members(d, 0, 1, ARITH_B32);
  d->insn->meet.anywhere = true;
  d->insn->meet.body = exec_warp_barrier;
}
