/*
 * tcgen05.mma and tcgen05.commit. A product is computed when it is issued, and a commit's arrival
 * is performed at once; what uses its operands or D before a wait for that arrival is reported:
 * run/tmem/uses.h.
 */
#include "emu/op/tcgen05_mma.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/op/tcgen05.h"
#include "emu/op/umma_shape.h"
#include "emu/run/access/counters.h"
#include "emu/run/access/memory.h"
#include "emu/run/async/mbarrier.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/sync.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/memory.h"

enum { MAX_GROUP = 2 };

/* --- a product --- */

/* Rows of A or columns of B: words and decoded elements; those with undefined bits. */
typedef struct {
  uint32_t word[UMMA_MAX_LINES][TCGEN05_MAX_K];
  bool undefined[UMMA_MAX_LINES];
  Tcgen05Line line[UMMA_MAX_LINES];
} Lines;

typedef struct {
  Warp *warp;
  const Insn *insn;
  const Tcgen05Op *op;
  unsigned lane;
  UmmaShape shape;
  Block *block[MAX_GROUP]; /* that take part, by rank */
  bool adds;
  uint32_t bytes; /* read from shared memory */
  Lines a, b;
} Product;

static bool begin(const Product *p, EmuFindingKind kind) {
  return finding_add(p->warp->block, kind, p->insn, warp_thread(p->warp, p->lane), 1);
}

/* --- operands in shared memory --- */

static void report_beyond(const Product *p, const Block *owner, char name, uint32_t at) {
  if (begin(p, EMU_OUT_OF_BOUNDS))
    finding_describe(p->warp->block,
                     "tcgen05.mma reads %c at shared address 0x%x: beyond the bytes there, which "
                     "are %u",
                     name, at, owner->shared_bytes);
}

static void check_unit(Product *p, Block *owner, uint32_t at) {
  tensor_read_shared(owner, at);
  p->bytes += UMMA_UNIT;
  if (owner == p->warp->block && race_async_read(p->warp, p->insn, p->lane, at, UMMA_UNIT))
    proxy_check_async_read(p->warp, p->insn, p->lane, at, UMMA_UNIT, "tcgen05.mma");
}

static bool any_undefined(const Block *owner, uint32_t at, unsigned bytes) {
  bool any = false;
  for (unsigned i = 0; i < bytes; i++) any |= owner->undefined[at + i] != 0;
  return any;
}

/* Reads `count` lines of the owner's tile to those from `first` on. */
static void read_shared(Product *p, Block *owner, const UmmaTile *tile, char name, unsigned first,
                        unsigned count, Lines *to) {
  static const uint8_t nothing[UMMA_UNIT];
  uint32_t low = UINT32_MAX, high = 0;
  for (unsigned i = 0; i < umma_tile_units(count); i++) {
    const uint32_t at = umma_tile_unit(tile, i);
    const bool valid = at + UMMA_UNIT <= owner->shared_bytes;
    umma_tile_put(tile, i, valid ? owner->shared + at : nothing, to->word + first);
    if (!valid) report_beyond(p, owner, name, at);
    if (!valid) continue;
    check_unit(p, owner, at);
    low = at < low ? at : low;
    high = at + UMMA_UNIT > high ? at + UMMA_UNIT : high;
    const UmmaLines lines = umma_tile_lines(tile, i);
    if (any_undefined(owner, at, tile->per_unit * tile->bits / 8u))
      memset(to->undefined + first + lines.first, true, lines.count);
  }
  if (high && owner == p->warp->block)
    counters_observe_async(p->warp, p->insn, EMU_WGMMA, low, high - low, NULL);
}

static void read_tile(Product *p, Ref descriptor, uint8_t type, bool by_mn, char name,
                      unsigned lines, Lines *to) {
  char why[160];
  const UmmaTile tile = umma_tile(warp_reg(p->warp, descriptor)[p->lane], (Tcgen05Type)type, by_mn);
  if (!umma_tile_is_sound(&tile, why, sizeof why) && begin(p, EMU_DESCRIPTOR))
    finding_describe(p->warp->block, "descriptor of %c: %s", name, why);
  for (unsigned b = 0; b < p->op->group; b++)
    read_shared(p, p->block[b], &tile, name, b * lines, lines, to);
}

/* --- A in tensor memory: 32 bytes of each row, elements of 4 and 6 bits in bytes --- */

static bool read_tmem(Product *p) {
  enum { WORDS = UMMA_BYTES / 4, MAX_BITS = 32 };
  const unsigned rows = umma_rows(&p->shape, p->op->group);
  const unsigned own = arith_tcgen05_bits((Tcgen05Type)p->shape.arith.a), bits = own < 8 ? 8 : own;
  const unsigned of_word = MAX_BITS / bits;
  const uint32_t mask = own < MAX_BITS ? (1u << own) - 1 : UINT32_MAX;
  const UmmaPlace at =
      umma_place(p->op->group, rows, WORDS, tcgen05_address(p->warp, p->op->a_at, p->lane), false);
  for (unsigned b = 0; b < p->op->group; b++) {
    TmemBox box[UMMA_MAX_BOXES];
    const int boxes = umma_boxes(&at, box);
    for (int i = 0; i < boxes; i++) {
      if (!tmem_check_box(p->block[b], p->warp, p->insn, p->lane, &box[i])) return false;
      tensor_use(p->block[b], p->warp, p->lane, p->insn, &box[i], TENSOR_READS);
    }
    const Tmem *t = p->block[b]->tmem;
    for (unsigned row = 0; row < rows; row++)
      for (unsigned k = 0; k < p->shape.arith.k; k++) {
        const uint32_t lane = umma_lane(&at, row, 0), c = at.column + k / of_word;
        const uint32_t word = t->word[c][lane] >> k % of_word * bits;
        p->a.word[b * rows + row][k] = word & mask;
        p->a.undefined[b * rows + row] |= t->undefined[c][lane] != 0;
      }
  }
  return true;
}

/* --- D --- */

static void decode_lines(const Product *p, Lines *x, uint8_t type, unsigned lines, bool negative) {
  for (unsigned i = 0; i < lines; i++) {
    arith_tcgen05_line((Tcgen05Type)type, p->shape.arith.k, x->word[i], &x->line[i]);
    for (unsigned k = 0; negative && k < p->shape.arith.k; k++)
      x->line[i].mantissa[k] = -x->line[i].mantissa[k];
  }
}

/* D of an earlier product, divided by a power of two; what becomes subnormal is rounded to nearest,
 * which the ISA leaves open. */
static uint32_t scale_addend(const Product *p, uint32_t bits) {
  const ArithFormat *format = arith_format((ArithType)p->shape.arith.d);
  if (!p->op->scaled) return bits;
  return (uint32_t)arith_encode(format, ldexp(arith_decode(format, bits), -(int)p->op->scaled),
                                ARITH_RN, false);
}

static bool is_disabled(const Product *p, unsigned block, uint32_t lane) {
  const unsigned i = block * (TMEM_LANES / LANES) + lane / LANES;
  return i < p->op->masks && warp_reg(p->warp, p->op->mask[i])[p->lane] >> lane % LANES & 1;
}

static void add_element(const Product *p, const UmmaPlace *at, unsigned block, unsigned row,
                        unsigned column) {
  Tmem *t = p->block[block]->tmem;
  const unsigned i = block * at->rows + row;
  const uint32_t lane = umma_lane(at, row, column), c = umma_column(at, column);
  if (is_disabled(p, block, lane)) return;
  uint32_t *word = &t->word[c][lane], *undefined = &t->undefined[c][lane];
  const uint32_t mask = p->shape.arith.d == ARITH_F16 ? 0xffff : UINT32_MAX;
  const uint32_t addend = p->adds ? scale_addend(p, *word & mask) : 0;
  *word = arith_tcgen05_dot(&p->shape.arith, &p->a.line[i], &p->b.line[column], NULL, NULL, addend);
  const bool is_undefined =
      p->a.undefined[i] || p->b.undefined[column] || (p->adds && *undefined & mask);
  *undefined = is_undefined ? UINT32_MAX : 0;
}

/* False if D is not within allocated columns. */
static bool use_d(const Product *p, const UmmaPlace *at) {
  for (unsigned b = 0; b < p->op->group; b++) {
    TmemBox box[UMMA_MAX_BOXES];
    const int boxes = umma_boxes(at, box);
    for (int i = 0; i < boxes; i++) {
      if (!tmem_check_box(p->block[b], p->warp, p->insn, p->lane, &box[i])) return false;
      tensor_use(p->block[b], p->warp, p->lane, p->insn, &box[i],
                 p->adds ? TENSOR_ADDS : TENSOR_WRITES);
    }
  }
  return true;
}

static void multiply(Product *p) {
  const ArithTcgen05 *arith = &p->shape.arith;
  const unsigned rows = umma_rows(&p->shape, p->op->group);
  const UmmaPlace at = umma_place(p->op->group, rows, p->shape.n,
                                  tcgen05_address(p->warp, p->op->at, p->lane), true);
  for (unsigned b = 0; b < p->op->group; b++)
    tensor_issue(p->block[b], p->warp, p->lane, p->insn, TENSOR_BY_COMMIT);
  if (!use_d(p, &at) || (p->op->a_in_tmem && !read_tmem(p))) return;
  if (!p->op->a_in_tmem) read_tile(p, p->op->a, arith->a, p->shape.a_by_mn, 'A', rows, &p->a);
  read_tile(p, p->op->b, arith->b, p->shape.b_by_mn, 'B', p->shape.n / p->op->group, &p->b);
  counters_add_wgmma(p->warp, p->insn, p->bytes / 128);
  decode_lines(p, &p->a, arith->a, p->shape.m, p->shape.negative);
  decode_lines(p, &p->b, arith->b, p->shape.n, false);
  for (unsigned column = 0; column < p->shape.n; column++)
    for (unsigned row = 0; row < p->shape.m; row++)
      add_element(p, &at, row / rows, row % rows, column);
}

/* The blocks that take part; false, after a finding, if the second one is missing. */
static bool find_blocks(Product *p) {
  Block *block = p->warp->block;
  const int first = p->op->group == 1 ? block->rank : block->rank & ~1;
  p->block[0] = block->cluster->block[first];
  p->block[1] = first + 1 < block->cluster->blocks ? block->cluster->block[first + 1] : NULL;
  if (p->op->group == 2 && !p->block[1]) {
    if (begin(p, EMU_INSTRUCTION))
      finding_describe(block, ".cta_group::2 needs a cluster with an even number of blocks");
    return false;
  }
  return tmem_open(p->block[0]) && (p->op->group == 1 || tmem_open(p->block[1]));
}

static bool find_shape(Product *p) {
  char why[160];
  const uint32_t d = (uint32_t)warp_reg(p->warp, p->op->instruction)[p->lane];
  if (umma_shape(p->op, d, &p->shape, why, sizeof why)) return true;
  if (begin(p, EMU_INSTRUCTION)) finding_describe(p->warp->block, "%s", why);
  return false;
}

static Flow exec_mma(Warp *w, const Insn *insn, uint32_t active) {
  const Tcgen05Op *op = insn->memory.tcgen05;
  tmem_check_group(w, insn, op->group);
  FOR_LANES(lane, active) {
    Product *p = calloc(1, sizeof *p);
    if (!p) {
      atomic_store(&w->block->launch->out_of_memory, true);
      block_stop(w->block);
      return FLOW_WAIT;
    }
    p->warp = w, p->insn = insn, p->op = op, p->lane = lane;
    p->adds = warp_pred(w, insn->p_in) >> lane & 1;
    if (find_blocks(p) && find_shape(p)) multiply(p);
    free(p);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* --- commit --- */

/* The arrival releases what the thread did, and, after it, what the commit completes. */
static void signal_mbarrier(const MbarrierUse *use) {
  uint64_t offset[LANES];
  const uint64_t location = sync_location(use->owner, use->offset);
  const OrderAccess signal = {use->insn, 1u << use->lane, location, SCOPE_CLUSTER, true, true,
                              false};
  offset[use->lane] = use->offset;
  race_access_of(use->owner, use->warp, use->insn, RACE_ATOMIC, 1u << use->lane, offset,
                 MBARRIER_BYTES, NULL);
  order_publish(use->warp, &signal);
  order_copy_publish(use->warp->block, location);
  mbarrier_arrive(use, 1, false, true);
}

static void signal_all(Warp *w, const Insn *insn, unsigned lane, Block *owner, uint32_t offset) {
  const Cluster *cluster = w->block->cluster;
  const uint32_t mask =
      insn->n_s ? (uint32_t)warp_reg(w, insn->s[0])[lane] & 0xffff : 1u << owner->rank;
  for (int i = 0; i < cluster->blocks; i++) {
    const MbarrierUse use = {w, insn, lane, cluster->block[i], offset};
    if (mask >> i & 1) signal_mbarrier(&use);
  }
}

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  Resolved access;
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_MBARRIER, insn->memory.space, MBARRIER_BYTES, active, address,
                 &access);
  undef_demand(w, insn, &access, MBARRIER_BYTES, "is used as a barrier");
  FOR_LANES(lane, access.shared | access.remote) {
    tensor_commit(w, lane, insn);
    signal_all(w, insn, lane, block_owner(w->block, &access, lane), (uint32_t)access.offset[lane]);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* [mbarrier] {, mask of blocks} */
void tcgen05_decode_commit(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  tcgen05_take_group(d);
  if (!decode_take(d, "mbarrier::arrive::one"))
    decode_fail(d, "this completion mechanism is not supported");
  const bool multicast = decode_take(d, "multicast::cluster");
  decode_take(d, "b64");
  op->space = (uint8_t)decode_space(d);
  if (!decode_count(d, 1 + multicast, 1 + multicast)) return;
  decode_address(d, decode_operand(d, 0), op);
  if (multicast) decode_sources(d, 1, 1, ARITH_U32);
  op->bytes = MBARRIER_BYTES;
  op->elements = 1;
  op->scope = SCOPE_CLUSTER;
  op->strong = op->acquire = op->release = true;
  d->program->uses_fence = true;
  decode_site(d, INSN_MBARRIER);
  d->insn->fn = exec_commit;
}

/* --- decoding of mma --- */

static int take_kind(Decoder *d) {
  static const char *const names[] = {"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8", NULL};
  const int found = decode_take_one(d, names);
  if (found < 0) decode_fail(d, "this kind is not supported yet");
  return found < 0 ? 0 : found;
}

/* Hints about the buffers of A and B, which change no result. */
static void take_hints(Decoder *d) {
  static const char *const names[] = {"collector::a::fill", "collector::a::use",
                                      "collector::a::lastuse", "collector::a::discard", NULL};
  decode_take_all(d, names);
}

/* {m0, m1, ...}: one bit per lane of tensor memory, in 4 registers per block */
static void decode_masks(Decoder *d, int index, Tcgen05Op *op) {
  op->masks = (uint8_t)(op->group * TMEM_LANES / LANES);
  decode_fragment(d, decode_operand(d, index), op->masks, false, op->mask);
}

static void decode_scale(Decoder *d, int index, Tcgen05Op *op) {
  const Operand *scale = decode_operand(d, index);
  if (scale->kind != OPERAND_INT || scale->value > 15)
    decode_fail(d, "scale-input-d is a constant from 0 to 15");
  if (op->kind > TCGEN05_KIND_TF32) decode_fail(d, "only .kind::f16 and .kind::tf32 scale D");
  op->scaled = (uint8_t)scale->value;
}

/* [d], a or [a], b, instruction {, {masks}}, enable-input-d {, scale-input-d} */
void tcgen05_decode_mma(Decoder *d) {
  static const char *const later[] = {"ws", "sp", "block_scale", "ashift"};
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  Insn *insn = d->insn;
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    if (decode_take(d, later[i])) decode_fail(d, ".%s is not supported yet", later[i]);
  op->group = tcgen05_take_group(d);
  op->kind = (uint8_t)take_kind(d);
  take_hints(d);
  if (d->failed || !decode_count(d, 5, 7)) return;
  op->at = tcgen05_decode_address(d, 0);
  op->a_in_tmem = decode_operand(d, 1)->kind == OPERAND_MEMORY;
  if (op->a_in_tmem)
    op->a_at = tcgen05_decode_address(d, 1);
  else
    op->a = decode_source(d, decode_operand(d, 1), ARITH_B64);
  op->b = decode_source(d, decode_operand(d, 2), ARITH_B64);
  op->instruction = decode_source(d, decode_operand(d, 3), ARITH_U32);
  int at = 4;
  if (decode_operand(d, at)->kind == OPERAND_VECTOR) decode_masks(d, at++, op);
  insn->p_in = decode_pred(d, decode_operand(d, at++));
  if (at < d->statement->operands) decode_scale(d, at++, op);
  if (at != d->statement->operands)
    decode_fail(d, "%d operands, expected %d", d->statement->operands, at);
  insn->memory.space = EMU_SHARED;
  insn->memory.base = op->b;
  insn->memory.tcgen05 = op;
  decode_site(d, INSN_WGMMA);
  insn->fn = exec_mma;
}
