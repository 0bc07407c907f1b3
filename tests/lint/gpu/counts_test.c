/* SPDX-License-Identifier: MIT */
/* The hand-written kernels of tests/emu/cases and tests/lint/cases on the GPU and on the emulator,
 * from the same PTX and the same buffers: outputs equal bit for bit, shared-memory wavefronts and
 * sectors of global memory equal, each kernel's and their sums. */
#include <stdlib.h>

#include "check.h"
#include "device/backend.h"
#include "lint/input/args.h"
#include "lint/input/compile.h"
#include "lint/input/source.h"
#include "lint/lint_cases.h"

enum { MAX_ARGS = 8 };

/* Kernels whose machine code does other than their PTX says [measured on an H200, ptxas 13.0]. */
typedef struct {
  const char *kernel, *why;
  bool other_outputs; /* PTX does not fix them */
  int load, store;    /* counts of the GPU; -1: as on the emulator */
  int load_sectors, store_sectors;
} Exception;

/* The program does not fix when threads converge: 13 and 28 sectors were counted. */
enum { VARIES = -2 };

static const Exception exceptions[] = {
    {"indirect_calls", "threads that a call parts store apart", false, -1, -1, -1, 16},
    {"recursion", "threads that a call parts store apart", false, -1, -1, -1, VARIES},
    {"generic_pointers", "a generic load of local memory counts", false, -1, -1, 20, -1},
    {"named_barriers", "ptxas joins loads of neighbours", false, 128, -1, -1, -1},
    {"lock_within_warp", "ptxas joins stores of neighbours", false, -1, 65, -1, -1},
    {"partial_warp", "ptxas merges two equal loads", false, 3, -1, -1, -1},
    {"scale<float, 32>", "ptxas joins loads of neighbours", false, 256, -1, -1, -1},
    {"scale<double, 2>", "ptxas joins loads of neighbours", false, 1, -1, -1, -1},
    {"fft<512>", "sin.approx; ptxas fuses mul and add", true, -1, -1, -1, -1},
    {"fft<528>", "sin.approx; ptxas fuses mul and add", true, -1, -1, -1, -1},
};

static Exception exception_of(const char *kernel) {
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (strcmp(exceptions[i].kernel, kernel) == 0) return exceptions[i];
  return (Exception){kernel, NULL, false, -1, -1, -1, -1};
}

/* The results of one kernel on one of the two devices. */
typedef struct {
  Device *device;
  uint64_t value[MAX_ARGS];      /* values of the arguments: addresses, numbers */
  unsigned char *data[MAX_ARGS]; /* contents of buffers, before and after; NULL for other
                                    arguments */
  Counters counted;
} Side;

typedef struct {
  Arena *arena;
  const LintCase *c;
  LintSource source;
  LintLaunch launch;
  const char *kernel; /* its PTX name */
  Exception exception;
  Text why; /* text of a failure */
  Side gpu, emulator;
} Case;

/* --- the kernel and its arguments --- */

static OptionList list_of_words(Arena *a, const char *words) {
  OptionList list = {0};
  for (const char *w = words; *w; w += strspn(w, " ")) {
    const size_t n = strcspn(w, " ");
    option_list_add(a, &list, arena_strndup(a, w, n));
    w += n;
  }
  return list;
}

static bool open_case(Case *k) {
  Arena *a = k->arena;
  const LintCase *c = k->c;
  const char *arch = lint_case_arch(c);
  const Options o = {.arch = arch_find(arch ? arch : k->gpu.device->arch),
                     .seed = 1,
                     .lint = {.file = arena_printf(a, KGEN_SOURCE_DIR "/tests/%s", c->file),
                              .kernel = c->kernel,
                              .grid = arena_printf(a, "%u,%u", c->grid[0], c->grid[1]),
                              .block = arena_printf(a, "%u,%u", c->block[0], c->block[1]),
                              .smem = c->smem,
                              .std = "c++17",
                              .max_steps = 1 << 24,
                              .max_conflicts = -1,
                              .time_limit = -1,
                              .arg = list_of_words(a, c->args),
                              .define = list_of_words(a, "SCALE=3")}};
  Diag *d = diag_new(a);
  bool ok = lint_source_load(a, &o, &k->source, d) == 0 && lint_compile(&o, &k->source, d) == 0;
  if (ok) k->kernel = k->source.instance ? k->source.instance : c->kernel;
  ok = ok && lint_args_read(a, &o, &k->launch, d);
  diag_write(d, &k->why);
  return ok;
}

/* Fills a buffer with random numbers of one kind, the same every time. */
static void fill(unsigned char *data, size_t bytes, const char *kind) {
  srand(7);
  for (size_t at = 0; at + 4 <= bytes; at += 4) {
    const int number = rand() % 1000 - 100, sign = rand() % 2 << 15;
    const float real = (float)rand() / (float)RAND_MAX * 2 - 1;
    const uint16_t half[2] = {(uint16_t)(rand() % 0x4000 | sign), (uint16_t)(rand() % 0x4000)};
    if (strcmp(kind, "ints") == 0)
      memcpy(data + at, &number, 4);
    else if (strcmp(kind, "halves") == 0)
      memcpy(data + at, half, 4);
    else
      memcpy(data + at, &real, 4);
  }
}

/* --- on one device --- */

static bool place(Case *k, Side *s) {
  const Backend *b = s->device->backend;
  for (int i = 0; i < k->launch.args; i++) {
    const LintValue *arg = &k->launch.arg[i];
    s->value[i] = arg->value;
    if (arg->kind != LINT_BUF) continue;
    s->data[i] = arena_alloc(k->arena, arg->value);
    memset(s->data[i], 0, arg->value);
    if (arg->fill.file) fill(s->data[i], arg->value, arg->fill.file);
    s->value[i] = b->alloc(s->device, arg->value, "argument");
    if (!s->value[i] || !b->upload(s->device, s->value[i], s->data[i], arg->value)) return false;
  }
  return true;
}

static bool launch(const Case *k, Side *s) {
  const Backend *b = s->device->backend;
  const Jit jit = {.image = k->source.ptx, .size = k->source.ptx_size + 1};
  void *module = b->load(s->device, &jit, k->kernel, k->launch.smem);
  if (!module) return false;
  const void *args[MAX_ARGS];
  for (int i = 0; i < k->launch.args; i++) args[i] = &s->value[i];
  Launch l = {.module = module, .kernel = k->kernel, .shared_bytes = k->launch.smem, .args = args};
  memcpy(l.grid, k->launch.grid, sizeof l.grid);
  memcpy(l.block, k->launch.block, sizeof l.block);
  const bool ran = b->count(s->device, &l, &s->counted);
  b->unload(s->device, module);
  return ran;
}

static bool take(const Case *k, Side *s) {
  const Backend *b = s->device->backend;
  bool ok = true;
  for (int i = 0; i < k->launch.args; i++) {
    if (!s->data[i]) continue;
    ok = b->download(s->device, s->data[i], s->value[i], k->launch.arg[i].value) && ok;
    b->release(s->device, s->value[i]);
  }
  return ok;
}

static bool run(Case *k, Side *s) {
  const bool ok = place(k, s) && launch(k, s) && take(k, s);
  CHECK(ok, "%s on %s: %s", k->c->kernel, s->device->name, s->device->error.s);
  CHECK(!s->device->findings.len, "%s: %s", k->c->kernel, s->device->findings.s);
  return ok;
}

/* --- side by side --- */

static void compare_outputs(const Case *k) {
  for (int i = 0; i < k->launch.args; i++) {
    const unsigned char *gpu = k->gpu.data[i], *emulator = k->emulator.data[i];
    const size_t bytes = gpu ? k->launch.arg[i].value : 0;
    size_t at = 0;
    while (at < bytes && gpu[at] == emulator[at]) at++;
    CHECK(at == bytes, "%s: argument %d differs from byte %zu on", k->c->kernel, i + 1, at);
  }
}

typedef struct {
  const char *name;
  int64_t gpu, emulator, expected;
} Figure;

enum { FIGURES = 5 };

static Figure figure(const char *name, int64_t gpu, int64_t emulator, int exception) {
  return (Figure){name, gpu, emulator, exception == -1 ? emulator : exception};
}

/* Collects the counters of both devices, and what the GPU's should be. */
static void figures_of(const Case *k, Figure f[FIGURES]) {
  const Counters *g = &k->gpu.counted, *e = &k->emulator.counted;
  const Exception *x = &k->exception;
  f[0] = figure("loads", g->load, e->load, x->load);
  f[1] = figure("stores", g->store, e->store, x->store);
  f[2] = figure("sectors read", g->load_sectors, e->load_sectors, x->load_sectors);
  f[3] = figure("written", g->store_sectors, e->store_sectors, x->store_sectors);
  f[4] = figure("wgmma", g->apart ? g->wgmma : e->wgmma, e->wgmma, -1);
}

/* Prints a line, checks it, and adds it to the sums of both devices. */
static void compare_counters(const Case *k, Figure sum[FIGURES]) {
  Figure f[FIGURES];
  figures_of(k, f);
  printf("%-21s %-25s", k->c->file, k->c->kernel);
  for (int i = 0; i < FIGURES; i++) {
    printf("  %s %5d %5d", f[i].name, (int)f[i].emulator, (int)f[i].gpu);
    sum[i].emulator += f[i].emulator;
    sum[i].gpu += f[i].gpu;
    sum[i].name = f[i].name;
  }
  printf("  %s\n", k->exception.why ? k->exception.why : "");
  for (int i = 0; i < FIGURES; i++)
    CHECK(f[i].expected == VARIES ? f[i].gpu >= f[i].emulator : f[i].gpu == f[i].expected,
          "%s: %s: %d, not %d", k->c->kernel, f[i].name, (int)f[i].gpu, (int)f[i].expected);
}

static void run_case(Device *gpu, Device *emulator, const LintCase *c, Figure sum[FIGURES]) {
  Case k = {.arena = arena_new(),
            .c = c,
            .exception = exception_of(c->kernel),
            .gpu = {.device = gpu},
            .emulator = {.device = emulator}};
  k.why = text_new(k.arena);
  const bool open = open_case(&k);
  CHECK(open, "%s: %s", c->kernel, k.why.s);
  if (open && run(&k, &k.gpu) && run(&k, &k.emulator)) {
    if (!k.exception.other_outputs) compare_outputs(&k);
    if (k.gpu.counted.known) compare_counters(&k, sum);
    if (!k.gpu.counted.known) printf("%s: not counted: %s\n", c->kernel, k.gpu.counted.why_unknown);
  }
  arena_free(k.arena);
}

/* sm_90a is for sm_90 alone. */
static bool runs_on(const Device *gpu, const LintCase *c) {
  const char *arch = lint_case_arch(c);
  return !arch || strncmp(arch, gpu->arch, strlen(gpu->arch)) == 0;
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  Device *gpu = backend_open(a, "cuda", &why), *emulator = backend_open(a, "emulator", &why);
  if (!gpu || !emulator) {
    if (emulator) backend_close(emulator);
    if (gpu) backend_close(gpu);
    const int code = check_skip("gpu_lint", why.s);
    arena_free(a);
    return code;
  }
  printf("counts of the %s, then of the %s\n", emulator->name, gpu->name);
  Figure sum[FIGURES] = {0};
  for (int i = 0; i < LINT_CASES; i++)
    if (runs_on(gpu, &lint_cases[i])) run_case(gpu, emulator, &lint_cases[i], sum);
  for (int i = 0; i < FIGURES; i++)
    printf("in sum, %s: %d %d\n", sum[i].name, (int)sum[i].emulator, (int)sum[i].gpu);
  backend_close(emulator);
  backend_close(gpu);
  arena_free(a);
  return check_report("gpu_lint");
}
