/* SPDX-License-Identifier: MIT */
/* operands_test.c: products of wgmma from tiles that emitted headers place and describe, along k
 * and along n, swizzled and not, equal host arithmetic on the emulator, without a finding. */
#include <unistd.h>

#include "device/nvrtc.h"
#include "emu/emu_run.h"
#include "shipped.h"

enum { M = 64, N = 128, K = 64 };

static char folder[] = "/tmp/kgen-operands-XXXXXX";

/* Rows of 16 bytes, which wgmma reads without a swizzle. */
static const char bare_k[] =
    "version: 1\nkernel: none\ndtype: f16\ntile: [8, 64, 8]\narch: sm_90a\n"
    "access: [{op: wgmma_a, box: [2, 64, 8]}]\n";
static const char bare_mn[] =
    "version: 1\nkernel: none\ndtype: f16\ntile: [16, 64, 8]\narch: sm_90a\n"
    "access: [{op: wgmma_b, major: mn, box: [16, 16, 8]}]\n";

static void put_file(Arena *a, const char *name, const char *text) {
  const char *path = arena_printf(a, "%s/%s", folder, name);
  if (!file_write(path, text, strlen(text))) die("cannot write %s", path);
}

static void put_header(Arena *a, const char *spec) {
  const Plan *plan = shipped_plan(a, spec, NULL);
  CHECK(plan, "%s", spec);
  if (!plan) return;
  const Rendered r = shipped_render(a, plan);
  put_file(a, r.file, r.text);
}

static void put_headers(Arena *a) {
  put_file(a, "bare_k.yaml", bare_k);
  put_file(a, "bare_mn.yaml", bare_mn);
  put_header(a, arena_printf(a, "%s/bare_k.yaml", folder));
  put_header(a, arena_printf(a, "%s/bare_mn.yaml", folder));
  put_header(a, KGEN_SOURCE_DIR "/specs/operand_wgmma_k_f16.yaml");
  put_header(a, KGEN_SOURCE_DIR "/specs/operand_wgmma_mn_f16.yaml");
}

/* NULL if there is no NVRTC. */
static const char *compile(Arena *a, Text *why) {
  const char *path = KGEN_SOURCE_DIR "/tests/emit/nvrtc/operands.cu";
  size_t length;
  const char *text = file_read(a, path, 1 << 20, &length);
  if (!text) die("cannot read %s", path);
  const char *option[] = {"-arch=compute_90a", "-std=c++17", arena_printf(a, "-I%s", folder)};
  const NvrtcSource source = {
      .name = path, .text = text, .option = option, .options = 3, .ptx = true};
  NvrtcResult result = {0};
  if (!nvrtc_compile(a, &source, &result, why)) return NULL;
  CHECK(result.accepted, "%s", result.log);
  return result.accepted ? result.image : "";
}

static uint16_t in[M * K + K * N];
static float value[M * K + K * N], want[M * N], out[M * N];

/* Fills the input with halves from 0 to 7, whose products add up exactly. */
static void fill(void) {
  static const uint16_t half[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
  uint32_t state = 7;
  for (int i = 0; i < M * K + K * N; i++) {
    state = state * 1664525u + 1013904223u;
    in[i] = half[state >> 29];
    value[i] = (float)(state >> 29);
  }
  for (int i = 0; i < M * N; i++)
    for (int k = 0; k < K; k++) want[i] += value[i / N * K + k] * value[M * K + k * N + i % N];
}

static void check_product(Machine *m, const char *kernel) {
  memset(out, 0, sizeof out);
  const Run r = {kernel, 1, 128, in, sizeof in, out, sizeof out, 0, 1 << 20, 1, 0};
  EmuResult *result = machine_run(m, &r);
  check_clean(result, kernel);
  CHECK(memcmp(out, want, sizeof out) == 0, "%s: wrong product", kernel);
  emu_result_free(result);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!mkdtemp(folder)) die("no temporary folder");
  put_headers(a);
  const char *ptx = compile(a, &why);
  if (system(arena_printf(a, "rm -r %s", folder)) != 0) die("%s stays", folder);
  if (!ptx) return check_skip("emit_operands_nvrtc", why.s);
  fill();
  Machine m = machine_open(ptx, strlen(ptx));
  check_product(&m, "swizzled");
  check_product(&m, "bare");
  machine_close(&m);
  arena_free(a);
  return check_report("emit_operands_nvrtc");
}
