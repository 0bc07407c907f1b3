/* SPDX-License-Identifier: MIT */
#include "lint/fix/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/number.h"
#include "emit/offset.h"
#include "model/modes.h"
#include "solve/solve.h"

/* One shape of the array and the solver's result for it. */
typedef struct {
  int cols; /* 0: one dimension */
  bool solved;
  KgenLayout layout;
  int mode; /* width of the TMA mode with this layout; 0 or -1: no swizzle */
  uint64_t wavefronts;
  int64_t bytes;
  ProofKind obstacle; /* if has_obstacle: the reason why the ideal is out of reach */
  bool has_obstacle;
} Attempt;

typedef struct {
  Arena *arena;
  const LintArray *array;
  LintElements elements;
  uint64_t before, ideal;
} Finder;

/* --- solving --- */

static void note_obstacle(const Solution *s, Attempt *out) {
  for (int i = 0; i < s->certificate.proofs; i++) {
    const ProofKind kind = s->certificate.proof[i].kind;
    if (kind != PROOF_SAME_ROW && kind != PROOF_SAME_PLACE) continue;
    out->obstacle = kind;
    out->has_obstacle = true;
  }
}

/* Solves one shape. Uses an arena of its own for the search, because a certificate can be large. */
static Attempt attempt(const Finder *f, int cols, Want want) {
  Arena *a = arena_new();
  Attempt out = {.cols = cols};
  const AccessSet *set = lint_set_new(a, f->array, f->elements, cols, want);
  const Solution *s = set ? solve_tile(a, diag_new(a), set) : NULL;
  if (s) {
    out.solved = true;
    out.layout = s->layout;
    out.mode = mode_bytes_of(set, &s->layout);
    out.wavefronts = lint_set_cost(f->array, f->elements, &s->layout);
    out.bytes = layout_bytes(&s->layout, f->elements.bytes);
    note_obstacle(s, &out);
  }
  arena_free(a);
  return out;
}

/* The solver's order, applied across shapes; among equals the first is kept. */
static bool is_better(const Attempt *a, const Attempt *b) {
  if (!a->solved || !b->solved) return a->solved;
  if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->layout.terms != b->layout.terms) return a->layout.terms < b->layout.terms;
  return layout_mask_bits(&a->layout) < layout_mask_bits(&b->layout);
}

/* True if the attempt is conflict-free, so that no other shape can be better. */
static bool is_settled(const Finder *f, const Attempt *best) {
  return best->solved && best->wavefronts == f->ideal && best->layout.terms <= 1 &&
         best->bytes <= (int64_t)f->array->bytes;
}

/* True for multiples of the row length of a shape that is already conflict-free. */
static bool is_redundant(const Finder *f, const Attempt *best, int cols) {
  return best->solved && best->cols && best->wavefronts == f->ideal && cols % best->cols == 0;
}

static void improve(const Finder *f, Attempt *best, int cols) {
  if (is_settled(f, best) || is_redundant(f, best, cols)) return;
  const Attempt a = attempt(f, cols, WANT_AUTO);
  if (is_better(&a, best)) *best = a;
}

/* The source's row length in elements of the search; 0: it is not a whole number of them. */
static int own_row(const Finder *f) {
  const uint32_t row = f->array->row_bytes, element = (uint32_t)f->elements.bytes;
  return row % element == 0 && row / element > 1 ? (int)(row / element) : 0;
}

/* Tries the source's own rows, else no rows: the author's code does not index other rows. */
static Attempt own_attempt(const Finder *f) {
  Attempt best = {0};
  if (own_row(f)) improve(f, &best, own_row(f));
  if (!best.solved || best.wavefronts == f->before) improve(f, &best, 0);
  return best;
}

/* Tries the inferred row lengths. A dominant distance is a row length; if there are many, the array
 * has one dimension. */
static Attempt best_attempt(const Finder *f) {
  LintWidths w = lint_set_widths(f->array, f->elements);
  if (w.count > 1 && lint_set_shapes(f->array) > LINT_FEW_SHAPES) w.count = 1;
  Attempt best = {0};
  if (!w.clear) improve(f, &best, 0);
  for (int i = 0; i < w.count; i++) improve(f, &best, w.width[i]);
  if (w.clear) improve(f, &best, 0);
  return best;
}

/* --- in words --- */

static bool is_padded(const Attempt *t) { return strstr(layout_kind(&t->layout), "pad") != NULL; }

/* The source's elements per element of the search; 1, in the search's own, if the source's type is
 * not known or does not divide it. */
static int source_elements(const Finder *f) {
  const uint32_t element = f->array->element, unit = (uint32_t)f->elements.bytes;
  return element && unit % element == 0 ? (int)(unit / element) : 1;
}

/* "t[10][34][40]": the source's dimensions with a padded row; "t[340][40]" if they are unknown. */
static void put_dims(Text *out, const Finder *f, const KgenLayout *l, int each) {
  const LintArray *array = f->array;
  const bool known = own_row(f) && array->dims && (int)array->element * each == f->elements.bytes;
  text_puts(out, array->name);
  if (!known) text_printf(out, "[%d]", l->extent[0]);
  for (int d = 0; known && d < array->dims - 1; d++)
    text_printf(out, "[%" PRId64 "]", array->dim[d]);
  text_printf(out, "[%d]", l->stride[0] * each);
}

static void put_rows(Text *out, const Finder *f, const Attempt *t) {
  const KgenLayout *l = &t->layout;
  const int each = source_elements(f), row = l->extent[1] * each;
  const int bytes = f->elements.bytes / each;
  if (l->terms == 0) {
    put_dims(out, f, l, each);
    text_printf(out, ": pad each row of %d %d-byte elements by %d", row, bytes,
                (l->stride[0] - l->extent[1]) * each);
  } else if (!layout_is_within_rows(l)) {
    static const char *const name[] = {"row", "col"};
    text_printf(out, "%s[%s], rows of %d %d-byte elements", f->array->name,
                offset_spell(f->arena, l, name), l->extent[1], f->elements.bytes);
  } else {
    text_printf(out, "%s[row][col ^ %s", f->array->name, offset_spell_swizzle(f->arena, l, "row"));
    if (each > 1) text_printf(out, " * %d", each);
    text_printf(out, "], rows of %d %d-byte elements", row, bytes);
  }
  if (l->terms && is_padded(t)) text_printf(out, " padded to %d", l->stride[0] * each);
  if (!own_row(f)) text_printf(out, ", row = i / %d", row);
}

/* Writes the value added to the index, for pads only; emit/table.h writes the whole formula, in
 * elements of the search. */
static void put_linear(Text *out, const Finder *f, const Attempt *t) {
  const KgenLayout *l = &t->layout;
  const bool formula = l->terms || !l->period;
  const int each = formula ? 1 : source_elements(f);
  const int pad = (l->stride[0] - l->period) * each, period = l->period * each;
  if (formula)
    text_printf(out, "%s[%s]", f->array->name, offset_spell_formula(f->arena, l));
  else if (period == 1)
    text_printf(out, "%s[i * %d]", f->array->name, 1 + pad);
  else if (pad == 1)
    text_printf(out, "%s[i + i / %d]", f->array->name, period);
  else
    text_printf(out, "%s[i + i / %d * %d]", f->array->name, period, pad);
  text_printf(out, ", i counts %d-byte elements", f->elements.bytes / each);
  if (own_row(f)) text_printf(out, ": row * %d + col", own_row(f) * each);
}

/* The number of additional integer instructions for an access with its own row and column, or
 * index. Strides of an array's rows are constants for the compiler; a division by anything but a
 * power of two takes four. */
static int cost_of_index(const KgenLayout *l) {
  int cost = 0;
  for (int i = 0; i < l->terms; i++) cost += 2 + (l->term[i].shift != 0);
  if (l->rank == 2 || !l->period) return cost;
  if (l->period == 1) return cost + 1;
  const int pad = l->stride[0] - l->period;
  return cost + (number_is_power(l->period) ? 1 : 4) + (pad != 0);
}

/* nvcc merges adjacent scalar accesses into vector accesses, but not if the index goes through a
 * formula. The user must then write the vector access explicitly. */
static int widest_access(const LintArray *array) {
  int widest = 0;
  for (int i = 0; i < array->insns; i++)
    if (array->insn[i]->bytes > widest) widest = array->insn[i]->bytes;
  return widest;
}

static const char *describe(const Finder *f, const Attempt *t) {
  Text out = text_new(f->arena);
  if (t->layout.rank == 2)
    put_rows(&out, f, t);
  else
    put_linear(&out, f, t);
  const int64_t more = t->bytes - (int64_t)f->array->bytes;
  text_printf(&out, ": %" PRIu64 " -> %" PRIu64 " wavefronts", f->before, t->wavefronts);
  if (t->wavefronts > f->ideal) text_printf(&out, " (ideal %" PRIu64 ")", f->ideal);
  if (more > 0) text_printf(&out, ", +%" PRId64 " bytes", more);
  const int cost = cost_of_index(&t->layout);
  if (cost) text_printf(&out, ", about +%d instructions an access", cost);
  const int widest = widest_access(f->array);
  if (cost && widest > f->elements.bytes)
    text_printf(&out, ", if those of %d bytes stay whole", widest);
  return out.s;
}

/* --- benefit --- */

/* True if it removes at least 1/4 of the conflicts; less does not justify a formula. */
static bool saves_enough(const Finder *f, const Attempt *best) {
  return best->solved && best->wavefronts < f->before &&
         4 * (f->before - best->wavefronts) >= f->before - f->ideal;
}

/* An SM issues four warp instructions in the time of a wavefront. */
static bool is_repaid(const Finder *f, const Attempt *best) {
  const uint64_t added = (uint64_t)cost_of_index(&best->layout) * lint_set_executions(f->array);
  return 4 * (f->before - best->wavefronts) >= added;
}

static bool is_worth_it(const Finder *f, const Attempt *best) {
  return saves_enough(f, best) && is_repaid(f, best);
}

/* --- reasons for no fix --- */

/* True if lanes of an atomic update one element: then it costs more than its ideal under every
 * layout. */
static bool meets_in_element(const LintArray *array) {
  for (int i = 0; i < array->insns; i++) {
    const LintPattern *p = &array->insn[i]->worst;
    if (array->insn[i]->op != OP_ATOMIC) continue;
    for (uint32_t m = p->active; m; m &= m - 1)
      for (uint32_t k = m & (m - 1); k; k &= k - 1)
        if (p->offset[__builtin_ctz(m)] == p->offset[__builtin_ctz(k)]) return true;
  }
  return false;
}

/* True if wider accesses are aligned but the array is not. */
static bool begins_misaligned(const LintArray *array) {
  for (int i = 0; i < array->insns; i++)
    if (array->offset % (uint32_t)array->insn[i]->bytes) return true;
  return false;
}

static const char *excuse(const Finder *f, const Attempt *t) {
  if (!t->solved && begins_misaligned(f->array))
    return "the array begins where its accesses may not: no layout of its own";
  if (!t->solved) return "the accesses do not fit rows of one width";
  if (meets_in_element(f->array))
    return "lanes of an atomic instruction meet in one element, which no layout separates";
  if (t->has_obstacle && t->obstacle == PROOF_SAME_PLACE)
    return "lanes of one instruction meet at the same word of their vectors, which stay whole";
  if (t->has_obstacle)
    return "lanes of one instruction meet within a row, where no pad and no XOR separates them";
  if (saves_enough(f, t))
    return arena_printf(f->arena, "the best found adds more instructions than it saves: %s",
                        describe(f, t));
  return arena_printf(f->arena,
                      "no pad and no XOR of at most %d bytes was found to take fewer than %" PRIu64
                      " wavefronts (now %" PRIu64 ", ideal %" PRIu64 ")",
                      lint_set_most_bytes(f->array), t->wavefronts, f->before, f->ideal);
}

/* The best pad if the solver chose an XOR, and the other way round, if it is equally good. */
static const char *alternative(const Finder *f, const Attempt *best) {
  const Attempt other = attempt(f, best->cols, is_padded(best) ? WANT_XOR : WANT_PAD);
  if (!other.solved || other.wavefronts > best->wavefronts) return NULL;
  return describe(f, &other);
}

static bool is_sampled(const LintArray *array) {
  bool any = false;
  for (int i = 0; i < array->insns; i++) any = any || array->insn[i]->sampled;
  return any;
}

void lint_fix_weigh(Arena *a, LintFix *fix, uint64_t saved) {
  const uint64_t joined = saved < fix->before ? fix->before - saved : 0;
  if (!saved) return;
  fix->joined = joined;
  if (!fix->fix || joined > fix->after) return;
  fix->why_none = arena_printf(a,
                               "what ptxas may join takes it to about %" PRIu64
                               " wavefronts as it is; the best layout "
                               "found, of %" PRIu64 ", would keep ptxas from joining",
                               joined, fix->after);
  fix->fix = fix->alternative = NULL;
  fix->after = fix->before;
}

/* --- arrays that the async proxy lays out --- */

/* A swizzle by TMA of boxes of whole rows, which replaces a pad or an XOR in the source. */
static Attempt swizzled_boxes(const Finder *f) {
  const LintLaid *laid = &f->array->laid;
  const bool plain = laid->boxed && !laid->flat && !laid->swizzled && !laid->wgmma;
  if (!plain || laid->row != f->array->row_bytes || !own_row(f)) return (Attempt){0};
  return attempt(f, own_row(f), WANT_TMA);
}

static const char *describe_boxes(const Finder *f, const Attempt *t) {
  return arena_printf(f->arena, "boxes of CU_TENSOR_MAP_SWIZZLE_%dB, aligned to %d bytes, and %s",
                      t->mode, 8 * t->mode, describe(f, t));
}

static bool is_laid(const LintLaid *laid) { return laid->flat || laid->boxed || laid->wgmma; }

/* The reason why no pad or XOR is proposed for an array with a fixed layout: of the part that its
 * instructions access, else of the whole array. */
static const char *excuse_laid(const LintArray *array) {
  const LintLaid *laid = is_laid(&array->touched) ? &array->touched : &array->laid;
  if (laid->wgmma)
    return "wgmma reads it as its descriptor says: no pad and no XOR but a swizzle of both";
  if (laid->swizzled)
    return "bulk copies lay it out, with a swizzle of TMA: no pad and no XOR on top of it";
  if (laid->boxed && !laid->flat)
    return "boxes of a tensor lay it out: a pad takes boxes as much wider, whose pad lies outside "
           "of the tensor";
  return "a bulk copy lays it out as in global memory: a pad takes a copy for each row";
}

static void find_laid(const Finder *f, LintFix *fix) {
  const Attempt best = swizzled_boxes(f);
  if (!best.solved || best.wavefronts != f->ideal || !best.layout.terms) {
    fix->why_none = excuse_laid(f->array);
    return;
  }
  fix->after = best.wavefronts;
  fix->cols = best.cols;
  fix->layout = best.layout;
  fix->fix = describe_boxes(f, &best);
}

static void take_fix(const Finder *f, const Attempt *best, LintFix *fix) {
  fix->after = best->wavefronts;
  fix->cols = best->cols;
  fix->layout = best->layout;
  fix->fix = describe(f, best);
  if (is_sampled(f->array))
    fix->fix = arena_printf(f->arena, "%s, of a sample of its many patterns", fix->fix);
}

/* wmma takes a leading dimension and no formula. Tries only pads of the source's rows, in multiples
 * of 16 bytes, as its pointers require; uses the smallest pad with the fewest wavefronts. */
static Attempt wmma_attempt(const Finder *f) {
  enum { ALIGN = 16, MOST = 8 };
  Attempt best = {0};
  const int unit = f->elements.bytes < ALIGN ? ALIGN / f->elements.bytes : 1;
  Attempt t = own_row(f) ? attempt(f, own_row(f), WANT_PAD) : best;
  if (!t.solved || t.layout.rank != 2 || t.layout.terms) return best;
  for (int k = 1; k <= MOST; k++) {
    t.layout.stride[0] = t.layout.extent[1] + k * unit;
    t.bytes = layout_bytes(&t.layout, f->elements.bytes);
    t.wavefronts = lint_set_cost(f->array, f->elements, &t.layout);
    const bool fits = t.bytes <= f->array->max_bytes;
    if (fits && (!best.solved || t.wavefronts < best.wavefronts)) best = t;
  }
  return best;
}

static void find_wmma(const Finder *f, LintFix *fix) {
  const Attempt best = wmma_attempt(f);
  if (!is_worth_it(f, &best)) {
    fix->why_none = own_row(f)
                        ? "wmma takes a leading dimension alone, and no pad of the rows helps"
                        : "wmma takes a leading dimension alone: give the array rows to pad";
    return;
  }
  take_fix(f, &best, fix);
  fix->fix = arena_printf(f->arena, "%s; leading dimension %d", fix->fix,
                          best.layout.stride[0] * source_elements(f));
}

/* If there are as many patterns as in a loop over a triangle, tries only the few pads of the
 * source's rows: the search for an XOR would take minutes. */
static Attempt pad_attempt(const Finder *f) {
  return own_row(f) ? attempt(f, own_row(f), WANT_PAD) : (Attempt){0};
}

static void find_pad(const Finder *f, LintFix *fix) {
  const Attempt best = pad_attempt(f);
  if (is_worth_it(f, &best)) {
    take_fix(f, &best, fix);
    return;
  }
  fix->why_none = "not searched: too many different patterns, as where addresses depend on data";
}

/* Finds the fix of an array whose layout no asynchronous copy fixes, so that any layout is
 * possible. */
static void find_free(const Finder *f, LintFix *fix) {
  Attempt best = f->array->row_bytes ? own_attempt(f) : best_attempt(f);
  const Attempt pad = is_worth_it(f, &best) ? best : attempt(f, best.cols, WANT_PAD);
  if (is_worth_it(f, &pad)) best = pad;
  if (!is_worth_it(f, &best)) {
    fix->why_none = excuse(f, &best);
    return;
  }
  take_fix(f, &best, fix);
  fix->alternative = alternative(f, &best);
}

LintFix lint_fix_find(Arena *a, const LintArray *array) {
  Finder f = {.arena = a, .array = array, .elements = lint_set_elements(array)};
  f.before = lint_set_plain(array);
  f.ideal = lint_set_ideal(array);
  LintFix fix = {.array = array, .before = f.before, .after = f.before, .ideal = f.ideal};
  fix.sampled = is_sampled(array);
  fix.elements = f.elements;
  fix.cols = own_row(&f);
  if (is_laid(&array->laid))
    find_laid(&f, &fix);
  else if (array->by_wmma)
    find_wmma(&f, &fix);
  else if (strcmp(array->name, "global_smem") == 0)
    fix.why_none =
        "Triton lays it out: its layouts, num_warps or the tile decide, no index of the source";
  else if (lint_set_shapes(array) > LINT_MAX_SHAPES)
    find_pad(&f, &fix);
  else
    find_free(&f, &fix);
  return fix;
}
