/* NVRTC accepts every header and every kernel of the shipped specs, for the spec's architecture,
 * and one more: the oldest, the newest or one of the others, in turn; and every template alone.
 * That they take layout none, which differs in values only, is seen where the controls run. */
#include "base/file.h"
#include "check.h"
#include "device/nvrtc.h"
#include "shipped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SPECS = 256 };

static const char *const ends[] = {"75", "120"}, *const others[] = {"80", "86", "89", "100"};
enum { ENDS = 2, OTHERS = 4 };

/* include: an option that names the folder of headers; NULL for a kernel that must need none. */
static void check_source(Arena *a, const char *name, const char *text, const char *arch,
                         const char *include) {
  const char *const option[] = {arena_printf(a, "-arch=sm_%s", arch), "-std=c++17", include};
  const NvrtcSource source = {
      .name = name, .text = text, .option = option, .options = include ? 3 : 2};
  NvrtcResult result = {.accepted = false};
  Text why = text_new(a);
  const bool ran = nvrtc_compile(a, &source, &result, &why);
  CHECK(ran && result.accepted, "%s for sm_%s: %s%s", name, arch, why.s,
        result.log ? result.log : "");
  CHECK(!result.log || !strstr(result.log, "warning"), "%s for sm_%s: %s", name, arch, result.log);
}

/* With the values that stand in it: it must read, and compile, like a kernel written by hand. */
static void check_template(const char *path) {
  Arena *a = arena_new();
  size_t length;
  const char *text = file_read(a, path, 1 << 20, &length);
  CHECK(text, "%s cannot be read", path);
  if (text) check_source(a, strrchr(path, '/') + 1, text, "90", "-I" TEMPLATE_DIR);
  arena_free(a);
}

/* number: of the spec, whose turn it is. */
static void check_spec(const char *path, int number) {
  Arena *a = arena_new();
  const Plan *plan = shipped_plan(a, path, NULL);
  CHECK(plan, "%s has no plan", path);
  const Rendered r = plan ? shipped_render(a, plan) : (Rendered){0};
  CHECK(r.text, "%s is not rendered", path);
  if (r.text) check_source(a, r.file, r.text, strchr(plan->spec->arch->name, '_') + 1, NULL);
  const char *other = number % 3 ? others[number % OTHERS] : ends[number % ENDS];
  if (r.text && plan->spec->kernel) check_source(a, r.file, r.text, other, NULL);
  arena_free(a);
}

/* Every `workers`-th template and spec, from the first-th on: compiling takes all the time. */
static int check_share(Arena *a, int first, int workers) {
  char *path[MAX_SPECS];
  const int templates = shipped_files(a, TEMPLATE_DIR, ".cu", path, MAX_SPECS);
  for (int i = first; i < templates; i += workers) check_template(path[i]);
  const int count = shipped_specs(a, path, MAX_SPECS);
  for (int i = first; i < count; i += workers) check_spec(path[i], i);
  return check_report("emit_nvrtc_test");
}

int main(void) {
  enum { MAX_WORKERS = 16 };
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!nvrtc_identity(a, &why)) return check_skip("emit_nvrtc_test", why.s);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int workers = cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : (int)cores;
  int failed = 0;
  for (int i = 0; i < workers; i++) {
    const pid_t child = fork();
    if (child < 0) return check_share(a, 0, 1);
    if (child == 0) exit(check_share(a, i, workers));
  }
  for (int status; wait(&status) > 0;) failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  arena_free(a);
  return failed;
}
