/* SPDX-License-Identifier: MIT */
#include "emu/run/race/overlap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/run/race/order.h"
#include "emu/run/race/trace.h"
#include "emu/run/state/finding.h"

/* The lanes of a warp that have waited, and the warp's tick when the first of them did. */
typedef struct {
  uint32_t lanes, tick;
} Waited;

struct Overlap {
  EmuTrace *own;
  bool records;    /* dependents may overlap it, so that its accesses are recorded */
  int warps;       /* per block */
  Waited *waited;  /* by block and warp */
  bool *triggered; /* by block */
  bool *used;      /* by pc: an access was recorded */
  const Insn *trigger;
  pthread_mutex_t lock; /* for the fields that host threads change */
};

/* --- begin and end --- */

/* A launch may begin once its primary's blocks have triggered: then all that the primary overlaps
 * may still run, unless one of the primary's blocks waited before. griddepcontrol.wait waits for
 * the primary alone, and thus for what the primary has waited for. */
static void add_primary(EmuTrace *own, EmuTrace *p) {
  const TraceSet *begun = p->waits_before_trigger ? &p->unfinished : &p->running;
  const TraceSet *left = p->waits ? &p->unfinished : &p->running;
  if (p->triggers) trace_set_add(&own->running, p, NULL);
  for (int i = 0; i < begun->count; i++) trace_set_add(&own->running, begun->trace[i], NULL);
  for (int i = 0; i < left->count; i++) {
    const char *by = p->waits && left->skipped_by[i] ? left->skipped_by[i] : p->kernel;
    trace_set_add(&own->unfinished, left->trace[i], arena_printf(own->arena, "%s", by));
  }
}

static void overlap_free(Overlap *o) {
  if (!o) return;
  emu_trace_free(o->own);
  pthread_mutex_destroy(&o->lock);
  free(o->waited);
  free(o->triggered);
  free(o->used);
  free(o);
}

bool overlap_new(const Launch *launch, Overlap **out) {
  const EmuLaunch *l = launch->config;
  const Program *p = launch->program;
  const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  const bool records = p->triggers && l->trace;
  int primaries = 0;
  *out = NULL;
  for (int i = 0; i < l->primaries; i++) primaries += l->primary[i] != NULL;
  if (!launch->global_race || (!records && !primaries)) return true;
  Overlap *o = calloc(1, sizeof *o);
  if (!o) return false;
  pthread_mutex_init(&o->lock, NULL);
  o->records = records;
  o->warps = (int)((threads + LANES - 1) / LANES);
  o->own = trace_new(l->label ? l->label : l->kernel, p->count);
  o->waited = calloc((size_t)launch->blocks * (size_t)o->warps, sizeof *o->waited);
  o->triggered = calloc((size_t)launch->blocks, sizeof *o->triggered);
  o->used = calloc((size_t)p->count, sizeof *o->used);
  const bool ok = o->own && o->waited && o->triggered && o->used;
  for (int i = 0; ok && i < l->primaries; i++)
    if (l->primary[i]) add_primary(o->own, l->primary[i]);
  if (ok) *out = o;
  if (!ok) overlap_free(o);
  return ok;
}

static TraceLine line_of(const Launch *launch, const Insn *insn) {
  const SourceLoc at = insn_source(launch->program, insn);
  const char *file = ast_file(launch->program->ast, at.file);
  return (TraceLine){file ? memory_keep_name(launch->memory, file) : NULL, at.line,
                     insn->statement->line};
}

static bool has_waited(const Overlap *o, uint64_t block) {
  bool waited = false;
  for (int i = 0; i < o->warps; i++)
    waited |= o->waited[block * (uint64_t)o->warps + (uint64_t)i].lanes != 0;
  return waited;
}

EmuTrace *overlap_end(Overlap *o, const Launch *launch) {
  if (!o) return NULL;
  const Program *p = launch->program;
  EmuTrace *own = o->own;
  for (int pc = 0; pc < p->count; pc++)
    if (o->used[pc]) own->line[pc] = line_of(launch, &p->insn[pc]);
  if (o->trigger) own->trigger = line_of(launch, o->trigger);
  for (uint64_t i = 0; i < launch->blocks; i++) {
    own->triggers |= o->triggered[i];
    own->waits |= has_waited(o, i);
    own->waits_before_trigger |= !o->triggered[i] && has_waited(o, i);
  }
  emu_trace_keep(own);
  overlap_free(o);
  return own;
}

/* --- griddepcontrol --- */

void overlap_wait(Warp *w, const Insn *insn, uint32_t lanes) {
  Overlap *o = w->block->launch->overlap;
  (void)insn;
  if (!o) return;
  pthread_mutex_lock(&o->lock);
  Waited *at = &o->waited[w->block->number * (uint64_t)o->warps + (uint64_t)w->index];
  if (!at->lanes) at->tick = order_now(w);
  at->lanes |= lanes;
  pthread_mutex_unlock(&o->lock);
}

void overlap_trigger(Warp *w, const Insn *insn, uint32_t lanes) {
  Overlap *o = w->block->launch->overlap;
  (void)lanes;
  if (!o || o->triggered[w->block->number]) return;
  pthread_mutex_lock(&o->lock);
  if (!o->trigger) o->trigger = insn;
  if (has_waited(o, w->block->number)) o->own->waits_before_trigger = true;
  o->triggered[w->block->number] = true;
  pthread_mutex_unlock(&o->lock);
}

/* --- order --- */

static bool happened_before(const Warp *w, unsigned lane, uint64_t block, int warp, Waited at) {
  const Cluster *cluster = w->block->cluster;
  const uint64_t blocks = (uint64_t)cluster->blocks;
  const bool is_near = block / blocks == w->block->number / blocks;
  FOR_LANES(old, at.lanes) {
    if (is_near
            ? order_has(w, lane, cluster->block[block % blocks]->first_slot + warp, old, at.tick)
            : order_has_remote(w, lane, (uint32_t)block, warp, old, at.tick))
      return true;
  }
  return false;
}

/* True if the lane, or a thread whose actions happen before its next access, has waited. */
static bool is_after_wait(Overlap *o, const Warp *w, unsigned lane) {
  const Launch *launch = w->block->launch;
  const uint64_t warps = (uint64_t)o->warps, size = (uint64_t)w->block->cluster->blocks;
  const uint64_t own = w->block->number * warps + (uint64_t)w->index;
  const uint64_t first = w->block->number / size * size;
  if (o->waited[own].lanes >> lane & 1) return true;
  pthread_mutex_lock(&o->lock);
  bool after = false;
  for (uint64_t i = first * warps; !after && i < (first + size) * warps; i++)
    after =
        o->waited[i].lanes && happened_before(w, lane, i / warps, (int)(i % warps), o->waited[i]);
  for (uint64_t i = 0; !after && launch->program->uses_fence && i < launch->blocks * warps; i++)
    after =
        o->waited[i].lanes && happened_before(w, lane, i / warps, (int)(i % warps), o->waited[i]);
  pthread_mutex_unlock(&o->lock);
  return after;
}

/* --- accesses --- */

typedef struct {
  Warp *warp;
  const Insn *insn;
  RaceKind kind;
  bool strong;
  unsigned lane;
  uint64_t at, end;
} LaneAccess;

/* The bytes of the word at an address that the access covers. */
static uint32_t mask_at(const LaneAccess *a, uint64_t word) {
  const uint64_t from = a->at > word ? a->at - word : 0;
  const uint64_t to = a->end < word + 4 ? a->end - word : 4;
  return (1u << to) - (1u << from);
}

static bool conflicts(const LaneAccess *a, uint32_t mask, TraceAccess old) {
  return (old.bytes & mask) && !(old.strong && a->strong);
}

/* An access of the trace that conflicts with the lane's; bytes 0: there is none. */
static TraceAccess find_conflict(const LaneAccess *a, const EmuTrace *t, uint64_t *at,
                                 bool *reads) {
  for (uint64_t word = a->at & ~UINT64_C(3); word < a->end; word += 4) {
    const TraceWord *old = trace_find(t, word);
    const uint32_t mask = mask_at(a, word);
    if (!old) continue;
    *at = word > a->at ? word : a->at;
    *reads = !conflicts(a, mask, old->write);
    if (!*reads) return old->write;
    if (a->kind != RACE_READ && conflicts(a, mask, old->read)) return old->read;
  }
  return (TraceAccess){0};
}

typedef struct {
  char text[80];
} LineText;

/* "line 12", with the file's name where it is another than the reporting instruction's. */
static LineText line_text(const LaneAccess *a, TraceLine line) {
  const Program *p = a->warp->block->program;
  const char *mine = ast_file(p->ast, insn_source(p, a->insn).file);
  const char *slash = line.file ? strrchr(line.file, '/') : NULL;
  LineText out;
  if (!line.line)
    snprintf(out.text, sizeof out.text, "PTX line %d", line.ptx_line);
  else if (mine && line.file && strcmp(mine, line.file) == 0)
    snprintf(out.text, sizeof out.text, "line %d", line.line);
  else
    snprintf(out.text, sizeof out.text, "%.60s:%d",
             slash       ? slash + 1
             : line.file ? line.file
                         : "?",
             line.line);
  return out;
}

static void report(const LaneAccess *a, const EmuTrace *t, TraceAccess old, uint64_t at, bool reads,
                   const char *skipped_by) {
  static const char *const does[] = {"reads", "writes", "updates"};
  Block *block = a->warp->block;
  const TraceLine line = t->line[old.pc];
  if (!finding_add(block, EMU_RACE, a->insn, warp_thread(a->warp, a->lane), 1)) return;
  const Buffer *b = memory_find(block->launch->memory, at);
  char why[100], trigger[64] = "";
  if (old.late)
    snprintf(trigger, sizeof trigger, ", after its launch_dependents at %.20s",
             line_text(a, t->trigger).text);
  if (skipped_by)
    snprintf(why, sizeof why, "%.40s, launched between, has no griddepcontrol.wait", skipped_by);
  else
    snprintf(why, sizeof why, "no griddepcontrol.wait (cudaGridDependencySynchronize) between");
  finding_describe(block, "%s byte %llu of buffer %.40s that kernel %.40s %s at %.40s%s: %s",
                   does[a->kind], (unsigned long long)(b ? at - b->base : at), b ? b->name : "?",
                   t->kernel, reads ? "reads" : "writes", line_text(a, line).text, trigger, why);
  finding_other_at(block, (EmuLocation){line.file, line.line}, line.ptx_line);
}

static bool is_in(const TraceSet *set, const EmuTrace *t, const char **skipped_by) {
  for (int i = 0; i < set->count; i++) {
    *skipped_by = set->skipped_by[i];
    if (set->trace[i] == t) return true;
  }
  return false;
}

static void check(Overlap *o, const LaneAccess *a, const TraceSet *set, bool waited) {
  for (int i = 0; i < set->count; i++) {
    uint64_t at = a->at;
    bool reads = false;
    const char *skipped_by = NULL;
    const TraceAccess old = find_conflict(a, set->trace[i], &at, &reads);
    if (!old.bytes) continue;
    const bool left = is_in(&o->own->unfinished, set->trace[i], &skipped_by);
    if (!waited && is_after_wait(o, a->warp, a->lane)) waited = true;
    if (waited && !left) continue;
    report(a, set->trace[i], old, at, reads, waited ? skipped_by : NULL);
    return;
  }
}

static void record(Overlap *o, const LaneAccess *a) {
  const Block *block = a->warp->block;
  const uint32_t pc = (uint32_t)(a->insn - a->warp->code);
  TraceAccess access = {
      .strong = a->strong, .late = o->triggered[block->number], .pc = pc & ((1u << 26) - 1)};
  o->used[pc] = true;
  for (uint64_t word = a->at & ~UINT64_C(3); word < a->end; word += 4) {
    TraceWord *at = trace_at(o->own, word);
    if (!at) return;
    access.bytes = mask_at(a, word) & 0xf;
    trace_add(a->kind == RACE_READ ? &at->read : &at->write, access);
  }
}

void overlap_check(Warp *w, const Insn *insn, RaceKind kind, bool strong, uint32_t active,
                   const uint64_t at[LANES], uint64_t bytes) {
  Overlap *o = w->block->launch->overlap;
  const TraceSet *running = &o->own->running;
  if (o->records) pthread_mutex_lock(&o->lock);
  FOR_LANES(lane, active) {
    const LaneAccess a = {w, insn, kind, strong, lane, at[lane], at[lane] + bytes};
    if (o->records) record(o, &a);
  }
  if (o->records) pthread_mutex_unlock(&o->lock);
  FOR_LANES(lane, running->count ? active : 0) {
    const LaneAccess a = {w, insn, kind, strong, lane, at[lane], at[lane] + bytes};
    check(o, &a, running, false);
  }
}
