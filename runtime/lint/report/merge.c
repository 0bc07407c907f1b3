/* SPDX-License-Identifier: MIT */
#include "lint/report/merge.h"

#include <stdlib.h>
#include <string.h>

bool lint_merge_equal(const LintReport *a, const LintReport *b) {
  return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->source->path, b->source->path) == 0 &&
         memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
         memcmp(a->block, b->block, sizeof a->block) == 0 &&
         memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
         a->shared_bytes == b->shared_bytes;
}

/* A copy with space for all rows of both. */
static void *widen(Arena *a, const void *old, int count, int more, size_t size) {
  void *new = arena_array(a, (size_t)count + (size_t)more + 1, size);
  if (count) memcpy(new, old, (size_t)count * size);
  return new;
}

static const LintFix *fix_of(const LintReport *r, const char *array) {
  for (int i = 0; i < r->fix_count; i++)
    if (strcmp(r->fix[i].array->name, array) == 0) return &r->fix[i];
  return NULL;
}

/* --- layouts --- */

static void merge_fixes(Arena *a, LintReport *into, const LintReport *more) {
  LintFix *all = widen(a, into->fix, into->fix_count, more->fix_count, sizeof *all);
  for (int s = 0; s < into->shared_count; s++)
    if (into->shared[s].fix) into->shared[s].fix = all + (into->shared[s].fix - into->fix);
  into->fix = all;
  for (int i = 0; i < more->fix_count; i++) {
    LintFix *known = (LintFix *)(uintptr_t)fix_of(into, more->fix[i].array->name);
    if (!known) {
      all[into->fix_count++] = more->fix[i];
      continue;
    }
    known->before += more->fix[i].before;
    known->after += more->fix[i].after;
    known->ideal += more->fix[i].ideal;
    known->sampled |= more->fix[i].sampled;
    if (known->joined && more->fix[i].joined) known->joined += more->fix[i].joined;
  }
}

/* --- rows --- */

static void add_shared(LintShared *into, const LintShared *more) {
  into->instructions += more->instructions;
  into->wavefronts += more->wavefronts;
  into->ideal += more->ideal;
  into->minimum += more->minimum;
  into->lock |= more->lock;
  into->joins_save += more->joins_save;
  if (more->worst_cost <= into->worst_cost) return;
  into->worst_cost = more->worst_cost;
  into->worst_bank = more->worst_bank;
  into->worst_lanes = more->worst_lanes;
  memcpy(into->worst_lane, more->worst_lane, sizeof into->worst_lane);
  into->same_word = more->same_word;
  into->by_cg = more->by_cg;
  into->by_order = more->by_order;
  into->stride = more->stride;
}

static void merge_shared(Arena *a, LintReport *into, const LintReport *more) {
  LintShared *all = widen(a, into->shared, into->shared_count, more->shared_count, sizeof *all);
  into->shared = all;
  for (int i = 0; i < more->shared_count; i++) {
    LintShared new = more->shared[i];
    int k = 0;
    while (k < into->shared_count && lint_shared_compare(&all[k], &new) != 0) k++;
    if (new.fix) new.fix = fix_of(into, new.fix->array->name);
    if (k == into->shared_count)
      all[into->shared_count++] = new;
    else
      add_shared(&all[k], &new);
    if (!all[k].fix) all[k].fix = new.fix;
  }
  qsort(all, (size_t)into->shared_count, sizeof *all, lint_shared_compare);
}

static void merge_global(Arena *a, LintReport *into, const LintReport *more) {
  LintGlobal *all = widen(a, into->global, into->global_count, more->global_count, sizeof *all);
  into->global = all;
  for (int i = 0; i < more->global_count; i++) {
    const LintGlobal *new = &more->global[i];
    int k = 0;
    while (k < into->global_count && lint_global_compare(&all[k], new) != 0) k++;
    if (k == into->global_count) {
      all[into->global_count++] = *new;
      continue;
    }
    all[k].requests += new->requests;
    all[k].sectors += new->sectors;
    all[k].bytes_used += new->bytes_used;
    all[k].ideal += new->ideal;
  }
  qsort(all, (size_t)into->global_count, sizeof *all, lint_global_compare);
}

/* Keeps the words of one process: addresses of different processes are unrelated. */
static void merge_hot(LintReport *into, const LintReport *more) {
  if (into->hot_count && (!more->hot_count || into->hot[0].updates >= more->hot[0].updates)) return;
  into->hot = more->hot;
  into->hot_count = more->hot_count;
}

static void merge_wgmma(Arena *a, LintReport *into, const LintReport *more) {
  LintWgmma *all = widen(a, into->wgmma, into->wgmma_count, more->wgmma_count, sizeof *all);
  into->wgmma = all;
  for (int i = 0; i < more->wgmma_count; i++) {
    int k = 0;
    while (k < into->wgmma_count && lint_wgmma_compare(&all[k], &more->wgmma[i]) != 0) k++;
    if (k == into->wgmma_count) {
      all[into->wgmma_count++] = more->wgmma[i];
      continue;
    }
    all[k].products += more->wgmma[i].products;
    all[k].wavefronts += more->wgmma[i].wavefronts;
  }
  qsort(all, (size_t)into->wgmma_count, sizeof *all, lint_wgmma_compare);
}

static int by_finding(const void *a, const void *b) {
  return lint_location_compare(((const LintFinding *)a)->at, ((const LintFinding *)b)->at);
}

static LintFinding *merge_findings(Arena *a, const LintFinding *old, int *count,
                                   const LintFinding *more, int mores) {
  LintFinding *all = widen(a, old, *count, mores, sizeof *all);
  for (int i = 0; i < mores; i++) {
    int k = 0;
    while (k < *count && !lint_findings_same(&all[k], &more[i])) k++;
    if (k == *count)
      all[(*count)++] = more[i];
    else
      lint_findings_merge(a, &all[k], &more[i]);
  }
  qsort(all, (size_t)*count, sizeof *all, by_finding);
  return all;
}

/* --- quoted source lines --- */

static void merge_quotes(Arena *a, LintSource *into, const LintSource *more) {
  LintQuote *all = widen(a, into->quote, into->quotes, more->quotes, sizeof *all);
  for (int i = 0; i < more->quotes; i++) all[into->quotes + i] = more->quote[i];
  into->quote = all;
  into->quotes += more->quotes;
}

void lint_merge(Arena *a, LintReport *into, const LintReport *more) {
  merge_fixes(a, into, more);
  merge_shared(a, into, more);
  merge_global(a, into, more);
  merge_wgmma(a, into, more);
  merge_hot(into, more);
  into->finding =
      merge_findings(a, into->finding, &into->finding_count, more->finding, more->finding_count);
  into->note = merge_findings(a, into->note, &into->note_count, more->note, more->note_count);
  merge_quotes(a, into->source, more->source);
  into->launches += more->launches;
  into->warp_instructions += more->warp_instructions;
  into->conflicts += more->conflicts;
  into->mbarriers += more->mbarriers;
  into->bulk_copies += more->bulk_copies;
  into->bulk_wavefronts += more->bulk_wavefronts;
}
