/* SPDX-License-Identifier: MIT */
#include "lint/fix/watch.h"

#include <pthread.h>
#include <string.h>

#include "model/cp_async.h"

enum { FIRST_SLOTS = 16, UNIT = 16, MAX_WORDS = 1 << 14 };

/* How the async proxy accessed 16 bytes of shared memory. */
enum { LAID_FLAT = 1, LAID_BOX = 2, LAID_SWIZZLED = 4, LAID_WGMMA = 8 };
typedef struct {
  uint8_t by;
  uint16_t row;
} Laid;

struct LintWatch {
  Arena *arena;
  pthread_mutex_t lock; /* the emulator calls from all of its threads */
  uint32_t shared_bytes;
  int lines;
  LintInsn **by_line;    /* instructions by line of PTX */
  Laid *laid;            /* one entry per 16 bytes */
  int words, word_slots; /* words of device memory that atomics update: a hash table */
  LintWord *word;
  uint64_t word_limit; /* words of this hash and above are left out, so that their number is
                          bounded */
  uint64_t updates;    /* number of updates of all words */
};

LintWatch *lint_watch_new(Arena *a, uint32_t shared_bytes, int ptx_lines) {
  LintWatch *w = ARENA_NEW(a, LintWatch);
  *w = (LintWatch){.arena = a, .shared_bytes = shared_bytes, .lines = ptx_lines};
  w->by_line = ARENA_ARRAY(a, LintInsn *, (size_t)ptx_lines + 1);
  w->laid = ARENA_ARRAY(a, Laid, shared_bytes / UNIT + 1);
  w->word_limit = UINT64_MAX;
  pthread_mutex_init(&w->lock, NULL);
  return w;
}

void lint_watch_free(LintWatch *w) { pthread_mutex_destroy(&w->lock); }

Op lint_op(EmuAccessKind kind, EmuSpace space) {
  static const Op op[EMU_ACCESS_KINDS] = {
      [EMU_LOAD] = OP_LOAD,         [EMU_STORE] = OP_STORE,       [EMU_ATOMIC] = OP_ATOMIC,
      [EMU_LDMATRIX] = OP_LDMATRIX, [EMU_STMATRIX] = OP_STMATRIX, [EMU_CP_ASYNC] = OP_CP_ASYNC};
  return kind == EMU_CP_ASYNC && space == EMU_GLOBAL ? OP_LOAD : op[kind];
}

void lint_pattern_addresses(const LintPattern *p, int64_t address[WARP]) {
  for (int lane = 0; lane < WARP; lane++) address[lane] = p->offset[lane];
}

BankCost lint_pattern_cost(const LintInsn *insn, const LintPattern *p,
                           const int64_t address[WARP]) {
  const WarpAccess w = {.active = p->active};
  const Access a = {.op = insn->op,
                    .bytes_per_lane = insn->bytes,
                    .cache = insn->cache,
                    .warp = &w,
                    .source = (const int64_t(*)[WARP])p->source};
  BankCost cost = cost_instruction(banks_nvidia, &a, &w, address);
  cost.wavefronts *= insn->passes;
  cost.ideal *= insn->passes;
  cost.worst *= insn->passes;
  return cost;
}

/* --- advice for copies and atomics --- */

int lint_pattern_by_cg(const LintInsn *insn, const LintPattern *p) {
  LintInsn other = *insn;
  int64_t address[WARP];
  if (insn->cache == COPY_CG || insn->bytes != 16) return 0;
  other.cache = COPY_CG;
  lint_pattern_addresses(p, address);
  const int cost = lint_pattern_cost(&other, p, address).wavefronts;
  return cost < lint_pattern_cost(insn, p, address).wavefronts ? cost : 0;
}

int lint_pattern_by_order(const LintInsn *insn, const LintPattern *p) {
  LintPattern sorted = *p;
  int64_t before[WARP], after[WARP];
  int lanes = 0;
  for (uint32_t m = p->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    int at = lanes++;
    for (; at > 0 && sorted.source[at - 1] > p->source[lane]; at--) {
      sorted.source[at] = sorted.source[at - 1];
      sorted.offset[at] = sorted.offset[at - 1];
    }
    sorted.source[at] = p->source[lane];
    sorted.offset[at] = p->offset[lane];
  }
  sorted.active = lanes < WARP ? (1u << lanes) - 1 : ~0u;
  lint_pattern_addresses(p, before);
  lint_pattern_addresses(&sorted, after);
  const int cost = lint_pattern_cost(insn, &sorted, after).wavefronts;
  return cost < lint_pattern_cost(insn, p, before).wavefronts ? cost : 0;
}

int lint_pattern_same_word(const LintPattern *p) {
  int most = 0;
  for (uint32_t m = p->active; m; m &= m - 1) {
    int same = 0;
    for (uint32_t k = p->active; k; k &= k - 1)
      same += p->offset[__builtin_ctz(k)] / 4 == p->offset[__builtin_ctz(m)] / 4;
    if (same > most) most = same;
  }
  return most;
}

/* --- one pattern --- */

/* Stores everything that a copy's cost depends on. */
static void read_source(const EmuEvent *e, LintPattern *out) {
  enum { LINE = 128 };
  uint64_t line[EMU_LANES];
  int lines = 0;
  for (uint32_t m = e->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    int known = 0;
    out->source[lane] = COPY_ZEROS;
    if (e->source[lane] == EMU_NO_SOURCE) continue;
    while (known < lines && line[known] != e->source[lane] / LINE) known++;
    if (known == lines) line[lines++] = e->source[lane] / LINE;
    out->source[lane] = known * LINE + (int64_t)(e->source[lane] % LINE);
  }
}

static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
  return h ^ h >> 31;
}

/* False if a lane is outside of shared memory or misaligned: that is a finding, not a pattern. The
 * hash has four independent chains of multiplications, which a processor executes in parallel. */
static bool read_pattern(const LintWatch *w, const EmuEvent *e, LintPattern *out) {
  uint64_t h[4] = {e->active, 1, 2, 3};
  *out = (LintPattern){.count = e->times, .active = e->active};
  if (e->source) read_source(e, out);
  for (uint32_t m = e->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (e->address[lane] >= w->shared_bytes) return false;
    if (e->address[lane] % (uint64_t)e->bytes_per_lane) return false;
    out->offset[lane] = (uint32_t)e->address[lane];
    uint64_t *chain = &h[lane % 4];
    *chain = (*chain ^ out->offset[lane] ^ (uint64_t)out->source[lane] << 32) *
             UINT64_C(0x9e3779b97f4a7c15);
    *chain ^= *chain >> 29;
  }
  out->hash = mix(mix(mix(mix(h[0]) + h[1]) + h[2]) + h[3]);
  return true;
}

static bool is_same(const LintPattern *a, const LintPattern *b) {
  return a->hash == b->hash && a->active == b->active &&
         memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
         memcmp(a->source, b->source, sizeof a->source) == 0;
}

static int compare(const LintPattern *a, const LintPattern *b) {
  if (a->active != b->active) return a->active < b->active ? -1 : 1;
  for (int lane = 0; lane < WARP; lane++)
    if (a->offset[lane] != b->offset[lane]) return a->offset[lane] < b->offset[lane] ? -1 : 1;
  return memcmp(a->source, b->source, sizeof a->source);
}

/* Records the costliest pattern; among equals the one with the lowest offsets, so that the order of
 * events does not matter. */
static void note_worst(LintInsn *insn, const LintPattern *p) {
  int64_t address[WARP];
  lint_pattern_addresses(p, address);
  const int cost = lint_pattern_cost(insn, p, address).wavefronts;
  if (cost < insn->worst_cost) return;
  if (cost == insn->worst_cost && compare(p, &insn->worst) >= 0) return;
  insn->worst_cost = cost;
  insn->worst = *p;
}

/* --- the patterns of one instruction --- */

static LintPattern *slot_of(const LintInsn *insn, const LintPattern *p) {
  const size_t mask = (size_t)insn->slots - 1;
  for (size_t i = p->hash & mask;; i = (i + 1) & mask)
    if (!insn->slot[i].count || is_same(&insn->slot[i], p)) return &insn->slot[i];
}

/* Moves all patterns below the limit to a table with `slots` slots. */
static void rebuild(Arena *a, LintInsn *insn, int slots) {
  const LintInsn old = *insn;
  insn->slots = slots;
  insn->slot = ARENA_ARRAY(a, LintPattern, (size_t)slots);
  insn->patterns = 0;
  for (int i = 0; i < old.slots; i++) {
    if (!old.slot[i].count || old.slot[i].hash >= insn->limit) continue;
    *slot_of(insn, &old.slot[i]) = old.slot[i];
    insn->patterns++;
  }
}

static void insert(Arena *a, LintInsn *insn, LintPattern *free_slot, const LintPattern *p) {
  *free_slot = *p;
  insn->patterns++;
  while (insn->patterns > LINT_MAX_PATTERNS) {
    insn->sampled = true;
    insn->limit /= 2;
    rebuild(a, insn, insn->slots);
  }
  if (insn->patterns * 2 > insn->slots) rebuild(a, insn, insn->slots * 2);
}

static void add_pattern(Arena *a, LintInsn *insn, const LintPattern *p) {
  LintPattern *slot = slot_of(insn, p);
  if (slot->count) {
    slot->count += p->count;
    return;
  }
  note_worst(insn, p);
  if (p->hash >= insn->limit)
    insn->sampled = true;
  else
    insert(a, insn, slot, p);
}

/* --- instructions --- */

static LintInsn *find(const LintWatch *w, int ptx_line, Op op, int bytes) {
  if (ptx_line < 0 || ptx_line > w->lines) return NULL;
  LintInsn *insn = w->by_line[ptx_line];
  while (insn && (insn->op != op || insn->bytes != bytes)) insn = insn->next;
  return insn;
}

static LintInsn *add_insn(LintWatch *w, const EmuEvent *e) {
  LintInsn *insn = ARENA_NEW(w->arena, LintInsn);
  *insn = (LintInsn){.next = w->by_line[e->ptx_line],
                     .file = e->file,
                     .line = e->line,
                     .ptx_line = e->ptx_line,
                     .op = lint_op(e->kind, e->space),
                     .cache = e->bypass ? COPY_CG : COPY_CA,
                     .bytes = e->bytes_per_lane,
                     .passes = e->twice ? 2 : 1,
                     .limit = UINT64_MAX};
  rebuild(w->arena, insn, FIRST_SLOTS);
  w->by_line[e->ptx_line] = insn;
  return insn;
}

/* --- the async proxy --- */

static void lay(LintWatch *w, const EmuEvent *e) {
  const bool box = e->box_row != 0 && e->box_row <= UINT16_MAX;
  const uint8_t by = e->kind == EMU_WGMMA ? LAID_WGMMA
                     : !box               ? LAID_FLAT
                     : e->swizzle         ? LAID_BOX | LAID_SWIZZLED
                                          : LAID_BOX;
  const uint64_t end = e->address[0] + (uint64_t)e->bytes_per_lane;
  for (uint64_t at = e->address[0]; at < end && at < w->shared_bytes; at += UNIT) {
    Laid *laid = &w->laid[at / UNIT];
    const bool differs = box && laid->row && laid->row != e->box_row;
    laid->by |= differs ? LAID_FLAT : by;
    if (box) laid->row = (uint16_t)e->box_row;
  }
}

LintLaid lint_watch_laid(const LintWatch *w, uint32_t offset, uint32_t bytes) {
  LintLaid out = {0};
  for (uint64_t at = offset; at < (uint64_t)offset + bytes && at < w->shared_bytes; at += UNIT) {
    const Laid *laid = &w->laid[at / UNIT];
    out.flat |= laid->by & LAID_FLAT || (out.row && laid->row && out.row != laid->row);
    out.boxed |= (laid->by & LAID_BOX) != 0;
    out.swizzled |= (laid->by & LAID_SWIZZLED) != 0;
    out.wgmma |= (laid->by & LAID_WGMMA) != 0;
    if (laid->row) out.row = laid->row;
  }
  return out;
}

/* --- words of device memory --- */

static LintWord *word_slot(const LintWatch *w, uint64_t address) {
  const size_t mask = (size_t)w->word_slots - 1;
  for (size_t i = mix(address) & mask;; i = (i + 1) & mask)
    if (!w->word[i].updates || w->word[i].address == address) return &w->word[i];
}

static void rebuild_words(LintWatch *w, int slots) {
  const LintWord *old = w->word;
  const int olds = w->word_slots;
  w->word = ARENA_ARRAY(w->arena, LintWord, (size_t)slots);
  w->word_slots = slots;
  w->words = 0;
  for (int i = 0; i < olds; i++) {
    if (!old[i].updates || mix(old[i].address) >= w->word_limit) continue;
    *word_slot(w, old[i].address) = old[i];
    w->words++;
  }
}

static void count_word(LintWatch *w, uint64_t address, int ptx_line, int updates) {
  if (mix(address) >= w->word_limit) return;
  if (2 * w->words >= w->word_slots) rebuild_words(w, w->word_slots ? 2 * w->word_slots : 64);
  LintWord *word = word_slot(w, address);
  w->words += !word->updates;
  *word = (LintWord){address, word->updates + (uint64_t)updates, ptx_line};
  if (w->words <= MAX_WORDS) return;
  w->word_limit /= 2;
  rebuild_words(w, w->word_slots);
}

static void count_words(LintWatch *w, const EmuEvent *e) {
  for (uint32_t m = e->active; m;) {
    const uint64_t address = e->address[__builtin_ctz(m)];
    int updates = 0;
    for (; m && e->address[__builtin_ctz(m)] == address; m &= m - 1) updates++;
    w->updates += (uint64_t)updates;
    count_word(w, address, e->ptx_line, updates);
  }
}

static bool has_more(const LintWord *a, const LintWord *b) {
  return a->updates != b->updates ? a->updates > b->updates : a->address < b->address;
}

int lint_watch_words(const LintWatch *w, LintWord *out, int most, uint64_t *all) {
  int count = 0;
  *all = w->updates;
  for (int i = 0; i < w->word_slots; i++) {
    if (!w->word[i].updates) continue;
    int at = count < most ? count++ : most;
    for (; at > 0 && has_more(&w->word[i], &out[at - 1]); at--)
      if (at < most) out[at] = out[at - 1];
    if (at < most) out[at] = w->word[i];
  }
  return count;
}

void lint_watch_event(void *watch, const EmuEvent *e) {
  LintWatch *w = watch;
  LintPattern p;
  if (e->space == EMU_GLOBAL && e->kind == EMU_ATOMIC) {
    pthread_mutex_lock(&w->lock);
    count_words(w, e);
    pthread_mutex_unlock(&w->lock);
    return;
  }
  if (e->space != EMU_SHARED || e->ptx_line < 0 || e->ptx_line > w->lines) return;
  if (e->kind == EMU_WGMMA || e->kind == EMU_BULK_LOAD || e->kind == EMU_BULK_STORE) {
    pthread_mutex_lock(&w->lock);
    lay(w, e);
    pthread_mutex_unlock(&w->lock);
    return;
  }
  if (!read_pattern(w, e, &p)) return;
  pthread_mutex_lock(&w->lock);
  LintInsn *insn = find(w, e->ptx_line, lint_op(e->kind, e->space), e->bytes_per_lane);
  if (!insn) insn = add_insn(w, e);
  add_pattern(w->arena, insn, &p);
  pthread_mutex_unlock(&w->lock);
}

const LintInsn *lint_watch_find(const LintWatch *w, const EmuAccess *access) {
  return find(w, access->ptx_line, lint_op(access->kind, access->space), access->bytes_per_lane);
}
