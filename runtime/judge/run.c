/* SPDX-License-Identifier: MIT */
#include "judge/run.h"

#include <inttypes.h>
#include <string.h>

#include "judge/binding.h"
#include "judge/family.h"

/* --- before anything runs --- */

typedef enum { SIZE_EXACT, SIZE_CHECK, SIZE_BENCH } SizeKind;

/* The data that is checked must fit this process, too; the reference computes it. */
static bool can_be_checked(Diag *d, const Problem *p) {
  enum { MOST_MIB = 4096 };
  size_t bytes = 0;
  for (int i = 0; i < p->spec->problem->buffers; i++) {
    bytes += p->buffer[i].bytes;
    if (bytes >> 20 < MOST_MIB) continue;
    diag_error(d, p->buffer[i].spec->count->loc,
               "a size to check must have less than %d MiB of buffers in all", MOST_MIB);
    return false;
  }
  return true;
}

/* Accesses are predicted at the `exact` size and at the size that is timed. */
static bool size_is_valid(Arena *a, Diag *d, const BatchItem *item, const int64_t *extents,
                          SizeKind kind) {
  Problem p;
  unsigned ignored;
  bool ok = problem_make(a, d, item->spec, extents, &p) &&
            problem_shared_bytes(d, &p, item->plan->shared_bytes, &ignored) &&
            (kind == SIZE_BENCH || can_be_checked(d, &p)) &&
            family_fits(family_find(item->spec->kernel), a, d, &p);
  for (int t = 0; ok && kind != SIZE_CHECK && t < item->spec->tiles; t++)
    ok = problem_times(a, d, &p, &item->spec->tile[t]) != NULL;
  return ok;
}

static bool sizes_are_valid(Arena *a, Diag *d, const BatchItem *item) {
  const ProblemSpec *p = item->spec->problem;
  bool ok = size_is_valid(a, d, item, p->exact, SIZE_EXACT);
  for (int i = 0; i < p->checks; i++) ok = size_is_valid(a, d, item, p->check[i], SIZE_CHECK) && ok;
  return size_is_valid(a, d, item, p->bench, SIZE_BENCH) && ok;
}

bool run_prepare(Arena *a, Diag *d, const BatchItem *item) {
  const Spec *spec = item->spec;
  if (!spec->problem) return true;
  const Family *family = family_find(spec->kernel);
  if (!family) {
    const Loc loc = {.source = spec->source, .line = 1, .col = 1, .width = 1};
    diag_error(d, loc, "family '%s' has no reference in the runtime, so --run cannot check it",
               spec->kernel);
    diag_hint(d, "add it to runtime/judge/families.def, or use --jit alone");
  }
  return family && family_check(family, a, d, spec) && sizes_are_valid(a, d, item);
}

/* --- messages --- */

static void fail(Runner *r, Run *run, int code, const Variant *v, const char *what) {
  const char *name = v->item.label;
  const char *control = v == &run->control ? " (layout none)" : "";
  const size_t n = strlen(what);
  text_printf(r->messages, "kgen: %s%s: ", name, control);
  text_show(r->messages, what, n);
  if (!n || what[n - 1] != '\n') text_puts(r->messages, "\n");
  if (code > run->exit_code) run->exit_code = code;
}

/* The failing call of the device; clears it. */
static void fail_device(Runner *r, Run *run, const Variant *v) {
  fail(r, run, EXIT_FAILED, v, r->device->error.s);
  if (!backend_lives(r->device)) r->lost = arena_printf(r->device->arena, "%s", v->item.label);
}

/* Calls that are skipped if the device is lost, because each would fail due to another kernel. */
static const char *lost_text(const Runner *r) {
  return arena_printf(r->arena, "since %s failed, the device accepts no call of this process",
                      r->lost);
}

/* --- compile --- */

/* Without --arch, a GPU's own architecture: sm_90a instead of sm_90 for a kernel that needs its
 * features. */
const char *run_arch(const Runner *r, const Spec *spec) {
  const char *own = spec->arch->name, *of_gpu = r->device ? r->device->arch : "";
  if (r->arch) return own; /* --arch, or its equivalent for the template */
  const Arch *gpu = arch_find(of_gpu);
  const bool specific = gpu && arch_is_variant(spec->arch, gpu);
  return !*of_gpu || specific ? own : of_gpu;
}

static bool compile(Runner *r, Run *run, const Variant *v, JitForm form, Jit *out) {
  Text why = text_new(r->arena);
  const char *arch = run_arch(r, v->item.spec);
  const JitStatus status =
      jit_compile(r->arena, &r->cache, form, arch, v->item.plan, &v->item.out, out, &why);
  if (status == JIT_OK) return true;
  const bool rejected = status == JIT_REJECTED;
  const char *what = rejected ? "NVRTC rejects the source" : "NVRTC cannot be used";
  fail(r, run, rejected ? EXIT_REJECTED : EXIT_FAILED, v,
       arena_printf(r->arena, "%s for %s:\n%s", what, arch, why.s));
  return false;
}

void run_compile(Runner *r, const BatchItem *item, Run *out) {
  *out = (Run){.solved.item = *item};
  if (item->spec->kernel) out->jitted = compile(r, out, &out->solved, JIT_CUBIN, &out->machine);
}

/* Takes the form that the device loads from the result of run_compile(), if there is one. */
static bool reuse(const Run *run, JitForm form, Jit *out) {
  if (!run->jitted || (form == JIT_PTX && !run->machine.ptx)) return false;
  *out = form == JIT_PTX ? jit_ptx(&run->machine) : run->machine;
  return true;
}

static bool load(Runner *r, Run *run, Variant *v) {
  const Backend *b = r->device->backend;
  if (r->lost) {
    fail(r, run, EXIT_FAILED, v, arena_printf(r->arena, "not run: %s", lost_text(r)));
    return false;
  }
  const bool reused = v == &run->solved && reuse(run, b->form, &v->jit);
  if (!reused && !compile(r, run, v, b->form, &v->jit)) return false;
  v->module = b->load(r->device, &v->jit, v->item.spec->symbol, v->item.plan->shared_bytes);
  if (!v->module) fail_device(r, run, v);
  return v->module != NULL;
}

/* --- launch and check --- */

static unsigned shared_bytes_of(const Variant *v) { return (unsigned)v->item.plan->shared_bytes; }

/* Reports errors at one size, in detail only at the first such size. */
static void tell_wrong(Runner *r, Run *run, Variant *v, const Problem *p, const Check *check,
                       const Text *report) {
  Text what = text_new(r->arena);
  text_printf(&what, "%s at ", check->correct ? "faults" : "wrong result");
  problem_print(&what, p);
  text_printf(&what, ", seed %" PRIu64 "\n", r->seed);
  if (v->check.correct) text_puts(&what, report->s);
  if (v->check.correct) text_puts(&what, r->device->findings.s);
  fail(r, run, EXIT_WRONG, v, what.s);
  v->check.correct = false;
}

/* A kernel must leave its workspace ready for the next launch: it is launched twice, unless the
 * first launch left the workspace unchanged and launches are deterministic, as on the emulator. */
static bool launch_all(Device *d, const Bound *b) {
  bool again = false;
  if (!d->backend->launch(d, &b->launch) || !bound_workspace_used(d, b, &again)) return false;
  return !again || d->backend->launch(d, &b->launch);
}

/* Launches v on a problem and checks it. False if a call failed. */
static bool check_once(Runner *r, Run *run, Variant *v, Arena *a, const Problem *p) {
  Device *d = r->device;
  Bound b;
  Check check = {0};
  Text report = text_new(a);
  if (!bound_make(a, d, p, v->module, shared_bytes_of(v), &b)) return false;
  const bool ran = bound_upload(d, &b) && launch_all(d, &b) && bound_check(d, &b, &check, &report);
  bound_free(d, &b);
  if (!ran) return false;
  check_merge(&v->check, &(Check){true, check.max_error, check.digest});
  if (!check.correct || d->findings.len > 0) tell_wrong(r, run, v, p, &check, &report);
  d->findings = text_new(r->arena);
  return true;
}

/* The problem at one size, solved by the reference; never NULL after run_prepare(). */
static Problem solved_problem(const Runner *r, Arena *a, const Spec *spec, const int64_t *extents) {
  const Family *family = family_find(spec->kernel);
  Problem p;
  if (!problem_make(a, diag_new(a), spec, extents, &p)) die("%s: unprepared problem", spec->name);
  problem_fill(a, &p, family->moves, r->seed);
  family->reference(a, &p);
  return p;
}

static bool check_size(Runner *r, Run *run, const int64_t *extents) {
  Arena *a = arena_new();
  const Problem p = solved_problem(r, a, run->solved.item.spec, extents);
  Variant *variant[] = {&run->solved, &run->control};
  bool ok = true;
  for (int i = 0; ok && i < 1 + run->has_control; i++) {
    ok = check_once(r, run, variant[i], a, &p);
    if (!ok) fail_device(r, run, variant[i]);
  }
  arena_free(a);
  return ok;
}

static bool check_all(Runner *r, Run *run) {
  const ProblemSpec *p = run->solved.item.spec->problem;
  run->solved.check.correct = run->control.check.correct = true;
  bool ok = check_size(r, run, p->exact);
  for (int i = 0; ok && i < p->checks; i++) ok = check_size(r, run, p->check[i]);
  run->solved.ran = ok;
  run->control.ran = ok && run->has_control;
  return ok;
}

/* --- time --- */

/* Times both variants on the same buffers. False if a call failed. */
static bool time_variants(Runner *r, Run *run, Arena *a, const Problem *p) {
  Device *d = r->device;
  const int copies = measure_copies(d, p->bytes);
  Bound *b = ARENA_ARRAY(a, Bound, (size_t)copies);
  Launch *list = ARENA_ARRAY(a, Launch, (size_t)copies);
  Variant *variant[] = {&run->solved, &run->control};
  int made = 0;
  bool ok = true;
  for (; ok && made < copies; made += ok)
    ok = bound_make(a, d, p, NULL, shared_bytes_of(&run->solved), &b[made]);
  for (int i = 0; ok && i < copies; i++) ok = bound_upload_random(d, &b[i], r->seed);
  for (int v = 0; ok && v < 1 + run->has_control; v++) {
    unsigned shared = 0;
    ok = bound_shared_bytes(d, p, shared_bytes_of(variant[v]), &shared);
    for (int i = 0; i < copies; i++) {
      list[i] = b[i].launch;
      list[i].module = variant[v]->module;
      list[i].shared_bytes = shared;
    }
    variant[v]->timed = ok = ok && measure_launches(d, list, copies, &variant[v]->timing);
  }
  for (int i = 0; i < made; i++) bound_free(d, &b[i]);
  return ok;
}

/* Bandwidth in GB/s, read plus written, of a copy of the same number of bytes. */
static bool time_copy(Runner *r, Run *run) {
  Device *d = r->device;
  const size_t bytes = (size_t)run->bytes / 2;
  const uint64_t from = d->backend->alloc(d, bytes, "copy");
  const uint64_t to = from ? d->backend->alloc(d, bytes, "copy") : 0;
  Timing t;
  const bool ok = to && measure_copy(d, to, from, bytes, &t);
  if (ok) run->copy_gbps = 2 * (double)bytes / (t.median * 1e6);
  if (from) d->backend->release(d, from);
  if (to) d->backend->release(d, to);
  return ok;
}

static void time_all(Runner *r, Run *run) {
  const ProblemSpec *spec = run->solved.item.spec->problem;
  Arena *a = arena_new();
  Problem p;
  if (!problem_make(a, diag_new(a), run->solved.item.spec, spec->bench, &p))
    die("%s: unprepared problem", run->solved.item.spec->name);
  run->bytes = p.bytes;
  const bool ok = time_variants(r, run, a, &p) && (p.bytes < 2 || time_copy(r, run));
  if (!ok) fail_device(r, run, &run->solved);
  arena_free(a);
}

double run_gbps(const Run *run, const Variant *v) {
  return (double)run->bytes / (v->timing.median * 1e6);
}

/* --- one spec --- */

/* True if TMA swizzles what it copies: the tensor maps are made for the template's own layout. */
static bool maps_swizzle(const ProblemSpec *p) {
  for (int i = 0; i < p->args; i++)
    if (p->arg[i].map && p->arg[i].map->swizzle) return true;
  return false;
}

/* The same spec with layout none. A spec that does not admit this layout (due to its alignment or
 * its tensor maps) has no control. */
static bool make_control(const Runner *r, Arena *a, const BatchItem *item, BatchItem *out) {
  static const Want none = WANT_NONE;
  if (r->alone || maps_swizzle(item->spec->problem)) return false;
  SpecOptions options = *r->options;
  options.want = &none;
  options.settings = item->settings;
  options.setting = item->setting;
  options.source = item->spec->source;
  return batch_make(a, diag_new(a), item->spec->source->path, &options, out);
}

bool run_part(const Runner *r, Arena *a, const BatchItem *item, Part part, BatchItem *out,
              JitForm *form) {
  if (!item->spec->kernel) return false;
  *out = *item;
  *form = JIT_CUBIN;
  if (part == PART_KERNEL) return true;
  if (!r->device) return false;
  *form = r->device->backend->form;
  return make_control(r, a, item, out);
}

bool run_load(Runner *r, const BatchItem *item, Run *out) {
  if (r->lean && r->device->backend->form != JIT_CUBIN)
    *out = (Run){.solved.item = *item};
  else
    run_compile(r, item, out);
  if (!item->spec->kernel)
    text_printf(r->messages, "kgen: %s: not run: the spec has no kernel, only a layout\n",
                item->spec->name);
  if (out->exit_code || !item->spec->kernel) return false;
  out->runs = true;
  out->has_control = make_control(r, r->arena, item, &out->control.item);
  return load(r, out, &out->solved) && (!out->has_control || load(r, out, &out->control));
}

bool run_check(Runner *r, Run *run) { return check_all(r, run); }

void run_execute(Runner *r, const BatchItem *item, Run *out) {
  if (run_load(r, item, out) && run_check(r, out) && r->device->backend->timed) time_all(r, out);
}

/* --- wavefronts --- */

PlanWavefronts run_predict(Arena *a, const Plan *plan, const Problem *p) {
  PlanWavefronts sum = {0};
  for (int t = 0; t < plan->tiles; t++) {
    const int64_t *times = problem_times(a, diag_new(a), p, plan->tile[t].spec);
    if (!times) die("%s: unprepared problem", plan->spec->name);
    const PlanWavefronts one = plan_wavefronts(&plan->tile[t], times);
    plan_add_wavefronts(&sum, &one, p->blocks);
  }
  return sum;
}

static bool counts_equal(const Variant *v) {
  const Counters *c = &v->counted;
  return c->load == v->predicted.load && c->store == v->predicted.store &&
         (!c->apart || c->copy == v->predicted.copy);
}

/* If the chip lacks exact counters, a wavefront that loses arbitration to other traffic is counted
 * twice; the minimum of a few counts is then the kernel's own. */
static bool count_launch(Device *d, const Launch *launch, Variant *v) {
  enum { COUNTS = 5 };
  for (int i = 0; i < COUNTS; i++) {
    Counters c = {0};
    if (!d->backend->count(d, launch, &c)) return false;
    if (i > 0 && v->counted.load < c.load) c.load = v->counted.load;
    if (i > 0 && v->counted.store < c.store) c.store = v->counted.store;
    v->counted = c;
    if (!c.known || c.exact || counts_equal(v)) return true;
  }
  return true;
}

static bool count_variant(Runner *r, Variant *v, Arena *a, const Problem *p) {
  Device *d = r->device;
  Bound b;
  if (!bound_make(a, d, p, v->module, shared_bytes_of(v), &b)) return false;
  v->predicted = run_predict(a, v->item.plan, p);
  const bool ok = bound_upload(d, &b) && count_launch(d, &b.launch, v);
  bound_free(d, &b);
  d->findings = text_new(r->arena); /* reported when it was checked */
  return ok;
}

static bool has_own_accesses(const Spec *spec) {
  for (int t = 0; t < spec->tiles; t++)
    if (spec->tile[t].own) return true;
  return false;
}

/* A spec's accesses may differ from the accesses of the template's kernel without a wrong result:
 * this is reported, but is not a failure. */
static void compare_counts(Runner *r, Run *run, const Variant *v) {
  const PlanWavefronts *p = &v->predicted;
  const Counters *c = &v->counted;
  if (!c->known || counts_equal(v)) return;
  const struct {
    const char *name;
    int64_t measured, predicted;
  } count[] = {{"loads", c->load, p->load},
               {"stores", c->store, p->store},
               {"copies", c->apart ? c->copy : p->copy, p->copy}};
  Text what = text_new(r->arena);
  text_puts(&what, "measured wavefronts differ from the plan's: ");
  const char *comma = "";
  for (int i = 0; i < 3; i++) {
    if (count[i].measured == count[i].predicted) continue;
    text_printf(&what, "%s%s %" PRId64 ", not %" PRId64, comma, count[i].name, count[i].measured,
                count[i].predicted);
    comma = "; ";
  }
  const bool own = has_own_accesses(v->item.spec);
  if (own) text_puts(&what, "; the spec's accesses are not the kernel's");
  fail(r, run, own ? 0 : EXIT_WRONG, v, what.s);
}

void run_count(Runner *r, Run *run) {
  if (!run->solved.ran) return;
  if (r->lost) {
    run->solved.counted.why_unknown = lost_text(r);
    return;
  }
  const Spec *spec = run->solved.item.spec;
  Arena *a = arena_new();
  const Problem p = solved_problem(r, a, spec, spec->problem->exact);
  Variant *variant[] = {&run->solved, &run->control};
  for (int i = 0; i < 1 + run->has_control; i++) {
    if (!count_variant(r, variant[i], a, &p)) {
      fail_device(r, run, variant[i]);
      break;
    }
    compare_counts(r, run, variant[i]);
  }
  arena_free(a);
}

void run_close(Runner *r, Run *run) {
  Variant *variant[] = {&run->solved, &run->control};
  for (int i = 0; i < 2; i++)
    if (variant[i]->module) r->device->backend->unload(r->device, variant[i]->module);
}
