/* SPDX-License-Identifier: MIT */
#include "lint/lint.h"

#include <string.h>
#include <unistd.h>

#include "command/repro.h"
#include "lint/input/bind.h"
#include "lint/input/compile.h"
#include "lint/input/flag.h"
#include "lint/input/kernel.h"
#include "lint/input/name.h"
#include "lint/input/repro.h"
#include "lint/progress.h"
#include "lint/report/buffers.h"

enum { MAX_STEPS = 1 << 24 };

/* One call of kgen --lint. */
typedef struct {
  Arena *arena;
  const Options *options;
  const LintListener *listener;
  Diag *diag;
  LintSource source;
  const LintLaunch *given; /* from a file; NULL: the options' launch */
  LintLaunch launch;
  EmuMemory *memory;
  EmuModule *module;
  const EmuKernel *kernel;
  LintChain *chain; /* NULL: the launch shares no memory */
} Lint;

/* --- loading --- */

/* Reports `count` errors, from index `first` on. */
static void report_errors(const Lint *l, int first, int count) {
  int all;
  const EmuError *e = emu_errors(l->module, &all);
  for (int i = first; i < first + count; i++) {
    const LintLocation at = lint_source_location(&l->source, e[i].file, e[i].line, e[i].ptx_line);
    diag_at(
        l->diag, DIAG_REJECTED, at.file ? at.file : l->source.path, at.line, "%s%s", e[i].message,
        at.line == e[i].ptx_line ? "" : arena_printf(l->arena, " (PTX line %d)", e[i].ptx_line));
  }
  diag_say(l->diag, DIAG_REJECTED, "%s: the emulator does not execute %s", l->source.path,
           l->kernel ? lint_name_plain(l->arena, l->kernel->name) : "this");
}

/* The chain's module with the same PTX, or a new module. */
static EmuModule *module_of(Lint *l) {
  LintChain *c = l->chain;
  for (int i = 0; c && i < c->modules; i++)
    if (strcmp(c->module[i].ptx, l->source.ptx) == 0) return c->module[i].module;
  EmuModule *m = emu_load(l->memory, l->source.ptx, l->source.ptx_size);
  if (!c || !m) return m;
  c->module = arena_grow(l->arena, c->module, c->modules, &c->capacity, sizeof *c->module);
  c->module[c->modules++] = (LintModule){l->source.ptx, m};
  return m;
}

static int load_module(Lint *l) {
  int errors = 0, kernels = 0;
  l->memory = l->chain && l->chain->memory ? l->chain->memory : emu_memory_new();
  if (l->chain) l->chain->memory = l->memory;
  if (l->memory && l->given && !lint_place_reserve(l->arena, l->memory, l->given, l->diag))
    return EXIT_BAD_INPUT;
  if (l->memory) l->module = module_of(l);
  if (!l->module) {
    diag_say(l->diag, DIAG_ARGUMENT, "out of memory");
    return EXIT_USAGE;
  }
  l->source.module = l->module;
  emu_errors(l->module, &errors);
  emu_kernels(l->module, &kernels);
  if (errors == 0 || kernels > 0) return 0;
  report_errors(l, 0, errors);
  return EXIT_REJECTED;
}

/* Loads only the selected kernel: other kernels of the file may need unsupported instructions. */
static int choose_kernel(Lint *l) {
  l->kernel = lint_kernel_find(&l->source, l->module, l->options, l->diag);
  if (!l->kernel) return EXIT_USAGE;
  if (l->kernel->runnable) return 0;
  report_errors(l, l->kernel->first_error, l->kernel->errors);
  return EXIT_REJECTED;
}

/* --- running --- */

/* Hints at the missing size of dynamic shared memory if an access was out of bounds and the launch
 * gives none. */
static void hint_smem(const Lint *l, const EmuResult *result) {
  bool outside = false;
  for (int i = 0; i < result->findings; i++)
    outside = outside || result->finding[i].kind == EMU_OUT_OF_BOUNDS;
  for (int i = 0; outside && !l->launch.smem && i < l->kernel->shared_vars; i++) {
    const EmuSharedVar *v = &l->kernel->shared_var[i];
    if (v->bytes) continue;
    diag_note(l->diag, "hint: '%s' has 0 bytes: %s says how many an extern array has",
              lint_name_variable(l->arena, v->name), l->given ? "smem: BYTES" : "--smem BYTES");
    return;
  }
}

static int report(Lint *l, const EmuResult *result, const LintWatch *watch,
                  const LintBoundArguments *placed) {
  LintSeen seen = {.kernel = l->kernel,
                   .shared_bytes = lint_args_shared(l->kernel, l->launch.smem),
                   .launches = 1,
                   .blocks = result->blocks,
                   .result = result,
                   .memory = l->memory,
                   .watch = watch};
  memcpy(seen.grid, l->launch.grid, sizeof seen.grid);
  memcpy(seen.block, l->launch.block, sizeof seen.block);
  memcpy(seen.cluster, l->launch.cluster, sizeof seen.cluster);
  LintReport r = lint_report_make(l->arena, &l->source, &seen);
  lint_report_ignore(&r, l->options->lint.ignored);
  if (l->options->lint.strict) lint_report_be_strict(l->arena, &r);
  r.name = l->launch.name;
  const int code = lint_outputs(l->arena, l->memory, &l->launch, placed, &r, l->diag);
  if (code > EXIT_WRONG) return code;
  l->listener->take(l->listener->context, &r);
  hint_smem(l, result);
  const bool over = l->launch.max_conflicts >= 0 && r.conflicts > (uint64_t)l->launch.max_conflicts;
  if (over)
    diag_note(l->diag, "%llu conflicts, more than --max-conflicts %lld",
              (unsigned long long)r.conflicts, (long long)l->launch.max_conflicts);
  return over || r.finding_count ? EXIT_WRONG : code;
}

/* The kernel's own output goes to stderr with the messages, so that stdout holds only data. */
static void pass_on(const Lint *l, const EmuResult *result) {
  const size_t n = result->printed_bytes;
  diag_output(l->diag, result->printed, n);
  if (!result->printf_dropped) return;
  if (n && result->printed[n - 1] != '\n') diag_output(l->diag, "\n", 1);
  diag_note(l->diag, "the kernel printed more than %d bytes: %llu calls dropped", EMU_PRINT_BYTES,
            (unsigned long long)result->printf_dropped);
}

static EmuLaunch emu_launch_of(const Lint *l, const void *const *args, LintWatch *watch) {
  EmuLaunch e = {.kernel = l->kernel->name,
                 .dynamic_shared = l->launch.smem,
                 .max_shared = (uint32_t)l->source.limits->shared_per_block,
                 .args = args,
                 .max_steps = l->launch.max_steps ? l->launch.max_steps : MAX_STEPS,
                 .cooperative = l->kernel->grid_sync,
                 .hang_states = l->options->lint.hang_states,
                 .label = lint_name_short(l->arena, l->kernel->name),
                 .observer = lint_watch_event,
                 .observer_context = watch};
  if (l->chain) e.trace = &l->chain->trace;
  if (l->chain && l->launch.programmatic) {
    e.primary = &l->chain->trace;
    e.primaries = 1;
  }
  memcpy(e.grid, l->launch.grid, sizeof e.grid);
  memcpy(e.block, l->launch.block, sizeof e.block);
  memcpy(e.cluster, l->launch.cluster, sizeof e.cluster);
  return e;
}

static bool shared_fits(const Lint *l) {
  const uint32_t bytes = lint_args_shared(l->kernel, l->launch.smem);
  if (bytes <= (uint32_t)l->source.limits->shared_per_block) return true;
  diag_say(l->diag, DIAG_ARGUMENT, "%u bytes of shared memory, and a block of %s has at most %d",
           bytes, l->source.arch, l->source.limits->shared_per_block);
  for (int i = 0; i < arch_count; i++) {
    if ((uint32_t)arch_table[i].shared_per_block < bytes) continue;
    diag_hint(l->diag, "--arch %s has %d", arch_table[i].name, arch_table[i].shared_per_block);
    break;
  }
  return false;
}

static void show(const Lint *l, const LintBoundArguments *placed, bool after) {
  const LintMemory memory = {l->memory, l->module, placed};
  if (l->listener->look) l->listener->look(l->listener->context, &memory, after);
}

static void try_schedules(const Lint *l, const EmuLaunch *e, const EmuSnapshot *before,
                          EmuSchedules range, EmuResult *result) {
  const bool had = result->findings > 0;
  const int shown = emu_try_schedules(l->module, l->memory, e, before, range, result);
  if (had)
    diag_note(l->diag, "--schedules: the launch is not repeated, because it has findings");
  else if (!shown)
    diag_note(l->diag, "schedules %d to %d: no findings, and the same output", range.first,
              range.last);
}

/* Launches the kernel, with its progress on a terminal. */
static EmuResult *execute(const Lint *l, EmuLaunch e) {
  LintProgress progress;
  lint_progress_start(&progress, (double)l->options->lint.time_limit,
                      isatty(STDERR_FILENO) && !l->options->quiet);
  e.progress = lint_progress_next;
  e.progress_context = &progress;
  const EmuSchedules range = {l->options->lint.schedule[0], l->options->lint.schedule[1]};
  EmuSnapshot *before = range.last ? emu_snapshot(l->memory) : NULL;
  EmuResult *result = emu_launch(l->module, &e);
  if (before && result && !result->error[0])
    try_schedules(l, &e, before, range, result);
  else if (range.last)
    diag_note(l->diag, "--schedules: the launch is not repeated, because the kernel may allocate "
                       "memory, or its buffers exceed 4 GiB");
  if (result && result->search[0]) diag_note(l->diag, "%s", result->search);
  emu_snapshot_free(before);
  lint_progress_end(&progress);
  return result;
}

static int launch(Lint *l) {
  if (!shared_fits(l)) return EXIT_USAGE;
  LintBoundArguments placed;
  if (!lint_bind_arguments(l->arena, l->memory, l->module, l->kernel, &l->launch, &placed, l->diag))
    return l->given ? EXIT_BAD_INPUT : EXIT_USAGE;
  LintWatch *watch = lint_watch_new(l->arena, lint_args_shared(l->kernel, l->launch.smem),
                                    text_lines(l->source.ptx, l->source.ptx_size));
  show(l, &placed, false);
  EmuResult *result = execute(l, emu_launch_of(l, placed.arg, watch));
  int code = EXIT_USAGE;
  if (result) pass_on(l, result);
  if (result && !result->error[0]) {
    show(l, &placed, true);
    if (l->chain) *(l->chain->bound = ARENA_NEW(l->arena, LintBoundArguments)) = placed;
    code = report(l, result, watch, &placed);
  } else {
    diag_say(l->diag, DIAG_ARGUMENT, "cannot launch %s: %s",
             lint_name_plain(l->arena, l->kernel->name), result ? result->error : "out of memory");
  }
  if (result) emu_result_free(result);
  lint_watch_free(watch);
  return code;
}

/* The last launch of a chain also frees what it shares. */
static void close_module(Lint *l) {
  LintChain *c = l->chain;
  if (!c && l->module) emu_unload(l->module);
  if (c && l->given->followed) return;
  for (int i = 0; c && i < c->modules; i++) emu_unload(c->module[i].module);
  if (c) emu_trace_free(c->trace);
  emu_memory_free(c ? c->memory : l->memory);
  if (c) *c = (LintChain){0};
}

/* The kernel is looked up before the launch is read: without arguments, kernels are listed. */
static int find_kernel(Lint *l) {
  int code = 0;
  const LintBuild *build = l->given ? l->given->build : NULL;
  if (!l->source.is_ptx && !lint_compile_take(build, l->options->lint.kernel, &l->source))
    code = lint_compile(l->options, &l->source, l->diag);
  if (!code) code = load_module(l);
  return code ? code : choose_kernel(l);
}

static bool lacks_target(const Lint *l) {
  return l->module || l->options->arch || l->source.lacks_target;
}

/* Hints at another --arch. Libraries often have one code path per architecture.
 * Architecture-specific instructions need a name with an `a`: wgmma sm_90a, tcgen05 sm_100a. */
static void hint_arch(const Lint *refused) {
  const bool is_hopper = strcmp(refused->source.arch, "sm_90") == 0;
  const char *const other[] = {
      is_hopper ? "sm_90a" : "sm_80", "sm_80", "sm_90", "sm_100a", "sm_120a", "sm_75"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    Lint l = *refused;
    if (strcmp(l.source.arch, other[i]) == 0) continue;
    l.source.arch = other[i];
    l.diag = diag_new(l.arena);
    l.chain = NULL;
    l.memory = NULL;
    l.module = NULL;
    l.source.module = NULL;
    const bool runs = find_kernel(&l) == 0;
    close_module(&l);
    if (!runs) continue;
    diag_hint(refused->diag, "with --arch %s it would be executed", other[i]);
    return;
  }
}

static bool read_launch(Lint *l) {
  if (l->given) l->launch = *l->given;
  return l->given || (lint_args_read(l->arena, l->options, &l->launch, l->diag) &&
                      lint_args_type(l->arena, l->kernel, &l->launch, l->diag));
}

static int judge(Lint *l) {
  const Options *o = l->options;
  if (!lint_flag_check(o, l->diag)) return EXIT_USAGE;
  int code = lint_source_load(l->arena, o, &l->source, l->diag);
  if (!code) {
    lint_inputs_headers(o, &l->source);
    code = find_kernel(l);
    if (l->module && !l->source.is_ptx)
      repro_makes(o->repro, "kernel.ptx", l->source.ptx, strlen(l->source.ptx));
    if (code == EXIT_REJECTED && !l->source.is_ptx && lacks_target(l)) hint_arch(l);
  }
  if (!code && !read_launch(l)) code = EXIT_USAGE;
  if (!code) lint_inputs_data(o, &l->launch);
  if (!code) code = launch(l);
  close_module(l);
  return code;
}

int lint_judge_with(Arena *a, const Options *o, const LintLaunch *launch,
                    const LintListener *listener, Diag *diag) {
  Lint l = {.arena = a, .options = o, .given = launch, .listener = listener, .diag = diag};
  if (launch) l.chain = launch->chain;
  return judge(&l);
}

int lint_judge(Arena *a, const Options *o, const LintLaunch *launch, LintTake *take, void *context,
               Diag *diag) {
  const LintListener listener = {.take = take, .context = context};
  return lint_judge_with(a, o, launch, &listener, diag);
}
