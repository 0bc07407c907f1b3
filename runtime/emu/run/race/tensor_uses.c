/* SPDX-License-Identifier: MIT */
#include "emu/run/race/tensor_uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/race/order.h"
#include "emu/run/state/finding.h"

/* The number of instructions that are remembered; older ones are not reported. */
enum { KEPT = 2048, SHARED_UNIT = 16, READERS = 2 };
/* Uses of 16 lanes of a column are recorded together. */
enum { STRIPE = 16, STRIPES = TMEM_LANES / STRIPE };

typedef struct {
  int32_t pc;
  uint8_t by; /* TensorCompletion */
  uint8_t lane;
  int slot; /* its warp in the cluster */
  uint32_t issued;
  /* its completion, as a tick of a slot: of the warp's wait, or of the block's asynchronous copies
   * for a commit; tick 0: not yet */
  int done_slot;
  uint32_t done;
  uint32_t before;            /* tick of a fence::before_thread_sync after it; 0: none */
  uint32_t after, after_peer; /* warps of the block, and of its peer, with a
                                 fence::after_thread_sync that it was ordered before */
} Issued;

/* Instructions are numbered from 1. */
struct TensorUses {
  uint32_t issued, open;      /* the latest one; all before `open` are complete */
  uint32_t issuer[MAX_WARPS]; /* lanes that have issued something that a commit completes */
  Issued kept[KEPT];
  /* by column and stripe of lanes, the latest instruction that writes, and that reads: those that a
   * commit completes, and others */
  uint32_t writer[TMEM_COLUMNS][STRIPES];
  uint32_t reader[READERS][TMEM_COLUMNS][STRIPES];
  uint32_t shared_reader[]; /* by unit of shared memory */
};

static size_t shared_units(const Block *block) { return block->shared_room / SHARED_UNIT + 1; }

static size_t bytes_of(const Block *block) {
  return sizeof(TensorUses) + shared_units(block) * sizeof(uint32_t);
}

TensorUses *tensor_uses_new(const Block *block) { return calloc(1, bytes_of(block)); }

void tensor_uses_start(Block *block) {
  TensorUses *u = block->tensor_uses;
  if (u) memset(u, 0, bytes_of(block));
}

static TensorUses *uses_of(const Block *block) { return block->tensor_uses; }

/* NULL: there is none, or it is too old. */
static Issued *op_of(TensorUses *u, uint32_t number) {
  return number && u->issued - number < KEPT ? &u->kept[number % KEPT] : NULL;
}

static uint32_t oldest(const TensorUses *u) { return u->issued > KEPT ? u->issued - KEPT + 1 : 1; }

/* The other block of the pair that .cta_group::2 means; NULL: it is alone. */
static Block *peer_of(const Block *block) {
  const int peer = block->rank ^ 1;
  return peer < block->cluster->blocks ? block->cluster->block[peer] : NULL;
}

/* --- order --- */

static bool is_own(const Issued *op, const Warp *w, unsigned lane) {
  return op->slot == w->slot && op->lane == lane;
}

static bool is_complete(const Issued *op, const Warp *w, unsigned lane) {
  if (!op->done) return false;
  if (op->by == TENSOR_BY_COMMIT) return order_has(w, lane, op->done_slot, 0, op->done);
  return op->slot == w->slot || order_has_any(w, lane, op->slot, op->done);
}

/* True if it was issued before, which suffices between instructions of one pipeline. */
static bool is_issued_before(const Issued *op, const Warp *w, unsigned lane) {
  return op->by == TENSOR_BY_COMMIT && order_has(w, lane, op->slot, op->lane, op->issued);
}

static uint32_t *after_of(const Block *block, Issued *op, const Warp *w) {
  return w->block == block ? &op->after : &op->after_peer;
}

void tensor_fence_before(Warp *w) {
  Block *const blocks[] = {w->block, peer_of(w->block)};
  for (int b = 0; b < 2; b++) {
    TensorUses *u = blocks[b] ? uses_of(blocks[b]) : NULL;
    for (uint32_t n = u ? oldest(u) : 1; u && n <= u->issued; n++) {
      Issued *op = &u->kept[n % KEPT];
      if (op->slot == w->slot && !op->before && (op->done || op->by == TENSOR_BY_COMMIT))
        op->before = order_now(w);
    }
  }
}

void tensor_fence_after(Warp *w) {
  Block *const blocks[] = {w->block, peer_of(w->block)};
  const unsigned lane = lane_first(w->now->mask);
  for (int b = 0; b < 2; b++) {
    TensorUses *u = blocks[b] ? uses_of(blocks[b]) : NULL;
    for (uint32_t n = u ? oldest(u) : 1; u && n <= u->issued; n++) {
      Issued *op = &u->kept[n % KEPT];
      uint32_t *after = after_of(blocks[b], op, w);
      if (*after >> w->index & 1) continue;
      if (is_complete(op, w, lane) || is_issued_before(op, w, lane)) *after |= 1u << w->index;
    }
  }
}

/* --- findings --- */

static const char *const wait_name[] = {"tcgen05.commit", "tcgen05.wait::ld", "tcgen05.wait::st"};

/* "tcgen05.mma" of "tcgen05.mma.cta_group::1.kind::f16" */
typedef struct {
  char text[24];
} OpName;

static OpName name_of(const Insn *insn) {
  OpName name;
  const char *opcode = insn->statement->opcode;
  size_t n = strcspn(opcode, ".");
  n += opcode[n] == '.' ? 1 + strcspn(opcode + n + 1, ".") : 0;
  if (n >= sizeof name.text) n = sizeof name.text - 1;
  memcpy(name.text, opcode, n);
  name.text[n] = '\0';
  return name;
}

static const Insn *insn_of(const Block *block, const Issued *op) {
  return &block->program->insn[op->pc];
}

/* The missing order of an instruction before another one. */
static const char *lack(const Issued *op, char *text, size_t size) {
  if (op->by == TENSOR_BY_COMMIT)
    return op->done ? "no wait for the mbarrier of its tcgen05.commit orders the two"
                    : "no tcgen05.commit of its thread follows it";
  snprintf(text, size, op->done ? "nothing orders its %s before this" : "no %s follows it",
           wait_name[op->by]);
  return text;
}

/* `old` writes, or else reads, what the lane's instruction now uses. */
static void report_use(const Block *block, Warp *w, unsigned lane, const Insn *insn,
                       const Issued *op, bool writes, bool old_writes, uint32_t stripe,
                       uint32_t column) {
  char text[80];
  if (!finding_add(w->block, writes ? EMU_TMEM_WRITE : EMU_TMEM_READ, insn, warp_thread(w, lane),
                   1))
    return;
  const Insn *old = insn_of(block, op);
  finding_describe(w->block,
                   "%s column %u, lanes from %u, of tensor memory that the %s at %s still "
                   "%s: %s",
                   writes ? "writes" : "reads", column, stripe * STRIPE, name_of(old).text,
                   insn_line_from(block->program, old, insn).text, old_writes ? "writes" : "reads",
                   lack(op, text, sizeof text));
}

static void note_fence(const Block *block, Warp *w, unsigned lane, const Insn *insn,
                       const Issued *op, bool before) {
  if (!finding_add_note(w->block, EMU_TMEM_FENCE, insn, warp_thread(w, lane), 1)) return;
  const Insn *old = insn_of(block, op);
  finding_describe(w->block,
                   "follows the %s at %s by another instruction's order, without "
                   "tcgen05.fence::%s, which PTX requires",
                   name_of(old).text, insn_line_from(block->program, old, insn).text,
                   before ? "before_thread_sync in that thread" : "after_thread_sync here");
}

/* --- uses --- */

void tensor_issue(Block *block, Warp *w, unsigned lane, const Insn *insn, TensorCompletion by) {
  TensorUses *u = uses_of(block);
  if (!u) return;
  u->kept[++u->issued % KEPT] = (Issued){.pc = (int32_t)(insn - w->code),
                                         .by = (uint8_t)by,
                                         .lane = (uint8_t)lane,
                                         .slot = w->slot,
                                         .issued = order_now(w)};
  TensorUses *own = uses_of(w->block);
  if (by == TENSOR_BY_COMMIT && own) own->issuer[w->index] |= 1u << lane;
}

/* Notes that the order of two instructions lacks a fence of either thread. */
static void check_fences(Block *block, Warp *w, unsigned lane, const Insn *insn, Issued *op) {
  const bool by_commit = op->by == TENSOR_BY_COMMIT;
  if (op->slot == w->slot && !by_commit) return;
  const bool is_before = (by_commit && op->done) || op->slot == w->slot ||
                         (op->before && order_has_any(w, lane, op->slot, op->before));
  if (!is_before)
    note_fence(block, w, lane, insn, op, true);
  else if (!(*after_of(block, op, w) >> w->index & 1))
    note_fence(block, w, lane, insn, op, false);
}

typedef struct {
  Block *block;
  Warp *warp;
  unsigned lane;
  const Insn *insn;
  TensorCompletion by;
  TensorUse use;
  uint32_t last; /* the instruction that was compared last */
} Using;

static void compare(Using *x, uint32_t number, bool old_writes, uint32_t column, uint32_t stripe) {
  TensorUses *u = uses_of(x->block);
  Issued *op = op_of(u, number);
  if (!op || number == u->issued || number == x->last) return;
  x->last = number;
  if (op->by == TENSOR_BY_COMMIT && x->by == TENSOR_BY_COMMIT) {
    if (is_own(op, x->warp, x->lane)) return;
    if (is_issued_before(op, x->warp, x->lane) || is_complete(op, x->warp, x->lane))
      check_fences(x->block, x->warp, x->lane, x->insn, op);
    else
      report_use(x->block, x->warp, x->lane, x->insn, op, x->use != TENSOR_READS, old_writes,
                 stripe, column);
  } else if (is_complete(op, x->warp, x->lane)) {
    check_fences(x->block, x->warp, x->lane, x->insn, op);
  } else {
    report_use(x->block, x->warp, x->lane, x->insn, op, x->use != TENSOR_READS, old_writes, stripe,
               column);
  }
}

void tensor_use(Block *block, Warp *w, unsigned lane, const Insn *insn, const TmemBox *box,
                TensorUse use) {
  TensorUses *u = uses_of(block);
  if (!u) return;
  const TensorCompletion by = (TensorCompletion)u->kept[u->issued % KEPT].by;
  Using x = {block, w, lane, insn, by, use, 0};
  const uint32_t first = box->lane / STRIPE, end = (box->lane + box->lanes - 1) / STRIPE;
  for (uint32_t c = box->column; c < box->column + box->columns; c++)
    for (uint32_t s = first; s <= end; s++) {
      compare(&x, u->writer[c][s], true, c, s);
      for (int i = 0; i < READERS && use != TENSOR_READS; i++) {
        compare(&x, u->reader[i][c][s], false, c, s);
        u->reader[i][c][s] = 0;
      }
      if (use == TENSOR_READS)
        u->reader[by != TENSOR_BY_COMMIT][c][s] = u->issued;
      else
        u->writer[c][s] = u->issued;
    }
}

void tensor_check_free(Warp *w, const Insn *insn, const TmemBox *box) {
  Block *block = w->block;
  TensorUses *u = uses_of(block);
  if (!u) return;
  for (uint32_t c = box->column; c < box->column + box->columns; c++)
    for (uint32_t s = 0; s < STRIPES; s++) {
      const uint32_t number[] = {u->writer[c][s], u->reader[0][c][s], u->reader[1][c][s]};
      for (int i = 0; i <= READERS; i++) {
        const Issued *op = op_of(u, number[i]);
        char text[80];
        if (!op || is_complete(op, w, 0)) continue;
        if (!finding_add(block, EMU_TMEM_ALLOC, insn, warp_thread(w, 0), 1)) return;
        const Insn *old = insn_of(block, op);
        finding_describe(block, "frees column %u of tensor memory that the %s at %s still uses: %s",
                         c, name_of(old).text, insn_line_from(block->program, old, insn).text,
                         lack(op, text, sizeof text));
        return;
      }
      u->writer[c][s] = u->reader[0][c][s] = u->reader[1][c][s] = 0;
    }
}

/* --- completion --- */

/* The lane's instructions in one block are complete; false: there were none. */
static bool commit_in(Block *block, const Warp *w, unsigned lane, int slot, uint32_t tick) {
  TensorUses *u = uses_of(block);
  if (!u) return false;
  bool any = false, open = false;
  uint32_t n = u->open > oldest(u) ? u->open : oldest(u);
  for (; n <= u->issued; n++) {
    Issued *op = &u->kept[n % KEPT];
    if (!op->done && op->by == TENSOR_BY_COMMIT && is_own(op, w, lane)) {
      op->done_slot = slot;
      op->done = tick;
      any = true;
    }
    open |= !op->done;
    if (!open) u->open = n + 1;
  }
  return any;
}

/* A thread of the block that has issued something; false: there is none. */
static bool find_issuer(const TensorUses *u, uint32_t *thread) {
  for (uint32_t i = 0; i < MAX_WARPS; i++) {
    if (!u->issuer[i]) continue;
    *thread = i * LANES + lane_first(u->issuer[i]);
    return true;
  }
  return false;
}

bool tensor_commit(Warp *w, unsigned lane, const Insn *insn) {
  Block *peer = peer_of(w->block);
  TensorUses *u = uses_of(w->block);
  uint32_t thread;
  if (!u) return true;
  const uint32_t tick = order_copy_tick(w->block);
  const int slot = (int)(order_copy_thread(w->block) / LANES);
  const bool own = commit_in(w->block, w, lane, slot, tick);
  if ((peer && commit_in(peer, w, lane, slot, tick)) || own) return true;
  if (u->issuer[w->index] >> lane & 1 || !find_issuer(u, &thread)) return true;
  if (finding_add(w->block, EMU_COMMIT, insn, warp_thread(w, lane), 1))
    finding_describe(w->block,
                     "thread %u commits nothing: a commit completes what its own thread has "
                     "issued, and the tcgen05 instructions are those of thread %u",
                     warp_thread(w, lane), thread);
  return false;
}

void tensor_wait(Warp *w, TensorCompletion by) {
  TensorUses *u = uses_of(w->block);
  for (uint32_t n = u ? oldest(u) : 1; u && n <= u->issued; n++) {
    Issued *op = &u->kept[n % KEPT];
    if (op->done || op->by != by || op->slot != w->slot) continue;
    op->done_slot = w->slot;
    op->done = order_now(w);
  }
}

/* --- shared memory --- */

void tensor_read_shared(Block *block, uint32_t offset) {
  TensorUses *u = uses_of(block);
  if (u) u->shared_reader[offset / SHARED_UNIT] = u->issued;
}

void tensor_check_write(Block *block, Warp *w, const Insn *insn, unsigned lane, uint64_t offset,
                        uint64_t bytes) {
  TensorUses *u = uses_of(block);
  for (uint64_t at = offset; u && at < offset + bytes; at += SHARED_UNIT - at % SHARED_UNIT) {
    const Issued *op = op_of(u, u->shared_reader[at / SHARED_UNIT]);
    char text[80];
    if (!op || is_complete(op, w, lane)) continue;
    if (finding_add(w->block, EMU_IN_FLIGHT, insn, warp_thread(w, lane), 1)) {
      const Insn *old = insn_of(block, op);
      finding_describe(w->block, "writes shared byte 0x%llx that the %s at %s still reads: %s",
                       (unsigned long long)at, name_of(old).text,
                       insn_line_from(block->program, old, insn).text, lack(op, text, sizeof text));
    }
    return;
  }
}
