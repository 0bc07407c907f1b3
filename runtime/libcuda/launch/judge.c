/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/judge.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device/clock.h"
#include "libcuda/driver.h"
#include "libcuda/launch/judge_sum.h"
#include "libcuda/launch/save.h"
#include "libcuda/launch/written.h"
#include "libcuda/state/allocation.h"
#include "libcuda/watch/host.h"
#include "libcuda/watch/session.h"
#include "libcuda/watch/stack.h"
#include "lint/input/args.h"
#include "lint/input/name.h"
#include "lint/report/json.h"
#include "lint/report/page.h"

enum { FEW_GRIDS = 16, MOST_GROUPS = 2048, SHARE_OF_TIME = 20 };

/* Launches of one kernel with the same grid, block and shared memory. Beyond the first FEW_GRIDS
 * grids of a kernel, all further grids are counted in the last group. Once there are MOST_GROUPS,
 * so are all further sizes of a kernel that has a group. */
typedef struct Group {
  struct Group *next;
  int number;               /* number of its file */
  const Function *function; /* NULL once its module is unloaded */
  EmuLaunch launch;         /* the first one */
  LintWatch *watch;
  JudgeSum sum;
  uint64_t count, written; /* number of launches, and of those that the file covers */
  LintStack from; /* call stack of the first launch with a finding, else of the first launch */
  LintStacks also_from;     /* other call stacks that launched it */
  double wrote_ms, cost_ms; /* time of the last write, and its duration */
} Group;

typedef struct {
  Arena *arena;
  Group *first, *last;
  int count;
  bool merges; /* a size was counted in another size's group */
} Groups;

static Groups *groups(void) {
  static Groups all;
  if (!all.arena) all.arena = arena_new();
  return &all;
}

/* --- the group of a launch --- */

static bool same_sizes(const EmuLaunch *a, const EmuLaunch *b) {
  return memcmp(a->block, b->block, sizeof a->block) == 0 &&
         memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
         a->dynamic_shared == b->dynamic_shared;
}

/* Reports once that sizes are merged. */
static void report_merged(const Function *f) {
  Groups *all = groups();
  if (all->merges) return;
  all->merges = true;
  Arena *a = arena_new();
  fprintf(stderr,
          "kgen: note: more than %d combinations of kernel, grid, block and shared memory: further "
          "sizes are counted with others of their kernel, first of %s\n",
          MOST_GROUPS, text_clean(a, lint_name_short(a, f->kernel->name)));
  arena_free(a);
}

static Group *find(const Function *f, const EmuLaunch *l) {
  int grids = 0;
  Group *nearly = NULL, *other = NULL;
  for (Group *g = groups()->first; g; g = g->next) {
    if (g->function != f) continue;
    other = g;
    if (!same_sizes(&g->launch, l)) continue;
    if (memcmp(g->launch.grid, l->grid, sizeof l->grid) == 0) return g;
    nearly = g;
    grids++;
  }
  if (grids >= FEW_GRIDS) return nearly;
  if (!other || groups()->count < MOST_GROUPS) return NULL;
  report_merged(f);
  return other;
}

static Group *add(const Function *f, const EmuLaunch *l) {
  Groups *all = groups();
  Arena *a = all->arena;
  Group *g = ARENA_NEW(a, Group);
  *g = (Group){.number = all->count++, .function = f, .launch = *l, .sum = {.arena = a}};
  g->watch = lint_watch_new(a, lint_args_shared(f->kernel, l->dynamic_shared),
                            text_lines(f->module->ptx, f->module->ptx_bytes));
  g->from = host_stack(a);
  if (all->last)
    all->last->next = g;
  else
    all->first = g;
  return all->last = g;
}

/* --- writing a group --- */

/* The source string that NVRTC compiled in this process, from libkgen_preload.so. */
static const char *text_in_memory(const char *path) {
  void *found = dlsym(RTLD_DEFAULT, "kgen_preload_source");
  LintFilesText *text = NULL;
  memcpy(&text, &found, sizeof text);
  return text ? text(path) : NULL;
}

/* Returns the kernel's source file; without one, the PTX is the source. */
static LintSource source_of(Arena *a, const Session *s, const Function *f) {
  const Module *m = f->module;
  const bool known = f->kernel->file != NULL;
  LintSource out = {.arena = a,
                    .arch = driver()->device->arch,
                    .limits = gpu_arch(driver()->device),
                    .is_ptx = !known,
                    .ptx = m->ptx,
                    .ptx_size = m->ptx_bytes,
                    .module = m->emu};
  out.path = known
                 ? f->kernel->file
                 : arena_printf(a, "%s: PTX, without source lines", program_invocation_short_name);
  out.files = lint_files_new(a, out.path, false, s->include, s->includes);
  lint_files_before(out.files, text_in_memory);
  out.text = known ? lint_files_text(out.files, out.path) : m->ptx;
  return out;
}

static void put_pictures(Json *j, Arena *a, const LintReport *r) {
  const LintPictures p = lint_page_pictures(a, r);
  json_object(j, "pictures");
  json_string(j, "arrays", p.arrays);
  json_string(j, "sources", p.sources);
  json_end(j);
}

static Text text_of(Arena *a, const Session *s, const Group *g, const LintReport *r) {
  Text out = text_new(a);
  Json json = json_new(&out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  json_object(j, "lint");
  lint_json_put_keys(j, r);
  json_end(j);
  json_object(j, "more");
  lint_json_put_more(j, r);
  json_end(j);
  lint_stack_put(j, "from", &g->from);
  lint_stacks_put(j, "also_from", &g->also_from);
  if (s->pictures) put_pictures(j, a, r);
  json_end(j);
  return out;
}

static void write_group(Session *s, Group *g) {
  const double start = clock_ms();
  Arena *a = arena_new();
  const Function *f = g->function;
  LintSource source = source_of(a, s, f);
  LintSeen seen = {.kernel = f->kernel,
                   .shared_bytes = lint_args_shared(f->kernel, g->launch.dynamic_shared),
                   .launches = g->count,
                   .blocks = g->sum.result.blocks,
                   .result = &g->sum.result,
                   .memory = driver()->memory,
                   .watch = g->watch};
  memcpy(seen.grid, g->launch.grid, sizeof seen.grid);
  memcpy(seen.block, g->launch.block, sizeof seen.block);
  memcpy(seen.cluster, g->launch.cluster, sizeof seen.cluster);
  const LintReport r = lint_report_make(a, &source, &seen);
  const Text text = text_of(a, s, g, &r);
  if (session_write(s, g->number, &text)) g->written = g->count;
  arena_free(a);
  g->wrote_ms = clock_ms();
  g->cost_ms = g->wrote_ms - start;
}

/* A group is written at its first launch, at new findings, and otherwise if writing takes at most
 * 1/20 of the time. A killed program then loses few counts and no finding. */
static bool is_due(const Group *g, bool new) {
  return g->count == 1 || new || clock_ms() - g->wrote_ms > SHARE_OF_TIME * g->cost_ms;
}

/* Writes the groups of a module's kernels before it is unloaded, while source lines are known. */
static void write_kernels(const Module *m) {
  Session *s = session();
  for (Group *g = groups()->first; g; g = g->next) {
    if (!g->function || g->function->module != m) continue;
    if (s && g->written < g->count) write_group(s, g);
    g->function = NULL;
  }
}

/* --- launching --- */

static bool is_wanted(Session *s, const Function *f) {
  if (s->filtered) {
    Arena *a = arena_new();
    const char *name = lint_name_plain(a, f->kernel->name);
    const bool matches = regexec(&s->kernels, name, 0, NULL, 0) == 0;
    arena_free(a);
    if (!matches) return false;
  }
  if (s->skip > 0) return s->skip-- == 0;
  return s->launches < 0 || s->judged < (uint64_t)s->launches;
}

/* False for kernels whose writes cannot be tracked: TMA and the device runtime's copies cause no
 * events. */
static bool is_seen(const Function *f) {
  static const char *const silent[] = {"cp.async.bulk", "__cudaCDP2Mem", "tensormap.cp_fenceproxy"};
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    if (strstr(f->module->ptx, silent[i])) return false;
  return true;
}

/* A checked launch that has begun. A launch that only polls memory is left waiting, and ends in a
 * later call. */
typedef struct Judging {
  struct Judging *next;
  Arena *arena; /* the arena that contains this structure */
  EmuRun *run;
  Group *group;
  Save *save;
  EmuSnapshot *before; /* to repeat it under other schedules, or NULL */
  Written written;
  bool late;      /* the launch was left waiting */
  LintStack from; /* if it was late, the call that launched it */
} Judging;

static Judging **judgings(void) {
  static Judging *first;
  return &first;
}

static Judging *judging_of(const EmuRun *run) {
  Judging *j = *judgings();
  while (j && j->run != run) j = j->next;
  return j;
}

static Judging *begin(Session *s, const Function *f, EmuLaunch *launch) {
  EmuLaunch l = *launch;
  Arena *a = arena_new();
  Judging *j = ARENA_NEW(a, Judging);
  Group *g = find(f, &l);
  *j = (Judging){.next = *judgings(), .arena = a, .group = g ? g : add(f, &l)};
  *judgings() = j;
  f->module->leaves = write_kernels;
  s->judged++;
  if (s->save) j->save = save_begin(s->save, s->judged, f, &l);
  j->written = written_begin(a, l.block, lint_watch_event, j->group->watch);
  if (!is_seen(f)) allocation_written();
  l.label = lint_name_short(a, f->kernel->name);
  l.observer = written_event;
  l.observer_context = &j->written;
  if (j->save) save_watch(j->save, &l);
  if (s->schedules.last) j->before = emu_snapshot(driver()->memory);
  j->run = emu_begin(f->module->emu, &l);
  *launch = l;
  return j;
}

static void forget(Judging *j) {
  Judging **at = judgings();
  while (*at != j) at = &(*at)->next;
  *at = j->next;
  save_end(j->save, j->late);
  written_end(&j->written);
  emu_snapshot_free(j->before);
  arena_free(j->arena);
}

/* Adds advice to findings about polling: a launch that ends within its call waits in vain for the
 * host, which is blocked meanwhile. */
static void tell_waits(EmuResult *result) {
  static const char advice[] =
      "; if it waits for the host, exclude the kernel with --kernels or --skip";
  for (int i = 0; i < result->findings; i++) {
    EmuFinding *f = &result->finding[i];
    const size_t length = strlen(f->message);
    if (f->spins) snprintf(f->message + length, sizeof f->message - length, "%s", advice);
  }
}

/* Adds the result to its group. True if the group did not have all of the findings. */
static bool add_up(const Judging *j, EmuResult *result) {
  JudgeSum *sum = &j->group->sum;
  if (!j->late) tell_waits(result);
  int count = judge_sum_add(sum, result);
  for (int i = 0; i < j->written.findings; i++)
    count += judge_sum_found(sum, &j->written.finding[i]);
  return count > 0;
}

/* The call stack that launched it; in the given arena, or in the group's. */
static LintStack place_of(const Judging *j, Arena *a) { return j->late ? j->from : host_stack(a); }

static void keep_place(Group *g, const Judging *j) {
  if (g->also_from.count == LINT_STACKS) return;
  const LintStack here = place_of(j, j->arena);
  const bool known = lint_stack_same(&g->from, &here) || lint_stacks_hold(&g->also_from, &here);
  if (!known) g->also_from.stack[g->also_from.count++] = place_of(j, groups()->arena);
}

/* Moves the call stack of the first finding to the front of the report. */
static void put_first(Group *g, const Judging *j) {
  const LintStack before = g->from;
  LintStacks *also = &g->also_from;
  g->from = place_of(j, groups()->arena);
  if (lint_stack_same(&before, &g->from)) return;
  int i = 0; /* its index, or else the last one */
  while (i < also->count - 1 && !lint_stack_same(&also->stack[i], &g->from)) i++;
  if (i < also->count) also->stack[i] = before;
}

static void count(Session *s, const Judging *j, EmuResult *result) {
  Group *g = j->group;
  atomic_fetch_add(&s->tally->checked,
                   1); /* counted before it is recorded, so that a missing record is noticed */
  const bool had = g->sum.result.findings > 0, new = add_up(j, result);
  g->count++;
  if (g->count > 1) keep_place(g, j);
  if (new && !had && g->count > 1) put_first(g, j);
  if (is_due(g, new)) write_group(s, g);
}

/* launch: as it began, for its schedules; NULL: it waited for the host, and is not repeated. */
static EmuResult *finish(Session *s, Judging *j, const EmuLaunch *launch) {
  EmuResult *result = j->run ? emu_end(j->run) : NULL;
  if (launch && j->before && result && !result->error[0])
    emu_try_schedules(j->group->function->module->emu, driver()->memory, launch, j->before,
                      s->schedules, result);
  if (result && !result->error[0])
    count(s, j, result);
  else
    s->judged--;
  forget(j);
  return result;
}

/* --- checked and unchecked launches --- */

enum { PATIENCE = 1 << 18 }; /* warp instructions, about 10 ms unchecked */

static EmuResult *run_judged(Session *s, const Function *f, EmuLaunch l, EmuRun **waits) {
  Judging *j = begin(s, f, &l);
  if (!j->run || emu_run(j->run, waits ? PATIENCE : 0)) return finish(s, j, &l);
  j->late = true;
  j->from = host_stack(groups()->arena);
  *waits = j->run;
  host_waits(f->kernel->name, true);
  return NULL;
}

static EmuResult *end_unjudged(const Function *f, EmuRun *run) {
  EmuResult *result = emu_end(run);
  if (result && (result->stopped || result->illegal_address))
    host_launch_stopped(f->kernel->name, result);
  return result;
}

/* Memory that was allocated since the last call also counts as written. */
static bool go_on_unjudged(EmuRun *run, uint64_t patience) {
  allocation_written();
  return emu_run(run, patience);
}

static EmuResult *run_unjudged(Session *s, const Function *f, EmuLaunch l, EmuRun **waits) {
  if (s) {
    atomic_fetch_add(&s->tally->unchecked, 1);
    host_unchecked(f->kernel->name);
  }
  l.unchecked = true;
  l.translator = s && s->translator.ask ? &s->translator : NULL;
  EmuRun *run = emu_begin(f->module->emu, &l);
  if (!run) return NULL;
  if (go_on_unjudged(run, waits ? PATIENCE : 0)) return end_unjudged(f, run);
  *waits = run;
  return NULL;
}

EmuResult *judge_launch(const Function *f, const EmuLaunch *launch, EmuRun **waits) {
  Session *s = session();
  EmuLaunch l = *launch;
  if (s) l.max_steps = s->max_steps;
  host_launched(f->kernel->name);
  return s && is_wanted(s, f) ? run_judged(s, f, l, waits) : run_unjudged(s, f, l, waits);
}

EmuResult *judge_go_on(const Function *f, EmuRun *run, uint64_t patience) {
  Judging *j = judging_of(run);
  if (j && !emu_run(run, patience)) return NULL;
  if (j) host_waits(f->kernel->name, false);
  if (j) return finish(session(), j, NULL);
  return go_on_unjudged(run, patience) ? end_unjudged(f, run) : NULL;
}

/* The process's file still lists a checked launch as waiting, because it did not finish. */
void judge_drop(EmuRun *run) {
  Judging *j = judging_of(run);
  emu_result_free(j ? finish(session(), j, NULL) : emu_end(run));
}

bool judge_expects(void) {
  const Session *s = session();
  return s && (s->launches < 0 || s->judged < (uint64_t)s->launches);
}

/* --- the end --- */

void judge_end(bool at_end) {
  Session *s = session();
  for (Group *g = groups()->first; s && g; g = g->next)
    if (g->function && g->written < g->count) write_group(s, g);
  host_close(at_end);
}
