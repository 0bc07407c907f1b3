/* SPDX-License-Identifier: MIT */
/* Compilation through NVRTC and the cache: images, registers, messages, hits. */
#include "device/jit.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "device/nvrtc.h"

static const char kernel[] = "extern \"C\" __global__ void reverse(float *a) {\n"
                             "  extern __shared__ float s[];\n"
                             "  s[threadIdx.x] = a[threadIdx.x];\n"
                             "  __syncthreads();\n"
                             "  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n"
                             "}\n";

static const Spec spec = {.name = "reverse", .block = {256, 1, 1}};
static const Plan plan = {.spec = &spec, .shared_bytes = 1024};

static JitStatus compile(Arena *a, const Cache *c, JitForm form, const char *arch, const char *text,
                         Jit *out, Text *why) {
  const Rendered source = {.file = "reverse.cu", .text = text};
  return jit_compile(a, c, form, arch, &plan, &source, out, why);
}

static void test_architectures(Arena *a) {
  static const char *const archs[] = {"sm_75", "sm_80",  "sm_86", "sm_89",
                                      "sm_90", "sm_100", "sm_120"};
  const Cache none = {0};
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
    Jit jit;
    Text why = text_new(a);
    const JitStatus s = compile(a, &none, JIT_CUBIN, archs[i], kernel, &jit, &why);
    CHECK(s == JIT_OK, "%s: %s", archs[i], why.s);
    if (s != JIT_OK) continue;
    CHECK(jit.size > 64 && memcmp(jit.image, "\177ELF", 4) == 0, "%s: no ELF image", archs[i]);
    CHECK(jit.registers > 0 && jit.registers < 64, "%s: %d registers", archs[i], jit.registers);
    CHECK(jit.spill_bytes == 0 && !jit.cached, "%s: %d, %d", archs[i], jit.spill_bytes, jit.cached);
    CHECK(jit.blocks_on_sm > 0, "%s: no occupancy", archs[i]);
  }
}

static void test_ptx(Arena *a) {
  const Cache none = {0};
  Jit jit;
  Text why = text_new(a);
  const JitStatus s = compile(a, &none, JIT_PTX, "sm_90", kernel, &jit, &why);
  CHECK(s == JIT_OK, "%s", why.s);
  if (s != JIT_OK) return;
  CHECK(strstr(jit.image, ".target sm_90") != NULL, "not for sm_90");
  CHECK(strstr(jit.image, ".entry reverse(") != NULL, "the name was changed");
  CHECK(strstr(jit.image, ".loc") != NULL, "no line information");
  CHECK(jit.registers == -1, "%d registers", jit.registers);
  CHECK(!jit.ptx, "PTX is assembled from nothing");
  Jit machine;
  CHECK(compile(a, &none, JIT_CUBIN, "sm_90", kernel, &machine, &why) == JIT_OK, "%s", why.s);
  CHECK(machine.ptx, "machine code without its PTX");
  if (!machine.ptx) return;
  const Jit same = jit_ptx(&machine);
  CHECK_STR(same.image, jit.image);
  CHECK(same.size == jit.size && same.registers == -1 && !same.ptx, "%zu bytes, %zu", same.size,
        jit.size);
}

static void test_rejection(Arena *a) {
  const Cache none = {0};
  Jit jit;
  Text why = text_new(a);
  const JitStatus s =
      compile(a, &none, JIT_CUBIN, "sm_90", "\n\n__global__ void k() { x = 1; }\n", &jit, &why);
  CHECK(s == JIT_REJECTED, "status %d", (int)s);
  CHECK(strstr(why.s, "reverse.cu(3)") && strstr(why.s, "\"x\" is undefined"), "log: %s", why.s);
  Text none_such = text_new(a);
  CHECK(compile(a, &none, JIT_CUBIN, "sm_1", kernel, &jit, &none_such) != JIT_OK, "sm_1 compiled");
  CHECK(none_such.len > 0, "refused sm_1 without a reason");
}

static const char *one_entry(Arena *a, const char *folder) {
  DIR *dir = opendir(folder);
  const char *path = NULL;
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    if (e->d_name[0] != '.') path = arena_printf(a, "%s/%s", folder, e->d_name);
  if (dir) closedir(dir);
  return path;
}

/* A hit equals what was compiled, is fast, and depends on all that the image depends on. */
static void test_cache(Arena *a, const char *folder) {
  setenv("KGEN_CACHE_DIR", folder, 1);
  Text why = text_new(a);
  const Cache c = cache_open(a, &why);
  Jit cold, warm, other;
  CHECK(compile(a, &c, JIT_CUBIN, "sm_90", kernel, &cold, &why) == JIT_OK, "%s", why.s);
  CHECK(compile(a, &c, JIT_CUBIN, "sm_90", kernel, &warm, &why) == JIT_OK, "%s", why.s);
  CHECK(!cold.cached && warm.cached, "%d, %d", cold.cached, warm.cached);
  CHECK(warm.size == cold.size && memcmp(warm.image, cold.image, cold.size) == 0, "images differ");
  CHECK(warm.registers == cold.registers && warm.blocks_on_sm == cold.blocks_on_sm, "report");
  CHECK_STR(warm.log, cold.log);
  CHECK(cold.ptx && warm.ptx && strcmp(warm.ptx, cold.ptx) == 0, "another PTX");
  printf("cold %.1f ms, hit %.2f ms\n", cold.ms, warm.ms);
  CHECK(warm.ms < 2, "a hit took %.2f ms", warm.ms);
  const char *path = one_entry(a, folder);
  CHECK(path && truncate(path, 1000) == 0, "no entry");
  CHECK(compile(a, &c, JIT_CUBIN, "sm_90", kernel, &warm, &why) == JIT_OK && !warm.cached,
        "a truncated entry was used");
  CHECK(compile(a, &c, JIT_CUBIN, "sm_80", kernel, &other, &why) == JIT_OK && !other.cached,
        "arch");
  CHECK(compile(a, &c, JIT_PTX, "sm_90", kernel, &other, &why) == JIT_OK && !other.cached, "form");
  const char *edited = arena_printf(a, "%s ", kernel);
  CHECK(compile(a, &c, JIT_CUBIN, "sm_90", edited, &other, &why) == JIT_OK && !other.cached,
        "text");
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!nvrtc_identity(a, &why)) return check_skip("jit", "no NVRTC");
  char folder[] = "/tmp/kgen-jit-test-XXXXXX";
  if (!mkdtemp(folder)) die("no folder for the test");
  test_architectures(a);
  test_ptx(a);
  test_rejection(a);
  test_cache(a, folder);
  if (system(arena_printf(a, "rm -rf %s", folder)) != 0) die("cannot clean up");
  arena_free(a);
  return check_report("jit");
}
