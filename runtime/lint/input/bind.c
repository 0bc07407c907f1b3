/* SPDX-License-Identifier: MIT */
#include "lint/input/bind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lint/input/name.h"

static const uint64_t max_buffers = UINT64_C(4) << 30; /* maximum bytes of all buffers together */

typedef struct {
  Arena *arena;
  EmuMemory *memory;
  EmuModule *module;
  const LintLaunch *launch;
  Diag *why;
  int buffers, capacity, values;
  LintBuffer *buffer;
} Placer;

/* Reports an error in a value. */
#define FAIL(p, option, v, ...) lint_value_fail((p)->arena, (p)->why, option, v, __VA_ARGS__)

/* --- against the kernel's parameters --- */

static bool is_real(const EmuParam *p) { return p->type[0] == 'f'; }

/* True if a 4-byte integer is the value of a 1- or 2-byte parameter that can represent it. */
static bool is_small(const LintValue *v, const EmuParam *p) {
  int32_t small;
  memcpy(&small, &v->value, sizeof small);
  return small >= -(1 << (8 * p->bytes - 1)) && small < 1 << 8 * p->bytes;
}

/* True if a number has the parameter's type. PTX has byte arrays for C++ structures and
 * half-precision types; only float, double and integers keep their types. Signedness does not
 * matter. */
static bool number_suits(const LintValue *v, const EmuParam *p) {
  const char kind = v->dtype->name[0];
  const bool integer = kind == 'i' || kind == 'u';
  if (integer && v->dtype->bytes == 4 && p->bytes < 4) return !is_real(p) && is_small(v, p);
  if ((uint32_t)v->dtype->bytes != p->bytes) return false;
  return integer ? !is_real(p) : is_real(p) || p->bytes < 4;
}

static bool suits(const LintValue *v, const EmuParam *p) {
  switch (v->kind) {
  case LINT_BUF:
  case LINT_AT:
  case LINT_IMAGE: return p->bytes == 8 && !is_real(p);
  case LINT_NUMBER: return number_suits(v, p);
  case LINT_TMAP: return p->type[0] == 'b' && p->bytes == TENSOR_MAP_BYTES;
  case LINT_STRUCT: return p->type[0] == 'b' && lint_value_size(v).bytes == p->bytes;
  default: return v->value == p->bytes;
  }
}

static void report_argument_mismatch(const Placer *p, const EmuParam *param, int number) {
  const LintValue *v = &p->launch->arg[number - 1];
  FAIL(p, "arg", v, "does not fit parameter %d, %s of %u byte%s", number, param->type, param->bytes,
       param->bytes == 1 ? "" : "s");
}

static void tell_count(const Placer *p, const EmuKernel *k) {
  const LintLaunch *l = p->launch;
  const char *what = arena_printf(p->arena, "the kernel has %d parameter%s, %d", k->params,
                                  k->params == 1 ? "" : "s", l->args);
  const LintValue at = {.loc = l->loc};
  if (l->loc.source)
    FAIL(p, "arg", &at, "%s args given", what);
  else
    diag_say(p->why, DIAG_ARGUMENT, "%s --arg given", what);
}

static bool check_args(const Placer *p, const EmuKernel *k) {
  const LintLaunch *l = p->launch;
  const int before = diag_met(p->why);
  if (k->params != l->args) tell_count(p, k);
  for (int i = 0; i < k->params && i < l->args; i++)
    if (!suits(&l->arg[i], &k->param[i])) report_argument_mismatch(p, &k->param[i], i + 1);
  if (diag_met(p->why) == before) return true;
  Text list = text_new(p->arena);
  for (int i = 0; i < k->params; i++)
    text_printf(&list, "%s %s[%u]", i ? "," : "", k->param[i].type, k->param[i].bytes);
  diag_hint(p->why, "parameters:%s",
            k->params ? arena_printf(p->arena, "%s (type[bytes]; pointers are u64, structures b8)",
                                     list.s)
                      : " none");
  return false;
}

/* --- buffers --- */

static void list_buffers(Placer *p, const LintValue *v, int argument) {
  if (v->kind != LINT_STRUCT) p->values++;
  const bool mapped = v->kind == LINT_TMAP || v->kind == LINT_IMAGE;
  if (v->kind == LINT_BUF || (mapped && !v->members)) {
    p->buffer = arena_grow(p->arena, p->buffer, p->buffers, &p->capacity, sizeof *p->buffer);
    p->buffer[p->buffers++] = (LintBuffer){v, argument, p->values - 1, 0};
  }
  for (int i = 0; i < v->members; i++) list_buffers(p, &v->member[i], 0);
}

/* Limits buffers to half of the machine's memory, because the emulator and the system need memory,
 * too. */
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
    FAIL(p, "arg", v, "more than %llu MiB of buffers in all", (unsigned long long)(limit >> 20));
    return false;
  }
  return true;
}

/* Rejects duplicate names, because at:, expect and --dump could not distinguish the buffers. */
static bool check_names(const Placer *p) {
  bool ok = true;
  for (int i = 1; i < p->buffers; i++) {
    LintValue v = *p->buffer[i].value;
    for (int k = 0; v.name && k < i; k++) {
      const char *other = p->buffer[k].value->name;
      if (!other || strcmp(other, v.name) != 0) continue;
      if (v.name_loc.source) v.loc = v.name_loc;
      FAIL(p, "arg", &v, "another buffer is called %s, too", v.name);
      ok = false;
      break;
    }
  }
  return ok;
}

static const char *label_of(const Placer *p, const LintBuffer *b) {
  if (b->value->name) return b->value->name;
  return b->argument ? arena_printf(p->arena, "arg %d", b->argument) : b->value->text;
}

static bool allocate(Placer *p) {
  for (int i = 0; i < p->buffers; i++) {
    LintBuffer *b = &p->buffer[i];
    b->address = b->value->address; /* reserved by lint_place_reserve() */
    if (!b->address) b->address = emu_alloc(p->memory, b->value->value, label_of(p, b));
    if (b->address) continue;
    FAIL(p, "arg", b->value, "out of memory");
    return false;
  }
  return true;
}

/* --- the bytes of values --- */

static bool is_called(const LintBuffer *b, const char *name) {
  char *end;
  if (b->value->name && strcmp(b->value->name, name) == 0) return true;
  const unsigned long number = strtoul(name, &end, 10);
  return b->argument && !*end && number == (unsigned long)b->argument;
}

static const LintBuffer *find_named(const LintBoundArguments *placed, const char *name) {
  for (; placed; placed = placed->earlier)
    for (int i = 0; i < placed->buffers; i++) {
      const LintBuffer *b = &placed->buffer[i];
      if (b->value->name && strcmp(b->value->name, name) == 0) return b;
    }
  return NULL;
}

const LintBuffer *lint_bound_find(const LintBoundArguments *placed, const char *name) {
  for (int i = 0; i < placed->buffers; i++)
    if (is_called(&placed->buffer[i], name)) return &placed->buffer[i];
  return find_named(placed->earlier, name);
}

static const LintBoundArguments *earlier_of(const LintLaunch *l) {
  return l->chain ? l->chain->bound : NULL;
}

static const LintBuffer *find_buffer(const Placer *p, const LintValue *at, const char *name) {
  const LintBoundArguments placed = {
      .buffers = p->buffers, .buffer = p->buffer, .earlier = earlier_of(p->launch)};
  const LintBuffer *b = lint_bound_find(&placed, name);
  if (!b)
    FAIL(p, "arg", at, "no buffer is called %s: NAME=buf:..., or the number of an argument", name);
  return b;
}

static bool address_at(const Placer *p, const LintValue *at, uint64_t *address) {
  const LintBuffer *b = find_buffer(p, at, at->name);
  if (!b) return false;
  *address = b->address + at->value;
  if (at->value <= b->value->value) return true;
  FAIL(p, "arg", at, "the buffer has only %llu bytes", (unsigned long long)b->value->value);
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
  if (why) FAIL(p, "arg", v, "%s", why);
  return !why;
}

static bool put_image(const Placer *p, const LintValue *v, char *out) {
  const LintImage *m = v->image;
  EmuImage image = m->image;
  const char *why = NULL;
  image.address = address_of(p, v);
  if (v->members && !address_at(p, &v->member[0], &image.address)) return false;
  uint64_t handle = m->handle;
  if (handle)
    emu_texture_at(p->memory, handle, &image, m->is_surface ? NULL : &m->sampler, &why);
  else
    handle = m->is_surface ? emu_surface_new(p->memory, &image, &why)
                           : emu_texture_new(p->memory, &image, &m->sampler, &why);
  if (why) FAIL(p, "arg", v, "%s", why);
  memcpy(out, &handle, sizeof handle);
  return !why;
}

/* Reads `bytes` bytes of a file from its offset on; NULL with the reason in *why. */
static const char *read_data(const Placer *p, const char *option, const LintValue *v,
                             uint64_t bytes) {
  size_t size;
  const char *data = file_read_part(p->arena, v->fill.file, v->fill.offset, bytes, &size);
  if (!data)
    FAIL(p, option, v, "%s: %s", v->fill.file, strerror(errno));
  else if (size < bytes)
    FAIL(p, option, v, "the file has only %" PRIu64 " bytes after offset %" PRIu64, (uint64_t)size,
         (uint64_t)v->fill.offset);
  else
    return data;
  return NULL;
}

static bool put_raw(const Placer *p, const LintValue *v, char *out) {
  if (v->fill.kind == FILL_ZERO) return true;
  const char *data = read_data(p, "arg", v, v->value);
  if (data) memcpy(out, data, v->value);
  return data != NULL;
}

static bool put_value(const Placer *p, const LintValue *v, char *out) {
  uint64_t value = v->value;
  if (v->kind == LINT_TMAP) return put_map(p, v, out);
  if (v->kind == LINT_IMAGE) return put_image(p, v, out);
  if (v->kind == LINT_STRUCT) return put_members(p, v, out);
  if (v->kind == LINT_RAW) return put_raw(p, v, out);
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

/* --- contents of buffers --- */

/* The row pointers in memory that a fill refers to; NULL with the reason in *why. */
static const char *read_rows(const Placer *p, const LintValue *v, uint64_t *count) {
  const LintBuffer *b = find_buffer(p, v, v->fill.rows);
  if (!b) return NULL;
  char *rows = arena_alloc(p->arena, b->value->value + 1);
  *count = b->value->value / (uint64_t)v->fill.dtype->bytes;
  return emu_copy_out(p->memory, rows, b->address, b->value->value) ? rows : NULL;
}

static bool fill_made(const Placer *p, const LintValue *v, uint64_t seed, void *to,
                      uint64_t bytes) {
  const char *why = NULL, *rows = NULL;
  uint64_t count = 0;
  if (v->fill.rows && !(rows = read_rows(p, v, &count))) return false;
  if (lint_fill_write(p->arena, &v->fill, seed, rows, count, to, bytes, &why)) return true;
  FAIL(p, "arg", v, "%s", why);
  return false;
}

static bool fill(const Placer *p, const LintBuffer *b) {
  const LintValue *v = b->value;
  if (!v->members && v->fill.kind == FILL_ZERO) return true;
  Placer q = *p;
  q.arena = arena_new(); /* as large as the buffer, so it is freed again soon */
  const char *data = NULL;
  if (!v->members && v->fill.kind == FILL_FILE) {
    data = read_data(&q, "arg", v, v->value);
  } else {
    char *bytes = arena_alloc(q.arena, v->value);
    const uint64_t seed = p->launch->seed + (uint64_t)b->number;
    const bool ok =
        v->members ? put_members(&q, v, bytes) : fill_made(&q, v, seed, bytes, v->value);
    if (ok) data = bytes;
  }
  const bool ok = data && emu_copy_in(p->memory, b->address, data, v->value);
  arena_free(q.arena);
  return ok;
}

/* Fills all buffers; columns last, because they need the row pointers of other buffers. */
static bool fill_all(const Placer *p) {
  bool ok = true;
  for (int late = 0; late < 2; late++)
    for (int i = 0; i < p->buffers; i++)
      if ((p->buffer[i].value->fill.rows != NULL) == (late == 1)) ok = fill(p, &p->buffer[i]) && ok;
  return ok;
}

/* --- variables --- */

static const EmuVariable *find_variable(const Placer *p, const LintVariable *v) {
  int count;
  Text has = text_new(p->arena);
  const EmuVariable *all = emu_variables(p->module, &count);
  for (int i = 0; i < count; i++)
    if (strcmp(all[i].name, v->name) == 0 ||
        lint_name_is(v->name, lint_name_variable(p->arena, all[i].name)))
      return &all[i];
  for (int i = 0; i < count; i++)
    text_printf(&has, "%s %s[%llu]", i ? "," : "", lint_name_variable(p->arena, all[i].name),
                (unsigned long long)all[i].bytes);
  FAIL(p, "variable", &v->value, "the module has no such variable; it has%s",
       count ? arena_printf(p->arena, "%s (name[bytes])", has.s) : " none");
  return NULL;
}

/* Explains the usual cause of a size mismatch: `buf:`, a pointer to a new buffer, was given where
 * the contents of the variable itself were meant. */
static const char *pointer_note(const LintValue *v) {
  if (v->kind != LINT_BUF) return "";
  return v->loc.source ? ", a pointer to a new buffer; without count or bytes it is filled itself"
                       : ", a pointer to a new buffer; data:random or data:FILE fills it itself";
}

/* The contents of a variable, in its size; NULL with the reason in *why. */
static const char *variable_data(const Placer *p, const LintVariable *v, uint64_t bytes, int i) {
  const uint64_t seed = p->launch->seed + (uint64_t)(p->values + i);
  const uint64_t given = v->filled ? bytes : lint_value_size(&v->value).bytes;
  if (v->filled && v->value.fill.kind == FILL_FILE)
    return read_data(p, "variable", &v->value, bytes);
  if (given != bytes) {
    FAIL(p, "variable", &v->value, "it has %llu bytes, %llu are given%s", (unsigned long long)bytes,
         (unsigned long long)given, pointer_note(&v->value));
    return NULL;
  }
  const char *why = v->filled ? lint_fill_refusal(p->arena, &v->value.fill, bytes) : NULL;
  if (why) {
    FAIL(p, "variable", &v->value, "%s", why);
    return NULL;
  }
  char *data = arena_alloc(p->arena, bytes);
  const bool ok =
      v->filled ? fill_made(p, &v->value, seed, data, bytes) : put_value(p, &v->value, data);
  return ok ? data : NULL;
}

static bool set_variable(const Placer *p, const LintVariable *v, int i) {
  const EmuVariable *variable = find_variable(p, v);
  const char *data = variable ? variable_data(p, v, variable->bytes, i) : NULL;
  return data && emu_set_variable(p->module, variable->name, data, variable->bytes);
}

/* --- all of it --- */

bool lint_place_reserve(Arena *a, EmuMemory *memory, const LintLaunch *l, Diag *why) {
  bool ok = true;
  for (int i = 0; i < l->memories; i++) {
    const LintValue *v = &l->memory[i];
    const char *name = v->name ? v->name : "memory";
    if (!v->address || emu_alloc_at(memory, v->address, v->value, name)) continue;
    lint_value_fail(a, why, "arg", v, "this does not lie from 2^46 on, or meets another buffer");
    ok = false;
  }
  for (int i = 0; i < l->variables; i++) {
    const LintVariable *v = &l->variable[i];
    if (v->value.address && !emu_place_variable(memory, v->name, v->value.address)) ok = false;
  }
  return ok;
}

static void list_all(Placer *p) {
  const LintLaunch *l = p->launch;
  for (int i = 0; i < l->args; i++) list_buffers(p, &l->arg[i], i + 1);
  for (int i = 0; i < l->variables; i++)
    if (!l->variable[i].filled) list_buffers(p, &l->variable[i].value, 0);
  for (int i = 0; i < l->memories; i++) list_buffers(p, &l->memory[i], 0);
}

/* Textures of a saved launch have fixed handles, which new textures must not take. */
static bool put_saved_images(const Placer *p) {
  uint64_t handle;
  bool ok = true;
  for (int i = 0; i < p->launch->memories; i++)
    if (p->launch->memory[i].kind == LINT_IMAGE)
      ok = put_image(p, &p->launch->memory[i], (char *)&handle) && ok;
  return ok;
}

static const void *const *put_args(const Placer *p, bool *ok) {
  const LintLaunch *l = p->launch;
  const void **pointer = ARENA_ARRAY(p->arena, const void *, (size_t)l->args + 1);
  for (int i = 0; i < l->args; i++) {
    char *bytes = arena_alloc(p->arena, lint_value_size(&l->arg[i]).bytes);
    *ok = put_value(p, &l->arg[i], bytes) && *ok;
    pointer[i] = bytes;
  }
  return pointer;
}

bool lint_bind_arguments(Arena *a, EmuMemory *memory, EmuModule *module, const EmuKernel *kernel,
                         const LintLaunch *l, LintBoundArguments *out, Diag *why) {
  Placer p = {.arena = a, .memory = memory, .module = module, .launch = l, .why = why};
  if (!check_args(&p, kernel)) return false;
  list_all(&p);
  if (!check_names(&p) || !check_memory(&p) || !allocate(&p)) return false;
  bool ok = put_saved_images(&p) && fill_all(&p);
  for (int i = 0; i < l->variables; i++) ok = set_variable(&p, &l->variable[i], i) && ok;
  *out = (LintBoundArguments){.buffers = p.buffers, .buffer = p.buffer, .earlier = earlier_of(l)};
  out->arg = put_args(&p, &ok);
  return ok;
}
