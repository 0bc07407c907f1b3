/* SPDX-License-Identifier: MIT */
#include "device/jit.h"

#include <stdlib.h>
#include <string.h>

#include "device/clock.h"
#include "device/nvrtc.h"
#include "model/occupancy.h"

enum { MAX_OPTIONS = 8 };

typedef struct {
  int count;
  const char *option[MAX_OPTIONS];
} Options;

/* sm_90 requests machine code, compute_90 PTX. */
static Options options_for(Arena *a, JitForm form, const char *arch) {
  const char *number = strchr(arch, '_');
  if (!number) die("architecture %s", arch);
  Options o = {0};
  o.option[o.count++] =
      arena_printf(a, "--gpu-architecture=%s%s", form == JIT_PTX ? "compute" : "sm", number);
  o.option[o.count++] = "--std=c++17";
  o.option[o.count++] = "-lineinfo"; /* so that profilers and the emulator can name source lines */
  if (form == JIT_CUBIN) o.option[o.count++] = "--ptxas-options=-v";
  return o;
}

/* The key: everything that the image depends on, and the format of an entry. */
static const char *cache_key(Arena *a, const char *identity, const Options *o, const Rendered *r) {
  Text key = text_new(a);
  text_printf(&key, "kgen %s: log, PTX, image\nnvrtc %s\n", KGEN_VERSION, identity);
  for (int i = 0; i < o->count; i++) text_printf(&key, "%s\n", o->option[i]);
  text_printf(&key, "%s\n\n%s", r->file, r->text);
  return key.s;
}

/* The position after a string of an entry; NULL if there is no string. */
static const char *after(const char *string, const char *end) {
  const char *nul = string ? memchr(string, '\0', (size_t)(end - string)) : NULL;
  return nul ? nul + 1 : NULL;
}

/* The value of an entry: the log and the PTX of machine code, each with its NUL, and the image. */
static bool from_cache(Arena *a, const Cache *c, const char *key, Jit *out) {
  size_t size;
  const char *log = cache_get(a, c, key, &size), *end = log ? log + size : NULL;
  const char *ptx = after(log, end), *stored = after(ptx, end);
  if (!stored) return false;
  out->log = log;
  out->ptx = *ptx ? ptx : NULL;
  out->size = (size_t)(end - stored);
  char *image = arena_alloc(a, out->size + 1); /* aligned, as the driver requires */
  memcpy(image, stored, out->size);
  out->image = image;
  out->cached = true;
  return true;
}

static void to_cache(Arena *a, const Cache *c, const char *key, const Jit *jit) {
  Text value = text_new(a);
  text_add(&value, jit->log, strlen(jit->log) + 1);
  if (jit->ptx) text_puts(&value, jit->ptx);
  text_add(&value, "", 1);
  text_add(&value, jit->image, jit->size);
  cache_put(a, c, key, value.s, value.len);
}

/* The integer before `unit` in the output of ptxas, such as "Used 32 registers"; `missing` if there
 * is none. */
static int number_before(const char *log, const char *unit, int missing) {
  const char *at = strstr(log, unit);
  if (!at || at == log) return missing;
  while (at > log && at[-1] == ' ') at--;
  while (at > log && at[-1] >= '0' && at[-1] <= '9') at--;
  return (int)strtol(at, NULL, 10);
}

/* Parses the output of ptxas about the kernel; the source may contain others. */
static const char *log_of(Arena *a, const char *log, const char *kernel) {
  const char *at = strstr(log, arena_printf(a, "entry function '%s'", kernel));
  return at ? at : log;
}

static void describe(Arena *a, const char *arch, const Plan *plan, Jit *out) {
  const char *log = log_of(a, out->log, plan->spec->symbol);
  out->registers = number_before(log, " registers", -1);
  out->spill_bytes =
      number_before(log, " bytes spill stores", 0) + number_before(log, " bytes spill loads", 0);
  const Arch *limits = arch_find(arch);
  const int *b = plan->spec->block;
  if (limits && out->registers > 0)
    out->blocks_on_sm =
        occupancy_blocks(limits, b[0] * b[1] * b[2], out->registers, plan->shared_bytes);
}

static JitStatus compile(Arena *a, JitForm form, const Options *o, const Rendered *source, Jit *out,
                         Text *why) {
  const NvrtcSource input = {source->file, source->text, o->option, o->count, form == JIT_PTX};
  NvrtcResult result;
  if (!nvrtc_compile(a, &input, &result, why)) return JIT_UNUSABLE;
  if (!result.accepted) {
    text_puts(why, result.log);
    return JIT_REJECTED;
  }
  out->image = result.image;
  out->size = result.size;
  out->ptx = result.ptx;
  out->log = result.log;
  return JIT_OK;
}

JitStatus jit_compile(Arena *a, const Cache *cache, JitForm form, const char *arch,
                      const Plan *plan, const Rendered *source, Jit *out, Text *why) {
  const double start = clock_ms();
  *out = (Jit){.registers = -1};
  const char *identity = nvrtc_identity(a, why);
  if (!identity) return JIT_UNUSABLE;
  const Options options = options_for(a, form, arch);
  const char *key = cache_key(a, identity, &options, source);
  if (!from_cache(a, cache, key, out)) {
    const JitStatus status = compile(a, form, &options, source, out, why);
    if (status != JIT_OK) return status;
    to_cache(a, cache, key, out);
  }
  describe(a, arch, plan, out);
  out->ms = clock_ms() - start;
  return JIT_OK;
}

bool jit_is_cached(Arena *a, const Cache *cache, JitForm form, const char *arch,
                   const Rendered *source) {
  Text ignored = text_new(a);
  const char *identity = nvrtc_identity(a, &ignored);
  const Options options = options_for(a, form, arch);
  return identity && cache_has(a, cache, cache_key(a, identity, &options, source));
}

Jit jit_ptx(const Jit *jit) {
  return (Jit){.image = jit->ptx,
               .size = strlen(jit->ptx) + 1,
               .log = jit->log,
               .registers = -1,
               .cached = jit->cached,
               .ms = jit->ms};
}
