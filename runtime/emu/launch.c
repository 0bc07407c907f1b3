/* SPDX-License-Identifier: MIT */
/* Launching: checks, host threads, and merging their counters into one result. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "emu/arith/arith_resolve.h"
#include "emu/memory/heap.h"
#include "emu/module.h"
#include "emu/run/access/counters.h"
#include "emu/run/race/global.h"
#include "emu/run/race/overlap.h"
#include "emu/run/sched/resident.h"
#include "emu/run/sched/schedule.h"
#include "emu/run/sched/worker.h"
#include "emu/run/search/report.h"
#include "emu/run/state/finding.h"
#include "emu/run/state/sync_log.h"

enum { MAX_THREADS = 256, DEFAULT_SHARED = 232448, MAX_BLOCK = 1024, MAX_GRID_YZ = 65535 };

const char *const emu_finding_kind_name[EMU_FINDING_KINDS] = {
    "out-of-bounds", "misaligned", "uninitialised", "race",        "barrier",
    "max-steps",     "trap",       "assert",        "stack",       "proxy",
    "in-flight",     "warpgroup",  "exited-block",  "transaction", "proxy-write",
    "proxy-init",    "tensor-map", "tmem-read",     "tmem-write",  "tmem-fence",
    "tmem-bounds",   "tmem-alloc", "commit",        "descriptor",  "instruction-descriptor",
    "hardware",      "schedule"};

/* --- checks --- */

static const Program *find_program(const EmuModule *m, const char *name) {
  for (int i = 0; i < m->kernels; i++) {
    if (name && strcmp(m->kernel[i].name, name) == 0) return m->program[i];
  }
  return NULL;
}

static bool is_zero(const uint32_t size[3]) { return !size[0] || !size[1] || !size[2]; }

/* Blocks per cluster along a dimension: from the launch, else from the kernel, else 1. */
static uint32_t cluster_side(const EmuLaunch *config, const EmuKernel *kernel, int i) {
  const uint32_t *side = config->cluster[0] ? config->cluster : kernel->cluster;
  return side[i] ? side[i] : 1;
}

static const char *check_cluster(const EmuLaunch *config, const EmuKernel *kernel) {
  uint64_t blocks = 1;
  if (kernel->explicit_cluster && !config->cluster[0] && !kernel->cluster[0])
    return "the kernel needs a launch with clusters";
  for (int i = 0; i < 3; i++) {
    const uint32_t side = cluster_side(config, kernel, i), own = kernel->cluster[i];
    if (kernel->cluster[0] && side != (own ? own : 1))
      return "cluster differs from the kernel's .reqnctapercluster";
    if (config->grid[i] % side) return "the grid is not a multiple of the cluster";
    blocks *= side;
  }
  return blocks > MAX_CLUSTER ? "cluster larger than 16 blocks" : NULL;
}

static const char *check_sizes(const EmuLaunch *config, const Program *p) {
  const uint32_t *grid = config->grid, *block = config->block;
  const EmuKernel *info = &p->info;
  if (is_zero(grid) || is_zero(block)) return "a grid or block dimension is 0";
  if (grid[0] > INT32_MAX || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ)
    return "grid too large";
  if (block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > 64 ||
      (uint64_t)block[0] * block[1] * block[2] > MAX_BLOCK) {
    return "block larger than 1,024 threads";
  }
  uint64_t most = (uint64_t)info->max_block[0] * info->max_block[1] * info->max_block[2];
  if (most && (uint64_t)block[0] * block[1] * block[2] > most) {
    return "block larger than the kernel's .maxntid";
  }
  if (info->required_block[0] && memcmp(block, info->required_block, sizeof info->required_block)) {
    return "block differs from the kernel's .reqntid";
  }
  const char *why = check_cluster(config, info);
  if (why) return why;
  uint32_t limit = config->max_shared ? config->max_shared : DEFAULT_SHARED;
  if ((uint64_t)p->dynamic_offset + config->dynamic_shared > limit) {
    return "more shared memory than the limit";
  }
  return p->info.params && !config->args ? "the kernel's arguments are missing" : NULL;
}

static const char *check(const EmuModule *m, const EmuLaunch *config, const Program **program) {
  *program = find_program(m, config->kernel);
  if (!*program && m->ast->errors) return "the module has errors";
  if (!*program) return "there is no such kernel";
  return (*program)->info.runnable ? check_sizes(config, *program) : "the kernel has errors";
}

/* --- host threads --- */

static uint8_t *pack_params(const Program *p, const void *const *args) {
  uint8_t *params = calloc(1, p->param_bytes + 16);
  for (int i = 0; params && i < p->info.params; i++) {
    const EmuParam *param = &p->info.param[i];
    if (param->bytes) memcpy(params + param->offset, args[i], param->bytes);
  }
  return params;
}

static uint64_t *broadcast(const Program *p) {
  enum { LINE = 64 };
  uint64_t *consts = aligned_alloc(LINE, ((size_t)p->consts + 1) * EMU_LANES * sizeof *consts);
  for (size_t i = 0; consts && i < (size_t)p->consts * EMU_LANES; i++) {
    consts[i] = p->const_value[i / EMU_LANES];
  }
  return consts;
}

static void *thread_main(void *worker) {
  worker_run(worker);
  return NULL;
}

static int count_threads(const EmuLaunch *config, uint64_t clusters) {
  long threads = config->threads ? config->threads : cores_count(MAX_THREADS);
  if (config->schedule) threads = 1;
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  if ((uint64_t)threads > clusters) threads = (long)clusters;
  return threads < 1 ? 1 : (int)threads;
}

/* A thread that cannot be created leaves its blocks to the others; worker 0 is the caller. */
static void run_workers(Worker *worker, int count) {
  pthread_t thread[MAX_THREADS];
  bool started[MAX_THREADS] = {false};
  for (int i = 1; i < count; i++) {
    started[i] = pthread_create(&thread[i], NULL, thread_main, &worker[i]) == 0;
  }
  worker_run(&worker[0]);
  for (int i = 1; i < count; i++) {
    if (started[i]) pthread_join(thread[i], NULL);
  }
}

/* --- results --- */

static void add_site(EmuResult *result, const EmuAccess *sum) {
  bool load = sum->kind == EMU_LOAD || sum->kind == EMU_LDMATRIX;
  const bool bulk = sum->kind == EMU_BULK_LOAD || sum->kind == EMU_BULK_STORE;
  EmuTotal *total = bulk                        ? &result->bulk
                    : load                      ? &result->load
                    : sum->kind == EMU_ATOMIC   ? &result->atomic
                    : sum->kind == EMU_CP_ASYNC ? &result->copy
                    : sum->kind == EMU_WGMMA    ? &result->wgmma
                                                : &result->store;
  total->wavefronts += sum->wavefronts;
  total->ideal += sum->ideal;
  result->access[result->accesses++] = *sum;
}

static void merge_access(EmuResult *result, const Worker *worker, int count, const Insn *insn,
                         int place) {
  const Program *p = worker->launch->program;
  EmuAccess sum = {0};
  for (int i = 0; i < count; i++) {
    counters_merge(&sum, &worker[i].access[insn->memory.site * 2 + place]);
  }
  if (!sum.executions) return;
  SourceLoc source = insn_source(p, insn);
  sum.file = ast_file(p->ast, source.file);
  sum.line = source.line;
  sum.ptx_line = insn->statement->line;
  sum.opcode = insn->statement->opcode;
  add_site(result, &sum);
}

static bool merge_accesses(EmuResult *result, const Worker *worker, int count) {
  const Program *p = worker->launch->program;
  result->access = calloc((size_t)p->sites * 2 + 1, sizeof *result->access);
  if (!result->access) return false;
  for (int i = 0; i < p->count; i++) {
    if (!insn_accesses(&p->insn[i])) continue;
    merge_access(result, worker, count, &p->insn[i], 0);
    merge_access(result, worker, count, &p->insn[i], 1);
  }
  return true;
}

/* A race between warps before one within a warp, as finding_add_race() has it; else the lowest
 * block's. */
static bool finding_takes_precedence(const Found *a, const Found *b) {
  return a->of_warp != b->of_warp ? b->of_warp : a->block < b->block;
}

/* If several host threads found the same fault, one finding is kept. */
static void merge_finding(Found *all, int *total, const Found *found) {
  for (int i = 0; i < *total; i++) {
    Found *old = &all[i];
    if (old->insn != found->insn || old->finding.kind != found->finding.kind ||
        old->finding.note != found->finding.note)
      continue;
    const bool first = finding_takes_precedence(found, old);
    const Found more = first ? *old : *found;
    if (first) *old = *found;
    old->finding.count += more.finding.count;
    for (int k = 0; k < more.finding.others; k++)
      finding_other(&old->finding, more.finding.other[k]);
    return;
  }
  all[(*total)++] = *found;
}

static int by_place(const void *a, const void *b) {
  const Found *x = a, *y = b;
  if (x->insn != y->insn) return x->insn < y->insn ? -1 : 1;
  return (int)x->finding.kind - (int)y->finding.kind;
}

/* True for a note of an instruction that has a finding of the same kind. */
static bool is_covered(const Found *all, int count, int note) {
  for (int i = 0; i < count && all[note].finding.note; i++)
    if (!all[i].finding.note && all[i].insn == all[note].insn &&
        all[i].finding.kind == all[note].finding.kind)
      return true;
  return false;
}

static bool merge_findings(EmuResult *result, const Worker *worker, int count) {
  size_t most = 1;
  for (int i = 0; i < count; i++) most += (size_t)worker[i].findings.count;
  Found *all = calloc(most, sizeof *all);
  result->finding = calloc(most, sizeof *result->finding);
  result->note = calloc(most, sizeof *result->note);
  int total = 0;
  for (int i = 0; all && i < count; i++) {
    for (int k = 0; k < worker[i].findings.count; k++)
      merge_finding(all, &total, &worker[i].findings.found[k]);
  }
  const bool ok = all && result->finding && result->note;
  if (ok) {
    qsort(all, (size_t)total, sizeof *all, by_place);
    finding_advise(all, total);
    for (int i = 0; i < total; i++) {
      if (is_covered(all, total, i)) continue;
      EmuFinding *const out = all[i].finding.note ? &result->note[result->notes++]
                                                  : &result->finding[result->findings++];
      *out = all[i].finding;
    }
  }
  const bool ended = atomic_load(&worker->launch->stopped_by) != NO_BLOCK;
  if (worker->launch->unchecked && !ended) result->findings = 0;
  free(all);
  return ok;
}

static void merge(EmuResult *result, const Worker *worker, int count) {
  for (int i = 0; i < count; i++) {
    result->lane_instructions += worker[i].lane_instructions;
    result->warp_instructions += worker[i].warp_instructions;
    result->translated += worker[i].translated[0] + worker[i].translated[1];
    result->translated_partly += worker[i].translated[1];
  }
  if (!merge_accesses(result, worker, count) || !merge_findings(result, worker, count)) {
    snprintf(result->error, sizeof result->error, "out of memory");
  }
}

static void take_printed(EmuResult *result, Printed *printed) {
  if (!printed_sort(printed)) snprintf(result->error, sizeof result->error, "out of memory");
  result->printed = printed->text;
  if (result->printed) result->printed[printed->length] = '\0';
  result->printed_bytes = printed->length;
  result->printf_dropped = printed->dropped;
  free(printed->part);
}

/* --- launching --- */

/* Prepares the state that the host threads of a launch share. False when out of memory. */
static bool prepare(Launch *launch, Worker *worker, int count) {
  enum { DEFAULT_STEPS = 1 << 26 };
  const EmuLaunch *config = launch->config;
  launch->max_steps = config->max_steps ? config->max_steps : DEFAULT_STEPS;
  launch->most_residents = resident_most(launch);
  launch->cycles = resident_cycles(launch);
  atomic_init(&launch->progress, 1);
  launch->worker = worker;
  launch->workers = count;
  launch->unchecked = config->unchecked;
  const uint64_t cluster = (uint64_t)launch->cluster_blocks;
  launch->schedule = schedule_of(config->schedule, launch->blocks / cluster,
                                 (uint64_t)launch->most_residents / cluster);
  launch->gather = AT_LEVEL(gather_level, arith_most_vectors());
  if (!worker || !launch->params || !launch->consts) return false;
  if (config->hang_states && !launch->unchecked && !(launch->logs = sync_logs_new())) return false;
  if (launch->unchecked || config->ignore_global_races ||
      !global_race_fits(launch->program, launch->blocks))
    return true;
  launch->global_race = global_race_new(launch, count);
  return launch->global_race != NULL && overlap_new(launch, &launch->overlap);
}

static void report_end(EmuResult *result, Launch *launch) {
  const uint64_t begun = atomic_load(&launch->next) * (uint64_t)launch->cluster_blocks;
  result->illegal_address = atomic_load(&launch->illegal);
  result->stopped = atomic_load(&launch->stopped_by) != NO_BLOCK;
  result->cut = atomic_load(&launch->cut);
  result->blocks = begun < launch->blocks ? begun : launch->blocks;
}

enum { GRID_SPACE = 64 }; /* bytes */

struct EmuRun {
  EmuModule *module;
  EmuLaunch config; /* its arguments are packed */
  Launch launch;
  EmuResult *result;
  Worker *worker;
  int workers;
  bool begun;              /* there is something to run */
  EmuTrace *left;          /* the trace for dependents, once it has ended; or NULL */
  uint64_t progress, idle; /* Launch.progress when it last waited; idle instructions since then */
};

/* All blocks of a cooperative launch must be resident, since they wait for each other. */
static bool is_too_large(EmuResult *result, const Launch *launch) {
  const int most = launch->config->cooperative ? resident_most(launch) : 0;
  if (!most || launch->blocks <= (uint64_t)most) return false;
  snprintf(result->error, sizeof result->error,
           "a cooperative launch of %llu blocks: at most %d of them are resident at once",
           (unsigned long long)launch->blocks, most);
  return true;
}

static Launch launch_of(EmuModule *m, const EmuLaunch *config, const Program *program) {
  Launch launch = {
      .config = config, .program = program, .memory = m->memory, .stopped_by = NO_BLOCK};
  launch.blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
  launch.cluster_blocks = 1;
  for (int i = 0; i < 3; i++) {
    launch.cluster[i] = cluster_side(config, &program->info, i);
    launch.cluster_blocks *= (int)launch.cluster[i];
  }
  launch.explicit_cluster = config->cluster[0] || program->info.cluster[0];
  launch.const_bank = m->const_bank;
  launch.const_bytes = m->const_bytes;
  launch.const_alias = m->const_alias;
  launch.heap = m->ast->uses_heap ? heap_of(m->memory) : NULL;
  launch.pool = m->pool;
  return launch;
}

/* Provides what the kernel reads in addition to its buffers, and collects what it prints and
 * launches. */
static void open_surroundings(EmuModule *m, Launch *launch) {
  const EmuLaunch *config = launch->config;
  if (launch->program->uses_grid_space && config->cooperative)
    launch->grid_space = memory_alloc(m->memory, GRID_SPACE, "grid workspace", m);
  launch->params = pack_params(launch->program, config->args);
  launch->consts = broadcast(launch->program);
  pthread_mutex_init(&launch->printed.lock, NULL);
  launch->printed.room = config->print_bytes ? config->print_bytes : EMU_PRINT_BYTES;
  children_open(&launch->children);
}

static void close_surroundings(EmuRun *run) {
  Launch *launch = &run->launch;
  if (!children_take(&launch->children, run->result))
    snprintf(run->result->error, sizeof run->result->error, "out of memory");
  pthread_mutex_destroy(&launch->printed.lock);
  take_printed(run->result, &launch->printed);
  if (launch->grid_space) emu_free(run->module->memory, launch->grid_space);
  free((uint8_t *)(uintptr_t)launch->params);
  free(launch->consts);
}

static bool open_workers(EmuRun *run) {
  Launch *launch = &run->launch;
  run->workers = count_threads(launch->config, launch->blocks / (uint64_t)launch->cluster_blocks);
  run->worker = calloc((size_t)run->workers, sizeof *run->worker);
  bool ok = prepare(launch, run->worker, run->workers);
  for (int i = 0; ok && i < run->workers; i++) ok = worker_open(&run->worker[i], launch);
  return ok;
}

static void close_workers(EmuRun *run) {
  Launch *launch = &run->launch;
  for (int i = 0; run->worker && i < run->workers; i++) worker_close(&run->worker[i]);
  emu_trace_free(run->left);
  run->left = overlap_end(launch->overlap, launch);
  global_race_free(launch->global_race);
  sync_logs_free(launch->logs);
  free(run->worker);
}

/* False, with the reason in its result, if nothing can run. */
static bool begin(EmuRun *run, EmuModule *m, const EmuLaunch *config) {
  const Program *program = NULL;
  *run = (EmuRun){.module = m, .config = *config, .result = calloc(1, sizeof *run->result)};
  if (!run->result) return false;
  const char *why = check(m, config, &program);
  if (why) snprintf(run->result->error, sizeof run->result->error, "%s", why);
  if (why) return false;
  run->launch = launch_of(m, &run->config, program);
  if (is_too_large(run->result, &run->launch)) return false;
  open_surroundings(m, &run->launch);
  run->begun = open_workers(run);
  if (run->begun) return true;
  snprintf(run->result->error, sizeof run->result->error, "out of memory");
  close_workers(run);
  close_surroundings(run);
  return false;
}

static void add_idle(EmuRun *run) {
  const uint64_t progress = atomic_load(&run->launch.progress);
  if (progress != run->progress) run->idle = 0;
  run->progress = progress;
  run->idle += atomic_load(&run->launch.idle);
}

bool emu_run(EmuRun *run, uint64_t patience) {
  if (!run->begun) return true;
  Launch *launch = &run->launch;
  launch->patience = patience;
  launch->waited = run->idle;
  atomic_store(&launch->parked, false);
  for (int i = 0; i < run->workers; i++) worker_wake(&run->worker[i]);
  run_workers(run->worker, run->workers);
  const bool ended = !atomic_load(&launch->parked);
  if (!ended) add_idle(run);
  return ended;
}

uint64_t emu_waited(const EmuRun *run) { return run->idle; }

/* An unfinished launch leaves no trace: the order of what follows is not known. */
static void leave_trace(EmuRun *run) {
  EmuTrace **const out = run->config.trace;
  if (!out) emu_trace_free(run->left);
  if (!out) return;
  emu_trace_free(*out);
  *out = run->left;
}

static EmuResult *end(EmuRun *run) {
  if (!run->begun) {
    leave_trace(run);
    return run->result;
  }
  for (int i = 0; i < run->workers; i++) worker_stop(&run->worker[i]);
  merge(run->result, run->worker, run->workers);
  run->result->cut = atomic_load(&run->launch.cut);
  search_report(&run->launch, run->result);
  report_end(run->result, &run->launch);
  if (atomic_load(&run->launch.out_of_memory))
    snprintf(run->result->error, sizeof run->result->error, "out of memory");
  close_workers(run);
  close_surroundings(run);
  leave_trace(run);
  return run->result;
}

EmuRun *emu_begin(EmuModule *m, const EmuLaunch *config) {
  EmuRun *run = malloc(sizeof *run);
  if (run) begin(run, m, config);
  return run;
}

EmuResult *emu_end(EmuRun *run) {
  EmuResult *result = end(run);
  free(run);
  return result;
}

EmuResult *emu_launch(EmuModule *m, const EmuLaunch *config) {
  EmuRun run;
  if (begin(&run, m, config)) emu_run(&run, 0);
  return end(&run);
}

void emu_result_free(EmuResult *result) {
  if (!result) return;
  free(result->access);
  free(result->finding);
  free(result->note);
  free(result->printed);
  for (int i = 0; i < result->children; i++) free(result->child[i].params);
  free(result->child);
  free(result);
}
