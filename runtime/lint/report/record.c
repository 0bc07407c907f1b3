/* SPDX-License-Identifier: MIT */
#include "lint/report/record.h"

#include <stdlib.h>
#include <string.h>

#include "lint/input/dims.h"
#include "lint/input/name.h"

/* --- rows --- */

static int by_row(LintLocation pa, LintLocation pb, int op, int bytes) {
  const int order = lint_location_compare(pa, pb);
  return order ? order : op ? op : bytes;
}

int lint_shared_compare(const void *pa, const void *pb) {
  const LintShared *a = pa, *b = pb;
  return by_row(a->at, b->at, (int)a->op - (int)b->op, a->bytes - b->bytes);
}

int lint_global_compare(const void *pa, const void *pb) {
  const LintGlobal *a = pa, *b = pb;
  return by_row(a->at, b->at, (int)a->op - (int)b->op, a->bytes - b->bytes);
}

int lint_wgmma_compare(const void *pa, const void *pb) {
  const LintWgmma *a = pa, *b = pb;
  return lint_location_compare(a->at, b->at);
}

static LintTrail trail_of(const LintReport *r, const EmuAccess *e) {
  return lint_source_trail(r->source, e->file, e->line, e->ptx_line);
}

static void add_trail(const LintReport *r, LintTrail *t, const EmuAccess *e) {
  const LintTrail more = trail_of(r, e);
  lint_source_trail_add(r->source->arena, t, &more);
}

static LintShared *shared_row(LintReport *r, LintLocation at, const EmuAccess *e) {
  const LintShared new = {.at = at, .op = lint_op(e->kind, e->space), .bytes = e->bytes_per_lane};
  for (int i = 0; i < r->shared_count; i++)
    if (lint_shared_compare(&r->shared[i], &new) == 0) return &r->shared[i];
  LintShared *row = &r->shared[r->shared_count++];
  *row = new;
  row->trail = trail_of(r, e);
  return row;
}

static LintGlobal *global_row(LintReport *r, LintLocation at, const EmuAccess *e) {
  const LintGlobal new = {.at = at, .op = lint_op(e->kind, e->space), .bytes = e->bytes_per_lane};
  for (int i = 0; i < r->global_count; i++)
    if (lint_global_compare(&r->global[i], &new) == 0) return &r->global[i];
  LintGlobal *row = &r->global[r->global_count++];
  *row = new;
  row->trail = trail_of(r, e);
  return row;
}

static LintWgmma *wgmma_row(LintReport *r, LintLocation at, const EmuAccess *e) {
  for (int i = 0; i < r->wgmma_count; i++)
    if (lint_location_compare(r->wgmma[i].at, at) == 0) return &r->wgmma[i];
  LintWgmma *row = &r->wgmma[r->wgmma_count++];
  *row = (LintWgmma){.at = at, .tcgen05 = strncmp(e->opcode, "tcgen05", 7) == 0};
  row->trail = trail_of(r, e);
  return row;
}

/* --- colliding lanes --- */

static bool lane_in_bank(int64_t address, int bytes, int bank) {
  const int64_t last = (address + bytes - 1) / banks_nvidia.bytes;
  for (int64_t word = address / banks_nvidia.bytes; word <= last; word++)
    if (word % banks_nvidia.count == bank) return true;
  return false;
}

/* The lane's word in the bank; a lane of up to 16 bytes has at most one. */
static int64_t word_in_bank(int64_t address, int bank) {
  const int64_t first = address / banks_nvidia.bytes;
  return first + ((bank - first % banks_nvidia.count) + banks_nvidia.count) % banks_nvidia.count;
}

/* Lists the lanes of the group that the bank serves one after another: the first lane of each word,
 * but all lanes of an atomic. */
static void list_lanes(LintShared *row, uint32_t group, const int64_t address[WARP]) {
  int64_t word[WARP];
  row->worst_lanes = 0;
  for (uint32_t m = group; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (!lane_in_bank(address[lane], row->bytes, row->worst_bank)) continue;
    const int64_t w = word_in_bank(address[lane], row->worst_bank);
    bool shared = false;
    for (int i = 0; i < row->worst_lanes; i++) shared = shared || word[i] == w;
    if (shared && row->op != OP_ATOMIC) continue;
    word[row->worst_lanes] = w;
    row->worst_lane[row->worst_lanes++] = lane;
  }
}

/* The distance between adjacent lanes of a group; 0 if it varies. */
static int stride_of(uint32_t group, const int64_t address[WARP]) {
  int64_t stride = 0;
  for (int lane = 1; lane < WARP; lane++) {
    if ((group >> (lane - 1) & 3) != 3) continue;
    const int64_t step = address[lane] - address[lane - 1];
    if (stride && step != stride) return 0;
    stride = step;
  }
  return (int)stride;
}

static void note_worst(LintShared *row, const LintInsn *insn) {
  int64_t address[WARP];
  uint32_t mask[4];
  if (!insn || insn->worst_cost <= row->worst_cost) return;
  lint_pattern_addresses(&insn->worst, address);
  const BankCost c = lint_pattern_cost(insn, &insn->worst, address);
  row->worst_cost = c.wavefronts;
  row->worst_bank = c.worst_bank;
  row->worst_lanes = 0;
  row->by_cg = insn->op == OP_CP_ASYNC ? lint_pattern_by_cg(insn, &insn->worst) : 0;
  row->by_order = insn->op == OP_CP_ASYNC ? lint_pattern_by_order(insn, &insn->worst) : 0;
  row->same_word = insn->op == OP_ATOMIC ? lint_pattern_same_word(&insn->worst) : 0;
  if (insn->op == OP_CP_ASYNC) return; /* the cost of a copy also depends on its source */
  bank_groups(insn->op, insn->bytes, insn->worst.active, address, mask);
  list_lanes(row, mask[c.worst_group], address);
  row->stride = stride_of(mask[c.worst_group], address);
}

/* --- from the counters --- */

static bool is_lock(const char *opcode) {
  return strstr(opcode, ".cas") || strstr(opcode, ".exch");
}

static void add_shared(LintReport *r, LintLocation at, const EmuAccess *e, const LintWatch *watch) {
  LintShared *row = shared_row(r, at, e);
  add_trail(r, &row->trail, e);
  row->instructions += e->executions;
  row->wavefronts += e->wavefronts;
  row->ideal += e->ideal;
  row->minimum += e->minimum;
  row->lock |= is_lock(e->opcode);
  r->conflicts += e->wavefronts - e->ideal;
  if (e->wavefronts) note_worst(row, lint_watch_find(watch, e));
}

static void add_global(LintReport *r, LintLocation at, const EmuAccess *e) {
  LintGlobal *row = global_row(r, at, e);
  add_trail(r, &row->trail, e);
  const uint64_t enough = (e->bytes_used + EMU_SECTOR_BYTES - 1) / EMU_SECTOR_BYTES;
  row->requests += e->executions;
  row->sectors += e->sectors;
  row->bytes_used += e->bytes_used;
  row->ideal += enough > e->executions ? enough : e->executions;
}

static void add_wgmma(LintReport *r, LintLocation at, const EmuAccess *e) {
  LintWgmma *row = wgmma_row(r, at, e);
  add_trail(r, &row->trail, e);
  row->products += e->executions;
  row->wavefronts += e->wavefronts;
}

/* Adds a copy, which counts once, by its access to shared memory. */
static void add_bulk(LintReport *r, const EmuAccess *e) {
  if (e->space == EMU_SHARED) r->bulk_copies += e->executions;
  r->bulk_wavefronts += e->wavefronts;
}

static void add_rows(LintReport *r, const LintSeen *seen) {
  for (int i = 0; i < seen->result->accesses; i++) {
    const EmuAccess *e = &seen->result->access[i];
    const LintLocation at = lint_source_location(r->source, e->file, e->line, e->ptx_line);
    if (e->kind == EMU_MBARRIER)
      r->mbarriers += e->executions;
    else if (e->kind == EMU_WGMMA)
      add_wgmma(r, at, e);
    else if (e->kind == EMU_BULK_LOAD || e->kind == EMU_BULK_STORE)
      add_bulk(r, e);
    else if (e->space == EMU_SHARED)
      add_shared(r, at, e, seen->watch);
    else if (e->space == EMU_GLOBAL)
      add_global(r, at, e);
  }
  qsort(r->shared, (size_t)r->shared_count, sizeof r->shared[0], lint_shared_compare);
  qsort(r->global, (size_t)r->global_count, sizeof r->global[0], lint_global_compare);
  qsort(r->wgmma, (size_t)r->wgmma_count, sizeof r->wgmma[0], lint_wgmma_compare);
}

/* --- arrays and their fixes --- */

static bool touches(const LintArray *array, const LintInsn *insn) {
  const LintPattern *p = &insn->worst;
  if (!p->active) return false;
  const uint32_t at = p->offset[__builtin_ctz(p->active)];
  return at >= array->offset && at - array->offset < array->bytes;
}

static bool is_listed(const LintArray *array, const LintInsn *insn) {
  for (int i = 0; i < array->insns; i++)
    if (array->insn[i] == insn) return true;
  return false;
}

/* Adds the instructions whose worst execution accessed the array. Returns their conflicts. */
static uint64_t collect(const LintSeen *seen, LintArray *array) {
  uint64_t conflicts = 0;
  for (int i = 0; i < seen->result->accesses; i++) {
    const EmuAccess *e = &seen->result->access[i];
    if (e->space != EMU_SHARED || e->kind >= EMU_MBARRIER || !e->wavefronts) continue;
    const LintInsn *insn = lint_watch_find(seen->watch, e);
    if (!insn || !touches(array, insn)) continue;
    conflicts += e->wavefronts - e->ideal;
    array->by_wmma |= strncmp(e->opcode, "wmma.", 5) == 0;
    if (is_listed(array, insn)) continue;
    array->insn[array->insns++] = insn;
  }
  return conflicts;
}

static LintArray *array_new(Arena *a, const EmuSharedVar *v, uint32_t all, int limit,
                            int accesses) {
  LintArray *array = ARENA_NEW(a, LintArray);
  array->name = lint_name_variable(a, v->name);
  array->offset = v->offset;
  array->bytes = v->bytes ? v->bytes : all - v->offset; /* 0: the dynamic array */
  array->max_bytes = limit - (int)(all - array->bytes);
  array->insn = ARENA_ARRAY(a, const LintInsn *, (size_t)accesses + 1);
  return array;
}

/* Reads the dimensions from the checked file, else from one of the files that contain accesses. */
static void read_dims(Arena *a, const LintReport *r, LintArray *array) {
  const LintSource *s = r->source;
  const bool is_read = s->text && !s->is_ptx;
  LintDims d = {0};
  if (is_read) d = lint_dims_find(a, s->text, array->name, array->bytes);
  for (int i = 0; !d.row && !d.element && i < r->shared_count; i++) {
    const char *file = r->shared[i].at.file;
    const char *text = file ? lint_files_text(s->files, file) : NULL;
    if (text) d = lint_dims_find(a, text, array->name, array->bytes);
  }
  array->row_bytes = d.row;
  array->element = d.element;
  array->dims = d.dims;
  memcpy(array->dim, d.dim, sizeof array->dim);
}

static void add_fixes(Arena *a, LintReport *r, const LintSeen *seen) {
  const EmuKernel *k = seen->kernel;
  const int limit = r->source->limits->shared_per_block;
  r->fix = ARENA_ARRAY(a, LintFix, (size_t)k->shared_vars + 1);
  for (int i = 0; i < k->shared_vars; i++) {
    LintArray *array =
        array_new(a, &k->shared_var[i], seen->shared_bytes, limit, seen->result->accesses);
    if (!array->bytes || !collect(seen, array)) continue;
    read_dims(a, r, array);
    const LintSpan span = lint_set_span(array);
    array->laid = lint_watch_laid(seen->watch, array->offset, array->bytes);
    array->touched = lint_watch_laid(seen->watch, span.offset, span.bytes);
    r->fix[r->fix_count++] = lint_fix_find(a, array);
  }
}

static const LintFix *fix_with(const LintReport *r, const LintInsn *insn) {
  for (int i = 0; i < r->fix_count; i++)
    if (is_listed(r->fix[i].array, insn)) return &r->fix[i];
  return NULL;
}

static void link_fixes(LintReport *r, const LintSeen *seen) {
  for (int i = 0; i < seen->result->accesses; i++) {
    const EmuAccess *e = &seen->result->access[i];
    if (e->space != EMU_SHARED || e->wavefronts == e->ideal) continue;
    const LintInsn *insn = lint_watch_find(seen->watch, e);
    LintShared *row =
        shared_row(r, lint_source_location(r->source, e->file, e->line, e->ptx_line), e);
    if (insn && !row->fix) row->fix = fix_with(r, insn);
  }
}

/* --- accesses that ptxas may join --- */

/* False for volatile accesses and for elements of 1 or 2 bytes, which ptxas does not join. */
static bool may_join(const LintShared *row, LintLocation at, const EmuAccess *e) {
  if (e->space != EMU_SHARED || e->kind > EMU_STORE || !e->wavefronts) return false;
  return lint_op(e->kind, e->space) == row->op && e->bytes_per_lane == row->bytes &&
         row->bytes >= banks_nvidia.bytes && !strstr(e->opcode, ".volatile") &&
         lint_location_compare(at, row->at) == 0;
}

static void find_joins(Arena *a, LintReport *r, const LintSeen *seen) {
  const EmuResult *result = seen->result;
  const LintInsn **insn = ARENA_ARRAY(a, const LintInsn *, (size_t)result->accesses + 1);
  for (int s = 0; s < r->shared_count; s++) {
    int count = 0;
    for (int i = 0; i < result->accesses; i++) {
      const EmuAccess *e = &result->access[i];
      const LintLocation at = lint_source_location(r->source, e->file, e->line, e->ptx_line);
      if (!may_join(&r->shared[s], at, e)) continue;
      insn[count] = lint_watch_find(seen->watch, e);
      if (insn[count]) count++;
    }
    LintShared *row = &r->shared[s];
    row->join = lint_join_find(insn, count);
    if (row->join.before > row->join.after)
      row->joins_save =
          (uint64_t)(row->join.before - row->join.after) * row->instructions / (uint64_t)count;
  }
}

static void weigh_fixes(Arena *a, LintReport *r) {
  for (int i = 0; i < r->fix_count; i++) {
    uint64_t saved = 0;
    for (int s = 0; s < r->shared_count; s++)
      if (r->shared[s].fix == &r->fix[i]) saved += r->shared[s].joins_save;
    lint_fix_weigh(a, &r->fix[i], saved);
  }
}

static void add_hot(Arena *a, LintReport *r, const LintSeen *seen) {
  enum { SHOWN = 3, FEW = 64 };
  LintWord word[SHOWN];
  uint64_t all;
  const int words = seen->watch ? lint_watch_words(seen->watch, word, SHOWN, &all) : 0;
  r->hot = ARENA_ARRAY(a, LintHot, SHOWN);
  for (int i = 0; i < words && word[i].updates >= FEW; i++) {
    LintHot *h = &r->hot[r->hot_count++];
    EmuBuffer b;
    *h = (LintHot){.address = word[i].address, .updates = word[i].updates, .all = all};
    for (int k = 0; k < seen->result->accesses; k++) {
      const EmuAccess *e = &seen->result->access[k];
      if (e->ptx_line != word[i].ptx_line) continue;
      h->at = lint_source_location(r->source, e->file, e->line, e->ptx_line);
      h->lock = is_lock(e->opcode);
    }
    if (!seen->memory || !emu_buffer(seen->memory, h->address, &b)) continue;
    h->offset = h->address - b.base;
    h->buffer = arena_printf(a, "%s", b.name);
  }
}

LintReport lint_report_make(Arena *a, LintSource *s, const LintSeen *seen) {
  const EmuResult *result = seen->result;
  LintReport r = {.source = s,
                  .kernel = lint_name_plain(a, seen->kernel->name),
                  .shared_bytes = seen->shared_bytes,
                  .launches = seen->launches,
                  .blocks = seen->blocks,
                  .cut = result->cut,
                  .warp_instructions = result->warp_instructions,
                  .printed = result->printed,
                  .printed_bytes = result->printed_bytes};
  memcpy(r.grid, seen->grid, sizeof r.grid);
  memcpy(r.block, seen->block, sizeof r.block);
  memcpy(r.cluster, seen->cluster, sizeof r.cluster);
  r.shared = ARENA_ARRAY(a, LintShared, (size_t)result->accesses + 1);
  r.global = ARENA_ARRAY(a, LintGlobal, (size_t)result->accesses + 1);
  r.wgmma = ARENA_ARRAY(a, LintWgmma, (size_t)result->accesses + 1);
  add_rows(&r, seen);
  add_hot(a, &r, seen);
  add_fixes(a, &r, seen);
  link_fixes(&r, seen);
  r.finding_count = result->findings;
  r.finding = lint_findings(a, s, result->finding, &r.finding_count);
  r.note_count = result->notes;
  r.note = lint_findings(a, s, result->note, &r.note_count);
  find_joins(a, &r, seen);
  weigh_fixes(a, &r);
  return r;
}

static int drop_kinds(LintFinding *f, int count, uint32_t kinds) {
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (!(kinds >> f[i].kind & 1)) f[kept++] = f[i];
  return kept;
}

void lint_report_ignore(LintReport *r, uint32_t kinds) {
  r->finding_count = drop_kinds(r->finding, r->finding_count, kinds);
  r->note_count = drop_kinds(r->note, r->note_count, kinds);
}

void lint_report_be_strict(Arena *a, LintReport *r) {
  r->finding = lint_findings_unite(a, r->finding, r->finding_count, r->note, r->note_count);
  r->finding_count += r->note_count;
  r->note_count = 0;
}

const char *lint_report_why(Arena *a, const LintShared *s) {
  const int banks = banks_nvidia.count * banks_nvidia.bytes;
  const int stride = s->stride < 0 ? -s->stride : s->stride;
  int period = banks; /* number of lanes after which the banks repeat */
  if (s->wavefronts <= s->ideal || !stride) return NULL;
  while (period > 1 && stride * (period / 2) % banks == 0) period /= 2;
  if (period == 1)
    return arena_printf(a, "lanes are %d bytes apart: all in one bank, each in another row",
                        stride);
  return arena_printf(a, "lanes are %d bytes apart: lane n and lane n + %d share a bank", stride,
                      period);
}

const char *lint_report_remedy(Arena *a, const LintShared *s) {
  if (!s->minimum || s->ideal <= s->minimum) return NULL;
  const unsigned long long more = s->ideal - s->minimum;
  if (s->op == OP_ATOMIC && s->lock)
    return arena_printf(a,
                        "same word: %llu of these wavefronts, since up to %d lanes compete for one "
                        "word, as for a lock: let one lane of each warp take it",
                        more, s->same_word);
  if (s->op == OP_ATOMIC)
    return arena_printf(
        a,
        "same word: %llu of these wavefronts, since up to %d lanes update one word: "
        "keep private copies, or combine lanes first (__match_any_sync, "
        "__reduce_add_sync)",
        more, s->same_word);
  Text t = text_new(a);
  text_printf(&t,
              "source: at least %llu wavefronts for the bytes, 128 each; the source costs %llu "
              "more",
              (unsigned long long)s->minimum, more);
  if (s->by_cg || s->by_order) text_printf(&t, "; the costliest takes %d", s->worst_cost);
  if (s->by_cg) text_printf(&t, ", with cp.async.cg %d", s->by_cg);
  if (s->by_order)
    text_printf(&t, ", with lanes in the order of the source's addresses %d", s->by_order);
  if (!s->by_cg && !s->by_order) text_puts(&t, "; copy rows of 128 consecutive bytes");
  return t.s;
}

const char *lint_report_hot(Arena *a, const LintHot *h) {
  const char *where =
      h->buffer ? arena_printf(a, "byte %llu of %s", (unsigned long long)h->offset, h->buffer)
                : arena_printf(a, "0x%llx", (unsigned long long)h->address);
  return arena_printf(a, "%llu of %llu atomic updates of device memory go to one word, %s: %s",
                      (unsigned long long)h->updates, (unsigned long long)h->all, where,
                      h->lock ? "a lock or a ticket, which blocks wait for in turn"
                              : "sum within the warp or block first, or use several copies");
}

bool lint_report_is_wasteful(const LintGlobal *g) { return g->sectors >= 2 * g->ideal; }

double lint_report_used_share(const LintGlobal *g) {
  const double moved = EMU_SECTOR_BYTES * (double)g->sectors;
  return moved > 0 ? (double)g->bytes_used / moved : 1;
}
