/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/undefined.cu: reads of memory that nothing wrote are reported where
 * the value matters, and only there, with the thread that read it. */
#include "emu/emu_nvrtc.h"

enum { N = 1024 };

typedef struct {
  const char *kernel;
  uint32_t block;
  uint32_t thread;  /* that read it */
  const char *says; /* part of the finding's message; NULL: no finding */
} Case;

static const Case cases[] = {
    {"partial_sum", 32, 0, NULL},
    {"bit_fields", 64, 0, NULL},
    {"copied_unused", 32, 0, NULL},
    {"selected", 64, 0, NULL},
    {"compared_unused", 64, 0, NULL},
    {"three_of_four_bytes", 64, 0, NULL},
    {"called_unused", 64, 0, NULL},
    {"half_a_product", 32, 0, NULL},
    {"half_a_warp", 32, 0, NULL},
    {"local_half", 64, 0, NULL},
    {"local_padding", 64, 0, NULL},
    {"local_frames", 64, 0, NULL},
    {"local_pointers", 64, 0, NULL},
    {"local_out", 64, 7, "reads local byte 0x1c, which nothing wrote: it goes to global memory"},
    {"local_decides", 64, 7, "decides a branch"},
    {"local_addresses", 64, 7, "is part of an address"},
    {"local_called", 64, 0, "goes to global memory"},
    {"local_copy", 64, 17, "reads shared byte 0x44"},
    {"local_printed", 64, 7, "is printed"},
    {"shuffled_outside", 32, 8, "lane 16, which takes no part: it goes to global memory"},
    {"goes_out", 64, 17, "goes to global memory"},
    {"decides", 64, 17, "decides a branch"},
    {"decides_by_equality", 64, 17, "decides a branch"},
    {"addresses", 64, 17, "is part of an address"},
    {"shuffled", 64, 37, "goes to global memory"},
    {"copied_first", 64, 17, "goes to global memory"},
    {"wide_sum", 32, 8, "goes to global memory"},
    {"called", 64, 17, "goes to global memory"},
    {"counted", 64, 17, "goes to global memory"},
    {"voted", 64, 17, "goes to global memory"},
};

static void check_fault(const EmuResult *r, const Case *c, const char *source, const char *arch) {
  const int line = fault_line(source, c->kernel);
  CHECK(r->findings == 1, "%s for sm_%s: %d findings %s", c->kernel, arch, r->findings, r->error);
  for (int i = 0; i < r->findings; i++) {
    const EmuFinding *f = &r->finding[i];
    CHECK(f->kind == EMU_UNINITIALISED, "%s for sm_%s: %s", c->kernel, arch, f->message);
    CHECK(f->line == line, "%s for sm_%s: line %d, want %d: %s", c->kernel, arch, f->line, line,
          f->message);
    CHECK(f->thread[0] == c->thread, "%s for sm_%s: thread %u, want %u", c->kernel, arch,
          f->thread[0], c->thread);
    CHECK(strstr(f->message, c->says), "%s for sm_%s: '%s', want '%s'", c->kernel, arch, f->message,
          c->says);
  }
}

static void run_case(Machine *m, const Case *c, const char *source, const char *arch) {
  static int in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = i % 64;
  memset(out, 0, sizeof out);
  const Run run = {.kernel = c->kernel,
                   .grid = 1,
                   .block = c->block,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .max_steps = 1 << 22,
                   .threads = 1};
  EmuResult *r = machine_run(m, &run);
  if (c->says)
    check_fault(r, c, source, arch);
  else
    check_clean(r, c->kernel);
  emu_result_free(r);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(m, &cases[i], source, arch);
}

int main(void) { return nvrtc_cases("emu_undefined_nvrtc", "undefined", nvrtc_archs, run_all); }
