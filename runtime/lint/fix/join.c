/* SPDX-License-Identifier: MIT */
#include "lint/fix/join.h"

#include <stdlib.h>

enum { WIDEST = 16 };

static int64_t first_offset(const LintInsn *insn) {
  const LintPattern *p = &insn->worst;
  return p->active ? (int64_t)p->offset[__builtin_ctz(p->active)] : -1;
}

static int by_offset(const void *pa, const void *pb) {
  const LintInsn *a = *(const LintInsn *const *)pa, *b = *(const LintInsn *const *)pb;
  const int64_t x = first_offset(a), y = first_offset(b);
  return x != y ? (x > y) - (x < y) : a->ptx_line - b->ptx_line;
}

/* True if every lane's word follows the lane's word in `before`. */
static bool is_next(const LintPattern *before, const LintPattern *p, int bytes) {
  if (before->active != p->active) return false;
  for (uint32_t m = p->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (before->offset[lane] + (uint32_t)bytes != p->offset[lane]) return false;
  }
  return true;
}

static bool has_next(const LintInsn *insn, const LintPattern *before) {
  for (int i = 0; i < insn->slots; i++)
    if (insn->slot[i].count && is_next(before, &insn->slot[i], insn->bytes)) return true;
  return false;
}

/* True if is_next() holds in all executions. */
static bool follows(const LintInsn *before, const LintInsn *insn) {
  if (before->patterns != insn->patterns || before->sampled || insn->sampled) return false;
  if (!is_next(&before->worst, &insn->worst, insn->bytes)) return false;
  for (int i = 0; i < before->slots; i++)
    if (before->slot[i].count && !has_next(insn, &before->slot[i])) return false;
  return true;
}

/* The widest aligned access, up to `room` bytes, at the start of all lanes of `insn`. */
static int width_at(const LintInsn *insn, int room) {
  uint32_t bits = 0;
  for (uint32_t m = insn->worst.active; m; m &= m - 1) bits |= insn->worst.offset[__builtin_ctz(m)];
  for (int width = WIDEST; width > insn->bytes; width /= 2)
    if (width <= room && bits % (uint32_t)width == 0) return width;
  return insn->bytes;
}

static int cost(const LintInsn *insn, int bytes) {
  int64_t address[WARP];
  lint_pattern_addresses(&insn->worst, address);
  return bank_cost(banks_nvidia, insn->op, bytes, insn->worst.active, address).wavefronts;
}

/* Finds the wide access that begins at run[0]; returns the number of instructions that it
 * replaces. */
static int take(LintJoin *join, const LintInsn *const *run, int length) {
  const int bytes = run[0]->bytes, width = width_at(run[0], length * bytes), count = width / bytes;
  if (count < 2) return 1;
  for (int i = 0; i < count; i++) join->before += cost(run[i], bytes);
  join->after += cost(run[0], width);
  join->insns += count;
  join->joined++;
  if (width > join->bytes) join->bytes = width;
  return count;
}

LintJoin lint_join_find(const LintInsn **insn, int count) {
  LintJoin join = {0};
  qsort(insn, (size_t)count, sizeof *insn, by_offset);
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && follows(insn[end - 1], insn[end]);) end++;
    for (int at = i; at < end;) at += take(&join, insn + at, end - at);
  }
  return join;
}
