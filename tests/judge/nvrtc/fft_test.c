/* SPDX-License-Identifier: MIT */
/* fft_test.c: properties of every Fourier transform, checked on the PTX emulator: impulse,
 * linearity, shift, Parseval, and the inverse. */
#include <math.h>
#include <unistd.h>

#include "emu/emu_nvrtc.h"
#include "shipped.h"

enum { SETS = 5, X = 0, Y, MIXED, IMPULSE, SHIFTED, AT = 5, SHIFT = 3 };
static const double u = 0x1p-24; /* the roundoff of f32 */

typedef struct {
  float re, im;
} Complex;

typedef struct {
  double re, im;
} Wide;

/* Compiles a spec of that many points to PTX; NULL with *why set if there is no NVRTC. */
static const char *fft_ptx(Arena *a, int points, int inverse, const Plan **plan, Text *why) {
  char path[] = "/tmp/kgen-fft-test-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) die("no file for the test");
  dprintf(file, "version: 1\nkernel: fft\nname: fft\nparams: {points: %d, inverse: %d}\n", points,
          inverse);
  close(file);
  *plan = shipped_plan(a, path, NULL);
  unlink(path);
  if (!*plan) die("no plan of %d points", points);
  const Rendered source = shipped_render(a, *plan);
  const char *option[] = {"-arch=compute_90", "-std=c++17"};
  const NvrtcSource input = {
      .name = source.file, .text = source.text, .option = option, .options = 2, .ptx = true};
  NvrtcResult result = {0};
  if (!nvrtc_compile(a, &input, &result, why)) return NULL;
  if (!result.accepted) die("%s", result.log);
  return result.image;
}

static bool fft_run(int points, int inverse, const Complex *in, Complex *out, Text *why) {
  Arena *a = arena_new();
  const Plan *plan;
  const char *ptx = fft_ptx(a, points, inverse, &plan, why);
  if (ptx) {
    Machine m = machine_open(ptx, strlen(ptx));
    const size_t bytes = (size_t)(SETS * points) * sizeof(Complex);
    const uint64_t from = emu_alloc(m.memory, bytes, "in"), to = emu_alloc(m.memory, bytes, "out");
    const int64_t batch = SETS;
    const int transforms = plan->tile[0].set->tile->extent[0] / points;
    const void *args[] = {&to, &from, &batch};
    const EmuLaunch launch = {.kernel = "fft",
                              .grid = {(uint32_t)((SETS + transforms - 1) / transforms), 1, 1},
                              .block = {(uint32_t)plan->spec->block[0], 1, 1},
                              .dynamic_shared = (uint32_t)plan->shared_bytes,
                              .args = args};
    emu_copy_in(m.memory, from, in, bytes);
    EmuResult *result = emu_launch(m.module, &launch);
    check_clean(result, "fft");
    emu_copy_out(m.memory, out, to, bytes);
    emu_result_free(result);
    machine_close(&m);
  }
  arena_free(a);
  return ptx != NULL;
}

static float random_float(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return (float)(*state >> 8) * 0x1p-23f - 1;
}

/* Makes SETS sets of n points: x, y, 2 x - y / 2, an impulse, x shifted. */
static void make_inputs(int n, Complex *in) {
  uint32_t state = 12345;
  for (int i = 0; i < 2 * n; i++) in[i] = (Complex){random_float(&state), random_float(&state)};
  for (int i = 0; i < n; i++) {
    const Complex x = in[i], y = in[Y * n + i];
    in[MIXED * n + i] = (Complex){2 * x.re - y.re / 2, 2 * x.im - y.im / 2};
    in[IMPULSE * n + i] = (Complex){i == AT, 0};
    in[SHIFTED * n + (i + SHIFT) % n] = x;
  }
}

/* Returns x * exp(-2 pi i k / n). */
static Wide turned(Wide x, int64_t k, int n) {
  const double angle = -2 * acos(-1) * (double)(k % n) / n, c = cos(angle), s = sin(angle);
  return (Wide){x.re * c - x.im * s, x.re * s + x.im * c};
}

static Wide widen(Complex x) { return (Wide){(double)x.re, (double)x.im}; }
static double square(Wide x) { return x.re * x.re + x.im * x.im; }

static double energy(const Complex *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += square(widen(x[i]));
  return sum;
}

/* The root mean square of got[i] - want(i), relative to the root mean square of got. */
static double distance(const Complex *got, const Wide *want, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += square((Wide){(double)got[i].re - want[i].re, (double)got[i].im - want[i].im});
  return sqrt(sum / energy(got, n));
}

/* A transform's root-mean-square error: the roundings of its log2 n steps are independent, so that
 * their squares add up. */
static void check_close(const char *what, int n, double error) {
  const double bound = 2 * u * sqrt(log2(n));
  CHECK(error <= bound, "%d points, %s: %.2g, above %.2g", n, what, error, bound);
  printf("%d points, %s: %.2f u\n", n, what, error / u);
}

static void check_forward(int n, const Complex *in, const Complex *out) {
  Wide want[4096] = {{0, 0}};
  for (int k = 0; k < n; k++) want[k] = turned((Wide){1, 0}, (int64_t)AT * k, n);
  check_close("impulse", n, distance(out + IMPULSE * n, want, n));
  for (int k = 0; k < n; k++) {
    const Wide x = widen(out[k]), y = widen(out[Y * n + k]);
    want[k] = (Wide){2 * x.re - y.re / 2, 2 * x.im - y.im / 2};
  }
  check_close("linearity", n, distance(out + MIXED * n, want, n));
  for (int k = 0; k < n; k++) want[k] = turned(widen(out[k]), (int64_t)SHIFT * k, n);
  check_close("shift", n, distance(out + SHIFTED * n, want, n));
  check_close("Parseval", n, fabs(energy(out, n) / (n * energy(in, n)) - 1));
}

static void check_back(int n, const Complex *in, const Complex *back) {
  Wide want[4096] = {{0, 0}};
  for (int set = 0; set < SETS; set++) {
    for (int i = 0; i < n; i++) {
      const Wide x = widen(in[set * n + i]);
      want[i] = (Wide){n * x.re, n * x.im};
    }
    check_close("there and back", n, distance(back + set * n, want, n));
  }
}

static bool check_points(int n, Text *why) {
  Arena *a = arena_new();
  Complex *in = ARENA_ARRAY(a, Complex, (size_t)(SETS * n));
  Complex *out = ARENA_ARRAY(a, Complex, (size_t)(SETS * n));
  Complex *back = ARENA_ARRAY(a, Complex, (size_t)(SETS * n));
  make_inputs(n, in);
  const bool ran = fft_run(n, 0, in, out, why) && fft_run(n, 1, out, back, why);
  if (ran) {
    check_forward(n, in, out);
    check_back(n, in, back);
  }
  arena_free(a);
  return ran;
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  static const int points[] = {64, 128, 512, 1024, 4096};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++)
    if (!check_points(points[i], &why)) return check_skip("fft", why.s);
  arena_free(a);
  return check_report("fft");
}
