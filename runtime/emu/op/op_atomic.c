/* SPDX-License-Identifier: MIT */
/* atom and red. */
#include "emu/op/op_atomic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/arith/arith_resolve.h"
#include "emu/arith/arith_row.h"
#include "emu/memory/element.h"
#include "emu/run/access/fast.h"
#include "emu/run/access/memory.h"
#include "emu/run/race/sync.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/memory.h"

typedef enum {
  ATOMIC_ADD,
  ATOMIC_MIN,
  ATOMIC_MAX,
  ATOMIC_AND,
  ATOMIC_OR,
  ATOMIC_XOR,
  ATOMIC_ARITH_OPS, /* the operations above are arithmetic instructions */
  ATOMIC_INC = ATOMIC_ARITH_OPS,
  ATOMIC_DEC,
  ATOMIC_EXCH,
  ATOMIC_CAS
} AtomicOp;

static const char *const atomic_names[] = {"add", "min", "max",  "and", "or", "xor",
                                           "inc", "dec", "exch", "cas", NULL};

/* The index into MemoryOp.atomic.arith: additions to global memory flush subnormals [PTX ISA,
 * atom], those to another block's shared memory do not [measured on an H200]. */
enum { ON_SHARED, ON_GLOBAL };

enum { MAX_ELEMENTS = 8 };

/* A NaN comes through: in shared memory what was there before the operand, made quiet; in global
 * memory the operand before what was there, as it is [measured on an H200]. */
static uint64_t add_doubles(bool shared, uint64_t old, uint64_t b) {
  const double x = arith_f64(old), y = arith_f64(b), sum = x + y;
  if (shared || sum == sum || (x == x && y == y))
    return arith_f64_bits(arith_first_nan(sum, x, y, 0));
  return y == y ? old : b;
}

/* What memory holds after one lane's operation on `old`, by its operands b and c. */
static uint64_t combine(const MemoryOp *op, bool shared, uint64_t old, uint64_t b, uint64_t c) {
  const uint64_t *s[2] = {&old, &b};
  uint64_t result = b, mask = op->bytes == 8 ? UINT64_MAX : (1ull << op->bytes * 8) - 1;
  switch (op->atomic.op) {
  case ATOMIC_INC: return old >= (b & mask) ? 0 : old + 1;
  case ATOMIC_DEC: return old == 0 || old > (b & mask) ? b : old - 1;
  case ATOMIC_EXCH: return b;
  case ATOMIC_CAS: return old == (b & mask) ? c : old;
  default: break;
  }
  const ArithInsn *arith = &op->atomic.arith[shared ? ON_SHARED : ON_GLOBAL];
  if (arith->dst == ARITH_F64) return add_doubles(shared, old, b);
  arith->fn(arith, &result, s, 1, 0);
  return result;
}

/* Performs one lane's operation. Returns what memory held; sets *changed if it now holds something
 * else. */
static uint64_t update(const MemoryOp *op, bool shared, uint8_t *at, uint64_t b, uint64_t c,
                       bool *changed) {
  uint64_t old = element_load(at, op->bytes), value;
  do {
    value = combine(op, shared, old, b, c);
  } while (!element_swap(at, op->bytes, &old, value));
  *changed |= ((value ^ old) & (UINT64_MAX >> (64 - 8 * op->bytes))) != 0;
  return old;
}

/* A word of 4 or 8 bytes, and an operation with one operand. */
static bool is_word(const MemoryOp *op) {
  return op->elements == 1 && op->bytes >= 4 && op->bytes <= 8 && op->atomic.op != ATOMIC_CAS;
}

/* Whether two lanes or more meet, all at one place. */
static bool all_meet(uint8_t *const host[LANES], uint32_t active) {
  if (!(active & (active - 1))) return false;
  const uint8_t *first = host[lane_first(active)];
  FOR_LANES(lane, active)
    if (host[lane] != first) return false;
  return true;
}

/* Neither NaN nor subnormal. */
static bool is_tame(float x) { return fabsf(x) >= FLT_MIN || x == 0; }

/* Sums in global memory; what flushes or chooses a NaN is left to the general way. */
static uint64_t combine_global(const MemoryOp *op, uint64_t old, uint64_t b) {
  const int type = op->atomic.op == ATOMIC_ADD ? op->atomic.arith->dst : ARITH_PRED;
  if (type == ARITH_U32 || type == ARITH_S32) return (uint32_t)(old + b);
  if (type == ARITH_U64) return old + b;
  if (type == ARITH_F32) {
    const float x = arith_f32(old), y = arith_f32(b), sum = x + y;
    if (is_tame(x) && is_tame(y) && is_tame(sum)) return arith_f32_bits(sum);
  } else if (type == ARITH_F64) {
    const double sum = arith_f64(old) + arith_f64(b);
    if (sum == sum) return arith_f64_bits(sum);
  }
  return combine(op, false, old, b, 0);
}

/* Lanes that meet at a word are served in one exchange, in order: a kernel that counts by atomicAdd
 * takes half the time. */
static inline __attribute__((always_inline)) void update_together(Warp *w, const MemoryOp *op,
                                                                  unsigned bytes, uint8_t *at,
                                                                  uint32_t active,
                                                                  const uint64_t *s, uint64_t *d) {
  const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
  uint64_t old = element_load(at, bytes), value, changed, was[LANES];
  do {
    value = old;
    changed = 0;
    FOR_LANES(lane, active) {
      was[lane] = value;
      value = combine_global(op, value, s[lane]) & mask;
      changed |= value ^ was[lane];
    }
  } while (!element_swap(at, bytes, &old, value));
  FOR_LANES(lane, active) d[lane] = was[lane];
  w->changed |= changed != 0;
}

/* Lanes are executed in order, and the elements of a vector one by one: each is atomic, the vector
 * is not [PTX ISA, atom]. Results are written last, since a vector's may be its operands' registers
 * in another order. */
static void update_lanes(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  const uint32_t shared = access->shared | access->remote;
  uint64_t old[MAX_ELEMENTS][LANES];
  if (is_word(op) && !(shared & access->valid) && all_meet(access->host, access->valid)) {
    uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : old[0];
    uint8_t *at = access->host[lane_first(access->valid)];
    update_together(w, op, op->bytes, at, access->valid, warp_reg(w, insn->s[0]), d);
    return;
  }
  for (unsigned i = 0; i < op->elements; i++) {
    const uint64_t *b = warp_reg(w, insn->s[i]);
    const uint64_t *c = op->atomic.op == ATOMIC_CAS ? warp_reg(w, insn->s[i + 1]) : b;
    FOR_LANES(lane, access->valid) {
      uint8_t *at = access->host[lane] + i * op->bytes;
      old[i][lane] = update(op, shared >> lane & 1, at, b[lane], c[lane], &w->changed);
    }
  }
  for (unsigned i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, access->valid) d[lane] = old[i][lane];
  }
}

/* The operation of all lanes on words that no other host thread accesses, without host atomics. */
#define PRIVATE(EXPR)                                                                              \
  FOR_LANES(lane, active) {                                                                        \
    Alias32 *at = (Alias32 *)(void *)host[lane];                                                   \
    const uint32_t old = *at, b = (uint32_t)s[lane], value = (EXPR);                               \
    changed |= old ^ value;                                                                        \
    *at = value;                                                                                   \
    d[lane] = old;                                                                                 \
  }

static bool update_private(Warp *w, const MemoryOp *op, uint8_t *const host[LANES], uint32_t active,
                           const uint64_t *s, uint64_t *d) {
  uint32_t changed = 0;
  switch (op->atomic.op) {
  case ATOMIC_ADD: PRIVATE(old + b) break;
  case ATOMIC_AND: PRIVATE(old & b) break;
  case ATOMIC_OR: PRIVATE(old | b) break;
  case ATOMIC_XOR: PRIVATE(old ^ b) break;
  case ATOMIC_EXCH: PRIVATE(b) break;
  default: return false;
  }
  w->changed |= changed != 0;
  return true;
}

/* False for additions of floats. */
static bool is_of_integers(const MemoryOp *op) {
  const uint8_t type = op->atomic.op == ATOMIC_ADD ? op->atomic.arith->dst : ARITH_U32;
  return type == ARITH_U32 || type == ARITH_S32;
}

static bool is_simple(const MemoryOp *op) {
  return op->bytes == 4 && op->elements == 1 && op->atomic.op != ATOMIC_CAS && is_of_integers(op);
}

/* A judged access to shared memory, which the race detector has seen; false where update_lanes is
 * needed. */
static bool update_shared(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  uint64_t unused[LANES];
  if (!is_simple(op) || access->valid != access->shared) return false;
  uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : unused;
  return update_private(w, op, access->host, access->valid, warp_reg(w, insn->s[0]), d);
}

/* Words of 4 or 8 bytes, of which `bytes` is a constant. */
static inline __attribute__((always_inline)) void
update_global(Warp *w, const MemoryOp *op, unsigned bytes, uint8_t *const host[LANES],
              uint32_t active, const uint64_t *s, uint64_t *d) {
  uint64_t changed = 0;
  if (all_meet(host, active)) {
    update_together(w, op, bytes, host[lane_first(active)], active, s, d);
    return;
  }
  FOR_LANES(lane, active) {
    uint64_t old = element_load(host[lane], bytes), value;
    do {
      value = combine_global(op, old, s[lane]);
    } while (!element_swap(host[lane], bytes, &old, value));
    changed |= (value ^ old) & (UINT64_MAX >> (64 - 8 * bytes));
    d[lane] = old;
  }
  w->changed |= changed != 0;
}

/* An unchecked access; false where it must be resolved. */
static bool update_fast(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  Gather own;
  uint64_t unused[LANES];
  if (!is_word(op)) return false;
  const Gather *g = fast_resolve(w, insn, op->bytes, active, true, &own);
  if (!g || (g->own && !is_simple(op))) return false;
  uint8_t *host[LANES];
  for (int lane = 0; lane < LANES; lane++) host[lane] = g->host + g->at[lane];
  const uint64_t *s = warp_reg(w, insn->s[0]);
  uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : unused;
  if (g->own) return update_private(w, op, host, active, s, d);
  if (op->bytes == 4)
    update_global(w, op, 4, host, active, s, d);
  else
    update_global(w, op, 8, host, active, s, d);
  return true;
}

static bool adds_pairs(const MemoryOp *op) {
  const uint8_t type = op->atomic.op == ATOMIC_ADD ? op->atomic.arith->dst : ARITH_PRED;
  return type == ARITH_F16X2 || type == ARITH_BF16X2;
}

/* Additions to another block's memory are the pairs' sums here [PTX ISA, atom]; ptxas makes of them
 * what an H200 adds as integers [measured]. In the block's own memory they are right. */
static void report_pairs(Warp *w, const Insn *insn, const Resolved *access) {
  const uint32_t lanes = access->remote & access->valid;
  if (!lanes || !adds_pairs(&insn->memory)) return;
  const uint32_t thread = warp_thread(w, lane_first(lanes));
  if (!finding_add(w->block, EMU_HARDWARE, insn, thread, lane_count(lanes))) return;
  const uint32_t *owner = block_owner(w->block, access, lane_first(lanes))->index;
  finding_describe(w->block,
                   "a pair of halves is added to shared memory of block (%u, %u, %u): an H200 adds "
                   "the words as integers; add each half by an atomic of its own, or loop with a "
                   "compare-and-swap",
                   owner[0], owner[1], owner[2]);
}

static Flow exec_atomic(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  unsigned bytes = (unsigned)op->bytes * op->elements;
  if (w->block->unchecked && update_fast(w, insn, active)) {
    w->polled = true;
    return FLOW_NEXT;
  }
  uint64_t address[LANES];
  Resolved access;
  access_addresses(w, op, address);
  access_resolve(w, insn, EMU_ATOMIC, op->space, bytes, active, address, &access);
  access_atomic(w, insn, &access, bytes);
  report_pairs(w, insn, &access);
  for (unsigned i = 0; i < insn->n_d; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active & ~access.valid) d[lane] = 0;
  }
  if (w->undefined || undef_is_read(w, &access, bytes))
    undef_updated(w, insn, &access, op->atomic.op == ATOMIC_EXCH);
  sync_store(w, insn, &access);
  if (!update_shared(w, insn, &access)) update_lanes(w, insn, &access);
  sync_load(w, insn, &access);
  w->polled = true;
  return FLOW_NEXT;
}

/* --- decoding --- */

/* Resolves the arithmetic instructions that combine a value in shared or in global memory with an
 * operand; flushes: floats in global memory; false if the type has no such operation. */
static bool resolve_arith(Arena *a, MemoryOp *op, ArithType type, bool flushes) {
  if (op->atomic.op >= ATOMIC_ARITH_OPS) return true;
  ArithInsn *pair = ARENA_ARRAY(a, ArithInsn, 2);
  bool single = type == ARITH_F32 && flushes,
       rounds = op->atomic.op == ATOMIC_ADD && type >= ARITH_F16;
  bool wide = type == ARITH_B32 || type == ARITH_B64;
  if (wide && op->atomic.op <= ATOMIC_MAX) return false;
  for (int global = 0; global < 2; global++) {
    char opcode[48];
    snprintf(opcode, sizeof opcode, "%s%s%s.%s", atomic_names[op->atomic.op], rounds ? ".rn" : "",
             single && global ? ".ftz" : "", arith_type_name(type));
    if (arith_resolve(opcode, &pair[global]) != ARITH_OK) return false;
  }
  op->atomic.arith = pair;
  return true;
}

int atomic_take_op(Decoder *d) { return decode_take_one(d, atomic_names); }

static void apply(const FlightReduce *how, bool shared, uint8_t *at, uint64_t value) {
  bool changed = false;
  update(how->op, shared, at, value, value, &changed);
}

#define WORDS  (ARITH_T(U32) | ARITH_T(S32) | ARITH_T(U64))
#define HALVES (ARITH_T(F16) | ARITH_T(BF16))
#define BITS   (WORDS | ARITH_T(B32) | ARITH_T(B64))

/* Whether bulk copies and red.async have an operation of a type: an H200 has no others for the
 * elements of tensors, either [measured]. */
static bool is_reduced(int which, ArithType type) {
  static const uint64_t types[] = {[ATOMIC_ADD] = WORDS | HALVES | ARITH_T(F32) | ARITH_T(F64),
                                   [ATOMIC_MIN] = WORDS | HALVES | ARITH_T(S64),
                                   [ATOMIC_MAX] = WORDS | HALVES | ARITH_T(S64),
                                   [ATOMIC_AND] = BITS,
                                   [ATOMIC_OR] = BITS,
                                   [ATOMIC_XOR] = BITS,
                                   [ATOMIC_INC] = ARITH_T(U32),
                                   [ATOMIC_DEC] = ARITH_T(U32)};
  return which >= 0 && which <= ATOMIC_DEC && (types[which] >> type & 1);
}

const FlightReduce *atomic_reduce(Decoder *d, int which, ArithType type, bool flushes) {
  MemoryOp *op = ARENA_NEW(d->arena, MemoryOp);
  FlightReduce *how = ARENA_NEW(d->arena, FlightReduce);
  if (!is_reduced(which, type)) return NULL;
  op->bytes = (uint8_t)(arith_bits(type) / 8);
  op->atomic.op = (uint8_t)which;
  const bool bits = which >= ATOMIC_AND && which <= ATOMIC_XOR;
  const ArithType plain = !bits ? type : op->bytes == 4 ? ARITH_B32 : ARITH_B64;
  if (!resolve_arith(d->arena, op, plain, flushes)) return NULL;
  *how = (FlightReduce){.apply = apply, .bytes = op->bytes, .op = op};
  return how;
}

static void take_shape(Decoder *d, MemoryOp *op) {
  static const char *const vectors[] = {"v2", "v4", "v8", NULL};
  int vector = decode_take_one(d, vectors);
  int found = decode_take_one(d, atomic_names);
  ArithType type = decode_take_type(d);
  unsigned bits = arith_bits(type);
  op->elements = (uint8_t)(vector < 0 ? 1 : 2 << vector);
  op->bytes = (uint8_t)(bits / 8);
  op->atomic.op = (uint8_t)(found < 0 ? 0 : found);
  if (bits < 16 || bits > 64 || bits / 8 * op->elements > 16) {
    decode_fail(d, "this type is not supported");
  }
  if (!d->failed && !resolve_arith(d->arena, op, type, true))
    decode_fail(d, "this type is not supported");
}

/* The operand, a value for each element; or two operands of a compare-and-swap, which has one. */
static void decode_values(Decoder *d, const Operand *operand, int count) {
  Insn *insn = d->insn;
  int elements = insn->memory.elements, given;
  Ref *s = decode_refs(d, elements + 1);
  const Operand *items = decode_items(operand, &given);
  if (given != elements) {
    decode_fail(d, "the operand's width differs from the type's");
    return;
  }
  ArithType type = insn->memory.bytes == 8 ? ARITH_F64 : ARITH_F32;
  for (int i = 0; i < elements; i++) s[i] = decode_source(d, &items[i], type);
  insn->n_s = (uint8_t)(count > 1 ? 2 : elements);
  if (count > 1) s[1] = decode_source(d, operand + 1, type);
  insn->s = s;
}

/* Where what memory held goes: nowhere if that is `_`. */
static void decode_old_values(Decoder *d, const Operand *operand) {
  Insn *insn = d->insn;
  int elements = insn->memory.elements, given;
  Ref *r = decode_refs(d, elements);
  if (operand->kind == OPERAND_SINK) return;
  const Operand *items = decode_items(operand, &given);
  if (given != elements) {
    decode_fail(d, "the destination's width differs from the type's");
    return;
  }
  for (int i = 0; i < elements; i++) r[i] = decode_dest(d, &items[i]);
  insn->d = r;
  insn->n_d = (uint8_t)elements;
}

/* Compare-and-swap accesses the banks twice, once for each of its operands (measured on an H200).
 * The other 64-bit operations except exchange are loops of loads and compare-and-swaps in machine
 * code; they are counted as one successful compare-and-swap, without the loads. */
static uint8_t passes_of(const MemoryOp *op) {
  const bool loops = op->bytes == 8 && op->atomic.op != ATOMIC_EXCH;
  return op->atomic.op == ATOMIC_CAS || loops ? 2 : 1;
}

/* atom d, [a], b{, c}; red [a], b */
void decode_atomic(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  bool returns = strcmp(d->modifier[0], "atom") == 0;
  decode_take_order(d, op, true);
  op->space = (uint8_t)decode_space(d);
  take_shape(d, op);
  op->atomic.passes = passes_of(op);
  int values = op->atomic.op == ATOMIC_CAS ? 2 : 1;
  int first = returns ? 1 : 0;
  if (d->failed || !decode_count_hinted(d, first + 1 + values)) return;
  if (returns) decode_old_values(d, decode_operand(d, 0));
  decode_address(d, decode_operand(d, first), op);
  decode_values(d, decode_operand(d, first + 1), values);
  decode_site(d, INSN_ATOMIC);
  d->insn->fn = exec_atomic;
}
