/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/launch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/driver.h"
#include "libcuda/error.h"
#include "libcuda/launch/judge.h"
#include "libcuda/state/context.h"
#include "libcuda/state/print.h"
#include "libcuda/watch/host.h"
#include "lint/input/name.h"
#include "model/occupancy.h"

/* Prints "kgen: NAME " and a message about the kernel on stderr. */
static void PRINTF_LIKE(2, 3) say(const Function *f, const char *fmt, ...) {
  Arena *a = arena_new();
  va_list args;
  va_start(args, fmt);
  const char *text = arena_vprintf(a, fmt, args);
  va_end(args);
  fprintf(stderr, "kgen: %s %s\n", text_clean(a, lint_name_short(a, f->kernel->name)),
          text_clean(a, text));
  arena_free(a);
}

/* --- checks --- */

static uint64_t product(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

/* Reports the kernel's first unsupported instruction, once per kernel. */
static CUresult refuse(Function *f) {
  int count;
  const EmuError *e = emu_errors(f->module->emu, &count);
  if (!f->refused && f->kernel->errors)
    say(f, "is not executed: %s (PTX line %d)", e[f->kernel->first_error].message,
        e[f->kernel->first_error].ptx_line);
  f->refused = true;
  return CUDA_ERROR_NOT_SUPPORTED;
}

/* All blocks of a cooperative launch must be resident at the same time. */
static bool fits_at_once(const KernelLaunch *l) {
  const int threads = (int)product(l->block);
  const int64_t shared = (int64_t)l->function->kernel->static_shared + l->shared_bytes;
  const Gpu *d = driver()->device;
  const int blocks = occupancy_blocks(gpu_arch(d), threads, 0, shared);
  return product(l->grid) <= (uint64_t)(blocks * d->processors);
}

static bool has_memory(const KernelLaunch *l) {
  enum { PLAIN = 49152 };
  const Function *f = l->function;
  const uint64_t bytes = (uint64_t)f->kernel->static_shared + l->shared_bytes;
  return l->shared_bytes <= (uint32_t)f->max_dynamic || bytes <= PLAIN;
}

/* True if the cluster is not too large. Every GPU supports 8 blocks; an H200 supports 16 for
 * kernels that the program declares non-portable. */
static bool fits_clusters(const KernelLaunch *l) {
  const uint64_t most = l->function->non_portable_cluster ? 16 : 8;
  uint64_t blocks = 1;
  for (int i = 0; i < 3; i++) {
    const uint32_t own = l->function->kernel->cluster[i];
    const uint32_t size = l->cluster[i] ? l->cluster[i] : own ? own : 1;
    if ((own && size != own) || l->grid[i] % size) return false;
    blocks *= size;
  }
  return blocks <= most;
}

static CUresult check(const KernelLaunch *l) {
  Function *f = l->function;
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  if (!f->kernel->runnable) return refuse(f);
  if (!product(l->grid) || !product(l->block)) return CUDA_ERROR_INVALID_VALUE;
  if (l->grid[1] > 65535 || l->grid[2] > 65535 || l->grid[0] > INT32_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (l->block[2] > 64 || product(l->block) > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (f->kernel->params && !l->params) return CUDA_ERROR_INVALID_VALUE;
  const uint64_t most = product(f->kernel->max_block);
  if (most && product(l->block) > most) return CUDA_ERROR_INVALID_VALUE;
  if (!has_memory(l)) return CUDA_ERROR_INVALID_VALUE;
  if (product(l->block) > (uint64_t)module_threads(f)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (l->cooperative && !fits_at_once(l)) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return fits_clusters(l) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

/* Reports a failed launch, except of an unsupported kernel: that is not the program's error. */
CUresult launch_record_failure(const KernelLaunch *l, CUresult result) {
  if (result && l->function && result != CUDA_ERROR_NOT_SUPPORTED)
    host_launch_failed(l->function->kernel->name, error_name(result));
  return result;
}

CUresult launch_check(const KernelLaunch *l) { return launch_record_failure(l, check(l)); }

void **launch_point(const Function *f, char *block) {
  void **params = f && block ? calloc((size_t)f->kernel->params + 1, sizeof *params) : NULL;
  for (int i = 0; params && i < f->kernel->params; i++)
    params[i] = block + f->kernel->param[i].offset;
  return params;
}

void **launch_unpack(const Function *f, void **extra) {
  char *block = NULL;
  for (; extra && *extra != LAUNCH_PARAM_END; extra += 2)
    if (*extra == LAUNCH_PARAM_BUFFER_POINTER) block = extra[1];
  return launch_point(f, block);
}

/* --- the fault of a GPU for each finding --- */

static CUresult fault_of(EmuFindingKind kind) {
  switch (kind) {
  case EMU_ASSERT: return CUDA_ERROR_ASSERT;
  case EMU_TRAP: return CUDA_ERROR_LAUNCH_FAILED;
  case EMU_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
  case EMU_STACK: return CUDA_ERROR_LAUNCH_FAILED;
  case EMU_MAX_STEPS: return CUDA_ERROR_LAUNCH_TIMEOUT;
  default: return CUDA_SUCCESS;
  }
}

/* Prints a failed assertion on stderr in CUDA's format. */
static void say_assertion(const EmuFinding *f) {
  const char *text = strchr(f->message, '`'), *end = text ? strrchr(text, '\'') : NULL;
  const int length = end ? (int)(end - text) - 1 : 0;
  Arena *a = arena_new();
  fprintf(stderr, "%s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
          text_clean(a, f->said), f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1],
          f->thread[2], text_clean(a, arena_strndup(a, text ? text + 1 : "", (size_t)length)));
  arena_free(a);
}

/* The fault of a launch that was stopped. A barrier finding that ended the launch was a deadlock,
 * in which a GPU would hang; other findings of that kind, barriers that only some threads pass, do
 * not stop a launch. */
static CUresult fault_that_stops(const EmuResult *r) {
  for (int i = 0; i < r->findings; i++)
    if (r->finding[i].kind == EMU_BARRIER) return CUDA_ERROR_LAUNCH_TIMEOUT;
  return CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult fault_in(const EmuResult *r) {
  CUresult fault = r->illegal_address ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
  for (int i = 0; i < r->findings; i++) {
    const EmuFinding *f = &r->finding[i];
    if (f->kind == EMU_ASSERT) say_assertion(f);
    if (!fault) fault = fault_of(f->kind);
  }
  return fault || !r->stopped ? fault : fault_that_stops(r);
}

/* --- running --- */

static EmuLaunch emu_launch_of(const KernelLaunch *l) {
  EmuLaunch e = {.kernel = l->function->kernel->name,
                 .dynamic_shared = l->shared_bytes,
                 .max_shared = (uint32_t)gpu_arch(driver()->device)->shared_per_block,
                 .args = (const void *const *)l->params,
                 .print_bytes = context_current()->limit[LIMIT_PRINT_BYTES],
                 .cooperative = l->cooperative,
                 .primary = l->primary,
                 .primaries = l->primaries,
                 .trace = l->trace};
  memcpy(e.grid, l->grid, sizeof e.grid);
  memcpy(e.block, l->block, sizeof e.block);
  memcpy(e.cluster, l->cluster, sizeof e.cluster);
  return e;
}

/* A launch whose children are being executed; it may itself be a child of the outer one. */
typedef struct Level {
  struct Level *outer;
  Module *module;
  EmuResult *result;
  int next; /* index of its next child */
} Level;

/* Takes ownership of the result, and keeps it while its children are to be executed. */
static void push(Level **top, Module *m, EmuResult *r) {
  Level *level = r->children ? malloc(sizeof *level) : NULL;
  if (r->children && !level) context_fail(context_current(), CUDA_ERROR_OUT_OF_MEMORY);
  if (!level) {
    emu_result_free(r);
    return;
  }
  *level = (Level){*top, m, r, 0};
  *top = level;
}

static void pop(Level **top) {
  Level *level = *top;
  *top = level->outer;
  emu_result_free(level->result);
  free(level);
}

static void say_dropped(const Function *f, uint64_t calls) {
  say(f, "printed more than cudaLimitPrintfFifoSize, %zu bytes: calls dropped: %" PRIu64,
      context_current()->limit[LIMIT_PRINT_BYTES], calls);
}

static void fail(CUresult fault) {
  context_fail(context_current(), fault);
  host_context_failed();
}

static CUresult finish(const Function *f, EmuResult *r, Level **top) {
  if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = CUDA_SUCCESS;
  if (r->error[0]) {
    say(f, "is not launched: %s", r->error);
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (r->printed_bytes) print_add(r->printed, r->printed_bytes);
  if (r->printf_dropped) say_dropped(f, r->printf_dropped);
  const CUresult fault = fault_in(r);
  if (fault) fail(fault);
  push(top, f->module, r);
  return result;
}

/* Runs one launch. A child kernel cannot be left waiting: `waits` is NULL. */
static CUresult run_one(const KernelLaunch *l, Level **top, EmuRun **waits) {
  if (l->kept && !module_holds(l->function, l->kept)) return CUDA_ERROR_INVALID_HANDLE;
  const EmuLaunch e = emu_launch_of(l);
  EmuResult *r = judge_launch(l->function, &e, waits);
  return waits && *waits ? CUDA_SUCCESS : finish(l->function, r, top);
}

/* Runs a child kernel after its parent has ended: the device runtime cannot wait for it earlier. An
 * invalid child launch is an error on the device, which the host does not see. */
static void run_child(Module *m, const EmuChild *c, Level **top) {
  Function *f = module_function(m, c->kernel);
  KernelLaunch l = {.function = f, .shared_bytes = c->dynamic_shared};
  memcpy(l.grid, c->grid, sizeof l.grid);
  memcpy(l.block, c->block, sizeof l.block);
  void **params = launch_point(f, c->params);
  l.params = params;
  if (f && !params) context_fail(context_current(), CUDA_ERROR_OUT_OF_MEMORY);
  if (params && !launch_check(&l)) run_one(&l, top, NULL);
  free(params);
}

/* Runs a child's own children before its next sibling. Uses a loop, because chains of children may
 * be long. */
static void run_children(Level *top) {
  while (top) {
    const EmuResult *r = top->result;
    if (top->next < r->children && !context_current()->error)
      run_child(top->module, &r->child[top->next++], &top);
    else
      pop(&top);
  }
}

CUresult launch_run(const KernelLaunch *l) {
  Level *top = NULL;
  const CUresult result = run_one(l, &top, NULL);
  run_children(top);
  return result;
}

CUresult launch_begin(const KernelLaunch *l, Waiting *waiting) {
  Level *top = NULL;
  *waiting = (Waiting){.function = l->function};
  const CUresult result = run_one(l, &top, &waiting->run);
  run_children(top);
  return result;
}

void launch_go_on(Waiting *waiting, uint64_t patience) {
  Level *top = NULL;
  EmuResult *r = judge_go_on(waiting->function, waiting->run, patience);
  if (!r) return;
  waiting->run = NULL;
  finish(waiting->function, r, &top);
  run_children(top);
}

void launch_drop(Waiting *waiting) {
  if (waiting->run) judge_drop(waiting->run);
  waiting->run = NULL;
}
