#include "lint/lint_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lint/lint_name.h"

static const uint64_t max_buffers = UINT64_C(4) << 30; /* bytes, all of them together */

/* A buffer and where it lies. */
typedef struct {
  const LintValue *value;
  int argument; /* from 1 on; 0: a member's, or a variable's */
  int number;   /* among all values, for its random bytes */
  uint64_t address;
} Buffer;

typedef struct {
  Arena *arena;
  EmuMemory *memory;
  EmuModule *module;
  const LintLaunch *launch;
  Text *why;
  int buffers, capacity, values;
  Buffer *buffer;
} Placer;

/* --- against the kernel's parameters --- */

static bool is_real(const EmuParam *p) { return p->type[0] == 'f'; }

/* A 4-byte integer also serves a parameter of 1 or 2 bytes that can hold it. */
static bool suits(const LintValue *v, const EmuParam *p) {
  int32_t small;
  memcpy(&small, &v->value, sizeof small);
  switch (v->kind) {
  case LINT_BUF:
  case LINT_AT:
  case LINT_I64: return p->bytes == 8 && !is_real(p);
  case LINT_F64: return p->bytes == 8 && is_real(p);
  case LINT_F32: return p->bytes == 4 && is_real(p);
  case LINT_TMAP: return p->type[0] == 'b' && p->bytes == TENSOR_MAP_BYTES;
  case LINT_STRUCT: return p->type[0] == 'b' && lint_value_size(v).bytes == p->bytes;
  default: break;
  }
  if (is_real(p) || p->bytes > 4) return false;
  return p->bytes == 4 || (small >= -(1 << (8 * p->bytes - 1)) && small < 1 << 8 * p->bytes);
}

static bool check_args(const EmuKernel *k, const LintLaunch *l, Text *why) {
  const size_t before = why->len;
  if (k->params != l->args)
    text_printf(why, "kgen: the kernel has %d parameter%s, %d --arg given\n", k->params,
                k->params == 1 ? "" : "s", l->args);
  for (int i = 0; i < k->params && i < l->args; i++)
    if (!suits(&l->arg[i], &k->param[i]))
      text_printf(why, "kgen: parameter %d is %s of %u byte%s, which --arg %s does not suit\n",
                  i + 1, k->param[i].type, k->param[i].bytes, k->param[i].bytes == 1 ? "" : "s",
                  l->arg[i].text);
  if (why->len == before) return true;
  text_puts(why, "kgen: parameters:");
  for (int i = 0; i < k->params; i++)
    text_printf(why, "%s %s[%u]", i ? "," : "", k->param[i].type, k->param[i].bytes);
  text_puts(why, k->params ? " (type[bytes]; pointers are u64, structures b8)\n" : " none\n");
  return false;
}

/* --- buffers --- */

static void list_buffers(Placer *p, const LintValue *v, int argument) {
  if (v->kind != LINT_STRUCT) p->values++;
  if (v->kind == LINT_BUF || (v->kind == LINT_TMAP && !v->members)) {
    if (p->buffers == p->capacity) {
      Buffer *more = ARENA_ARRAY(p->arena, Buffer, (size_t)p->capacity * 2 + 16);
      if (p->buffers) memcpy(more, p->buffer, (size_t)p->buffers * sizeof *more);
      p->buffer = more;
      p->capacity = p->capacity * 2 + 16;
    }
    p->buffer[p->buffers++] = (Buffer){v, argument, p->values - 1, 0};
  }
  for (int i = 0; i < v->members; i++) list_buffers(p, &v->member[i], 0);
}

/* Half of the machine's memory, as the emulator and the system need some, too. */
static bool check_memory(const Placer *p) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t limit = max_buffers, sum = 0;
  if (pages > 0 && page > 0 && (uint64_t)pages * (uint64_t)page / 2 < limit)
    limit = (uint64_t)pages * (uint64_t)page / 2;
  for (int i = 0; i < p->buffers; i++) {
    const LintValue *v = p->buffer[i].value;
    if (v->value <= limit - sum) {
      sum += v->value;
      continue;
    }
    text_printf(p->why, "kgen: --arg %s: more than %llu MiB of buffers in all\n", v->text,
                (unsigned long long)(limit >> 20));
    return false;
  }
  return true;
}

static const char *label_of(const Placer *p, const Buffer *b) {
  if (b->value->name) return b->value->name;
  return b->argument ? arena_printf(p->arena, "arg %d", b->argument) : b->value->text;
}

static bool allocate(Placer *p) {
  for (int i = 0; i < p->buffers; i++) {
    Buffer *b = &p->buffer[i];
    b->address = emu_alloc(p->memory, b->value->value, label_of(p, b));
    if (b->address) continue;
    text_printf(p->why, "kgen: --arg %s: out of memory\n", b->value->text);
    return false;
  }
  return true;
}

/* --- the bytes of values --- */

static bool is_called(const Buffer *b, const char *name) {
  char *end;
  if (b->value->name && strcmp(b->value->name, name) == 0) return true;
  const unsigned long number = strtoul(name, &end, 10);
  return b->argument && !*end && number == (unsigned long)b->argument;
}

static const Buffer *find_buffer(const Placer *p, const LintValue *at) {
  for (int i = 0; i < p->buffers; i++)
    if (is_called(&p->buffer[i], at->name)) return &p->buffer[i];
  text_printf(p->why, "kgen: %s: no buffer is called so: NAME=buf:..., or the number of an --arg\n",
              at->text);
  return NULL;
}

static bool address_at(const Placer *p, const LintValue *at, uint64_t *address) {
  const Buffer *b = find_buffer(p, at);
  if (!b) return false;
  *address = b->address + at->value;
  if (at->value <= b->value->value) return true;
  text_printf(p->why, "kgen: %s: the buffer has only %llu bytes\n", at->text,
              (unsigned long long)b->value->value);
  return false;
}

static uint64_t address_of(const Placer *p, const LintValue *v) {
  for (int i = 0; i < p->buffers; i++)
    if (p->buffer[i].value == v) return p->buffer[i].address;
  return 0;
}

static bool put_members(const Placer *p, const LintValue *v, char *out);

static bool put_map(const Placer *p, const LintValue *v, char *out) {
  TensorMap map = *v->map;
  map.address = address_of(p, v);
  if (v->members && !address_at(p, &v->member[0], &map.address)) return false;
  const char *why = emu_tensor_map_encode(&map, out);
  if (why) text_printf(p->why, "kgen: --arg %s: %s\n", v->text, why);
  return !why;
}

static bool put_value(const Placer *p, const LintValue *v, char *out) {
  uint64_t value = v->value;
  if (v->kind == LINT_TMAP) return put_map(p, v, out);
  if (v->kind == LINT_STRUCT) return put_members(p, v, out);
  if (v->kind == LINT_BUF) value = address_of(p, v);
  if (v->kind == LINT_AT && !address_at(p, v, &value)) return false;
  memcpy(out, &value, lint_value_size(v).bytes);
  return true;
}

static bool put_members(const Placer *p, const LintValue *v, char *out) {
  uint32_t *offset = ARENA_ARRAY(p->arena, uint32_t, (size_t)v->members + 1);
  lint_value_offsets(v, offset);
  bool ok = true;
  for (int i = 0; i < v->members; i++) ok = put_value(p, &v->member[i], out + offset[i]) && ok;
  return ok;
}

/* --- what buffers hold --- */

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

/* At least `bytes` of a file; NULL with the reason in *why. */
static const char *read_data(const Placer *p, const char *option, const char *text,
                             const char *file, uint64_t bytes) {
  size_t size;
  const char *data = file_read(p->arena, file, max_buffers, &size);
  if (!data)
    text_printf(p->why, "kgen: --%s %s: %s\n", option, text, strerror(errno));
  else if (size < bytes)
    text_printf(p->why, "kgen: --%s %s: the file has only %zu bytes\n", option, text, size);
  return data && size >= bytes ? data : NULL;
}

static bool fill(const Placer *p, const Buffer *b) {
  const LintValue *v = b->value;
  const char *data = NULL;
  if (v->zero) return true;
  if (v->members) {
    char *bytes = arena_alloc(p->arena, v->value);
    if (put_members(p, v, bytes)) data = bytes;
  } else if (v->file) {
    data = read_data(p, "arg", v->text, v->file, v->value);
  } else {
    return fill_random(p->memory, b->address, v->value, p->launch->seed + (uint64_t)b->number);
  }
  return data && emu_copy_in(p->memory, b->address, data, v->value);
}

/* --- variables --- */

static const EmuVariable *find_variable(const Placer *p, const LintVariable *v) {
  int count;
  const EmuVariable *all = emu_variables(p->module, &count);
  for (int i = 0; i < count; i++)
    if (strcmp(all[i].name, v->name) == 0 ||
        lint_name_is(v->name, lint_name_variable(p->arena, all[i].name)))
      return &all[i];
  text_printf(p->why, "kgen: --variable %s: the module has no such variable; it has", v->text);
  for (int i = 0; i < count; i++)
    text_printf(p->why, "%s %s[%llu]", i ? "," : "", lint_name_variable(p->arena, all[i].name),
                (unsigned long long)all[i].bytes);
  text_puts(p->why, count ? " (name[bytes])\n" : " none\n");
  return NULL;
}

static const char *random_data(const Placer *p, uint64_t bytes, uint64_t seed) {
  char *data = arena_alloc(p->arena, bytes + sizeof seed);
  for (uint64_t at = 0; at < bytes; at += sizeof seed) {
    const uint64_t word = random_next(&seed);
    memcpy(data + at, &word, sizeof word);
  }
  return data;
}

/* What the variable shall hold, of its size; NULL with the reason in *why. */
static const char *variable_data(const Placer *p, const LintVariable *v, uint64_t bytes, int i) {
  const uint32_t given = lint_value_size(&v->value).bytes;
  if (v->data && strcmp(v->data, "random") == 0)
    return random_data(p, bytes, p->launch->seed + (uint64_t)(p->values + i));
  if (v->data) return read_data(p, "variable", v->text, v->data, bytes);
  if (given != bytes) {
    text_printf(p->why, "kgen: --variable %s: it has %llu bytes, %u are given\n", v->text,
                (unsigned long long)bytes, given);
    return NULL;
  }
  char *data = arena_alloc(p->arena, bytes);
  return put_value(p, &v->value, data) ? data : NULL;
}

static bool set_variable(const Placer *p, const LintVariable *v, int i) {
  const EmuVariable *variable = find_variable(p, v);
  const char *data = variable ? variable_data(p, v, variable->bytes, i) : NULL;
  return data && emu_set_variable(p->module, variable->name, data, variable->bytes);
}

/* --- all of it --- */

static void list_all(Placer *p) {
  const LintLaunch *l = p->launch;
  for (int i = 0; i < l->args; i++) list_buffers(p, &l->arg[i], i + 1);
  for (int i = 0; i < l->variables; i++)
    if (!l->variable[i].data) list_buffers(p, &l->variable[i].value, 0);
}

const void *const *lint_place(Arena *a, EmuMemory *memory, EmuModule *module,
                              const EmuKernel *kernel, const LintLaunch *l, Text *why) {
  Placer p = {.arena = a, .memory = memory, .module = module, .launch = l, .why = why};
  if (!check_args(kernel, l, why)) return NULL;
  list_all(&p);
  if (!check_memory(&p) || !allocate(&p)) return NULL;
  bool ok = true;
  for (int i = 0; i < p.buffers; i++) ok = fill(&p, &p.buffer[i]) && ok;
  for (int i = 0; i < l->variables; i++) ok = set_variable(&p, &l->variable[i], i) && ok;
  const void **pointer = ARENA_ARRAY(a, const void *, (size_t)l->args + 1);
  for (int i = 0; i < l->args; i++) {
    char *bytes = arena_alloc(a, lint_value_size(&l->arg[i]).bytes);
    ok = put_value(&p, &l->arg[i], bytes) && ok;
    pointer[i] = bytes;
  }
  return ok ? pointer : NULL;
}
