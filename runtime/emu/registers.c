/* SPDX-License-Identifier: MIT */
/* Estimates the registers of a thread from the decoded kernel. */
#include "emu/module.h"
#include "emu/translate/region.h"

enum { LEAST = 16, MOST = 255, OF_A_CALL = 24 };

/* A loop: its first instruction, and the last one of it and of loops that what is live in it
 * enters. */
typedef struct {
  int32_t head, end;
} Loop;

typedef struct {
  int count;
  Loop *loop; /* by their heads */
} Loops;

static Loops find_loops(Arena *a, const Program *p, const FunctionCode *f) {
  int32_t *last = ARENA_ARRAY(a, int32_t, (size_t)(f->end - f->entry) + 1);
  Loops all = {.loop = ARENA_ARRAY(a, Loop, (size_t)(f->end - f->entry) + 1)};
  for (int32_t i = f->entry; i < f->end; i++) {
    const Insn *insn = &p->insn[i];
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++)
      if (insn->branch.targets[k] <= i) last[insn->branch.targets[k] - f->entry] = i;
  }
  for (int32_t i = f->entry; i < f->end; i++)
    if (last[i - f->entry]) all.loop[all.count++] = (Loop){i, last[i - f->entry]};
  return all;
}

/* A register that is live at the end of a loop enters loops that begin in it and end after it.
 * `open` keeps the later loops that no earlier one enters. */
static void join_loops(Arena *a, Loops *all) {
  int *open = ARENA_ARRAY(a, int, (size_t)all->count + 1), opens = 0;
  for (int i = all->count - 1; i >= 0; i--) {
    Loop *l = &all->loop[i];
    for (; opens && all->loop[open[opens - 1]].head <= l->end; opens--)
      if (all->loop[open[opens - 1]].end > l->end) l->end = all->loop[open[opens - 1]].end;
    open[opens++] = i;
  }
}

/* A tree of maxima: node n has the children 2n and 2n + 1, the leaves are the loops' ends. */
static int32_t *tree_of(Arena *a, const Loops *all) {
  int32_t *tree = ARENA_ARRAY(a, int32_t, 2 * (size_t)all->count + 2);
  for (int i = 0; i < all->count; i++) tree[all->count + i] = all->loop[i].end;
  for (int n = all->count - 1; n > 0; n--)
    tree[n] = tree[2 * n] > tree[2 * n + 1] ? tree[2 * n] : tree[2 * n + 1];
  return tree;
}

static int32_t most_in(const int32_t *tree, int leaves, int from, int until) {
  int32_t most = -1;
  for (int low = from + leaves, high = until + leaves; low < high; low /= 2, high /= 2) {
    if (low % 2 && tree[low++] > most) most = tree[low - 1];
    if (high % 2 && tree[--high] > most) most = tree[high];
  }
  return most;
}

/* The number of loops that begin at or before the instruction. */
static int loops_until(const Loops *all, int32_t at) {
  int low = 0, high = all->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (all->loop[middle].head <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A register is live from the first to the last instruction that names it, and to the end of each
 * loop that it enters from outside. */
static int most_live(Arena *a, const Program *p, const FunctionCode *f) {
  const Named *named = registers_find(a, p, f);
  int *change = ARENA_ARRAY(a, int, (size_t)(f->end - f->entry) + 1), live = 0, most = 0;
  Loops all = find_loops(a, p, f);
  join_loops(a, &all);
  const int32_t *tree = tree_of(a, &all);
  for (int i = 0; i < f->source->slots; i++) {
    const Named *n = &named[i];
    if (n->first > n->last) continue;
    const int from = loops_until(&all, n->first), until = loops_until(&all, n->last);
    const int32_t end = from < until ? most_in(tree, all.count, from, until) : -1;
    const int words = n->width == WIDTH_32 ? 1 : 2;
    change[n->first - f->entry] += words;
    change[(end > n->last ? end : n->last) - f->entry] -= words;
  }
  for (int i = 0; i < f->end - f->entry; i++) {
    live += change[i];
    if (live > most) most = live;
  }
  return most;
}

int emu_registers(const EmuModule *m, const EmuKernel *kernel) {
  const Program *p = m->program[kernel - m->kernel];
  const uint32_t limit = p->kernel->max_registers;
  const int bound = limit && limit < MOST ? (int)limit : MOST;
  Arena *a = arena_new();
  int most = p->info.runnable ? most_live(a, p, &p->function[0]) : 0;
  bool calls = false;
  for (int i = 0; i < p->count; i++) calls |= p->insn[i].kind == INSN_CALL;
  const int least = calls ? OF_A_CALL : LEAST;
  if (most < least) most = least;
  arena_free(a);
  return most < bound ? most : bound;
}
