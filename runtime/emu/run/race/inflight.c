/* SPDX-License-Identifier: MIT */
#include "emu/run/race/inflight.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/state/finding.h"

/* The state of a register. Epochs count wgmma.fence, from 1 before the first one; 0: never. */
typedef struct {
  uint32_t group; /* the group of the last wgmma that uses it; 0: none */
  int32_t pc;     /* of that one */
  uint32_t issued;
  bool is_result; /* an accumulator, not a register of A */
  uint32_t read, written;
  int32_t other; /* the pc of that access */
} RegUse;

struct InFlight {
  RegUse *reg; /* by its place in the warp's storage */
  size_t regs;
  uint32_t epoch, group, done;
};

void inflight_start(Warp *w) {
  InFlight *f = w->inflight;
  w->watched = false;
  if (!f) return;
  if (f->regs) memset(f->reg, 0, f->regs * sizeof *f->reg);
  f->epoch = f->group = 1;
  f->done = 0;
}

void inflight_free(Warp *w) {
  if (w->inflight) free(w->inflight->reg);
  free(w->inflight);
}

/* From here on all registers of the warp are watched. */
static InFlight *watch(Warp *w) {
  if (!w->inflight) {
    w->inflight = calloc(1, sizeof *w->inflight);
    if (!w->inflight) return NULL;
    w->inflight->epoch = w->inflight->group = 1;
  }
  InFlight *f = w->inflight;
  if (f->regs < w->slot_capacity) {
    RegUse *grown = realloc(f->reg, w->slot_capacity * sizeof *grown);
    if (!grown) return NULL;
    memset(grown + f->regs, 0, (w->slot_capacity - f->regs) * sizeof *grown);
    f->reg = grown;
    f->regs = w->slot_capacity;
  }
  w->watched = !w->block->unchecked;
  return f;
}

/* --- groups --- */

bool inflight_fence(Warp *w) {
  InFlight *f = watch(w);
  if (f) f->epoch++;
  return f != NULL;
}

bool inflight_commit(Warp *w) {
  InFlight *f = watch(w);
  if (f) f->group++;
  return f != NULL;
}

bool inflight_wait(Warp *w, uint32_t most) {
  InFlight *f = watch(w);
  if (f && f->group - 1 > most && f->group - 1 - most > f->done) f->done = f->group - 1 - most;
  return f != NULL;
}

uint32_t inflight_group(const Warp *w) { return w->inflight ? w->inflight->group : 1; }
uint32_t inflight_done(const Warp *w) { return w->inflight ? w->inflight->done : 0; }

/* --- findings --- */

static InsnLine line_of(const Warp *w, int32_t pc) {
  const Program *program = w->block->program;
  return insn_line(program, &program->insn[pc]);
}

static bool begin(Warp *w, const Insn *insn, EmuFindingKind kind) {
  return finding_add(w->block, kind, insn, warp_thread(w, 0), 1);
}

static void report_touched(Warp *w, const Insn *insn, const RegUse *use, const char *did) {
  const bool committed = use->group < w->inflight->group;
  if (!begin(w, insn, EMU_IN_FLIGHT)) return;
  finding_describe(w->block, "%s %s of the wgmma at %s %s", did,
                   use->is_result ? "an accumulator" : "a register of A", line_of(w, use->pc).text,
                   committed ? "before wgmma.wait_group has waited for it"
                             : "before wgmma.commit_group: no wgmma.wait_group waits for it");
}

static void report_unfenced(Warp *w, const Insn *insn, const RegUse *use, bool is_result) {
  if (!begin(w, insn, EMU_WARPGROUP)) return;
  finding_describe(w->block, "uses %s that %s accessed: no wgmma.fence between",
                   is_result ? "an accumulator" : "a register of A", line_of(w, use->other).text);
}

static void report_shape(Warp *w, const Insn *insn, const RegUse *use) {
  if (!begin(w, insn, EMU_WARPGROUP)) return;
  finding_describe(w->block,
                   "adds to an accumulator of the wgmma at %s, which has another shape: no "
                   "wgmma.fence between",
                   line_of(w, use->pc).text);
}

static void report_no_fence(Warp *w, const Insn *insn) {
  if (!begin(w, insn, EMU_WARPGROUP)) return;
  finding_describe(w->block, "no wgmma.fence before the first wgmma of the warp");
}

/* --- registers --- */

static RegUse *use_of(const InFlight *f, const Frame *frame, Ref ref) {
  const size_t at = (size_t)frame->slot + (ref & REF_INDEX);
  return ref >> REF_SHIFT == BANK_FRAME && at < f->regs ? &f->reg[at] : NULL;
}

static bool is_flying(const InFlight *f, const RegUse *use) { return use->group > f->done; }

static bool same_shape(const Warp *w, const Insn *insn, int32_t pc) {
  const ArithWgmma *a = &insn->memory.wgmma->arith, *b = &w->code[pc].memory.wgmma->arith;
  return a->n == b->n && a->d == b->d && a->a == b->a && a->b == b->b;
}

static void issue_result(Warp *w, const Insn *insn, RegUse *use) {
  const InFlight *f = w->inflight;
  if (use->read == f->epoch || use->written == f->epoch)
    report_unfenced(w, insn, use, true);
  else if (is_flying(f, use) && use->is_result && use->issued == f->epoch &&
           !same_shape(w, insn, use->pc))
    report_shape(w, insn, use);
}

static void issue_operand(Warp *w, const Insn *insn, const RegUse *use) {
  const InFlight *f = w->inflight;
  if (use->written == f->epoch)
    report_unfenced(w, insn, use, false);
  else if (is_flying(f, use) && use->is_result)
    report_touched(w, insn, use, "reads");
}

bool inflight_issue(Warp *w, const Split *split, const Insn *insn) {
  InFlight *f = watch(w);
  if (!f) return false;
  if (f->epoch == 1) report_no_fence(w, insn);
  const WgmmaOp *op = insn->memory.wgmma;
  const unsigned operands = op->a_in_registers ? WGMMA_A_REGISTERS : 0;
  for (unsigned i = 0; i < operands + insn->n_d; i++) {
    const bool is_result = i >= operands;
    RegUse *use = use_of(f, &split->frame, is_result ? insn->d[i - operands] : insn->s[i]);
    if (!use) continue;
    if (is_result)
      issue_result(w, insn, use);
    else
      issue_operand(w, insn, use);
    use->group = f->group;
    use->pc = (int32_t)(insn - w->code);
    use->issued = f->epoch;
    use->is_result = is_result;
  }
  return true;
}

/* A copy of a register is in flight if the register is. */
static void rename_reg(const Warp *w, const Insn *insn) {
  const InFlight *f = w->inflight;
  const RegUse *from = use_of(f, &w->now->frame, insn->s[0]);
  RegUse *to = use_of(f, &w->now->frame, insn->d[0]);
  if (to) *to = from ? *from : (RegUse){.group = 0};
}

/* Reads of what no wgmma has computed need no fence: nvcc takes the scale of the first products,
 * which is 0, from a register that it zeroed for an accumulator. */
static void touch_source(Warp *w, const Insn *insn, RegUse *use) {
  const InFlight *f = w->inflight;
  if (!use->is_result) return;
  if (is_flying(f, use)) report_touched(w, insn, use, "reads");
  use->read = f->epoch;
  use->other = (int32_t)(insn - w->code);
}

static void touch_result(Warp *w, const Insn *insn, RegUse *use) {
  const InFlight *f = w->inflight;
  if (is_flying(f, use)) report_touched(w, insn, use, "writes");
  *use = (RegUse){.read = use->read, .written = f->epoch};
  use->other = (int32_t)(insn - w->code);
}

/* Loads and stores have one register per element. */
static unsigned operands_of(const Insn *insn, const Ref *list, unsigned count) {
  const bool moves = insn->kind == INSN_ACCESS || insn->kind == INSN_MATRIX;
  return count || !list || !moves ? count : insn->memory.elements;
}

void inflight_touch(Warp *w, const Insn *insn) {
  const InFlight *f = w->inflight;
  const unsigned sources = operands_of(insn, insn->s, insn->n_s);
  const unsigned results = operands_of(insn, insn->d, insn->n_d);
  if (insn->kind == INSN_WGMMA) return;
  if (insn->kind == INSN_MOVE) {
    rename_reg(w, insn);
    return;
  }
  for (unsigned i = 0; i < sources; i++) {
    RegUse *use = use_of(f, &w->now->frame, insn->s[i]);
    if (use) touch_source(w, insn, use);
  }
  for (unsigned i = 0; i < results; i++) {
    RegUse *use = use_of(f, &w->now->frame, insn->d[i]);
    if (use) touch_result(w, insn, use);
  }
}
