/* Pairs of kernels of tests/emu/cases/pairs.cu: a finding at the line of the broken kernel, with
 * any number of host threads, and none of its clean twin. */
#include "emu/emu_nvrtc.h"

enum { N = 4096 };

typedef struct {
  const char *name;
  uint32_t grid, block;
  EmuFindingKind kind;
  const char *says; /* part of the message */
} Pair;

static const Pair pairs[] = {
    {"volatile_flag", 1, 64, EMU_RACE, "no barrier between"},
    {"atomic_count", 1, 64, EMU_RACE, "no barrier between"},
};

static EmuResult *run(Machine *m, const Pair *p, const char *kernel, int threads) {
  static int in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = i * 7 % 1000 + 1;
  memset(out, 0, sizeof out);
  const Run run = {.kernel = kernel,
                   .grid = p->grid,
                   .block = p->block,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .max_steps = 1 << 22,
                   .threads = threads};
  return machine_run(m, &run);
}

/* A race may be reported at either of its sides. */
static bool is_at(const EmuFinding *f, int line) {
  bool at = f->line == line;
  for (int i = 0; i < f->others; i++) at |= f->other[i].line == line;
  return at;
}

static void check_broken(Machine *m, const Pair *p, const char *source, int threads) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_broken", p->name);
  EmuResult *r = run(m, p, kernel, threads);
  const int line = fault_line(source, p->name);
  int found = 0, says = 0;
  for (int i = 0; i < r->findings; i++) {
    const EmuFinding *f = &r->finding[i];
    if (f->kind != p->kind || !is_at(f, line)) continue;
    found++;
    says += strstr(f->message, p->says) != NULL;
  }
  CHECK(found, "%s on %d threads: nothing at line %d among %d findings (%s)", kernel, threads, line,
        r->findings, r->findings ? r->finding[0].message : r->error);
  CHECK(!found || says, "%s: no message says '%s', but '%s'", kernel, p->says,
        r->finding[0].message);
  emu_result_free(r);
}

static void check_twin(Machine *m, const Pair *p, int threads) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_clean", p->name);
  EmuResult *r = run(m, p, kernel, threads);
  check_clean(r, kernel);
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  (void)arch;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (int threads = 1; threads <= 2; threads++) {
      check_broken(m, &pairs[i], source, threads);
      check_twin(m, &pairs[i], threads);
    }
  }
}

static const char *const archs[] = {"90a", NULL};

int main(void) { return nvrtc_cases("emu_pairs_nvrtc", "pairs", archs, run_all); }
