#include "lint/lint_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* A grid of more threads would take minutes; conflicts by line show in a small one. */
enum { MAX_THREADS = 1 << 24 };
static const uint64_t max_buffers = UINT64_C(4) << 30; /* bytes, all of them together */

static const char *const kind_name[LINT_ARG_KINDS] = {"buf", "i32", "i64", "f32", "f64"};

static const char *const value_name[LINT_ARG_KINDS] = {
    "number of bytes from 1 on", "number of 32 bits", "number of 64 bits", "number", "number"};

/* --- numbers --- */

/* Digits in any C base, up to `max`; *end is what follows. */
static bool read_count(const char *s, uint64_t max, uint64_t *out, const char **end) {
  char *after;
  errno = 0;
  const unsigned long long v = strtoull(s, &after, 0);
  *out = v;
  *end = after;
  return after != s && errno == 0 && *s >= '0' && *s <= '9' && v <= max;
}

/* "X", "X,Y" or "X,Y,Z"; what is left out is 1. */
static bool read_size(const char *name, const char *s, uint32_t out[3], Text *why) {
  out[0] = out[1] = out[2] = 1;
  if (!s) {
    text_printf(why, "kgen: --lint needs --%s X,Y,Z\n", name);
    return false;
  }
  const char *at = s;
  for (int d = 0; d < 3; d++) {
    uint64_t v;
    if (!read_count(at, INT32_MAX, &v, &at) || v == 0) break;
    out[d] = (uint32_t)v;
    if (!*at) return true;
    if (*at++ != ',') break;
  }
  text_printf(why, "kgen: --%s %s is not X,Y,Z with numbers from 1 to %d\n", name, s, INT32_MAX);
  return false;
}

/* --- arguments --- */

static bool read_buffer(LintArg *arg, const char *s) {
  const char *end;
  if (!read_count(s, UINT64_MAX, &arg->value, &end) || arg->value == 0) return false;
  if (*end == ':' && end[1]) {
    arg->zero = strcmp(end + 1, "zero") == 0;
    if (!arg->zero) arg->file = end + 1;
    return true;
  }
  return *end == '\0';
}

/* 32 bits take what either int or unsigned holds. */
static bool read_integer(LintArg *arg, const char *s) {
  char *end;
  errno = 0;
  const bool negative = *s == '-', wide = arg->kind == LINT_I64;
  const long long least = wide ? INT64_MIN : INT32_MIN;
  const unsigned long long most = wide ? UINT64_MAX : UINT32_MAX;
  if (!*s || strchr(" \t\n+", *s)) return false;
  if (negative) {
    const long long v = strtoll(s, &end, 0);
    memcpy(&arg->value, &v, sizeof arg->value);
    return errno == 0 && end > s + 1 && !*end && v >= least;
  }
  const unsigned long long v = strtoull(s, &end, 0);
  arg->value = v;
  return errno == 0 && end > s && !*end && v <= most;
}

static bool read_real(LintArg *arg, const char *s) {
  char *end;
  if (!*s || strchr(" \t\n", *s)) return false;
  const double v = strtod(s, &end);
  const float single = (float)v;
  if (arg->kind == LINT_F32)
    memcpy(&arg->value, &single, sizeof single);
  else
    memcpy(&arg->value, &v, sizeof v);
  return end > s && !*end;
}

static bool read_value(LintArg *arg, const char *s) {
  switch (arg->kind) {
  case LINT_BUF: return read_buffer(arg, s);
  case LINT_I32:
  case LINT_I64: return read_integer(arg, s);
  default: return read_real(arg, s);
  }
}

static bool read_arg(LintArg *arg, const char *text, Text *why) {
  *arg = (LintArg){.text = text, .kind = LINT_ARG_KINDS};
  for (int k = 0; k < LINT_ARG_KINDS; k++) {
    const size_t n = strlen(kind_name[k]);
    if (strncmp(text, kind_name[k], n) != 0 || text[n] != ':') continue;
    arg->kind = (LintArgKind)k;
    if (read_value(arg, text + n + 1)) return true;
    text_printf(why, "kgen: --arg %s: not a %s\n", text, value_name[k]);
    return false;
  }
  text_printf(why,
              "kgen: --arg %s is none of buf:BYTES, buf:BYTES:zero, buf:BYTES:FILE, i32:V, i64:V, "
              "f32:V, f64:V and {MEMBER,...}\n",
              text);
  return false;
}

/* The members between the braces, of which the last one ends the argument: a file's name may hold
 * braces, too, but no comma. */
static bool read_members(Arena *a, const char *text, LintArg *arg, int *count, Text *why) {
  const char *const end = text + strlen(text) - 1;
  bool ok = end > text + 1 && *end == '}';
  if (!ok) text_printf(why, "kgen: --arg %s: not {MEMBER,...}\n", text);
  for (const char *at = text + 1, *next; ok && at <= end; at = next + 1) {
    next = memchr(at, ',', (size_t)(end - at));
    if (!next) next = end;
    ok = read_arg(&arg[(*count)++], arena_strndup(a, at, (size_t)(next - at)), why);
  }
  return ok;
}

static int most_args(const Options *o) {
  int most = 0;
  for (int i = 0; i < o->lint.arg.count; i++) {
    most++;
    for (const char *s = strchr(o->lint.arg.item[i], ','); s; s = strchr(s + 1, ',')) most++;
  }
  return most;
}

static bool read_args(Arena *a, const Options *o, LintLaunch *out, Text *why) {
  LintArg *arg = ARENA_ARRAY(a, LintArg, (size_t)most_args(o) + 1);
  LintGroup *group = ARENA_ARRAY(a, LintGroup, (size_t)o->lint.arg.count + 1);
  bool ok = true;
  for (int i = 0; i < o->lint.arg.count; i++) {
    const char *text = o->lint.arg.item[i];
    group[i] = (LintGroup){.text = text, .first = out->args, .is_struct = *text == '{'};
    if (group[i].is_struct)
      ok = read_members(a, text, arg, &out->args, why) && ok;
    else
      ok = read_arg(&arg[out->args++], text, why) && ok;
    group[i].count = out->args - group[i].first;
  }
  out->groups = o->lint.arg.count;
  out->arg = arg;
  out->group = group;
  return ok;
}

/* --- the whole launch --- */

static bool fits(const LintLaunch *l, Text *why) {
  uint64_t threads = 1;
  for (int d = 0; d < 3; d++) {
    threads *= l->block[d];
    if (threads > MAX_THREADS) break;
    threads *= l->grid[d];
    if (threads > MAX_THREADS) break;
  }
  if (threads <= MAX_THREADS) return true;
  text_printf(
      why,
      "kgen: more than %d threads in all: give a smaller --grid, conflicts by line show in a "
      "few blocks\n",
      MAX_THREADS);
  return false;
}

static bool read_sizes(const Options *o, LintLaunch *out, Text *why) {
  bool ok = read_size("grid", o->lint.grid, out->grid, why);
  ok = read_size("block", o->lint.block, out->block, why) && ok;
  return ok && fits(out, why);
}

bool lint_args_read(Arena *a, const Options *o, LintLaunch *out, Text *why) {
  *out = (LintLaunch){.smem = (uint32_t)o->lint.smem,
                      .max_steps = o->lint.max_steps,
                      .max_conflicts = o->lint.max_conflicts,
                      .seed = o->seed};
  const bool ok = read_sizes(o, out, why);
  return read_args(a, o, out, why) && ok;
}

/* Dynamic arrays begin behind the static ones, aligned. */
uint32_t lint_args_shared(const EmuKernel *kernel, const LintLaunch *l) {
  uint32_t end = kernel->static_shared;
  for (int i = 0; i < kernel->shared_vars; i++) {
    const EmuSharedVar *v = &kernel->shared_var[i];
    if (!v->bytes && v->offset > end) end = v->offset;
  }
  return end + l->smem;
}

/* --- against the kernel's parameters --- */

static bool is_real(const EmuParam *p) { return p->type[0] == 'f'; }

/* A 4-byte integer also serves a parameter of 1 or 2 bytes that can hold it. */
static bool suits(const LintArg *arg, const EmuParam *p) {
  int32_t v;
  memcpy(&v, &arg->value, sizeof v);
  switch (arg->kind) {
  case LINT_BUF: return p->bytes == 8 && !is_real(p);
  case LINT_I64: return p->bytes == 8 && !is_real(p);
  case LINT_F64: return p->bytes == 8 && is_real(p);
  case LINT_F32: return p->bytes == 4 && is_real(p);
  default: break;
  }
  if (is_real(p) || p->bytes > 4) return false;
  return p->bytes == 4 || (v >= -(1 << (8 * p->bytes - 1)) && v < 1 << 8 * p->bytes);
}

static uint32_t bytes_of(const LintArg *arg) {
  return arg->kind == LINT_I32 || arg->kind == LINT_F32 ? 4 : 8;
}

/* Where the members lie: each at the next multiple of its size. Returns the structure's size. */
static uint32_t place_members(const LintArg *arg, int count, uint32_t *offset) {
  uint32_t at = 0, align = 1;
  for (int i = 0; i < count; i++) {
    const uint32_t bytes = bytes_of(&arg[i]);
    at = (at + bytes - 1) & ~(bytes - 1);
    if (offset) offset[i] = at;
    at += bytes;
    if (bytes > align) align = bytes;
  }
  return (at + align - 1) & ~(align - 1);
}

static bool group_suits(const LintLaunch *l, const LintGroup *g, const EmuParam *p) {
  const LintArg *arg = &l->arg[g->first];
  if (!g->is_struct) return suits(arg, p);
  return p->type[0] == 'b' && place_members(arg, g->count, NULL) == p->bytes;
}

static bool check_args(const EmuKernel *k, const LintLaunch *l, Text *why) {
  const size_t before = why->len;
  if (k->params != l->groups)
    text_printf(why, "kgen: the kernel has %d parameter%s, %d --arg given\n", k->params,
                k->params == 1 ? "" : "s", l->groups);
  for (int i = 0; i < k->params && i < l->groups; i++)
    if (!group_suits(l, &l->group[i], &k->param[i]))
      text_printf(why, "kgen: parameter %d is %s of %u byte%s, which --arg %s does not suit\n",
                  i + 1, k->param[i].type, k->param[i].bytes, k->param[i].bytes == 1 ? "" : "s",
                  l->group[i].text);
  if (why->len == before) return true;
  text_puts(why, "kgen: parameters:");
  for (int i = 0; i < k->params; i++)
    text_printf(why, "%s %s[%u]", i ? "," : "", k->param[i].type, k->param[i].bytes);
  text_puts(why, k->params ? " (type[bytes]; pointers are u64, structures b8)\n" : " none\n");
  return false;
}

/* --- buffers --- */

/* Half of the machine's memory, as the emulator and the system need some, too. */
static bool check_memory(const LintLaunch *l, Text *why) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t limit = max_buffers, sum = 0;
  if (pages > 0 && page > 0 && (uint64_t)pages * (uint64_t)page / 2 < limit)
    limit = (uint64_t)pages * (uint64_t)page / 2;
  for (int i = 0; i < l->args; i++) {
    if (l->arg[i].kind != LINT_BUF) continue;
    if (l->arg[i].value <= limit - sum) {
      sum += l->arg[i].value;
      continue;
    }
    text_printf(why, "kgen: --arg %s: more than %llu MiB of buffers in all\n", l->arg[i].text,
                (unsigned long long)(limit >> 20));
    return false;
  }
  return true;
}

/* splitmix64, Steele, Lea and Flood 2014. */
static uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static bool fill_random(EmuMemory *memory, uint64_t at, uint64_t bytes, uint64_t seed) {
  uint64_t chunk[512];
  for (uint64_t done = 0; done < bytes; done += sizeof chunk) {
    for (size_t i = 0; i < sizeof chunk / sizeof *chunk; i++) chunk[i] = random_next(&seed);
    const uint64_t left = bytes - done;
    if (!emu_copy_in(memory, at + done, chunk, left < sizeof chunk ? left : sizeof chunk))
      return false;
  }
  return true;
}

static bool fill_from_file(Arena *a, EmuMemory *memory, uint64_t at, const LintArg *arg,
                           Text *why) {
  size_t size;
  const char *data = file_read(a, arg->file, max_buffers, &size);
  if (!data)
    text_printf(why, "kgen: --arg %s: %s\n", arg->text, strerror(errno));
  else if (size < arg->value)
    text_printf(why, "kgen: --arg %s: the file has only %zu bytes\n", arg->text, size);
  else
    return emu_copy_in(memory, at, data, arg->value);
  return false;
}

static bool place_buffer(Arena *a, EmuMemory *memory, const LintLaunch *l, int i, uint64_t *address,
                         Text *why) {
  const LintArg *arg = &l->arg[i];
  *address = emu_alloc(memory, arg->value, arena_printf(a, "arg %d", i + 1));
  if (!*address) {
    text_printf(why, "kgen: --arg %s: out of memory\n", arg->text);
    return false;
  }
  if (arg->zero) return true;
  if (arg->file) return fill_from_file(a, memory, *address, arg, why);
  return fill_random(memory, *address, arg->value, l->seed + (uint64_t)i);
}

/* The bytes of a structure; its members' values stand in value[]. */
static const void *pack(Arena *a, const LintLaunch *l, const LintGroup *g, const uint64_t *value) {
  const LintArg *arg = &l->arg[g->first];
  uint32_t *offset = ARENA_ARRAY(a, uint32_t, (size_t)g->count);
  char *bytes = arena_alloc(a, place_members(arg, g->count, offset));
  for (int i = 0; i < g->count; i++)
    memcpy(bytes + offset[i], &value[g->first + i], bytes_of(&arg[i]));
  return bytes;
}

const void *const *lint_args_place(Arena *a, EmuMemory *memory, const EmuKernel *kernel,
                                   const LintLaunch *l, Text *why) {
  if (!check_args(kernel, l, why) || !check_memory(l, why)) return NULL;
  uint64_t *value = ARENA_ARRAY(a, uint64_t, (size_t)l->args + 1);
  const void **pointer = ARENA_ARRAY(a, const void *, (size_t)l->groups + 1);
  for (int i = 0; i < l->args; i++) {
    value[i] = l->arg[i].value;
    if (l->arg[i].kind == LINT_BUF && !place_buffer(a, memory, l, i, &value[i], why)) return NULL;
  }
  for (int i = 0; i < l->groups; i++) {
    const LintGroup *g = &l->group[i];
    pointer[i] = g->is_struct ? pack(a, l, g, value) : &value[g->first];
  }
  return pointer;
}
