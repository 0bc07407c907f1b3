/*
 * wgmma: the product of a warpgroup, from shared memory and registers. It is executed when the last
 * of the four warps arrives, at once: what a program must not rely on is told by inflight.h and
 * warpgroup.h instead of shown. Descriptors and layouts as measured on an H200 and as the PTX ISA
 * has them ("Asynchronous warpgroup level matrix shared memory layout").
 */
#include "emu/op/op_wgmma.h"

#include <string.h>

#include "emu/op/wgmma_tile.h"
#include "emu/run/converge.h"
#include "emu/run/counters.h"
#include "emu/run/finding.h"
#include "emu/run/inflight.h"
#include "emu/run/order.h"
#include "emu/run/pool.h"
#include "emu/run/proxy.h"
#include "emu/run/race.h"
#include "emu/run/undef_set.h"
#include "emu/run/warpgroup.h"

/* --- the four warps --- */

typedef struct {
  const Insn *insn;
  const WgmmaOp *op;
  Block *block;
  Warp *warp[WGMMA_WARPS];
  const Split *split[WGMMA_WARPS];
} Group;

static Group group_of(const Warp *w, const Insn *insn) {
  Group g = {.insn = insn, .op = insn->memory.wgmma, .block = w->block};
  for (int i = 0; i < WGMMA_WARPS; i++) {
    g.warp[i] = &w->block->warp[w->index / WGMMA_WARPS * WGMMA_WARPS + i];
    g.split[i] = warpgroup_split(g.warp[i]);
  }
  return g;
}

/* A register of the split that waits, of which the warp may have had others since. */
static uint64_t *reg_of(const Group *g, unsigned warp, Ref ref) {
  const Warp *w = g->warp[warp];
  if (ref >> REF_SHIFT != BANK_FRAME) return warp_reg(w, ref);
  return w->slots + ((size_t)g->split[warp]->frame.slot + (ref & REF_INDEX)) * LANES;
}

static bool scale_d(const Group *g) {
  const PredRef p = g->insn->p_in;
  const uint32_t *preds = g->warp[0]->preds + g->split[0]->frame.pred;
  const uint32_t value = p.slot < 0 ? ALL_LANES : preds[p.slot];
  return (p.negated ? ~value : value) & 1;
}

/* --- operands in shared memory --- */

static bool begin(const Group *g, EmuFindingKind kind) {
  return finding_add(g->block, kind, g->insn, warp_thread(g->warp[0], 0), 1);
}

static bool is_uniform(const Group *g, Ref ref, uint64_t value) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    const uint64_t *reg = reg_of(g, i, ref);
    for (int lane = 0; lane < LANES; lane++)
      if (reg[lane] != value) return false;
  }
  return true;
}

/* The descriptor in a register, which must be the same in all threads of the warpgroup. */
static WgmmaTile tile_of(const Group *g, Ref ref, char name, bool by_mn) {
  char wrong[160];
  const uint64_t bits = reg_of(g, 0, ref)[0];
  const WgmmaTile tile = wgmma_tile(bits, by_mn);
  if (!is_uniform(g, ref, bits) && begin(g, EMU_WARPGROUP))
    finding_describe(g->block, "the threads of the warpgroup have different descriptors of %c",
                     name);
  if (!wgmma_tile_is_aligned(&tile, wrong, sizeof wrong) && begin(g, EMU_MISALIGNED))
    finding_describe(g->block, "descriptor of %c: %s", name, wrong);
  return tile;
}

static void report_beyond(const Group *g, char name, uint32_t at) {
  if (!begin(g, EMU_OUT_OF_BOUNDS)) return;
  finding_describe(g->block,
                   "wgmma reads %c at shared address 0x%x: beyond the bytes there, which "
                   "are %u",
                   name, at, g->block->shared_bytes);
}

/* Where its pieces lie; of those beyond shared memory nothing is read. */
typedef struct {
  WgmmaTile tile;
  unsigned count;
  uint32_t at[WGMMA_MAX_PIECES];
  bool valid[WGMMA_MAX_PIECES];
} Pieces;

static void find_pieces(const Group *g, Ref ref, char name, bool by_mn, unsigned lines,
                        Pieces *pieces) {
  pieces->tile = tile_of(g, ref, name, by_mn);
  pieces->count = lines * WGMMA_BYTES / WGMMA_PIECE;
  for (unsigned i = 0; i < pieces->count; i++) {
    const uint32_t at = wgmma_tile_piece(&pieces->tile, i);
    pieces->at[i] = at;
    pieces->valid[i] = at + WGMMA_PIECE <= g->block->shared_bytes;
    if (!pieces->valid[i]) report_beyond(g, name, at);
  }
}

/* Its pieces' bytes, from shared memory or from what is undefined of it. */
static void copy_pieces(const Pieces *pieces, const uint8_t *from, uint8_t (*line)[WGMMA_BYTES]) {
  static const uint8_t nothing[WGMMA_PIECE] = {0};
  for (unsigned i = 0; i < pieces->count; i++)
    wgmma_tile_put(&pieces->tile, i, pieces->valid[i] ? from + pieces->at[i] : nothing, line);
}

/* A's rows are read by the warp that computes with them; B's columns by all four: here in turns, so
 * that a warp which has not waited for the tile is seen. */
static void check_piece(Warp *w, const Insn *insn, uint32_t at) {
  if (race_async_read(w, insn, 0, at, WGMMA_PIECE))
    proxy_check_async_read(w, insn, 0, at, WGMMA_PIECE, "wgmma");
  warpgroup_read(w, at);
}

static void check_pieces(const Group *g, const Pieces *pieces, bool of_a) {
  for (unsigned i = 0; i < pieces->count; i++) {
    const unsigned line = wgmma_tile_line(&pieces->tile, i);
    Warp *w = g->warp[of_a ? line / WGMMA_WARP_ROWS : i / 2 % WGMMA_WARPS];
    if (pieces->valid[i]) check_piece(w, g->insn, pieces->at[i]);
  }
}

/* --- the operands --- */

typedef struct {
  Pieces a, b;
  ArithTiles tiles;
} Operands;

static void rows_of_registers(const Group *g, uint8_t (*row)[WGMMA_BYTES]) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    const uint64_t *reg[WGMMA_A_REGISTERS];
    for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++) reg[r] = reg_of(g, i, g->insn->s[r]);
    arith_wgmma_rows(reg, row + i * WGMMA_WARP_ROWS);
  }
}

static void read_operands(const Group *g, Operands *x) {
  const Insn *insn = g->insn;
  const unsigned n = g->op->arith.n;
  x->a.count = 0;
  find_pieces(g, insn->s[insn->n_s - 1], 'B', g->op->b_by_row, n, &x->b);
  copy_pieces(&x->b, g->block->shared, x->tiles.b);
  if (g->op->a_in_registers) {
    rows_of_registers(g, x->tiles.a);
  } else {
    find_pieces(g, insn->s[0], 'A', g->op->a_by_column, WGMMA_ROWS, &x->a);
    copy_pieces(&x->a, g->block->shared, x->tiles.a);
  }
  check_pieces(g, &x->a, true);
  check_pieces(g, &x->b, false);
  counters_add_wgmma(g->warp[0], insn, (x->a.count + x->b.count) * WGMMA_PIECE / 128);
}

typedef uint64_t *Accumulators[WGMMA_WARPS][WGMMA_MAX_REGISTERS];

static void find_accumulators(const Group *g, Accumulators d) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++) d[i][r] = reg_of(g, i, g->insn->d[r]);
}

static void multiply(const Group *g, const ArithTiles *tiles, Accumulators d) {
  const ArithWgmmaMode mode = {.adds = scale_d(g), .negative = g->op->negative};
  arith_wgmma(&g->op->arith, mode, tiles, (uint64_t *const(*)[WGMMA_MAX_REGISTERS])d);
}

/* --- undefined bits: run again with them set in several ways, as undef.h says --- */

/* The same operands with undefined bits for values, and the first one's origin. */
typedef struct {
  ArithTiles tiles;
  uint64_t d[WGMMA_WARPS][WGMMA_MAX_REGISTERS][LANES];
  uint64_t from;
} Undefined;

static void add_register(const Group *g, unsigned warp, Ref ref, uint64_t bits[LANES],
                         uint64_t *from) {
  const UndefBits *b = g->warp[warp]->undefined ? undef_of_reg(g->warp[warp], ref) : NULL;
  memset(bits, 0, LANES * sizeof *bits);
  if (!b) return;
  FOR_LANES(lane, b->lanes) bits[lane] = b->bits[lane];
  if (b->lanes && !*from) *from = b->from[lane_first(b->lanes)];
}

/* Where the piece's first undefined byte came from; 0: it has none. */
static uint64_t origin_of(const Group *g, uint32_t at) {
  const Block *block = g->block;
  for (uint32_t i = at; i < at + WGMMA_PIECE; i++) {
    const uint64_t from = block->undefined_from ? block->undefined_from[i / 4] : 0;
    if (block->undefined[i]) return from ? from : undef_origin(g->warp[0], g->insn, 0, i, 0);
  }
  return 0;
}

static void add_pieces(const Group *g, const Pieces *pieces, uint64_t *from) {
  for (unsigned i = 0; i < pieces->count && !*from; i++)
    if (pieces->valid[i]) *from = origin_of(g, pieces->at[i]);
}

static void add_operand(const Group *g, unsigned warp, Undefined *u) {
  uint64_t reg[WGMMA_A_REGISTERS][LANES];
  const uint64_t *a[WGMMA_A_REGISTERS];
  for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++) {
    add_register(g, warp, g->insn->s[r], reg[r], &u->from);
    a[r] = reg[r];
  }
  arith_wgmma_rows(a, u->tiles.a + warp * WGMMA_WARP_ROWS);
}

static bool any_register(const Group *g) {
  bool any = false;
  for (unsigned i = 0; i < WGMMA_WARPS; i++) any |= g->warp[i]->undefined != 0;
  return any;
}

/* False if all that the product is made of is defined: the usual case. */
static bool find_undefined(const Group *g, const Operands *x, Undefined *u) {
  u->from = 0;
  add_pieces(g, &x->a, &u->from);
  add_pieces(g, &x->b, &u->from);
  if (!u->from && !any_register(g)) return false;
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    uint64_t ignored = 1, *from = scale_d(g) ? &u->from : &ignored;
    if (g->op->a_in_registers) add_operand(g, i, u);
    for (unsigned r = 0; r < g->insn->n_d; r++) add_register(g, i, g->insn->d[r], u->d[i][r], from);
  }
  copy_pieces(&x->a, g->block->undefined, u->tiles.a);
  copy_pieces(&x->b, g->block->undefined, u->tiles.b);
  u->from = undef_used(u->from);
  return u->from != 0;
}

enum { FILLS = 3 };

static uint8_t fill_byte(int fill, unsigned i) {
  const uint8_t way[FILLS] = {0, 0xff, (uint8_t)(i * 73 + 41)};
  return way[fill];
}

static void fill_tiles(int fill, const ArithTiles *x, const ArithTiles *undefined, ArithTiles *to) {
  const uint8_t *value = (const uint8_t *)x, *bits = (const uint8_t *)undefined;
  uint8_t *out = (uint8_t *)to;
  for (unsigned i = 0; i < sizeof *to; i++)
    out[i] = (uint8_t)((value[i] & ~bits[i]) | (fill_byte(fill, i) & bits[i]));
}

typedef struct {
  uint64_t reg[WGMMA_WARPS][WGMMA_MAX_REGISTERS][LANES];
} Result;

/* The product on accumulators of its own, whose undefined bits are set. */
static void try_fill(const Group *g, int fill, const ArithTiles *tiles, const Undefined *u,
                     Accumulators d, Result *out) {
  Accumulators own;
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++) {
      const uint64_t set = fill < 0 ? 0 : fill_byte(fill, r) * 0x01010101u;
      own[i][r] = out->reg[i][r];
      for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t bits = fill < 0 ? 0 : u->d[i][r][lane];
        out->reg[i][r][lane] = (d[i][r][lane] & ~bits) | (set & bits);
      }
    }
  multiply(g, tiles, own);
}

/* What differs from the real product is undefined. */
static void note_undefined(const Group *g, const Operands *x, Undefined *u, Accumulators d) {
  Result real, other;
  ArithTiles tiles;
  uint64_t from[LANES];
  try_fill(g, -1, &x->tiles, u, d, &real);
  Undefined sum = {.from = u->from};
  for (int fill = 0; fill < FILLS; fill++) {
    fill_tiles(fill, &x->tiles, &u->tiles, &tiles);
    try_fill(g, fill, &tiles, u, d, &other);
    for (unsigned i = 0; i < WGMMA_WARPS; i++)
      for (unsigned r = 0; r < g->insn->n_d; r++)
        for (unsigned lane = 0; lane < LANES; lane++)
          sum.d[i][r][lane] |= real.reg[i][r][lane] ^ other.reg[i][r][lane];
  }
  for (unsigned lane = 0; lane < LANES; lane++) from[lane] = u->from;
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; r < g->insn->n_d; r++)
      undef_set_reg(g->warp[i], g->insn->d[r], ALL_LANES, sum.d[i][r], from);
}

static void clear_undefined(const Group *g) {
  for (unsigned i = 0; i < WGMMA_WARPS; i++)
    for (unsigned r = 0; g->warp[i]->undefined && r < g->insn->n_d; r++)
      undef_set_reg(g->warp[i], g->insn->d[r], ALL_LANES, NULL, NULL);
}

/* --- execution --- */

static bool issue(const Group *g) {
  bool room = warpgroup_issue(g->warp[0], g->insn);
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    room = inflight_issue(g->warp[i], g->split[i], g->insn) && room;
    g->warp[i]->changed = true;
    order_lanes(g->warp[i], ALL_LANES);
  }
  return room;
}

static void execute(const Group *g) {
  Operands x;
  Undefined u;
  Accumulators d;
  find_accumulators(g, d);
  read_operands(g, &x);
  if (find_undefined(g, &x, &u))
    note_undefined(g, &x, &u, d);
  else
    clear_undefined(g);
  multiply(g, &x.tiles, d);
}

static Flow out_of_memory(const Warp *w) {
  atomic_store(&w->block->launch->out_of_memory, true);
  block_stop(w->block);
  return FLOW_WAIT;
}

static Flow exec_wgmma(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!warpgroup_meet(w, insn)) return FLOW_WAIT;
  const Group g = group_of(w, insn);
  if (!issue(&g)) return out_of_memory(w);
  execute(&g);
  warpgroup_go_on(w);
  return FLOW_JUMP;
}

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return inflight_fence(w) ? FLOW_NEXT : out_of_memory(w);
}

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return inflight_commit(w) ? FLOW_NEXT : out_of_memory(w);
}

static Flow exec_wait(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!inflight_wait(w, (uint32_t)insn->value)) return out_of_memory(w);
  order_lanes(w, active);
  warpgroup_waited(w);
  return FLOW_NEXT;
}

static Flow exec_raise(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!w->registers || pool_raise(w, insn, (uint32_t)insn->value)) return FLOW_NEXT;
  return FLOW_WAIT;
}

static Flow exec_lower(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (w->registers) pool_lower(w, insn, (uint32_t)insn->value);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* What the instructions of sm_90a need: they are on no other architecture, not on newer ones
 * either.
 */
static bool need_target(Decoder *d) {
  const char *target = d->ast->target;
  if (strcmp(target, "sm_90a") == 0) return true;
  decode_fail(d, "exists on sm_90a alone, and this is PTX for %.20s",
              *target ? target : "no target");
  return false;
}

static int64_t decode_immediate(Decoder *d, int index) {
  const Operand *operand = decode_operand(d, index);
  if (operand->kind != OPERAND_INT) decode_fail(d, "operand %d is not a constant", index + 1);
  return (int64_t)operand->value;
}

/* imm-scale-a and imm-scale-b: true if the product is negated. */
static bool decode_signs(Decoder *d, int at) {
  const int64_t a = decode_immediate(d, at), b = decode_immediate(d, at + 1);
  if ((a != 1 && a != -1) || (b != 1 && b != -1))
    decode_fail(d, "imm-scale-a and imm-scale-b are 1 or -1");
  return a != b;
}

static bool decode_transposed(Decoder *d, int at) {
  const int64_t value = decode_immediate(d, at);
  if (value != 0 && value != 1) decode_fail(d, "imm-trans-a and imm-trans-b are 0 or 1");
  return value == 1;
}

/* d, a or its descriptor, b's descriptor, scale-d {, imm-scale-a, imm-scale-b {{, imm-trans-a},
 * imm-trans-b}} */
static void decode_modes(Decoder *d, WgmmaOp *op) {
  const ArithWgmma *arith = &op->arith;
  const int transposes = !arith->may_transpose ? 0 : op->a_in_registers ? 1 : 2;
  const int count = 4 + (arith->is_float ? 2 : 0) + transposes;
  if (!decode_count(d, count, count)) return;
  d->insn->p_in = decode_pred(d, decode_operand(d, 3));
  if (arith->is_float) op->negative = decode_signs(d, 4);
  if (transposes == 2) op->a_by_column = decode_transposed(d, 6);
  if (transposes) op->b_by_row = decode_transposed(d, count - 1);
}

static void decode_operands(Decoder *d, WgmmaOp *op) {
  Insn *insn = d->insn;
  const Operand *a = decode_operand(d, 1);
  op->a_in_registers = a->kind == OPERAND_VECTOR;
  insn->n_d = op->arith.n_d;
  insn->n_s = (uint8_t)(op->a_in_registers ? WGMMA_A_REGISTERS + 1 : 2);
  Ref *to = decode_refs(d, insn->n_d), *from = decode_refs(d, insn->n_s);
  decode_fragment(d, decode_operand(d, 0), insn->n_d, true, to);
  if (op->a_in_registers)
    decode_fragment(d, a, WGMMA_A_REGISTERS, false, from);
  else
    from[0] = decode_source(d, a, ARITH_B64);
  from[insn->n_s - 1] = decode_source(d, decode_operand(d, 2), ARITH_B64);
  insn->d = to;
  insn->s = from;
  insn->memory.base = from[insn->n_s - 1];
}

static void decode_product(Decoder *d) {
  Insn *insn = d->insn;
  WgmmaOp *op = ARENA_NEW(d->arena, WgmmaOp);
  if (arith_resolve_wgmma(d->statement->opcode, &op->arith) != ARITH_OK)
    decode_fail(d, "this shape or type is not supported");
  d->taken = UINT32_MAX;
  if (d->failed || !decode_count(d, 4, 8)) return;
  decode_operands(d, op);
  decode_modes(d, op);
  insn->memory.space = EMU_SHARED;
  insn->memory.wgmma = op;
  decode_site(d, INSN_WGMMA);
  insn->fn = exec_wgmma;
}

/* .sync.aligned, and the one operand of wait_group. */
static void decode_order(Decoder *d, ExecFn fn, int operands) {
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned");
  if (!named) decode_fail(d, "only the .sync.aligned form exists");
  if (!decode_count(d, operands, operands)) return;
  d->insn->kind = INSN_VALUE;
  d->insn->value = operands ? (uint64_t)decode_immediate(d, 0) : 0;
  if (d->insn->value > 7) decode_fail(d, "the number of groups is 0 to 7");
  d->insn->fn = fn;
}

void decode_wgmma(Decoder *d) {
  if (!need_target(d)) return;
  if (decode_take(d, "fence"))
    decode_order(d, exec_fence, 0);
  else if (decode_take(d, "commit_group"))
    decode_order(d, exec_commit, 0);
  else if (decode_take(d, "wait_group"))
    decode_order(d, exec_wait, 1);
  else if (decode_take(d, "sp"))
    decode_fail(d, "sparse matrices are not supported");
  else
    decode_product(d);
}

void decode_setmaxnreg(Decoder *d) {
  enum { STEP = 8, LEAST = 24, MOST = 256 };
  if (!need_target(d)) return;
  const bool more = decode_take(d, "inc");
  if (!more && !decode_take(d, "dec")) decode_fail(d, "expected .inc or .dec");
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned") && decode_take(d, "u32");
  if (!named) decode_fail(d, "only the .sync.aligned.u32 form exists");
  if (!decode_count(d, 1, 1)) return;
  const int64_t count = decode_immediate(d, 0);
  if (count % STEP || count < LEAST || count > MOST)
    decode_fail(d, "the number of registers is a multiple of 8 from 24 to 256");
  d->insn->kind = INSN_VALUE;
  d->insn->value = (uint64_t)count;
  d->insn->fn = more ? exec_raise : exec_lower;
}
