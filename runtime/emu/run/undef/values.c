/* SPDX-License-Identifier: MIT */
#include "emu/run/undef/values.h"

#include <string.h>

#include "emu/run/undef/set.h"

/* Scratch registers from RESULTS on hold results; those before it hold sources. */
enum { RESULTS = 44, MAX_RESULTS = UNDEF_SCRATCH - RESULTS, PREDS = 2, SLOT_BYTES = 8 };

/* --- operands --- */

/* The sources and results of an instruction. */
typedef struct {
  unsigned sources, results;
  Ref source[RESULTS], result[MAX_RESULTS];
  int32_t pred[PREDS]; /* predicate operands, or -1 */
  bool reads_carry, writes_carry;
  Insn scratch; /* the instruction with scratch registers as operands */
} Operands;

/* An access to a .param variable reads (load) or writes (store) all the registers that it spans. */
static void add_slots(const Warp *w, const Insn *insn, Operands *o) {
  const MemoryOp *op = &insn->memory;
  MemoryOp *scratch = &o->scratch.memory;
  const unsigned at = (unsigned)op->offset % SLOT_BYTES, bytes = (unsigned)op->bytes * op->elements;
  const Ref first = op->base + (Ref)(op->offset / SLOT_BYTES);
  const unsigned count = (at + bytes + SLOT_BYTES - 1) / SLOT_BYTES;
  o->sources = insn->s ? op->elements : 0;
  o->results = insn->d ? op->elements : count;
  for (unsigned i = 0; i < op->elements; i++)
    *(insn->d ? &o->result[i] : &o->source[i]) = insn->d ? insn->d[i] : insn->s[i];
  scratch->offset = at;
  scratch->base = w->undef->ref[insn->d ? o->sources : RESULTS];
  for (unsigned i = 0; i < count; i++) {
    if (insn->d)
      o->source[o->sources++] = first + i;
    else
      o->result[i] = first + i;
  }
}

static Operands operands_of(const Warp *w, const Insn *insn) {
  Operands o = {.pred = {insn->p_in.slot, -1}, .scratch = *insn};
  if (insn->kind == INSN_SLOT) {
    add_slots(w, insn, &o);
  } else {
    o.sources = insn->n_s;
    o.results = insn->n_d;
    for (unsigned i = 0; i < o.sources; i++) o.source[i] = insn->s[i];
    for (unsigned i = 0; i < o.results; i++) o.result[i] = insn->d[i];
  }
  if (insn->kind == INSN_LOGIC) o.pred[1] = insn->logic.second.slot;
  if (insn->kind == INSN_ARITH) {
    o.reads_carry = insn->arith.flags & ARITH_READS_CC;
    o.writes_carry = insn->arith.flags & ARITH_WRITES_CC;
  }
  o.scratch.s = w->undef->ref;
  o.scratch.d = w->undef->ref + RESULTS;
  return o;
}

/* --- undefined bits of the sources --- */

enum { MAX_INPUTS = RESULTS + PREDS + 1 };

static unsigned inputs_of(const Warp *w, const Operands *o, const UndefBits *input[MAX_INPUTS]) {
  unsigned count = 0;
  for (unsigned i = 0; i < o->sources; i++) input[count++] = undef_of_reg(w, o->source[i]);
  for (int i = 0; i < PREDS; i++) input[count++] = undef_of_pred(w, o->pred[i]);
  input[count++] = o->reads_carry ? undef_of_carry(w) : NULL;
  return count;
}

/* The origin of the undefined bits of each lane's results: from its own operands, or another
 * lane's. */
static bool find_origins(const Warp *w, const Operands *o, uint64_t from[LANES]) {
  const uint8_t kind = o->scratch.kind;
  const bool copies = kind == INSN_MOVE || kind == INSN_PACK || kind == INSN_SLOT;
  const UndefBits *input[MAX_INPUTS], *any = NULL;
  const unsigned count = inputs_of(w, o, input);
  for (unsigned i = 0; i < count && !any; i++) any = input[i];
  for (unsigned lane = 0; lane < LANES && any; lane++) {
    from[lane] = any->from[lane_first(any->lanes)];
    for (unsigned i = count; i-- > 0;) {
      if (input[i] && input[i]->lanes >> lane & 1) from[lane] = input[i]->from[lane];
    }
    if (!copies) from[lane] = undef_used(from[lane]);
  }
  return any != NULL;
}

/* --- running again --- */

/* The ways to fill undefined bits: all ones, all zeros, only sign bits, all but sign bits, only the
 * next operand's, and random. */
enum { FILLS = 6 };

static uint64_t pattern(int fill, unsigned source, unsigned lane, uint64_t next) {
  const uint64_t signs = 0x8000000080008080;
  const uint64_t mixed = ((uint64_t)source * LANES + lane + 1) * 0x9E3779B97F4A7C15ull;
  const uint64_t way[FILLS] = {0, UINT64_MAX, signs, ~signs, next, mixed ^ mixed >> 29};
  return way[fill];
}

/* Copies the sources into scratch registers, with their undefined bits filled in way `fill`. */
static void fill_sources(const Warp *w, const Operands *o, int fill) {
  for (unsigned i = 0; i < o->sources; i++) {
    uint64_t *to = w->undef->scratch[i];
    const UndefBits *b = fill < 0 ? NULL : undef_of_reg(w, o->source[i]);
    const uint64_t *next = warp_reg(w, o->source[i + 1 < o->sources ? i + 1 : 0]);
    memcpy(to, warp_reg(w, o->source[i]), LANES * sizeof *to);
    FOR_LANES(lane, b ? b->lanes : 0) {
      const uint64_t bits = b->bits[lane];
      to[lane] = (to[lane] & ~bits) | (pattern(fill, i, lane, next[lane]) & bits);
    }
  }
  for (unsigned i = 0; i < o->results; i++)
    memcpy(w->undef->scratch[RESULTS + i], warp_reg(w, o->result[i]), sizeof w->undef->scratch[0]);
}

static uint32_t lanes_of(const UndefBits *b) { return b ? b->lanes : 0; }

/* Fills predicates and the carry flag in place; they are restored afterwards. */
static void fill_masks(Warp *w, const Operands *o, int fill) {
  for (int i = 0; i < PREDS; i++) {
    const uint32_t lanes = lanes_of(undef_of_pred(w, o->pred[i]));
    if (fill < 0 || !lanes) continue;
    w->pred[o->pred[i]] &= ~lanes;
    if (fill >> i & 1) w->pred[o->pred[i]] |= lanes;
  }
  const uint32_t lanes = o->reads_carry ? lanes_of(undef_of_carry(w)) : 0;
  if (fill >= 0 && lanes) w->carry = fill & 1 ? w->carry | lanes : w->carry & ~lanes;
}

/* The state that the instruction changes. */
typedef struct {
  uint64_t reg[MAX_RESULTS][LANES];
  uint32_t pred[PREDS], carry;
} Outcome;

static Outcome masks_of(const Warp *w, const Insn *insn) {
  Outcome o = {.carry = w->carry};
  for (int i = 0; i < PREDS; i++) o.pred[i] = insn->p_out[i] < 0 ? 0 : w->pred[insn->p_out[i]];
  return o;
}

static Outcome run_scratch(Warp *w, const Operands *o, ExecFn body, uint32_t active, int fill) {
  const Insn *insn = &o->scratch;
  uint32_t in[PREDS];
  const Outcome before = masks_of(w, insn);
  for (int i = 0; i < PREDS; i++) in[i] = o->pred[i] < 0 ? 0 : w->pred[o->pred[i]];
  fill_sources(w, o, fill);
  fill_masks(w, o, fill);
  body(w, insn, active);
  Outcome out = masks_of(w, insn);
  memcpy(out.reg, w->undef->scratch[RESULTS], o->results * sizeof out.reg[0]);
  for (int i = 0; i < PREDS; i++) {
    if (insn->p_out[i] >= 0) w->pred[insn->p_out[i]] = before.pred[i];
  }
  for (int i = 0; i < PREDS; i++) {
    if (o->pred[i] >= 0) w->pred[o->pred[i]] = in[i];
  }
  w->carry = before.carry;
  return out;
}

/* Adds the bits in which two outcomes differ to `bits`. */
static void add_difference(Outcome *bits, const Outcome *a, const Outcome *b, unsigned results) {
  for (unsigned i = 0; i < results; i++) {
    for (int lane = 0; lane < LANES; lane++)
      bits->reg[i][lane] |= a->reg[i][lane] ^ b->reg[i][lane];
  }
  for (int i = 0; i < PREDS; i++) bits->pred[i] |= a->pred[i] ^ b->pred[i];
  bits->carry |= a->carry ^ b->carry;
}

static void spread(uint32_t mask, uint64_t bits[LANES]) {
  for (unsigned lane = 0; lane < LANES; lane++) bits[lane] = mask >> lane & 1;
}

/* Records the undefined bits of the results; bits NULL: none. */
static void note(Warp *w, const Operands *o, uint32_t active, const Outcome *bits,
                 const uint64_t *from) {
  uint64_t mask[LANES];
  for (unsigned i = 0; i < o->results; i++)
    undef_set_reg(w, o->result[i], active, bits ? bits->reg[i] : NULL, from);
  for (int i = 0; i < PREDS; i++) {
    if (bits) spread(bits->pred[i], mask);
    undef_set_pred(w, o->scratch.p_out[i], active, bits ? mask : NULL, from);
  }
  if (!o->writes_carry) return;
  if (bits) spread(bits->carry, mask);
  undef_set_carry(w, active, bits ? mask : NULL, from);
}

Flow undef_compute(Warp *w, const Insn *insn, ExecFn body, uint32_t active) {
  const Operands o = operands_of(w, insn);
  uint64_t from[LANES];
  if (!find_origins(w, &o, from)) {
    const Flow flow = body(w, insn, active);
    note(w, &o, active, NULL, NULL);
    return flow;
  }
  Outcome bits = {.carry = 0};
  const Outcome real = run_scratch(w, &o, body, active, -1);
  for (int fill = 0; fill < FILLS; fill++) {
    const Outcome other = run_scratch(w, &o, body, active, fill);
    add_difference(&bits, &real, &other, o.results);
  }
  const Flow flow = body(w, insn, active);
  note(w, &o, active, &bits, from);
  return flow;
}

/* --- uses that are reported --- */

static void tell_reg(Warp *w, const Insn *insn, Ref ref, uint32_t active, const char *what) {
  const UndefBits *b = undef_of_reg(w, ref);
  if (!b) return;
  FOR_LANES(lane, b->lanes & active) undef_report(w, insn, b->from[lane], what);
  undef_set_reg(w, ref, active, NULL, NULL);
}

static void tell_pred(Warp *w, const Insn *insn, PredRef p, uint32_t active, const char *what) {
  const UndefBits *b = undef_of_pred(w, p.slot);
  if (!b) return;
  FOR_LANES(lane, b->lanes & active) undef_report(w, insn, b->from[lane], what);
  undef_set_pred(w, p.slot, active, NULL, NULL);
}

static const char decides[] = "decides a branch", in_address[] = "is part of an address";

static void check_operands(Warp *w, const Insn *insn, uint32_t active) {
  if (insn->kind == INSN_BRANCH || insn->kind == INSN_CALL) {
    if (insn->s) tell_reg(w, insn, insn->s[0], active, decides);
  } else if (insn->kind == INSN_BARRIER) {
    tell_pred(w, insn, insn->p_in, active, "decides a barrier's result");
  } else if (insn->kind == INSN_SURFACE) {
    for (unsigned i = insn->memory.elements; i < insn->n_s; i++)
      tell_reg(w, insn, insn->s[i], active, in_address);
  } else if (insn_accesses(insn)) {
    tell_reg(w, insn, insn->memory.base, active, in_address);
  }
  if (insn->kind != INSN_COPY) return;
  tell_reg(w, insn, insn->memory.copy.from->base, active, in_address);
  tell_pred(w, insn, insn->p_in, active, decides);
  if (insn->n_s) tell_reg(w, insn, insn->s[0], active, decides);
}

/* Marks results as defined that the emulator computes itself: the results of barriers and of the
 * device runtime, which are in one register. Results of other functions are copied when they
 * return. */
static void clear_answer(Warp *w, const Insn *insn, uint32_t active) {
  if (insn->kind == INSN_CALL && insn->call.results)
    undef_set_reg(w, ref_make(BANK_FRAME, (unsigned)insn->call.result[0]->slot), active, NULL,
                  NULL);
  if (insn->kind != INSN_BARRIER && insn->kind != INSN_MBARRIER) return;
  if (insn->d) undef_set_reg(w, insn->d[0], active, NULL, NULL);
  undef_set_pred(w, insn->p_out[0], active, NULL, NULL);
}

/* True for instructions that only compute registers and predicates from others. */
static bool computes(const Insn *insn) {
  switch (insn->kind) {
  case INSN_PLAIN:
  case INSN_VALUE:
  case INSN_ARITH:
  case INSN_MOVE:
  case INSN_PACK:
  case INSN_LOGIC:
  case INSN_TEXTURE:
  case INSN_SLOT: return true;
  default: return false;
  }
}

/* The guard of lanes `unsure` is undefined, so their results become undefined wherever executing
 * the instruction changes them. */
static void blur(Warp *w, const Insn *insn, uint32_t unsure, const UndefBits *guard) {
  const Operands o = operands_of(w, insn);
  const UndefBits from = *guard;
  Outcome all;
  memset(&all, 0xff, sizeof all);
  note(w, &o, unsure, &all, from.from);
}

Flow undef_step(Warp *w, const Insn *insn, uint32_t active) {
  const UndefBits *guard = undef_of_pred(w, insn->guard.slot);
  const uint32_t unsure = lanes_of(guard) & w->now->mask;
  if (unsure && !computes(insn)) tell_pred(w, insn, insn->guard, unsure, decides);
  if (!active && !unsure) return FLOW_NEXT;
  check_operands(w, insn, active);
  clear_answer(w, insn, active);
  if (!computes(insn)) return active ? insn->fn(w, insn, active) : FLOW_NEXT;
  const Flow flow = active ? undef_compute(w, insn, insn->fn, active) : FLOW_NEXT;
  if (unsure) blur(w, insn, unsure, guard);
  return flow;
}
