/* SPDX-License-Identifier: MIT */
#include "emu/run/search/search.h"

#include <stdlib.h>
#include <string.h>

/*
 * An agent is a set of lanes of a warp that take part in the same operations. bar.sync and
 * bar.warp.sync are two steps: to arrive, and to wait for the next generation.
 *
 * A state is the position of each agent, and the counts of each object. Agents with equal
 * operations are interchangeable: their entries are sorted. An agent is run alone if its next step
 * commutes with every step that other agents have left; else all agents are tried.
 */

typedef enum {
  STEP_INIT,
  STEP_ARRIVE,
  STEP_EXPECT,
  STEP_ARRIVE_EXPECT,
  STEP_COPY,
  STEP_WAIT,
  STEP_TOKEN,
  STEP_MEET,      /* arrive at a barrier or meet, to wait */
  STEP_MEET_ONLY, /* arrive, not to wait */
  STEP_PASS
} StepKind;

typedef struct {
  StepKind kind;
  int object;
  uint32_t weight, value; /* arrivals; count, bytes, parity, or threads that a barrier expects */
  const SyncOp *op;
} Step;

typedef struct {
  int first, steps; /* in Search.step */
  uint32_t weight;  /* threads */
  int like;         /* the first agent with equal steps */
} Agent;

typedef struct {
  uint16_t at; /* its next step */
  uint8_t generation, token;
} Position;

typedef struct {
  uint32_t missing; /* or, of a barrier, arrived */
  uint32_t expected, bytes;
  int32_t tx;
  uint8_t phase, ready, used[2];
} Object;

typedef struct {
  uint32_t parent;
  int16_t agent; /* that moved; -1: none */
  uint16_t step;
} Origin;

typedef struct {
  uint8_t is_meet;
  uint32_t key;
} ObjectKey;

enum { MAX_AGENTS = 128, MAX_OBJECTS = 128, MOST_BYTES = 512 << 20 };

typedef struct {
  int agents, objects, steps, capacity;
  Agent agent[MAX_AGENTS];
  ObjectKey key[MAX_OBJECTS];
  Step *step;
  size_t size; /* bytes per state */
  uint8_t *state;
  Origin *origin;
  uint64_t states, room, most;
  uint32_t *table; /* hash table of state numbers plus 1 */
  uint64_t slots;
  bool failed, overflow;
} Search;

/* --- agents and their steps --- */

static int object_of(Search *s, uint8_t kind, uint32_t key) {
  for (int i = 0; i < s->objects; i++)
    if (s->key[i].is_meet == kind && s->key[i].key == key) return i;
  if (s->objects == MAX_OBJECTS) {
    s->failed = true;
    return 0;
  }
  s->key[s->objects] = (ObjectKey){kind, key};
  return s->objects++;
}

static void add_step(Search *s, Step step) {
  if (s->steps == s->capacity) {
    const int capacity = s->capacity ? 2 * s->capacity : 256;
    Step *grown = realloc(s->step, (size_t)capacity * sizeof *grown);
    if (!grown) s->failed = true;
    if (!grown) return;
    s->step = grown;
    s->capacity = capacity;
  }
  s->step[s->steps++] = step;
}

static void add_op(Search *s, const SyncOp *op, uint32_t lanes, uint32_t weight) {
  const uint32_t lanes_here = (uint32_t)lane_count(op->lanes & lanes);
  Step step = {.value = op->value, .op = op};
  switch (op->kind) {
  case SYNC_BARRIER:
  case SYNC_BARRIER_ARRIVE:
    step.kind = op->kind == SYNC_BARRIER ? STEP_MEET : STEP_MEET_ONLY;
    step.object = object_of(s, 1, op->object);
    step.weight = weight;
    break;
  case SYNC_MEET:
    step.kind = STEP_MEET;
    step.object = object_of(s, 2, (uint32_t)op->warp * 0x9e3779b9u ^ op->value);
    step.weight = lanes_here;
    step.value = (uint32_t)lane_count(op->value);
    break;
  default: {
    static const StepKind kind[SYNC_KINDS] = {
        [SYNC_INIT] = STEP_INIT,     [SYNC_ARRIVE] = STEP_ARRIVE,
        [SYNC_EXPECT] = STEP_EXPECT, [SYNC_ARRIVE_EXPECT] = STEP_ARRIVE_EXPECT,
        [SYNC_COPY] = STEP_COPY,     [SYNC_WAIT] = STEP_WAIT,
        [SYNC_TOKEN] = STEP_TOKEN};
    step.kind = kind[op->kind];
    step.object = object_of(s, 0, op->object);
    step.weight = step.kind == STEP_ARRIVE ? lanes_here * op->value : lanes_here;
    if (step.kind == STEP_EXPECT || step.kind == STEP_ARRIVE_EXPECT || step.kind == STEP_COPY)
      step.value = lanes_here * op->value;
  }
  }
  add_step(s, step);
  if (step.kind == STEP_MEET) {
    step.kind = STEP_PASS;
    add_step(s, step);
  }
}

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Divides a warp's lanes into agents. Meets matter only between agents of one warp. */
static void add_warp(Search *s, const SyncLog *log, int warp, uint32_t alive) {
  uint64_t digest[LANES] = {0};
  uint32_t left = alive, first = ALL_LANES;
  for (int i = 0; i < log->count; i++)
    if (log->op[i].warp == warp)
      FOR_LANES(lane, log->op[i].lanes) digest[lane] = mix(digest[lane] + (uint64_t)i + 1);
  while (left) {
    const unsigned lane = lane_first(left);
    uint32_t lanes = 0;
    FOR_LANES(k, left)
      if (digest[k] == digest[lane]) lanes |= 1u << k;
    left &= ~lanes;
    if (s->agents == MAX_AGENTS) s->failed = true;
    if (s->agents == MAX_AGENTS) return;
    /* barriers with a count count 32 threads for each warp, whole or not */
    const uint32_t weight = lane_count(lanes) + (first ? LANES - lane_count(alive) : 0);
    first = 0;
    Agent *a = &s->agent[s->agents++];
    *a = (Agent){.first = s->steps, .weight = weight};
    for (int i = 0; i < log->count; i++) {
      const SyncOp *op = &log->op[i];
      const bool alone = op->kind == SYNC_MEET && lanes == alive;
      if (op->warp == warp && op->lanes & lanes && !alone) add_op(s, op, lanes, weight);
    }
    a->steps = s->steps - a->first;
    if (a->steps > UINT16_MAX) s->failed = true;
  }
}

static bool same_steps(const Search *s, const Agent *a, const Agent *b) {
  if (a->steps != b->steps || a->weight != b->weight) return false;
  for (int i = 0; i < a->steps; i++) {
    const Step *x = &s->step[a->first + i], *y = &s->step[b->first + i];
    if (x->kind != y->kind || x->object != y->object || x->weight != y->weight ||
        x->value != y->value)
      return false;
  }
  return true;
}

static void find_equals(Search *s) {
  for (int i = 0; i < s->agents; i++) {
    int k = 0;
    while (!same_steps(s, &s->agent[k], &s->agent[i])) k++;
    s->agent[i].like = k;
  }
}

/* --- states --- */

static Position *positions(uint8_t *state) { return (Position *)(void *)state; }

static Object *objects(const Search *s, uint8_t *state) {
  return (Object *)(void *)(state + (size_t)s->agents * sizeof(Position));
}

static const Step *next_step(const Search *s, const Position *p, int agent) {
  const Agent *a = &s->agent[agent];
  return p[agent].at < a->steps ? &s->step[a->first + p[agent].at] : NULL;
}

static uint32_t threads_left(const Search *s, const Position *p) {
  uint32_t threads = 0;
  for (int i = 0; i < s->agents; i++)
    if (next_step(s, p, i)) threads += s->agent[i].weight;
  return threads;
}

static void complete_barriers(const Search *s, uint8_t *state) {
  Object *o = objects(s, state);
  const uint32_t left = threads_left(s, positions(state));
  for (int i = 0; i < s->objects; i++) {
    if (!s->key[i].is_meet || !o[i].missing) continue;
    const uint32_t expected = o[i].expected ? o[i].expected : left;
    if (o[i].missing < expected) continue;
    o[i].missing = 0;
    o[i].phase++;
  }
}

static void complete_phase(Object *o) {
  if (o->missing || o->tx) return;
  o->phase ^= 1;
  o->missing = o->expected;
}

static bool is_enabled(const Search *s, uint8_t *state, int agent) {
  const Position *p = positions(state);
  const Step *step = next_step(s, p, agent);
  if (!step) return false;
  const Object *o = &objects(s, state)[step->object];
  switch (step->kind) {
  case STEP_WAIT: return o->ready && o->phase != (step->value & 1);
  case STEP_TOKEN: return o->ready && o->phase != p[agent].token;
  case STEP_PASS: return o->phase != p[agent].generation;
  default: return true;
  }
}

static void arrive(Search *s, Object *o, uint32_t weight) {
  if (weight > o->missing) s->overflow = true;
  o->missing -= weight < o->missing ? weight : o->missing;
}

static void run_step(Search *s, uint8_t *state, int agent) {
  Position *p = &positions(state)[agent];
  const Step *step = next_step(s, positions(state), agent);
  Object *o = &objects(s, state)[step->object];
  const uint8_t phase = o->phase;
  switch (step->kind) {
  case STEP_INIT: *o = (Object){.missing = step->value, .expected = step->value, .ready = 1}; break;
  case STEP_ARRIVE: arrive(s, o, step->weight); break;
  case STEP_ARRIVE_EXPECT:
    o->tx += (int32_t)step->value;
    arrive(s, o, step->weight);
    break;
  case STEP_EXPECT: o->tx += (int32_t)step->value; break;
  case STEP_COPY: o->bytes += step->value; break;
  case STEP_MEET:
  case STEP_MEET_ONLY:
    o->missing += step->weight;
    o->expected = step->value;
    p->generation = phase;
    break;
  default: break;
  }
  if (step->kind == STEP_ARRIVE || step->kind == STEP_ARRIVE_EXPECT) p->token = phase;
  if (step->kind != STEP_INIT && step->kind < STEP_COPY) complete_phase(o);
  p->at++;
  if (step->kind >= STEP_MEET || !next_step(s, positions(state), agent))
    complete_barriers(s, state);
}

static void deliver(uint8_t *state, const Search *s, int object) {
  Object *o = &objects(s, state)[object];
  o->tx -= (int32_t)o->bytes;
  o->bytes = 0;
  complete_phase(o);
}

/* Sorts the entries of agents with equal steps. */
static void make_canonical(const Search *s, uint8_t *state) {
  Position *p = positions(state);
  for (int i = 1; i < s->agents; i++) {
    for (int k = i; k > 0; k--) {
      int other = k - 1;
      while (other >= 0 && s->agent[other].like != s->agent[k].like) other--;
      if (other < 0 || memcmp(&p[other], &p[k], sizeof *p) <= 0) break;
      const Position old = p[other];
      p[other] = p[k];
      p[k] = old;
      k = other + 1;
    }
  }
}

/* --- steps that commute with all others --- */

typedef struct {
  bool any, not_arrivals, meets_only; /* other agents have these left on the object */
  uint64_t arrivals, threads;
} Others;

static Others others_on(const Search *s, const Position *p, int agent, int object) {
  Others out = {0};
  for (int i = 0; i < s->agents; i++) {
    if (i == agent) continue;
    bool here = false;
    for (int k = p[i].at; k < s->agent[i].steps; k++) {
      const Step *step = &s->step[s->agent[i].first + k];
      if (step->object != object) continue;
      here = true;
      out.not_arrivals |= step->kind != STEP_ARRIVE;
      out.meets_only |= step->kind == STEP_MEET_ONLY;
      if (step->kind == STEP_ARRIVE || step->kind == STEP_ARRIVE_EXPECT)
        out.arrivals += step->weight;
    }
    out.any |= here;
    if (here) out.threads += s->key[object].is_meet == 2 ? 0 : s->agent[i].weight;
  }
  return out;
}

static bool commutes(const Search *s, uint8_t *state, int agent) {
  const Position *p = positions(state);
  const Step *step = next_step(s, p, agent);
  const Object *o = &objects(s, state)[step->object];
  if (step->kind == STEP_PASS) return true;
  const Others others = others_on(s, p, agent, step->object);
  switch (step->kind) {
  case STEP_MEET:
    return !others.meets_only &&
           (!step->value || others.threads + s->agent[agent].weight <= step->value);
  case STEP_ARRIVE: return !others.not_arrivals && !o->bytes;
  case STEP_WAIT:
  case STEP_TOKEN: return (!others.any && !o->bytes) || others.arrivals < o->missing;
  default: return !others.any && !o->bytes;
  }
}

/* --- the search --- */

static uint64_t hash_of(const uint8_t *state, size_t size) {
  uint64_t h = 0;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t word;
    memcpy(&word, state + i, sizeof word);
    h = mix(h ^ word) + 0x9e3779b97f4a7c15ull;
  }
  return h;
}

/* Adds a state that is new. */
static void add_state(Search *s, const uint8_t *state, Origin origin) {
  uint64_t at = hash_of(state, s->size) & (s->slots - 1);
  for (; s->table[at]; at = (at + 1) & (s->slots - 1))
    if (memcmp(s->state + (s->table[at] - 1) * s->size, state, s->size) == 0) return;
  if (s->states == s->most) {
    s->failed = true; /* the bound */
    return;
  }
  if (s->states == s->room) {
    const uint64_t room = s->room ? 2 * s->room : 1024;
    uint8_t *grown = realloc(s->state, room * s->size);
    if (grown) s->state = grown;
    Origin *origins = grown ? realloc(s->origin, room * sizeof *origins) : NULL;
    if (origins) s->origin = origins;
    if (!origins) s->failed = true;
    if (!origins) return;
    s->room = room;
  }
  memcpy(s->state + s->states * s->size, state, s->size);
  s->origin[s->states] = origin;
  s->table[at] = (uint32_t)++s->states;
}

/* Adds the states that follow; false if there are none though an agent is left. */
static bool expand(Search *s, uint64_t number, uint8_t *now, uint8_t *next) {
  memcpy(now, s->state + number * s->size, s->size);
  const Position *p = positions(now);
  int alone = -1, last = -1;
  bool any = false, left = false;
  for (int i = 0; i < s->agents && alone < 0; i++) {
    left |= next_step(s, p, i) != NULL;
    if (is_enabled(s, now, i) && commutes(s, now, i)) alone = i;
  }
  for (int i = 0; i < s->agents; i++) {
    if ((alone >= 0 && i != alone) || !is_enabled(s, now, i)) continue;
    any = true;
    /* trying one of several equal agents at one position suffices */
    if (alone < 0 && last >= 0 && s->agent[i].like == s->agent[last].like &&
        memcmp(&p[i], &p[last], sizeof *p) == 0)
      continue;
    last = i;
    memcpy(next, now, s->size);
    run_step(s, next, i);
    make_canonical(s, next);
    add_state(s, next, (Origin){(uint32_t)number, (int16_t)i, p[i].at});
  }
  for (int i = 0; alone < 0 && i < s->objects; i++) {
    if (!objects(s, now)[i].bytes) continue;
    any = true;
    memcpy(next, now, s->size);
    deliver(next, s, i);
    add_state(s, next, (Origin){(uint32_t)number, -1, 0});
  }
  return any || !left;
}

static void describe_hang(const Search *s, uint64_t number, uint8_t *now, SearchResult *out) {
  memcpy(now, s->state + number * s->size, s->size);
  for (int i = 0; i < s->agents; i++) {
    const Step *step = next_step(s, positions(now), i);
    int k = 0;
    if (!step) continue;
    while (k < out->blocked && out->at[k].op->pc != step->op->pc) k++;
    if (k == SEARCH_BLOCKED) continue;
    if (k == out->blocked) out->at[out->blocked++] = (SearchBlocked){step->op, 0};
    out->at[k].agents++;
  }
  for (uint64_t at = number; at && out->steps < SEARCH_STEPS; at = s->origin[at].parent) {
    const Origin *o = &s->origin[at];
    const Step *step = o->agent < 0 ? NULL : &s->step[s->agent[o->agent].first + o->step];
    if (step && step->kind != STEP_PASS) out->step[out->steps++] = step->op;
  }
  for (int i = 0; i < out->steps / 2; i++) {
    const SyncOp *old = out->step[i];
    out->step[i] = out->step[out->steps - 1 - i];
    out->step[out->steps - 1 - i] = old;
  }
}

static void explore(Search *s, SearchResult *out) {
  uint8_t *now = calloc(2, s->size), *next = now + s->size;
  if (!now) return;
  add_state(s, now, (Origin){0, -1, 0});
  out->end = SEARCH_PROVED;
  for (uint64_t i = 0; i < s->states && !s->failed && out->end == SEARCH_PROVED; i++) {
    const bool goes_on = expand(s, i, now, next);
    if (!goes_on || s->overflow) out->end = goes_on ? SEARCH_OVERFLOW : SEARCH_HANGS;
    if (!goes_on || s->overflow) describe_hang(s, i, now, out);
  }
  if (s->failed && out->end == SEARCH_PROVED) out->end = SEARCH_BOUND;
  free(now);
}

SearchResult search_run(const SyncLog *log, int warps, const uint32_t *lanes, uint64_t most) {
  SearchResult out = {.end = SEARCH_OUT_OF_MEMORY};
  Search *s = calloc(1, sizeof *s);
  if (!s) return out;
  for (int i = 0; i < warps; i++) add_warp(s, log, i, lanes[i]);
  find_equals(s);
  s->size = (size_t)s->agents * sizeof(Position) + (size_t)s->objects * sizeof(Object);
  s->most = most < MOST_BYTES / (s->size + 1) ? most : MOST_BYTES / (s->size + 1);
  for (s->slots = 1024; s->slots < 2 * s->most;) s->slots *= 2;
  s->table = calloc(s->slots, sizeof *s->table);
  out.agents = s->agents;
  out.operations = s->steps;
  if (s->table && !s->failed) explore(s, &out);
  out.states = s->states;
  free(s->step);
  free(s->state);
  free(s->origin);
  free(s->table);
  free(s);
  return out;
}
