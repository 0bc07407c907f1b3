/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/judge_sum.h"

#include <string.h>

static bool same_access(const EmuAccess *a, const EmuAccess *b) {
  return a->ptx_line == b->ptx_line && a->kind == b->kind && a->space == b->space &&
         a->bytes_per_lane == b->bytes_per_lane;
}

/* Finds an equal access. Equal launches nearly always execute the same instructions, so the same
 * index is tried first. */
static EmuAccess *access_like(JudgeSum *sum, const EmuAccess *more, int guess) {
  EmuResult *r = &sum->result;
  if (guess < r->accesses && same_access(&r->access[guess], more)) return &r->access[guess];
  for (int i = 0; i < r->accesses; i++)
    if (same_access(&r->access[i], more)) return &r->access[i];
  return NULL;
}

static void add_access(JudgeSum *sum, const EmuAccess *more, int guess) {
  EmuResult *r = &sum->result;
  EmuAccess *into = access_like(sum, more, guess);
  if (!into) {
    r->access = arena_grow(sum->arena, r->access, r->accesses, &sum->access_room, sizeof *more);
    r->access[r->accesses++] = *more;
    return;
  }
  into->executions += more->executions;
  into->lanes += more->lanes;
  into->wavefronts += more->wavefronts;
  into->ideal += more->ideal;
  into->minimum += more->minimum;
  into->sectors += more->sectors;
  into->bytes_used += more->bytes_used;
  if (more->worst <= into->worst) return;
  into->worst = more->worst;
  into->worst_active = more->worst_active;
  memcpy(into->worst_address, more->worst_address, sizeof into->worst_address);
}

/* Merges a finding; the first message is kept. Returns the number of new findings: 0 or 1. */
static int add_finding(Arena *a, EmuFinding **all, int *count, int *capacity,
                       const EmuFinding *more) {
  for (int i = 0; i < *count; i++) {
    EmuFinding *known = &(*all)[i];
    if (known->kind != more->kind || known->ptx_line != more->ptx_line) continue;
    known->count += more->count;
    return 0;
  }
  *all = arena_grow(a, *all, *count, capacity, sizeof *more);
  (*all)[(*count)++] = *more;
  return 1;
}

int judge_sum_found(JudgeSum *sum, const EmuFinding *more) {
  EmuResult *r = &sum->result;
  return add_finding(sum->arena, &r->finding, &r->findings, &sum->finding_room, more);
}

int judge_sum_add(JudgeSum *sum, const EmuResult *more) {
  int new = 0;
  for (int i = 0; i < more->accesses; i++) add_access(sum, &more->access[i], i);
  for (int i = 0; i < more->findings; i++) new += judge_sum_found(sum, &more->finding[i]);
  EmuResult *r = &sum->result;
  for (int i = 0; i < more->notes; i++)
    new += add_finding(sum->arena, &r->note, &r->notes, &sum->note_room, &more->note[i]);
  sum->result.lane_instructions += more->lane_instructions;
  sum->result.warp_instructions += more->warp_instructions;
  if (more->blocks > sum->result.blocks) sum->result.blocks = more->blocks;
  sum->result.cut = sum->result.cut || more->cut;
  return new;
}
