/* SPDX-License-Identifier: MIT */
/* NVRTC accepts every header and every kernel of the shipped specs for the spec's architecture; the
 * first spec of each family and element type for one more, too: the oldest, the newest or one of
 * the others, in turn; and every template alone. That they take layout none, which differs in
 * values only, is seen where the controls run. judge_emulator, which runs before, has left what was
 * compiled for each spec's own architecture in scripts/test's $KGEN_TEST_CACHE. */
#include "base/file.h"
#include "check.h"
#include "device/jit.h"
#include "device/nvrtc.h"
#include "shipped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SPECS = 256 };

static const char *const ends[] = {"sm_75", "sm_120"};
static const char *const others[] = {"sm_80", "sm_86", "sm_89", "sm_100"};
enum { ENDS = 2, OTHERS = 4 };

/* arch: sm_90, or compute_90 for PTX only; include: the option with the directory of headers; NULL
 * for kernels, which must need none. Returns the code; NULL if there is none. */
static const char *check_source(Arena *a, const char *name, const char *text, const char *arch,
                                const char *include) {
  const char *const option[] = {arena_printf(a, "-arch=%s", arch), "-std=c++17", include};
  const NvrtcSource source = {.name = name,
                              .text = text,
                              .option = option,
                              .options = include ? 3 : 2,
                              .ptx = arch[0] == 'c'};
  NvrtcResult result = {.accepted = false};
  Text why = text_new(a);
  const bool ran = nvrtc_compile(a, &source, &result, &why);
  CHECK(ran && result.accepted, "%s for %s: %s%s", name, arch, why.s, result.log ? result.log : "");
  CHECK(!result.log || !strstr(result.log, "warning"), "%s for %s: %s", name, arch, result.log);
  return ran ? result.image : NULL;
}

/* The first access of device memory, as far as PTX says which it is; NULL: there is none. */
static const char *first_access(const char *ptx) {
  static const char *const access[] = {"ld.global", "st.global", "cp.async", "atom.", "red."};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof access / sizeof *access; i++) {
    const char *at = strstr(ptx, access[i]);
    if (at && (!first || at < first)) first = at;
  }
  return first;
}

/* Kernels that may start before the previous one has ended all wait for it, and then begin. */
static void check_waits(Arena *a, const char *name, const char *text, const char *ptx) {
  if (!ptx || !strstr(text, "launch_programmatic.h")) return;
  for (const char *at = strstr(ptx, ".entry "), *next; at; at = next) {
    next = strstr(at + 1, ".entry ");
    const char *wait = strstr(at, "griddepcontrol.wait;"), *access = first_access(at);
    const char *kernel = arena_strndup(a, at + 7, strcspn(at + 7, "("));
    CHECK(wait && (!next || wait < next), "%s: %s does not wait", name, kernel);
    CHECK(!wait || !access || wait < access, "%s: %s begins before it waits", name, kernel);
  }
}

/* A template compiles with the values that stand in it, like a kernel written by hand. What makes
 * machine code of it sees the specs' kernels. */
static void check_template(const char *path) {
  Arena *a = arena_new();
  size_t length;
  const char *text = file_read(a, path, 1 << 20, &length);
  CHECK(text, "%s cannot be read", path);
  if (text) {
    const char *name = strrchr(path, '/') + 1;
    check_waits(a, name, text, check_source(a, name, text, "compute_90", "-I" TEMPLATE_DIR));
  }
  arena_free(a);
}

/* --- what is compiled --- */

typedef struct {
  const char *path;
  const Plan *plan;  /* NULL: source of a template */
  const char *other; /* one more architecture; NULL: none */
} Job;

typedef struct {
  int count;
  Job job[2 * MAX_SPECS];
} Jobs;

/* A spec's family and the element types of its tiles, as one word. */
static const char *kind_of(Arena *a, const Plan *plan) {
  Text kind = text_new(a);
  text_puts(&kind, plan->spec->kernel);
  for (int i = 0; i < plan->tiles; i++)
    text_printf(&kind, " %s", plan->tile[i].set->tile->dtype->name);
  return kind.s;
}

static bool is_new_kind(Arena *a, const Jobs *jobs, const Plan *plan) {
  for (int i = 0; i < jobs->count; i++) {
    const Plan *p = jobs->job[i].plan;
    if (p && p->spec->kernel && strcmp(kind_of(a, p), kind_of(a, plan)) == 0) return false;
  }
  return true;
}

static void add_spec(Arena *a, Jobs *jobs, const char *path) {
  Job job = {.path = path, .plan = shipped_plan(a, path, NULL)};
  CHECK(job.plan, "%s has no plan", path);
  if (!job.plan) return;
  const int n = jobs->count; /* whose turn it is */
  if (job.plan->spec->kernel && is_new_kind(a, jobs, job.plan))
    job.other = n % 3 ? others[n % OTHERS] : ends[n % ENDS];
  jobs->job[jobs->count++] = job;
}

static Jobs list_jobs(Arena *a) {
  char *path[MAX_SPECS];
  Jobs jobs = {.count = shipped_files(a, TEMPLATE_DIR, ".cu", path, MAX_SPECS)};
  for (int i = 0; i < jobs.count; i++) jobs.job[i].path = path[i];
  const int specs = shipped_specs(a, path, MAX_SPECS);
  for (int i = 0; i < specs; i++) add_spec(a, &jobs, path[i]);
  return jobs;
}

/* --- kernels for the spec's own architecture --- */

static void check_own(Arena *a, const Plan *plan, const Rendered *r) {
  const char *arch = plan->spec->arch->name;
  const Cache cache = {.folder = getenv("KGEN_TEST_CACHE"), .writable = false};
  Jit jit;
  Text why = text_new(a);
  const JitStatus status = jit_compile(a, &cache, JIT_CUBIN, arch, plan, r, &jit, &why);
  CHECK(status == JIT_OK, "%s for %s: %s", r->file, arch, why.s);
  if (status == JIT_OK) CHECK(!strstr(jit.log, "warning"), "%s for %s: %s", r->file, arch, jit.log);
}

static void check_spec(Arena *a, const Job *job) {
  const Rendered r = shipped_render(a, job->plan);
  CHECK(r.text, "%s is not rendered", job->path);
  if (!r.text) return;
  if (job->plan->spec->kernel)
    check_own(a, job->plan, &r);
  else
    check_source(a, r.file, r.text, job->plan->spec->arch->name, NULL);
  if (job->other) check_source(a, r.file, r.text, job->other, NULL);
}

/* Every `workers`-th job, from the first-th on: compiling takes all the time. */
static int check_share(Arena *a, const Jobs *jobs, int first, int workers) {
  for (int i = first; i < jobs->count; i += workers) {
    const Job *job = &jobs->job[i];
    if (job->plan)
      check_spec(a, job);
    else
      check_template(job->path);
  }
  return check_report("emit_nvrtc_test");
}

int main(void) {
  enum { MAX_WORKERS = 16 };
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!nvrtc_identity(a, &why)) return check_skip("emit_nvrtc_test", why.s);
  const Jobs jobs = list_jobs(a);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int workers = cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : (int)cores;
  int failed = 0;
  for (int i = 0; i < workers; i++) {
    const pid_t child = fork();
    if (child < 0) return check_share(a, &jobs, 0, 1);
    if (child == 0) exit(check_share(a, &jobs, i, workers));
  }
  for (int status; wait(&status) > 0;) failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  arena_free(a);
  return failed;
}
