/* SPDX-License-Identifier: MIT */
#include "emu/op/tcgen05_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/op/tcgen05.h"
#include "emu/op/umma_shape.h"
#include "emu/run/access/counters.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/copies.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/state/finding.h"

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
  /* if A is sparse, the place along k of each element of a row */
  uint8_t index[UMMA_MAX_LINES][TCGEN05_MAX_K / 2];
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
  for (unsigned i = 0; i < umma_tile_units(tile, count); i++) {
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
  UmmaTile tile =
      umma_tile(warp_reg(p->warp, descriptor)[p->lane], (Tcgen05Type)type, p->shape.packed, by_mn);
  if (p->op->is_sparse && to == &p->b) tile.line = 2 * UMMA_BYTES;
  if (!umma_tile_is_sound(&tile, why, sizeof why) && begin(p, EMU_DESCRIPTOR))
    finding_describe(p->warp->block, "descriptor of %c: %s", name, why);
  for (unsigned b = 0; b < p->op->group; b++)
    read_shared(p, p->block[b], &tile, name, b * lines, lines, to);
}

/* --- A and scales in tensor memory --- */

/* False if the box is not within allocated columns of each block. */
static bool use_box(const Product *p, const TmemBox *box, TensorUse use) {
  for (unsigned b = 0; b < p->op->group; b++) {
    if (!tmem_check_box(p->block[b], p->warp, p->insn, p->lane, box)) return false;
    tensor_use(p->block[b], p->warp, p->lane, p->insn, box, use);
  }
  return true;
}

static bool use_place(const Product *p, const UmmaPlace *at, TensorUse use) {
  TmemBox box[UMMA_MAX_BOXES];
  const int boxes = umma_boxes(at, box);
  for (int i = 0; i < boxes; i++)
    if (!use_box(p, &box[i], use)) return false;
  return true;
}

/* 32 bytes of a lane. Each lane multiplies its own A: where D is in several parts, A is, too. */
static void read_lane(Product *p, const Tmem *t, uint32_t lane, uint32_t column, unsigned to) {
  enum { MAX_BITS = 32 };
  const unsigned bits = arith_tcgen05_bits((Tcgen05Type)p->shape.arith.a);
  const unsigned of_word = MAX_BITS / bits;
  for (unsigned k = 0; k < p->shape.arith.k; k++) {
    const uint32_t c = column + k / of_word, word = t->word[c][lane] >> k % of_word * bits;
    p->a.word[to][k] = bits < MAX_BITS ? word & ((1u << bits) - 1) : word;
    p->a.undefined[to] |= t->undefined[c][lane] != 0;
  }
}

static bool read_tmem(Product *p, const UmmaPlace *d) {
  enum { WORDS = UMMA_BYTES / 4 };
  UmmaPlace at = *d;
  const uint32_t address = tcgen05_address(p->warp, p->op->a_at, p->lane);
  at.lane = tmem_lane(address);
  at.column = tmem_column(address);
  at.columns = WORDS * at.parts;
  if (!p->shape.packed && arith_tcgen05_bits((Tcgen05Type)p->shape.arith.a) < 8) {
    if (begin(p, EMU_INSTRUCTION))
      finding_describe(p->warp->block,
                       "A with elements of 4 or 6 bits in tensor memory is not executed yet");
    return false;
  }
  if (!use_place(p, &at, TENSOR_READS)) return false;
  for (unsigned b = 0; b < p->op->group; b++)
    for (unsigned row = 0; row < at.rows; row++)
      for (unsigned part = 0; part < at.parts; part++) {
        const uint32_t lane = umma_lane(&at, row, part * WORDS);
        read_lane(p, p->block[b]->tmem, lane, at.column, b * TMEM_LANES + lane);
      }
  return true;
}

/* Scales of 32 lines are in a column, one line in each lane, and again in each 32 lanes. */
static bool use_scales(const Product *p) {
  const uint32_t a = tcgen05_address(p->warp, p->op->scale_a, p->lane);
  const uint32_t b = tcgen05_address(p->warp, p->op->scale_b, p->lane);
  const uint32_t rows = umma_rows(&p->shape, p->op->group);
  const TmemBox boxes[] = {{0, TMEM_LANES, tmem_column(a), (rows + LANES - 1) / LANES},
                           {0, TMEM_LANES, tmem_column(b), (p->shape.n + LANES - 1) / LANES}};
  return use_box(p, &boxes[0], TENSOR_READS) && use_box(p, &boxes[1], TENSOR_READS);
}

/* --- the elements of a sparse A: metadata have four bits for each group of elements --- */

/* The word of a group's bits, and the first of them. Of 16 and 32 bits, a word has 8 lines of two
 * halves of k: CUTLASS, tmem_e_frg. */
typedef struct {
  uint32_t lane, column;
  unsigned bit;
} Nibble;

static Nibble nibble_of(const Product *p, unsigned row, unsigned group) {
  if (p->op->kind > TCGEN05_KIND_TF32) return (Nibble){row, group / 8, group % 8 * 4};
  return (Nibble){row / 16 * 16 + group / 4 * 8 + row % 8, 0, row / 8 % 2 * 16 + group % 4 * 4};
}

/* One element of each two (tf32), two of each four, or two pairs of each four pairs (mxf4). */
static void choose(const Product *p, unsigned bits, unsigned group, uint8_t *index) {
  const unsigned first = bits & 3, second = bits >> 2;
  if (p->op->kind == TCGEN05_KIND_TF32) {
    index[group] = (uint8_t)(2 * group + (second > 1));
    return;
  }
  const unsigned width = p->shape.packed ? 2 : 1;
  for (unsigned i = 0; i < width; i++) {
    index[2 * width * group + i] = (uint8_t)(width * (4 * group + first) + i);
    index[2 * width * group + width + i] = (uint8_t)(width * (4 * group + second) + i);
  }
}

static bool read_metadata(Product *p) {
  const uint32_t address = tcgen05_address(p->warp, p->op->metadata, p->lane);
  const unsigned rows = umma_rows(&p->shape, p->op->group), k = p->shape.arith.k;
  const unsigned groups = p->op->kind == TCGEN05_KIND_TF32 ? k : k / (p->shape.packed ? 4 : 2);
  const bool wide = p->op->kind > TCGEN05_KIND_TF32;
  const TmemBox box = {0, TMEM_LANES, tmem_column(address), wide ? 2 : 1};
  if (!use_box(p, &box, TENSOR_READS)) return false;
  for (unsigned row = 0; row < p->shape.m; row++)
    for (unsigned g = 0; g < groups; g++) {
      const Tmem *t = p->block[row / rows]->tmem;
      const Nibble at = nibble_of(p, row % rows, g);
      const uint32_t c = box.column + at.column;
      choose(p, t->word[c][at.lane] >> at.bit & 15, g, p->index[row]);
      const unsigned line = p->op->a_in_tmem ? row / rows * TMEM_LANES + row % rows : row;
      p->a.undefined[line] |= (t->undefined[c][at.lane] >> at.bit & 15) != 0;
    }
  return true;
}

/* B's elements that a sparse row multiplies. */
static const Tcgen05Line *chosen(const Product *p, unsigned row, unsigned column, Tcgen05Line *to) {
  const Tcgen05Line *b = &p->b.line[column];
  if (!p->op->is_sparse) return b;
  to->any_special = b->any_special;
  for (unsigned i = 0; i < p->shape.arith.k; i++) {
    const unsigned from = p->index[row][i];
    to->mantissa[i] = b->mantissa[from];
    to->exponent[i] = b->exponent[from];
    to->class[i] = b->class[from];
  }
  return to;
}

typedef struct {
  const uint8_t *at;
  bool undefined;
} Scales;

/* The scales of a line for a D in `lane`. */
static Scales scales_of(const Product *p, const Tmem *t, Tcgen05Address address, unsigned byte,
                        uint32_t lane, unsigned line) {
  const uint32_t c = tmem_column(tcgen05_address(p->warp, address, p->lane)) + line / LANES;
  const uint32_t l = lane / LANES * LANES + line % LANES;
  const unsigned count = p->shape.arith.k / p->shape.arith.scale_block;
  const uint32_t mask = (count < 4 ? (1u << 8 * count) - 1 : UINT32_MAX) << 8 * byte;
  return (Scales){(const uint8_t *)&t->word[c][l] + byte, t->undefined[c][l] & mask};
}

/* --- D --- */

static void decode_lines(Lines *x, uint8_t type, unsigned depth, unsigned lines, bool negative) {
  for (unsigned i = 0; i < lines; i++) {
    arith_tcgen05_line((Tcgen05Type)type, depth, x->word[i], &x->line[i]);
    for (unsigned k = 0; negative && k < depth; k++)
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
  const uint32_t lane = umma_lane(at, row, column), c = umma_column(at, column);
  const unsigned i = p->op->a_in_tmem ? block * TMEM_LANES + lane : block * at->rows + row;
  if (is_disabled(p, block, lane)) return;
  uint32_t *word = &t->word[c][lane], *undefined = &t->undefined[c][lane];
  const uint32_t mask = p->shape.arith.d == ARITH_F16 ? 0xffff : UINT32_MAX;
  const uint32_t addend = p->adds ? scale_addend(p, *word & mask) : 0;
  Scales a = {NULL, false}, b = {NULL, false};
  if (p->shape.arith.scale) {
    a = scales_of(p, t, p->op->scale_a, p->shape.scale_a_byte, lane, row);
    b = scales_of(p, t, p->op->scale_b, p->shape.scale_b_byte, lane, column);
  }
  const bool is_undefined = p->a.undefined[i] || p->b.undefined[column] || a.undefined ||
                            b.undefined || (p->adds && *undefined & mask);
  Tcgen05Line some;
  const Tcgen05Line *of_b = chosen(p, block * at->rows + row, column, &some);
  *word = arith_tcgen05_dot(&p->shape.arith, &p->a.line[i], of_b, a.at, b.at, addend);
  *undefined = is_undefined ? UINT32_MAX : 0;
}

static void multiply(Product *p) {
  const ArithTcgen05 *arith = &p->shape.arith;
  const unsigned rows = umma_rows(&p->shape, p->op->group);
  const UmmaPlace at =
      umma_place(p->op, &p->shape, tcgen05_address(p->warp, p->op->at, p->lane), p->shape.n);
  for (unsigned b = 0; b < p->op->group; b++)
    tensor_issue(p->block[b], p->warp, p->lane, p->insn, TENSOR_BY_COMMIT);
  if (!use_place(p, &at, p->adds ? TENSOR_ADDS : TENSOR_WRITES)) return;
  if (p->op->a_in_tmem && !read_tmem(p, &at)) return;
  if (arith->scale && !use_scales(p)) return;
  if (p->op->is_sparse && !read_metadata(p)) return;
  if (!p->op->a_in_tmem) read_tile(p, p->op->a, arith->a, p->shape.a_by_mn, 'A', rows, &p->a);
  read_tile(p, p->op->b, arith->b, p->shape.b_by_mn, 'B', p->shape.n / p->op->group, &p->b);
  counters_add_wgmma(p->warp, p->insn, p->bytes / 128);
  decode_lines(&p->a, arith->a, arith->k, p->op->a_in_tmem ? UMMA_MAX_LINES : p->shape.m,
               p->shape.negative);
  decode_lines(&p->b, arith->b, p->op->is_sparse ? 2u * arith->k : arith->k, p->shape.n, false);
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

Flow tcgen05_multiply(Warp *w, const Insn *insn, uint32_t active) {
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
