/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/user.cu as users write them: right results without findings, planted
 * faults with theirs, and what printf prints. */
#include <math.h>

#include "emu/emu_nvrtc.h"

enum { N = 256, WORDS = 512 };

typedef union {
  int32_t i[WORDS];
  uint32_t u[WORDS];
  uint64_t w[WORDS / 2];
  double d[WORDS / 2];
  char text[WORDS * 4];
} Data;

/* --- results --- */

typedef void Fill(Data *in);
typedef bool Agrees(const Data *in, const Data *out, int i);

static void fill_small(Data *in) {
  for (int i = 0; i < WORDS; i++) in->i[i] = rand() % 1000;
}

static void fill_words(Data *in) {
  for (int i = 0; i < WORDS; i++) in->u[i] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
}

static void fill_angles(Data *in) {
  for (int i = 0; i < 32; i++) in->d[i] = ldexp(1 + rand() / 3e9, i * 8 - 20);
}

/* Fills in operands of every length, none of them 0. */
static void fill_wide(Data *in) {
  fill_words(in);
  for (int i = 0; i < 32; i++) {
    for (int k = 0; k < 4; k += 2) {
      const int drop = rand() % 127;
      uint64_t *high = &in->w[4 * i + k], *low = high + 1;
      *low = drop > 63 ? *high >> (drop - 64) : drop ? *low >> drop | *high << (64 - drop) : *low;
      *high = drop > 63 ? 0 : *high >> drop;
      *low |= 1;
    }
  }
}

static bool agrees_far_sine(const Data *in, const Data *out, int i) {
  return fabs(out->d[i] - sin(in->d[i])) < 1e-15;
}

__extension__ typedef unsigned __int128 Wide;

static bool agrees_wide_division(const Data *in, const Data *out, int i) {
  const uint64_t *x = &in->w[4 * i], *y = &out->w[4 * i];
  const Wide a = (Wide)x[0] << 64 | x[1], b = (Wide)x[2] << 64 | x[3];
  return ((Wide)y[0] << 64 | y[1]) == a / b && ((Wide)y[2] << 64 | y[3]) == a % b;
}

static uint32_t difference(uint32_t a, uint32_t b, int at) {
  const uint32_t x = a >> at & 0xff, y = b >> at & 0xff;
  return x > y ? x - y : y - x;
}

static bool agrees_byte_differences(const Data *in, const Data *out, int i) {
  const uint32_t a = in->u[i], b = in->u[i + 32];
  uint32_t bytes = 0, sum = 0;
  for (int at = 0; at < 32; at += 8) {
    bytes |= difference(a, b, at) << at;
    sum += difference(a, b, at);
  }
  return out->u[2 * i] == bytes &&
         out->u[2 * i + 1] == (sum << 16 | (difference(a, b, 0) + (a >> 16 & 0xff)));
}

static bool agrees_copies_arrive(const Data *in, const Data *out, int i) {
  return out->i[i] == in->i[255 - i];
}

static bool agrees_greatest(const Data *in, const Data *out, int i) {
  int most = 0;
  for (int k = 0; k < 64; k++) most = in->i[k] > most ? in->i[k] : most;
  return out->i[i] == most;
}

static bool agrees_waits_for_flag(const Data *in, const Data *out, int i) {
  return out->i[i] == (i < 32 ? in->i[63 - i] : 0);
}

static bool agrees_shapes(const Data *in, const Data *out, int i) {
  const int x = in->i[i] & 15;
  return out->i[i] == (in->i[i] & 16 ? x * x : 3 * x);
}

static bool agrees_heap(const Data *in, const Data *out, int i) {
  (void)in;
  return out->i[i] == 140;
}

static bool agrees_cache_policy(const Data *in, const Data *out, int i) {
  return out->i[i] == in->i[i];
}

typedef struct {
  const char *kernel;
  uint32_t block;
  Fill *fill;
  Agrees *agrees;
} Case;

static const Case cases[] = {
    {"far_sine", 32, fill_angles, agrees_far_sine},
    {"wide_division", 32, fill_wide, agrees_wide_division},
    {"byte_differences", 32, fill_words, agrees_byte_differences},
    {"copies_arrive", 64, fill_small, agrees_copies_arrive},
    {"greatest", 64, fill_small, agrees_greatest},
    {"waits_for_flag", 64, fill_small, agrees_waits_for_flag},
    {"shapes", 64, fill_small, agrees_shapes},
    {"heap", 1, fill_small, agrees_heap},
    {"cache_policy", 64, fill_small, agrees_cache_policy},
};

static EmuResult *run(Machine *m, const char *kernel, uint32_t grid, uint32_t block, const Data *in,
                      Data *out, int threads) {
  const Run run = {.kernel = kernel,
                   .grid = grid,
                   .block = block,
                   .in = in,
                   .in_bytes = sizeof *in,
                   .out = out,
                   .out_bytes = sizeof *out,
                   .threads = threads,
                   .max_steps = 1 << 22};
  return machine_run(m, &run);
}

static void test_results(Machine *m, const char *arch) {
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const Case *c = &cases[k];
    Data in, out = {{0}};
    c->fill(&in);
    EmuResult *result = run(m, c->kernel, 1, c->block, &in, &out, 1);
    check_clean(result, c->kernel);
    uint32_t right = 0;
    while (right < c->block && c->agrees(&in, &out, (int)right)) right++;
    CHECK(right == c->block, "%s for sm_%s: thread %u is wrong", c->kernel, arch, right);
    emu_result_free(result);
  }
}

/* --- faults --- */

static void test_fault(Machine *m, const char *source, const char *kernel, uint32_t block,
                       EmuFindingKind kind, bool is_note) {
  Data in = {{1}}, out = {{0}};
  EmuResult *result = run(m, kernel, 1, block, &in, &out, 1);
  int seen = 0;
  for (int i = 0; i < result->findings + result->notes; i++) {
    const bool note = i >= result->findings;
    const EmuFinding *f = note ? &result->note[i - result->findings] : &result->finding[i];
    seen += f->kind == kind && f->line == fault_line(source, kernel) && note == is_note;
  }
  CHECK(seen > 0, "%s: no %s at its line", kernel, emu_finding_kind_name[kind]);
  emu_result_free(result);
}

/* --- printf --- */

typedef struct {
  const char *kernel, *format, *text;
  int returned, findings;
} Print;

static const Print prints[] = {
    {"print_int", "plain\n", "plain\n", 0, 0},
    {"print_int", "%d %i|%5d|%c\n", "42 -7|  300|x\n", 4, 0},
    {"print_int", "%-5d|%+d|% d|%05d", "42   |-7| 300|00120", 4, 0},
    {"print_int", "%x %X %#o %u", "2a FFFFFFF9 0454 120", 4, 0},
    {"print_int", "%hd %hhd %hhu %hx", "42 -7 44 78", 4, 0},
    {"print_int", "%.4d %8.3d", "0042     -007", 2, 0},
    {"print_int", "%*d|", "                                        -7|", 2, 0},
    {"print_int", "%c%5c%-3c|", "*    \xf9,  |", 3, 0},
    {"print_int", "100%% %5%", "100% %", 0, 0},
    {"print_int", "%n %y %5.2k %", "%n %y %5.2k %", 0, 0},
    {"print_int", "%00000000000000000000000000000000000000d",
     "%0000000000000000000000000000000"
     "0000000d",
     0, 0},
    {"print_wide", "%lld %llu %p %d", "-5000000000 18000000000000000000 0x1234 5", 4, 0},
    {"print_wide", "%ld %lx", "-5000000000 f9ccd8a1c5080000", 2, 0},
    {"print_real", "%f %g %e", "2.500000 -1e+10 1.000000e-01", 3, 0},
    {"print_real", "%.1f|%12.3e|%G", "2.5|  -1.000e+10|0.1", 3, 0},
    {"print_real", "%.f %.e|%.2g", "2 -1e+10|0.1", 3, 0},
    {"print_real", "%a %A %-9.2F|", "0x1.4p+1 -0X1.2A05F2P+33 0.10     |", 3, 0},
    {"print_text", "%s %s %s %s", "text abc < (null)", 4, 0},
    {"print_text", "%6s|%-6s|%.0s|%.2s|", "  text|abc   ||(null)|", 4, 0},
    /* Hostile formats: what does not fit, pointers that point nowhere, arguments that
     * are missing. */
    {"print_int", "%1000000000d", "", 1, 0},
    {"print_int", "%.1000000000d%d", "", 2, 0},
    {"print_real", "a%-2000000g%.999999999999f", "", 2, 0},
    {"print_int", "a%s", "a", -2, 1},
    {"print_text", "%s %d %d %d %d %d %d %d %d %d %d %d", NULL, -2, 1},
};

/* Runs one printf, whose format is passed in a Data. print_text's local text is "abb" if the format
 * begins with an even character, else "abc". */
static void test_print(Machine *m, const Print *p) {
  Data in = {{0}}, out = {{0}};
  strcpy(in.text, p->format);
  EmuResult *result = run(m, p->kernel, 1, 1, &in, &out, 1);
  const int n = (int)result->printed_bytes;
  const char *text = n ? result->printed : "";
  CHECK(!p->text || (n == (int)strlen(p->text) && memcmp(text, p->text, (size_t)n) == 0),
        "printf(\"%s\") prints '%.*s', want '%s'", p->format, n, text, p->text);
  CHECK(out.i[0] == p->returned, "printf(\"%s\") returns %d, want %d", p->format, out.i[0],
        p->returned);
  CHECK(result->findings == p->findings, "printf(\"%s\"): %d findings", p->format,
        result->findings);
  emu_result_free(result);
}

/* A format without its final zero ends with its buffer. */
static void test_endless_format(Machine *m) {
  Data in, out = {{0}};
  memset(&in, 'x', sizeof in);
  EmuResult *result = run(m, "print_int", 1, 1, &in, &out, 1);
  CHECK(out.i[0] == -2 && result->findings == 1 && result->printed_bytes == sizeof in,
        "a format without its end: %d, %d findings, %zu bytes", out.i[0], result->findings,
        result->printed_bytes);
  emu_result_free(result);
}

/* A call's lines stay together and blocks keep their order, on two host threads, too. */
static void test_lines(Machine *m, int threads) {
  enum { BLOCKS = 32, BLOCK = 64 };
  Data in = {{0}}, out = {{0}};
  EmuResult *result = run(m, "print_lines", BLOCKS, BLOCK, &in, &out, threads);
  const char *at = result->printed, *end = at + result->printed_bytes;
  int calls = 0, block, thread, length, ordered = 0;
  char seen[BLOCKS][BLOCK] = {{0}};
  while (at && at < end && sscanf(at, "block %d\nthread %d\n%n", &block, &thread, &length) == 2) {
    if (block < 0 || block >= BLOCKS || thread < 0 || thread >= BLOCK) break;
    ordered += block * BLOCK + thread == calls;
    calls += seen[block][thread]++ == 0;
    at += length;
  }
  CHECK(calls == BLOCKS * BLOCK && at == end, "%d whole calls on %d threads", calls, threads);
  CHECK(ordered == calls, "%d of %d calls in order", ordered, calls);
  emu_result_free(result);
}

static void test_flood(Machine *m) {
  enum { CALL = 1001, CALLS = 2048, KEPT = EMU_PRINT_BYTES / CALL };
  Data in = {{0}}, out = {{0}};
  EmuResult *result = run(m, "print_flood", 2, 32, &in, &out, 2);
  CHECK(result->printed_bytes == KEPT * CALL, "%zu bytes kept", result->printed_bytes);
  CHECK(result->printf_dropped == CALLS - KEPT, "%llu calls dropped",
        (unsigned long long)result->printf_dropped);
  CHECK(out.i[0] == 1, "the kernel went on");
  emu_result_free(result);
}

static void test_printing(Machine *m) {
  for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) test_print(m, &prints[i]);
  test_endless_format(m);
  test_lines(m, 1);
  test_lines(m, 2);
  test_flood(m);
}

static void run_all(Machine *m, const char *source, const char *arch) {
  test_results(m, arch);
  test_fault(m, source, "unchecked_load", 64, EMU_RACE, false);
  test_fault(m, source, "flag_without_fence", 64, EMU_RACE, false);
  test_fault(m, source, "volatile_lanes", 128, EMU_RACE, true);
  test_fault(m, source, "freed_twice", 1, EMU_OUT_OF_BOUNDS, false);
  test_fault(m, source, "behind_block", 1, EMU_OUT_OF_BOUNDS, false);
  test_fault(m, source, "after_free", 1, EMU_OUT_OF_BOUNDS, false);
  if (strcmp(arch, nvrtc_archs[0]) == 0) test_printing(m);
}

int main(void) {
  srand(7);
  return nvrtc_cases("emu_user_nvrtc", "user", nvrtc_archs, run_all);
}
