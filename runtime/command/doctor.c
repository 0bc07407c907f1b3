/* SPDX-License-Identifier: MIT */
#include "command/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/file.h"
#include "base/json.h"
#include "command/paths.h"
#include "device/backend.h"
#include "device/cache.h"
#include "device/clock.h"
#include "device/inventory.h"
#include "device/library.h"
#include "device/nvcc.h"
#include "device/nvrtc.h"
#include "spec/spec_family.h"

enum { LANES = 32, PROBE_MAX = 1 << 16 };

/* GOOD: found and working; IDLE: not needed here; BAD: something does not work. */
typedef enum { GOOD, IDLE, BAD } State;

typedef struct {
  const char *name;
  State state;
  const char *found; /* the version or path found, or why it is missing */
  const char *get;   /* how to get it; NULL: nothing to do */
} Finding;

typedef struct {
  Arena *arena;
  const char *templates; /* NULL: none */
  int count, capacity;
  Finding *finding;
  bool generates, compiles;
  const char *runs; /* the backend that runs kernels; NULL: none */
  bool gpu;
} Doctor;

static void add(Doctor *d, const char *name, State state, const char *found, const char *get) {
  d->finding = arena_grow(d->arena, d->finding, d->count, &d->capacity, sizeof *d->finding);
  d->finding[d->count++] = (Finding){name, state, found, state == GOOD ? NULL : get};
}

/* --- what generating needs --- */

static void look_for_templates(Doctor *d, const Options *o) {
  d->templates = paths_templates(d->arena, o->templates, diag_new(d->arena));
  const char *const *names;
  const int count =
      d->templates ? templates_kernels(templates_open(d->arena, d->templates), &names) : 0;
  d->generates = count > 0;
  add(d, "templates", count ? GOOD : BAD,
      count ? arena_printf(d->arena, "%s, %d families", d->templates, count) : "none",
      "give --templates DIR or set KGEN_TEMPLATES; cmake --install brings them");
}

static void look_for_schema(Doctor *d) {
  const char *path = paths_schema(d->arena);
  add(d, "schema", path ? GOOD : IDLE, path ? path : "none: editors do not know the spec language",
      "kgen schema >kgen-spec.schema.json");
}

static void look_for_cache(Doctor *d) {
  Text why = text_new(d->arena);
  const Cache c = cache_open(d->arena, &why);
  const bool good = c.folder && c.writable;
  add(d, "cache", good ? GOOD : IDLE,
      good       ? c.folder
      : c.folder ? arena_printf(d->arena, "%s cannot be written to", c.folder)
                 : why.s,
      "set KGEN_CACHE_DIR to a folder of your own; without one every run compiles anew");
}

/* --- what compiling needs --- */

/* Joins lines with semicolons, for a row of the table. */
static const char *on_one_line(Arena *a, const char *log) {
  Text out = text_new(a);
  for (const char *at = log; *at; at += strspn(at, "\n")) {
    const size_t n = strcspn(at, "\n");
    text_puts(&out, at == log ? "" : "; ");
    text_add(&out, at, n);
    at += n;
  }
  return out.s;
}

/* NULL if nvcc compiles the probe, else the reason why not. */
static const char *nvcc_fault(Doctor *d) {
  const NvccSource source = {arena_printf(d->arena, "%s/probe.cu", d->templates), .more = ""};
  NvccResult out;
  Text why = text_new(d->arena);
  if (!d->templates) return NULL;
  if (!nvcc_compile(d->arena, &source, &out, &why)) return why.s;
  return out.accepted ? NULL : on_one_line(d->arena, out.log);
}

static void look_for_nvcc(Doctor *d) {
  const char *nvcc = library_toolkit_file(d->arena, "bin/nvcc");
  if (!nvcc) nvcc = file_in_path(d->arena, "nvcc", false);
  const char *fault = nvcc ? nvcc_fault(d) : NULL;
  if (fault)
    add(d, "nvcc", IDLE, arena_printf(d->arena, "%s does not compile: %s", nvcc, fault),
        "apt-get install g++, or have $NVCC_CCBIN name a host compiler that works");
  else
    add(d, "nvcc", nvcc ? GOOD : IDLE,
        nvcc ? nvcc : "none: only kgen lint of whole programs needs it",
        "install the CUDA Toolkit, or set CUDA_HOME");
}

static void look_for_compilers(Doctor *d) {
  const char *cc = file_in_path(d->arena, "cc", false);
  add(d, "C compiler", cc ? GOOD : IDLE,
      cc ? cc : "none: building kgen needs one, and kgen exec to be fast",
      "apt-get install build-essential");
  look_for_nvcc(d);
}

static void look_for_nvrtc(Doctor *d) {
  const char *nvrtc = inventory_nvrtc(d->arena), *headers = inventory_headers(d->arena);
  add(d, "NVRTC", nvrtc ? GOOD : BAD, nvrtc ? nvrtc : "none: nothing can be compiled",
      library_get_nvrtc);
  add(d, "CUDA headers", headers ? GOOD : BAD,
      headers ? headers : "none: what includes cuda_fp16.h or cooperative groups does not compile",
      library_get_nvrtc);
}

/* Compiles the probe for that architecture. NULL, with the reason in *why. */
static const Jit *compile_probe(Doctor *d, const char *arch, JitForm form, Text *why) {
  Arena *a = d->arena;
  size_t size;
  const char *path = arena_printf(a, "%s/probe.cu", d->templates ? d->templates : ".");
  const char *text = file_read(a, path, PROBE_MAX, &size);
  const char *option = form == JIT_PTX ? arena_printf(a, "-arch=compute_%s", arch + 3)
                                       : arena_printf(a, "-arch=%s", arch);
  const NvrtcSource source = {path, text, &option, 1, form == JIT_PTX};
  NvrtcResult out = {0};
  if (!text) {
    text_printf(why, "%s: %s", path, strerror(errno));
    return NULL;
  }
  if (!nvrtc_compile(a, &source, &out, why)) return NULL;
  if (!out.accepted) text_puts(why, out.log);
  Jit *jit = ARENA_NEW(a, Jit);
  *jit = (Jit){.image = out.image, .size = out.size, .log = out.log};
  return out.accepted ? jit : NULL;
}

static const char needs_nvrtc[] = "needs NVRTC";

static void try_to_compile(Doctor *d) {
  if (!inventory_nvrtc(d->arena)) {
    add(d, "compiling", BAD, needs_nvrtc, library_get_nvrtc);
    return;
  }
  Text why = text_new(d->arena);
  const double start = clock_ms();
  d->compiles = compile_probe(d, "sm_90", JIT_PTX, &why) != NULL;
  add(d, "compiling", d->compiles ? GOOD : BAD,
      d->compiles ? arena_printf(d->arena, "a small kernel takes %.0f ms", clock_ms() - start)
                  : why.s,
      library_get_nvrtc);
}

/* --- what running needs --- */

static bool is_right(const int *out) {
  for (int lane = 0; lane < LANES; lane++)
    if (out[lane] != 3 * (lane ^ 1)) return false;
  return true;
}

/* Launches the probe, checks its output and counts its wavefronts. */
static bool launch_probe(Device *dev, void *module, Counters *counted, Text *why) {
  const Backend *b = dev->backend;
  int out[LANES] = {0};
  const uint64_t memory = b->alloc(dev, sizeof out, "out");
  const void *const args[] = {&memory};
  const Launch l = {
      .module = module, .kernel = "probe", .grid = {1, 1, 1}, .block = {LANES, 1, 1}, .args = args};
  bool ok = memory && b->upload(dev, memory, out, sizeof out) && b->launch(dev, &l) &&
            b->download(dev, out, memory, sizeof out);
  if (!ok) text_puts(why, dev->error.s);
  if (ok && !is_right(out)) text_puts(why, "a small kernel has a wrong result");
  ok = ok && is_right(out);
  if (ok && !b->count(dev, &l, counted)) *counted = (Counters){.why_unknown = dev->error.s};
  if (memory) b->release(dev, memory);
  return ok;
}

static bool run_probe(Doctor *d, Device *dev, Counters *counted, Text *why) {
  const char *arch = *dev->arch ? dev->arch : "sm_90";
  const Jit *jit = compile_probe(d, arch, dev->backend->form, why);
  void *module = jit ? dev->backend->load(dev, jit, "probe", 0) : NULL;
  if (jit && !module) text_puts(why, dev->error.s);
  if (!module) return false;
  const bool ok = launch_probe(dev, module, counted, why);
  dev->backend->unload(dev, module);
  return ok;
}

static const char *counts_of(Doctor *d, const Counters *c) {
  if (!c->known) return c->why_unknown ? c->why_unknown : "unknown";
  return arena_printf(
      d->arena, "%" PRId64 " load and %" PRId64 " store wavefronts of a small kernel%s", c->load,
      c->store, c->load == 1 && c->store == 1 ? "" : ", which has 1 and 1");
}

static void report_counters(Doctor *d, const Counters *c) {
  const bool good = c->known && c->load == 1 && c->store == 1;
  add(d, "counters", good ? GOOD : IDLE, counts_of(d, c),
      "run as root, or have the driver load with NVreg_RestrictProfilingToAdminUsers=0");
}

static void try_gpu(Doctor *d) {
  Text why = text_new(d->arena), failed = text_new(d->arena);
  Device *dev = backend_open(d->arena, "cuda", &why);
  Counters counted = {0};
  d->gpu = dev && run_probe(d, dev, &counted, &failed);
  if (d->gpu) d->runs = "cuda";
  add(d, "GPU",
      d->gpu ? GOOD
      : dev  ? BAD
             : IDLE,
      d->gpu ? arena_printf(d->arena, "%s, %s", dev->name, dev->arch)
      : dev  ? arena_printf(d->arena, "%s: %s", dev->name, failed.s)
             : why.s,
      "kernels run on the emulator: results and wavefronts are checked, times are not measured");
  if (d->gpu) report_counters(d, &counted);
  if (dev) backend_close(dev);
}

static void try_emulator(Doctor *d) {
  if (!d->compiles) {
    add(d, "emulator", BAD, needs_nvrtc, library_get_nvrtc);
    return;
  }
  Text why = text_new(d->arena);
  Device *dev = backend_open(d->arena, "emulator", &why);
  Counters counted = {0};
  const bool ok = dev && run_probe(d, dev, &counted, &why);
  if (ok && !d->runs) d->runs = "emulator";
  add(d, "emulator", ok ? GOOD : BAD, ok ? counts_of(d, &counted) : why.s, library_get_nvrtc);
  if (dev) backend_close(dev);
}

static void look_for_driver(Doctor *d) {
  Text ignored = text_new(d->arena);
  const char *driver = library_path(d->arena, library_driver, "cuInit", &ignored);
  const char *cupti = library_path(d->arena, library_cupti, "cuptiGetResultString", &ignored);
  add(d, "driver", driver ? GOOD : IDLE, driver ? driver : "none",
      "install NVIDIA's driver for a GPU");
  add(d, "CUPTI", cupti ? GOOD : IDLE, cupti ? cupti : "none: a GPU's wavefronts are not measured",
      "the CUDA Toolkit has it; or pip install nvidia-cuda-cupti, and set CUDA_HOME");
}

/* --- the report --- */

static const char *const state_name[] = {"ok", "-", "missing"};

/* The first line, cut to the width of the table. */
static const char *in_short(Arena *a, const char *text) {
  enum { WIDTH = 80 };
  const size_t n = strcspn(text, "\n");
  return n <= WIDTH ? arena_strndup(a, text, n) : arena_printf(a, "%.*s...", WIDTH - 3, text);
}

/* Lists each advice once, after the names of all findings that it solves. Without -v, only for what
 * is missing. */
static void put_advice(const Doctor *d, bool verbose, Text *out) {
  int left_out = 0;
  for (int i = 0; i < d->count; i++) {
    const Finding *f = &d->finding[i];
    bool first = f->get != NULL;
    for (int k = 0; k < i && first; k++)
      first = !d->finding[k].get || strcmp(d->finding[k].get, f->get) != 0;
    if (!first) continue;
    if (f->state == IDLE && !verbose) {
      left_out++;
      continue;
    }
    text_printf(out, "%s", f->name);
    for (int k = i + 1; k < d->count; k++)
      if (d->finding[k].get && strcmp(d->finding[k].get, f->get) == 0)
        text_printf(out, ", %s", d->finding[k].name);
    text_printf(out, ": %s\n", f->get);
  }
  if (left_out) text_puts(out, "what is marked - is optional: -v says how to get it\n");
}

static void put_table(const Doctor *d, bool verbose, Text *out) {
  static const CellsColumn head[] = {{"name", "", true}, {"state", "", true}, {"found", "", true}};
  Cells g = cells_new(d->arena, head, 3);
  for (int i = 0; i < d->count; i++) {
    const Finding *f = &d->finding[i];
    const char **cell = cells_add(&g);
    cell[0] = f->name;
    cell[1] = state_name[f->state];
    cell[2] = verbose ? on_one_line(d->arena, f->found) : in_short(d->arena, f->found);
  }
  Text all = text_new(d->arena);
  cells_print(&g, &all);
  text_puts(out, strchr(all.s, '\n') + 1); /* the columns need no titles */
  text_printf(out, "\ngenerates: %s; compiles: %s; runs: %s\n", d->generates ? "yes" : "no",
              d->compiles ? "yes" : "no",
              !d->runs ? "no"
              : d->gpu ? "on a GPU"
                       : "on the emulator");
  put_advice(d, verbose, out);
}

static void put_json(const Doctor *d, Text *out) {
  Json j = json_new(out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_object(&j, "doctor");
  json_bool(&j, "generates", d->generates);
  json_bool(&j, "compiles", d->compiles);
  json_string(&j, "runs", d->runs);
  json_array(&j, "findings");
  for (int i = 0; i < d->count; i++) {
    json_line(&j, NULL);
    json_string(&j, "name", d->finding[i].name);
    json_string(&j, "state", state_name[d->finding[i].state]);
    json_string(&j, "found", d->finding[i].found);
    json_string(&j, "get", d->finding[i].get);
    json_end(&j);
  }
  json_ends(&j, 3);
}

static int verdict(const Doctor *d, const Options *o) {
  if (!d->generates) return EXIT_USAGE;
  if (strcmp(o->device, "cuda") == 0 && !d->gpu) return EXIT_NO_GPU;
  return d->compiles && d->runs ? 0 : EXIT_FAILED;
}

int doctor_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  Doctor d = {.arena = a};
  (void)messages, (void)diag;
  look_for_templates(&d, o);
  look_for_schema(&d);
  look_for_cache(&d);
  look_for_compilers(&d);
  look_for_nvrtc(&d);
  try_to_compile(&d);
  look_for_driver(&d);
  try_gpu(&d);
  try_emulator(&d);
  if (o->format == FORMAT_JSON)
    put_json(&d, data);
  else
    put_table(&d, o->verbose, data);
  return verdict(&d, o);
}
