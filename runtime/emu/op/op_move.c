/* SPDX-License-Identifier: MIT */
/* Arithmetic, moves, address conversion, predicate logic; and what does nothing. */
#include "emu/op/op_move.h"

#include <string.h>

#include "emu/arith/arith_resolve.h"
#include "emu/code/legacy.h"
#include "emu/run/state/block.h"

/* --- arithmetic: see arith.h --- */

/* Nearly every instruction has one to four operands, which need no loop. */
static Flow exec_unary(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[1] = {warp_reg(w, insn->s[0])};
  insn->arith.fn(&insn->arith, warp_reg(w, insn->d[0]), s, active, 0);
  return FLOW_NEXT;
}

static Flow exec_binary(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[2] = {warp_reg(w, insn->s[0]), warp_reg(w, insn->s[1])};
  insn->arith.fn(&insn->arith, warp_reg(w, insn->d[0]), s, active, 0);
  return FLOW_NEXT;
}

static Flow exec_ternary(Warp *w, const Insn *insn, uint32_t active) {
  const Ref *ref = insn->s;
  const uint64_t *s[3] = {warp_reg(w, ref[0]), warp_reg(w, ref[1]), warp_reg(w, ref[2])};
  insn->arith.fn(&insn->arith, warp_reg(w, insn->d[0]), s, active, 0);
  return FLOW_NEXT;
}

static Flow exec_quaternary(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[4];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  insn->arith.fn(&insn->arith, warp_reg(w, insn->d[0]), s, active, 0);
  return FLOW_NEXT;
}

/* The function for that many operands. */
static ExecFn exec_value(int sources) {
  static const ExecFn by_sources[] = {exec_quaternary, exec_unary, exec_binary, exec_ternary,
                                      exec_quaternary};
  return by_sources[sources];
}

static Flow exec_setp(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[4];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  uint32_t t = insn->arith.fn(&insn->arith, NULL, s, active, 0);
  uint32_t c = warp_pred(w, insn->p_in);
  ArithLogic logic = (ArithLogic)insn->arith.logic;
  warp_set_pred(w, insn->p_out[0], arith_logic(logic, t, c), active);
  warp_set_pred(w, insn->p_out[1], arith_logic(logic, ~t, c), active);
  return FLOW_NEXT;
}

/* setp of f16x2 and bf16x2: p compares the low halves and q the high ones. */
static Flow exec_setp_pair(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[4];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  uint64_t d[LANES];
  const uint32_t low = insn->arith.fn(&insn->arith, d, s, active, 0);
  const uint32_t c = warp_pred(w, insn->p_in);
  uint32_t high = 0;
  FOR_LANES(lane, active) high |= (uint32_t)d[lane] << lane;
  const ArithLogic logic = (ArithLogic)insn->arith.logic;
  warp_set_pred(w, insn->p_out[0], arith_logic(logic, low, c), active);
  warp_set_pred(w, insn->p_out[1], arith_logic(logic, high, c), active);
  return FLOW_NEXT;
}

/* All others: carry flags, predicate operands, lop3 with a predicate result. */
static Flow exec_general(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s[4];
  for (int i = 0; i < insn->n_s; i++) s[i] = warp_reg(w, insn->s[i]);
  uint64_t unused[LANES];
  uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : unused;
  bool reads_carry = insn->arith.flags & ARITH_READS_CC;
  uint32_t mask = reads_carry ? w->carry : warp_pred(w, insn->p_in);
  uint32_t result = insn->arith.fn(&insn->arith, d, s, active, mask);
  if (insn->arith.flags & ARITH_WRITES_CC)
    w->carry = (w->carry & ~active) | (result & active);
  else
    warp_set_pred(w, insn->p_out[0], result, active);
  return FLOW_NEXT;
}

/* The values from operand 1 on, and the predicate after them. */
static void decode_values(Decoder *d) {
  Insn *insn = d->insn;
  const ArithInsn *arith = &insn->arith;
  Ref *s = decode_refs(d, arith->n_src);
  for (int i = 0; i < arith->n_src; i++)
    s[i] = decode_source(d, decode_operand(d, 1 + i), (ArithType)arith->src[i]);
  insn->s = s;
  insn->n_s = arith->n_src;
  if (arith->takes_mask) insn->p_in = decode_pred(d, decode_operand(d, 1 + arith->n_src));
}

/* d, p, p|q or d|p. */
static void decode_results(Decoder *d) {
  Insn *insn = d->insn;
  const Operand *first = decode_operand(d, 0);
  if (insn->arith.dst == ARITH_PRED) {
    insn->p_out[0] = decode_pred_dest(d, first);
    if (first->second) insn->p_out[1] = decode_pred_dest(d, first->second);
    return;
  }
  decode_result(d);
  if (insn->arith.result == ARITH_VALUE_AND_MASK && first->second) {
    insn->p_out[0] = decode_pred_dest(d, first->second);
  } else if (first->second) {
    decode_fail(d, "a second destination is not possible here");
  }
}

static ExecFn exec_arith(const ArithInsn *arith) {
  const bool carries = arith->flags & (ARITH_WRITES_CC | ARITH_READS_CC);
  if (arith->result == ARITH_MASK) return exec_setp;
  if (arith->dst == ARITH_PRED) return exec_setp_pair;
  const bool plain = arith->result == ARITH_VALUE && !arith->takes_mask && !carries;
  return plain ? exec_value(arith->n_src) : exec_general;
}

/* From sm_100 on min and max of f32 may have three sources, and .abs then: opcodes of their own in
 * the tables. */
static const char *opcode_of(const Decoder *d) {
  const char *opcode = legacy_opcode(d);
  const bool extreme = strncmp(opcode, "min.", 4) == 0 || strncmp(opcode, "max.", 4) == 0;
  return extreme && d->statement->operands == 4
             ? arena_printf(d->arena, "%.3s3%s", opcode, opcode + 3)
             : opcode;
}

void decode_arith(Decoder *d) {
  Insn *insn = d->insn;
  insn->kind = INSN_ARITH;
  ArithStatus status = arith_resolve(opcode_of(d), &insn->arith);
  if (status == ARITH_UNKNOWN) decode_fail(d, "the instruction is not supported");
  if (status == ARITH_REFUSED) decode_fail(d, "this type or modifier is not supported");
  if (d->failed) return;
  const ArithInsn *arith = &insn->arith;
  int operands = 1 + arith->n_src + arith->takes_mask;
  if (!decode_count(d, operands, operands)) return;
  decode_results(d);
  decode_values(d);
  insn->fn = exec_arith(arith);
}

/* --- mov --- */

static void copy_lanes(uint64_t *d, const uint64_t *s, uint64_t addend, uint32_t active) {
  if (active == ALL_LANES) {
    for (int lane = 0; lane < LANES; lane++) d[lane] = s[lane] + addend;
  } else {
    FOR_LANES(lane, active) d[lane] = s[lane] + addend;
  }
}

static Flow exec_mov(Warp *w, const Insn *insn, uint32_t active) {
  copy_lanes(warp_reg(w, insn->d[0]), warp_reg(w, insn->s[0]), 0, active);
  return FLOW_NEXT;
}

/* cvta, and mov of a local variable's address. */
static Flow exec_add_constant(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t addend = insn->move.addend + (insn->move.of_frame ? w->now->frame.local : 0);
  copy_lanes(warp_reg(w, insn->d[0]), warp_reg(w, insn->s[0]), addend, active);
  return FLOW_NEXT;
}

/* The clock counts the warp's own instructions, each with the cycles until its next one: it
 * advances, and is the same in every run. */
static uint64_t clock_of(const Warp *w) { return w->steps * w->block->launch->cycles; }

static Flow exec_clock(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = clock_of(w);
  return FLOW_NEXT;
}

static Flow exec_clock_high(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = clock_of(w) >> 32;
  return FLOW_NEXT;
}

static Flow exec_pack(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t *d = warp_reg(w, insn->d[0]);
  uint64_t mask = (1ull << insn->pack.bits) - 1;
  uint64_t packed[LANES] = {0};
  for (int i = 0; i < insn->n_s; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, active) packed[lane] |= (s[lane] & mask) << (i * insn->pack.bits);
  }
  copy_lanes(d, packed, 0, active);
  return FLOW_NEXT;
}

static Flow exec_unpack(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t packed[LANES];
  uint64_t mask = (1ull << insn->pack.bits) - 1;
  memcpy(packed, warp_reg(w, insn->s[0]), sizeof packed);
  for (int i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) d[lane] = packed[lane] >> (i * insn->pack.bits) & mask;
  }
  return FLOW_NEXT;
}

/* Whether the operand is a clock; *high: its upper 32 bits alone. */
static bool is_clock(const Operand *operand, bool *high) {
  static const char *const names[] = {"%clock",          "%clock64",  "%globaltimer",
                                      "%globaltimer_lo", "%clock_hi", "%globaltimer_hi"};
  enum { COUNT = sizeof names / sizeof *names, FIRST_HIGH = 4 };
  if (operand->kind != OPERAND_SPECIAL) return false;
  int i = 0;
  while (i < COUNT && strcmp(names[i], operand->name) != 0) i++;
  *high = i >= FIRST_HIGH;
  return i < COUNT;
}

/* The width of each piece of a register. */
static unsigned piece_bits(Decoder *d, ArithType type, int pieces) {
  unsigned bits = arith_bits(type);
  if (pieces < 2 || bits > 64 || bits % (unsigned)pieces || bits / (unsigned)pieces < 8) {
    decode_fail(d, "this vector is not supported");
    return 8;
  }
  return bits / (unsigned)pieces;
}

static void decode_pack(Decoder *d, const Operand *vector, ArithType type) {
  Insn *insn = d->insn;
  Ref *s = decode_refs(d, vector->items);
  insn->kind = INSN_PACK;
  insn->pack.bits = (uint8_t)piece_bits(d, type, vector->items);
  for (int i = 0; i < vector->items; i++) s[i] = decode_source(d, &vector->item[i], ARITH_NONE);
  insn->s = s;
  insn->n_s = (uint8_t)vector->items;
  insn->fn = exec_pack;
}

static void decode_unpack(Decoder *d, const Operand *vector, ArithType type) {
  Insn *insn = d->insn;
  Ref *r = decode_refs(d, vector->items);
  insn->kind = INSN_PACK;
  insn->pack.bits = (uint8_t)piece_bits(d, type, vector->items);
  for (int i = 0; i < vector->items; i++) r[i] = decode_dest(d, &vector->item[i]);
  insn->d = r;
  insn->n_d = (uint8_t)vector->items;
  insn->fn = exec_unpack;
}

static bool is_local(const Operand *operand) {
  const Symbol *symbol = operand->kind == OPERAND_SYMBOL ? operand->symbol : NULL;
  return symbol && symbol->kind == SYMBOL_VAR && symbol->space == EMU_LOCAL;
}

/* A register, a constant, an address or a clock to one register. */
static void decode_plain_mov(Decoder *d, ArithType type) {
  const Operand *from = decode_operand(d, 1);
  Insn *insn = d->insn;
  bool high = false;
  if (is_clock(from, &high)) {
    insn->fn = high ? exec_clock_high : exec_clock;
    return;
  }
  decode_sources(d, 1, 1, type);
  insn->kind = INSN_MOVE;
  insn->move = (MoveOp){.of_frame = is_local(from)};
  insn->fn = is_local(from) ? exec_add_constant : exec_mov;
}

void decode_mov(Decoder *d) {
  ArithType type = decode_take_type(d);
  if (!decode_count(d, 2, 2)) return;
  const Operand *to = decode_operand(d, 0), *from = decode_operand(d, 1);
  if (to->kind == OPERAND_VECTOR) {
    decode_sources(d, 1, 1, type);
    decode_unpack(d, to, type);
    return;
  }
  decode_result(d);
  if (from->kind == OPERAND_VECTOR)
    decode_pack(d, from, type);
  else
    decode_plain_mov(d, type);
}

/* --- generic addresses --- */

void decode_cvta(Decoder *d) {
  Insn *insn = d->insn;
  bool to = decode_take(d, "to");
  int space = decode_space(d);
  if (!decode_count(d, 2, 2)) return;
  uint64_t base = space == EMU_GLOBAL ? 0 : WINDOW_BASE(space);
  decode_result(d);
  decode_sources(d, 1, 1, ARITH_U64);
  insn->kind = INSN_MOVE;
  insn->move = (MoveOp){.addend = to ? 0 - base : base, .of_frame = is_local(decode_operand(d, 1))};
  insn->fn = exec_add_constant;
}

/* --- addresses of a cluster's blocks --- */

/* An address of shared memory, generic or not, without the block that it names. */
static uint64_t without_rank(uint64_t address) {
  return address & ~((uint64_t)(UINT32_MAX >> CLUSTER_SHIFT) << CLUSTER_SHIFT);
}

/* The rank in the cluster of the block that such an address names. */
static uint32_t rank_of(const Block *block, uint64_t address) {
  const uint32_t named = (uint32_t)address >> CLUSTER_SHIFT;
  return named ? named - 1 : (uint32_t)block->rank;
}

static Flow exec_mapa(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *address = warp_reg(w, insn->s[0]), *rank = warp_reg(w, insn->s[1]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active)
    d[lane] = without_rank(address[lane]) | (uint64_t)(uint32_t)(rank[lane] + 1) << CLUSTER_SHIFT;
  return FLOW_NEXT;
}

static Flow exec_getctarank(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *address = warp_reg(w, insn->s[0]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = rank_of(w->block, address[lane]);
  return FLOW_NEXT;
}

/* mapa d, address, rank; getctarank d, address: of shared::cluster, or generic. */
void decode_mapa(Decoder *d) {
  const bool maps = strcmp(d->modifier[0], "mapa") == 0;
  const ArithType type = decode_take_type(d);
  if (!decode_count(d, 2 + maps, 2 + maps)) return;
  decode_result(d);
  decode_sources(d, 1, maps ? 2 : 1, type);
  d->insn->fn = maps ? exec_mapa : exec_getctarank;
}

static uint32_t lanes_in_space(const uint64_t *address, uint64_t space, uint32_t active) {
  uint32_t within = 0;
  FOR_LANES(lane, active) within |= (memory_space_of(address[lane]) == space ? 1u : 0) << lane;
  return within;
}

static Flow exec_isspacep(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *address = warp_reg(w, insn->s[0]);
  warp_set_pred(w, insn->p_out[0], lanes_in_space(address, insn->value, active), active);
  return FLOW_NEXT;
}

/* .shared::cta is true of the executing block's own variables alone [PTX ISA, isspacep]. */
static Flow exec_is_own_shared(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *address = warp_reg(w, insn->s[0]);
  uint32_t own = lanes_in_space(address, EMU_SHARED, active);
  FOR_LANES(lane, own)
    if (rank_of(w->block, address[lane]) != (uint32_t)w->block->rank) own &= ~(1u << lane);
  warp_set_pred(w, insn->p_out[0], own, active);
  return FLOW_NEXT;
}

void decode_isspacep(Decoder *d) {
  const bool of_cluster = decode_take(d, "shared::cluster");
  const int space = of_cluster ? (int)EMU_SHARED : decode_space(d);
  if (!decode_count(d, 2, 2)) return;
  d->insn->kind = INSN_VALUE;
  d->insn->value = (uint64_t)space;
  d->insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  decode_sources(d, 1, 1, ARITH_U64);
  d->insn->fn = space == EMU_SHARED && !of_cluster ? exec_is_own_shared : exec_isspacep;
}

/* --- predicates --- */

static Flow exec_pred_logic(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t a = warp_pred(w, insn->p_in), b = warp_pred(w, insn->logic.second);
  uint32_t result = arith_logic((ArithLogic)insn->logic.logic, a, b);
  warp_set_pred(w, insn->p_out[0], result, active);
  return FLOW_NEXT;
}

static Flow exec_pred_of_special(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *s = warp_reg(w, insn->s[0]);
  uint32_t result = 0;
  FOR_LANES(lane, active) result |= (s[lane] ? 1u : 0) << lane;
  warp_set_pred(w, insn->p_out[0], result, active);
  return FLOW_NEXT;
}

/* mov.pred p, %is_explicit_cluster */
static bool decode_special_pred(Decoder *d) {
  if (d->statement->operands != 2 || decode_operand(d, 1)->kind != OPERAND_SPECIAL) return false;
  decode_sources(d, 1, 1, ARITH_U32);
  d->insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  d->insn->fn = exec_pred_of_special;
  return true;
}

/* and, or, xor of two predicates; not and mov of one. */
void decode_pred_logic(Decoder *d) {
  static const char *const names[] = {"mov", "and", "or", "xor"};
  static const uint8_t logic[] = {ARITH_NO_LOGIC, ARITH_AND, ARITH_OR, ARITH_XOR};
  Insn *insn = d->insn;
  size_t which = 0;
  for (size_t i = 0; i < sizeof logic; i++) {
    if (strcmp(names[i], d->modifier[0]) == 0) which = i;
  }
  int operands = which ? 3 : 2;
  if (!decode_count(d, operands, operands) || decode_special_pred(d)) return;
  insn->kind = INSN_LOGIC;
  insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  insn->p_in = decode_pred(d, decode_operand(d, 1));
  if (strcmp(d->modifier[0], "not") == 0) insn->p_in.negated = !insn->p_in.negated;
  PredRef second = which ? decode_pred(d, decode_operand(d, 2)) : insn->p_in;
  insn->logic = (LogicOp){.logic = logic[which], .second = second};
  insn->fn = exec_pred_logic;
}

/* --- hints --- */

Flow exec_nothing(Warp *w, const Insn *insn, uint32_t active) {
  (void)w, (void)insn, (void)active;
  return FLOW_NEXT;
}

void decode_nothing(Decoder *d) { d->insn->fn = exec_nothing; }
