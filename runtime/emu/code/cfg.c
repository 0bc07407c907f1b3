/* SPDX-License-Identifier: MIT */
/* Flow graphs and immediate post-dominators (Cooper, Harvey, Kennedy: "A simple, fast dominance
 * algorithm", on the reversed graph). Lanes that diverge at a branch reconverge at the immediate
 * post-dominator of its block. A path out of the kernel, such as an early return within an `if`,
 * may hide it. Then each exit is tried as the only one: lanes that take another exit end, and no
 * lane waits for them. */
#include "emu/code/cfg.h"

#include <string.h>

enum { MAX_SOLE_EXITS = 8 };

typedef struct {
  int first, last; /* instructions [first, last] */
  int succ, succs; /* into Graph.edge */
  int pred, preds; /* into Graph.redge */
  bool is_exit;
} Node;

typedef struct {
  Program *program;
  const FunctionCode *code;
  int nodes;
  Node *node;
  int *node_of; /* indexed by instruction - entry */
  int *edge, *redge;
  int *order, *number, *idom, *stack; /* on the reversed graph, whose root is `nodes` */
} Graph;

static void mark_leaders(const Graph *g, bool *leader) {
  const FunctionCode *code = g->code;
  leader[0] = true;
  for (int i = code->entry; i < code->end; i++) {
    const Insn *insn = &g->program->insn[i];
    if (insn->kind != INSN_BRANCH && insn->kind != INSN_END) continue;
    if (i + 1 < code->end) leader[i + 1 - code->entry] = true;
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++) {
      leader[insn->branch.targets[k] - code->entry] = true;
    }
  }
}

static void cut_nodes(Graph *g, const bool *leader) {
  const FunctionCode *code = g->code;
  for (int i = code->entry; i < code->end; i++) {
    if (leader[i - code->entry]) g->node[g->nodes++] = (Node){.first = i};
    g->node[g->nodes - 1].last = i;
    g->node_of[i - code->entry] = g->nodes - 1;
  }
}

/* Writes the successors of a node to `out`, unless it is NULL; returns their number. */
static int successors(const Graph *g, int node, int *out) {
  const Insn *insn = &g->program->insn[g->node[node].last];
  int count = 0;
  for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++, count++) {
    if (out) out[count] = g->node_of[insn->branch.targets[k] - g->code->entry];
  }
  if (insn_falls_through(insn) && node + 1 < g->nodes) {
    if (out) out[count] = node + 1;
    count++;
  }
  return count;
}

/* Fills in each node's predecessors, whose numbers are known. */
static void link_back(Graph *g) {
  int at = 0;
  for (int i = 0; i < g->nodes; i++) {
    g->node[i].pred = at;
    at += g->node[i].preds;
    g->node[i].preds = 0;
  }
  for (int i = 0; i < g->nodes; i++) {
    for (int k = 0; k < g->node[i].succs; k++) {
      Node *to = &g->node[g->edge[g->node[i].succ + k]];
      g->redge[to->pred + to->preds++] = i;
    }
  }
}

static void link_nodes(Graph *g, Arena *arena) {
  int edges = 0;
  for (int i = 0; i < g->nodes; i++) {
    g->node[i].succ = edges;
    edges += g->node[i].succs = successors(g, i, NULL);
    g->node[i].is_exit = g->program->insn[g->node[i].last].kind == INSN_END;
  }
  g->edge = ARENA_ARRAY(arena, int, (size_t)edges + 1);
  g->redge = ARENA_ARRAY(arena, int, (size_t)edges + 1);
  for (int i = 0; i < g->nodes; i++) {
    successors(g, i, g->edge + g->node[i].succ);
    for (int k = 0; k < g->node[i].succs; k++) g->node[g->edge[g->node[i].succ + k]].preds++;
  }
  link_back(g);
}

static void visit(Graph *g, int node, int *depth) {
  if (g->number[node] != -1) return;
  g->number[node] = -2; /* on the stack */
  g->stack[(*depth)++] = node;
}

/* Depth-first over predecessors from the exits; numbers nodes in postorder. */
static int number_nodes(Graph *g, int sole_exit) {
  int count = 0, depth = 0;
  for (int i = 0; i <= g->nodes; i++) g->number[i] = -1;
  int *next = g->order + g->nodes + 1; /* indexed by node: the next predecessor to visit */
  memset(next, 0, ((size_t)g->nodes + 1) * sizeof *next);
  for (int e = 0; e < g->nodes; e++) {
    if (!g->node[e].is_exit || (sole_exit >= 0 && e != sole_exit)) continue;
    visit(g, e, &depth);
    while (depth) {
      int node = g->stack[depth - 1];
      const Node *n = &g->node[node];
      if (next[node] < n->preds) {
        visit(g, g->redge[n->pred + next[node]++], &depth);
        continue;
      }
      g->order[count] = node;
      g->number[node] = count++;
      depth--;
    }
  }
  g->number[g->nodes] = count;
  return count;
}

static int intersect(const Graph *g, int a, int b) {
  while (a != b) {
    while (g->number[a] < g->number[b]) a = g->idom[a];
    while (g->number[b] < g->number[a]) b = g->idom[b];
  }
  return a;
}

static int dominator_of(const Graph *g, int node, bool is_root_edge) {
  int found = is_root_edge ? g->nodes : -1;
  for (int k = 0; k < g->node[node].succs; k++) {
    int succ = g->edge[g->node[node].succ + k];
    if (g->number[succ] < 0 || g->idom[succ] < 0) continue;
    found = found < 0 ? succ : intersect(g, succ, found);
  }
  return found;
}

static void find_dominators(Graph *g, int sole_exit) {
  int count = number_nodes(g, sole_exit);
  for (int i = 0; i < g->nodes; i++) g->idom[i] = -1;
  g->idom[g->nodes] = g->nodes;
  for (bool changed = true; changed;) {
    changed = false;
    for (int k = count - 1; k >= 0; k--) {
      int node = g->order[k];
      bool root = g->node[node].is_exit && (sole_exit < 0 || node == sole_exit);
      int dominator = dominator_of(g, node, root);
      changed |= dominator != g->idom[node];
      g->idom[node] = dominator;
    }
  }
}

/* Sets the reconvergence points of branches that have none yet. */
static void assign_joins(Graph *g) {
  for (int i = 0; i < g->nodes; i++) {
    Insn *insn = &g->program->insn[g->node[i].last];
    int dominator = g->idom[i];
    if (insn->kind != INSN_BRANCH || insn->branch.join >= 0) continue;
    if (dominator < 0 || dominator == g->nodes) continue;
    insn->branch.join = g->node[dominator].first;
    g->program->insn[insn->branch.join].join = true;
  }
}

static bool any_without_join(const Graph *g) {
  for (int i = 0; i < g->nodes; i++) {
    const Insn *insn = &g->program->insn[g->node[i].last];
    if (insn->kind == INSN_BRANCH && insn->branch.join < 0 && g->node[i].succs > 1) return true;
  }
  return false;
}

static bool has_barrier(const Graph *g, int node) {
  for (int k = g->node[node].first; k <= g->node[node].last; k++) {
    const Insn *insn = &g->program->insn[k];
    if (insn->kind == INSN_BARRIER && insn->barrier.of_block) return true;
  }
  return false;
}

/* Marks the nodes that contain a block-wide barrier and those reachable from one (backward: those
 * from which one is reachable). */
static void flood(const Graph *g, bool *mark, bool backward) {
  int depth = 0;
  for (int i = 0; i < g->nodes; i++) {
    mark[i] = has_barrier(g, i);
    if (mark[i]) g->stack[depth++] = i;
  }
  while (depth) {
    const Node *n = &g->node[g->stack[--depth]];
    const int *to = backward ? g->redge + n->pred : g->edge + n->succ;
    for (int k = 0; k < (backward ? n->preds : n->succs); k++) {
      if (mark[to[k]]) continue;
      mark[to[k]] = true;
      g->stack[depth++] = to[k];
    }
  }
}

/* Marks `node` and all nodes from which it is reachable. */
static void flood_back(const Graph *g, int node, bool *mark) {
  int depth = 0;
  memset(mark, 0, (size_t)g->nodes * sizeof *mark);
  mark[node] = true;
  g->stack[depth++] = node;
  while (depth) {
    const Node *n = &g->node[g->stack[--depth]];
    for (int k = 0; k < n->preds; k++) {
      const int from = g->redge[n->pred + k];
      if (mark[from]) continue;
      mark[from] = true;
      g->stack[depth++] = from;
    }
  }
}

/* Gives every block-wide barrier of the function a bit; if there are too many, the rest share the
 * last bit. */
static void number_barriers(const Graph *g) {
  enum { LAST_BIT = 63 };
  uint8_t bit = 0;
  for (int i = g->code->entry; i < g->code->end; i++) {
    Insn *insn = &g->program->insn[i];
    if (insn->kind != INSN_BARRIER || !insn->barrier.of_block) continue;
    insn->barrier.bit = bit;
    if (bit < LAST_BIT) bit++;
  }
}

static uint64_t barriers_in(const Graph *g, const bool *mark) {
  uint64_t found = 0;
  for (int i = g->code->entry; i < g->code->end; i++) {
    const Insn *insn = &g->program->insn[i];
    if (insn->kind != INSN_BARRIER || !insn->barrier.of_block) continue;
    if (mark[g->node_of[i - g->code->entry]]) found |= 1ull << insn->barrier.bit;
  }
  return found;
}

/* Records for each exit which barriers may precede it: threads that exit elsewhere have not passed
 * them. */
static void mark_barriers_of_ends(const Graph *g, bool *mark) {
  enum { MOST_ENDS = 64 };
  int ends = 0;
  number_barriers(g);
  for (int i = 0; i < g->nodes; i++) {
    Insn *insn = &g->program->insn[g->node[i].last];
    if (insn->kind != INSN_END || !insn->end.after_barrier) continue;
    insn->end.barriers = UINT64_MAX;
    if (++ends > MOST_ENDS) continue;
    flood_back(g, i, mark);
    insn->end.barriers = barriers_in(g, mark);
  }
}

/* True if there is nothing between the exit and a branch that is after one barrier and before
 * another: usually the last branch of a loop. */
static bool ends_a_loop(const Graph *g, int end, const bool *after, const bool *before) {
  const Node *n = &g->node[end];
  bool found = false;
  for (int k = 0; k < n->preds && n->first == n->last; k++) {
    const Node *from = &g->node[g->redge[n->pred + k]];
    for (int i = 0; i < from->succs && after[from - g->node]; i++)
      found |= g->edge[from->succ + i] != end && before[g->edge[from->succ + i]];
  }
  return found;
}

/* A thread that exits after a barrier, with none ahead, has passed or bypassed it. This does not
 * hold for a thread that leaves a loop with barriers to exit: barriers wait only for threads that
 * have not exited [PTX ISA, bar]. */
static void mark_after_barriers(const Graph *g, bool *after, bool *before) {
  flood(g, after, false);
  flood(g, before, true);
  for (int i = 0; i < g->nodes; i++) {
    const Node *n = &g->node[i];
    bool ahead = ends_a_loop(g, i, after, before);
    for (int k = 0; k < n->succs; k++) ahead |= before[g->edge[n->succ + k]];
    Insn *insn = &g->program->insn[n->last];
    if (insn->kind == INSN_END) insn->end.after_barrier = after[i] && !ahead;
  }
}

void cfg_find_joins(Arena *arena, Program *program, const FunctionCode *code) {
  size_t count = (size_t)(code->end - code->entry);
  Graph g = {.program = program, .code = code};
  bool *leader = ARENA_ARRAY(arena, bool, count);
  mark_leaders(&g, leader);
  g.node = ARENA_ARRAY(arena, Node, count);
  g.node_of = ARENA_ARRAY(arena, int, count);
  cut_nodes(&g, leader);
  link_nodes(&g, arena);
  g.order = ARENA_ARRAY(arena, int, count * 2 + 2);
  g.number = ARENA_ARRAY(arena, int, count + 1);
  g.idom = ARENA_ARRAY(arena, int, count + 1);
  g.stack = ARENA_ARRAY(arena, int, count + 1);
  find_dominators(&g, -1);
  assign_joins(&g);
  for (int e = g.nodes - 1, tried = 0; e >= 0 && tried < MAX_SOLE_EXITS && any_without_join(&g);
       e--) {
    if (!g.node[e].is_exit) continue;
    find_dominators(&g, e);
    assign_joins(&g);
    tried++;
  }
  mark_after_barriers(&g, leader, ARENA_ARRAY(arena, bool, count));
  mark_barriers_of_ends(&g, leader);
}
