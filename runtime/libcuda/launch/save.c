/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/save.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "libcuda/driver.h"
#include "libcuda/launch/stored.h"
#include "libcuda/state/allocation.h"
#include "libcuda/state/texture.h"
#include "libcuda/watch/session.h"
#include "lint/input/name.h"
#include "lint/input/quote.h"

enum { MAX_FOLDERS = 1000000, LOWEST_LOG2 = 46 };

/* An allocation that the launch can access. */
typedef struct {
  uint64_t base, bytes;
  void *before; /* copy of its contents before the launch */
} Reached;

/* A sorted set. */
typedef struct {
  int count, room;
  uint64_t *value;
} Set;

struct Save {
  Arena *arena;
  const char *folder;
  const Function *function;
  EmuLaunch launch;
  int count, capacity;
  Reached *reached; /* in order of discovery */
  Set known;        /* their base addresses, and handles of images */
  int images, image_room;
  LintImage *image; /* textures and surfaces that the launch can access */
  Text yaml;
  int blocks;    /* number of blocks of the device heap among them */
  Stored stored; /* words that the launch itself writes */
  bool failed;
  int error; /* errno of the last failure */
};

/* --- the directory --- */

static const char *file_name(Arena *a, const char *kernel) {
  enum { LONGEST = 60 };
  char *name = arena_strndup(a, kernel, strnlen(kernel, LONGEST));
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') *c = '-';
  return name;
}

/* Uses the first free number from `first` on, because several processes share the parent
 * directory. */
static const char *make_folder(Arena *a, const char *parent, uint64_t first, const char *kernel) {
  const char *name = file_name(a, lint_name_plain(a, kernel));
  for (uint64_t n = first; n < first + MAX_FOLDERS; n++) {
    const char *folder = arena_printf(a, "%s/%04" PRIu64 "-%s", parent, n, name);
    if (mkdir(folder, 0777) == 0) return folder;
    if (errno != EEXIST) return NULL;
  }
  return NULL;
}

static void put(Save *s, const char *name, const void *data, size_t bytes) {
  const char *path = arena_printf(s->arena, "%s/%s", s->folder, name);
  if (file_create(path, data, bytes)) return;
  s->failed = true;
  s->error = errno;
}

/* --- memory that the arguments refer to --- */

/* Returns the index of the first value that is at least `value`. */
static int from(const Set *set, uint64_t value) {
  int low = 0, high = set->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (set->value[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has(const Set *set, uint64_t value) {
  const int i = from(set, value);
  return i < set->count && set->value[i] == value;
}

static void add(Arena *arena, Set *set, uint64_t value) {
  const int i = from(set, value);
  set->value = arena_grow(arena, set->value, set->count, &set->room, sizeof *set->value);
  memmove(&set->value[i + 1], &set->value[i], (size_t)(set->count++ - i) * sizeof *set->value);
  set->value[i] = value;
}

/* Finds the allocation, device heap block or other module's variable that contains the address. */
static bool find_memory(Save *s, uint64_t address, EmuBuffer *out) {
  const Allocation *m = address >> LOWEST_LOG2 ? allocation_at(address) : NULL;
  if (m) *out = (EmuBuffer){.base = m->base, .bytes = m->bytes};
  if (m || !(address >> LOWEST_LOG2)) return m != NULL;
  if (!emu_heap_block(driver()->memory, address, out))
    return emu_buffer(driver()->memory, address, out);
  s->blocks += out->bytes && !has(&s->known, out->base);
  return out->bytes > 0;
}

static void follow(Save *s, uint64_t address) {
  EmuBuffer m;
  if (!find_memory(s, address, &m) || has(&s->known, m.base)) return;
  add(s->arena, &s->known, m.base);
  const void *held = emu_view(driver()->memory, m.base, m.bytes);
  void *before = malloc((size_t)m.bytes);
  if (held && before) memcpy(before, held, (size_t)m.bytes);
  if (!held || !before) s->failed = true;
  if (s->failed) s->error = ENOMEM;
  s->reached = arena_grow(s->arena, s->reached, s->count, &s->capacity, sizeof *s->reached);
  s->reached[s->count++] = (Reached){m.base, m.bytes, before};
}

static void follow_image(Save *s, uint64_t handle) {
  LintImage image;
  if (!texture_describe(handle, &image) || has(&s->known, handle)) return;
  add(s->arena, &s->known, handle);
  s->image = arena_grow(s->arena, s->image, s->images, &s->image_room, sizeof *s->image);
  s->image[s->images++] = image;
  follow(s, image.image.address);
}

/* Treats every word that is an address within an allocation as a pointer, and every handle of an
 * image as a reference. */
static void follow_words(Save *s, const void *data, uint64_t bytes) {
  uint64_t word;
  for (uint64_t at = 0; data && at + sizeof word <= bytes; at += sizeof word) {
    memcpy(&word, (const char *)data + at, sizeof word);
    follow(s, word);
    follow_image(s, word);
  }
}

/* Excludes the module's own variables, which are saved separately, at their addresses. */
static void know_variables(Save *s) {
  int variables;
  EmuModule *module = s->function->module->emu;
  const EmuVariable *v = emu_variables(module, &variables);
  for (int i = 0; i < variables; i++) {
    EmuVariable one;
    EmuBuffer buffer;
    uint64_t at;
    if (emu_variable(module, v[i].name, &one, &at) && emu_buffer(driver()->memory, at, &buffer) &&
        !has(&s->known, buffer.base))
      add(s->arena, &s->known, buffer.base);
  }
}

static void follow_all(Save *s) {
  int variables;
  const EmuKernel *k = s->function->kernel;
  know_variables(s);
  for (int i = 0; i < k->params; i++) follow_words(s, s->launch.args[i], k->param[i].bytes);
  const EmuVariable *v = emu_variables(s->function->module->emu, &variables);
  for (int i = 0; i < variables; i++) {
    EmuVariable one;
    uint64_t at;
    if (emu_variable(s->function->module->emu, v[i].name, &one, &at))
      follow_words(s, emu_view(driver()->memory, at, one.bytes), one.bytes);
  }
  for (int i = 0; i < s->count; i++)
    if (s->reached[i].before) follow_words(s, s->reached[i].before, s->reached[i].bytes);
}

/* --- lint.yaml --- */

static void put_sizes(Text *out, const char *key, const uint32_t v[3]) {
  if (v[0]) text_printf(out, "    %s: [%u, %u, %u]\n", key, v[0], v[1], v[2]);
}

/* Writes the arguments, which share one file. */
static void put_args(Save *s) {
  Text *out = &s->yaml;
  Text bytes = text_new(s->arena);
  const EmuKernel *k = s->function->kernel;
  text_printf(out, "    args:%s\n", k->params ? "" : " []");
  for (int i = 0; i < k->params; i++) {
    const uint32_t n = k->param[i].bytes;
    text_printf(out, "      - {raw: %u, file: args.bin, offset: %zu}\n", n, bytes.len);
    text_add(&bytes, s->launch.args[i], n);
  }
  put(s, "args.bin", bytes.s, bytes.len);
}

static void put_image(Save *s, LintImage *image) {
  for (int i = 0; i < s->count; i++) {
    const uint64_t offset = image->image.address - s->reached[i].base;
    if (offset >= s->reached[i].bytes) continue;
    image->at = arena_printf(s->arena, "memory%d+%" PRIu64, i, offset);
    text_printf(&s->yaml, "      - \"%s\"\n", lint_image_spell(s->arena, image));
    return;
  }
}

static void put_memory(Save *s) {
  Text *out = &s->yaml;
  if (s->blocks)
    text_printf(out,
                "    # Among these are blocks of malloc, which a kernel cannot free here: %d\n",
                s->blocks);
  if (s->count) text_puts(out, "    memory:\n");
  for (int i = 0; i < s->images; i++) put_image(s, &s->image[i]);
  for (int i = 0; i < s->count; i++) {
    const Reached *m = &s->reached[i];
    text_printf(
        out, "      - {name: memory%d, bytes: %" PRIu64 ", at: %" PRIu64 ", file: memory%d.bin}\n",
        i, m->bytes, m->base, i);
  }
}

static void put_variables(Save *s) {
  Text *out = &s->yaml;
  int count;
  EmuModule *module = s->function->module->emu;
  const EmuVariable *v = emu_variables(module, &count);
  if (count) text_puts(out, "    variables:\n");
  for (int i = 0; i < count; i++) {
    EmuVariable one;
    uint64_t at;
    if (!emu_variable(module, v[i].name, &one, &at) || !one.bytes) continue;
    const void *held = emu_view(driver()->memory, at, one.bytes);
    const char *file = arena_printf(s->arena, "variable%d.bin", i);
    if (!held) continue;
    text_printf(out, "      \"%s\": {file: %s", one.name, file);
    if (at >> LOWEST_LOG2) text_printf(out, ", address: %" PRIu64, at);
    text_puts(out, "}\n");
    put(s, file, held, (size_t)one.bytes);
  }
}

/* If the launch waited, save what the host or other launches wrote meanwhile as initial memory; a
 * replay would otherwise never finish. */
static bool take_from_others(const Save *s, const Reached *m) {
  const uint8_t *stored = stored_words(&s->stored, m->base);
  const char *now = emu_view(driver()->memory, m->base, m->bytes);
  char *before = m->before;
  bool changes = false;
  for (uint64_t at = 0; now && at < m->bytes; at++) {
    if (stored[at / WRITTEN_WORD] || before[at] == now[at]) continue;
    before[at] = now[at];
    changes = true;
  }
  return changes;
}

static void put_waited(Save *s) {
  bool changes = false;
  for (int i = 0; i < s->count; i++) changes |= take_from_others(s, &s->reached[i]);
  if (changes)
    text_puts(&s->yaml, "    # It waited for others. What they wrote meanwhile is in its memory "
                        "from the start here.\n");
}

static void put_before(Save *s) {
  for (int i = 0; i < s->count; i++)
    put(s, arena_printf(s->arena, "memory%d.bin", i), s->reached[i].before,
        (size_t)s->reached[i].bytes);
}

static void put_expected(Save *s) {
  Text *out = &s->yaml;
  const char *head = "    expect:\n";
  for (int i = 0; i < s->count; i++) {
    const Reached *m = &s->reached[i];
    const void *now = emu_view(driver()->memory, m->base, m->bytes);
    if (!now || memcmp(now, m->before, (size_t)m->bytes) == 0) continue;
    const char *file = arena_printf(s->arena, "expected%d.bin", i);
    text_printf(out, "%s      memory%d: {file: %s}\n", head, i, file);
    put(s, file, now, (size_t)m->bytes);
    head = "";
  }
}

/* --- the whole --- */

/* Adds the directory of the kernel's source, from which reports may then quote lines. Only
 * directories that the user named are passed on, because PTX may name any file. */
static void put_sources(Save *s) {
  const char *file = s->function->kernel->file;
  const Session *own = session();
  LintFiles *files = lint_files_new(s->arena, NULL, true, own->include, own->includes);
  char *real = file && lint_files_own(files, file) ? realpath(file, NULL) : NULL;
  const char *folder = real ? path_folder(s->arena, real) : "/";
  free(real);
  if (strcmp(folder, "/") != 0 && !strpbrk(folder, "\"\\\n"))
    text_printf(&s->yaml, "include: [\"%s\"]\n", folder);
}

static void put_head(Save *s) {
  Text *out = &s->yaml;
  text_printf(out, "# A launch of %s, as kgen exec --save took it down: kgen lint repeats it.\n",
              program_invocation_short_name);
  text_printf(out, "version: 1\nsource: kernel.ptx\narch: %s\n", driver()->device->arch);
  put_sources(s);
  text_puts(out, "launches:\n");
  text_printf(out, "  - kernel: \"%s\"\n", s->function->kernel->name);
  put_sizes(out, "grid", s->launch.grid);
  put_sizes(out, "block", s->launch.block);
  put_sizes(out, "cluster", s->launch.cluster);
  text_printf(out, "    smem: %u\n", s->launch.dynamic_shared);
}

Save *save_begin(const char *parent, uint64_t number, const Function *f, const EmuLaunch *l) {
  Arena *a = arena_new();
  Save *s = ARENA_NEW(a, Save);
  *s = (Save){.arena = a, .function = f, .launch = *l, .yaml = text_new(a)};
  s->folder = make_folder(a, parent, number, f->kernel->name);
  if (!s->folder) {
    session_failed(session(), parent);
    arena_free(a);
    return NULL;
  }
  follow_all(s);
  if (s->failed) return s;
  put(s, "kernel.ptx", f->module->ptx, f->module->ptx_bytes);
  put_head(s);
  put_args(s);
  put_memory(s);
  put_variables(s);
  return s;
}

void save_watch(Save *s, EmuLaunch *l) {
  StoredRange *range = ARENA_ARRAY(s->arena, StoredRange, (size_t)s->count + 1);
  for (int i = 0; i < s->count; i++)
    range[i] = (StoredRange){.base = s->reached[i].base, .bytes = s->reached[i].bytes};
  s->stored.next = l->observer;
  s->stored.next_context = l->observer_context;
  if (!stored_begin(&s->stored, s->arena, range, s->count)) {
    s->failed = true;
    s->error = ENOMEM;
  }
  if (s->failed) return;
  l->observer = stored_event;
  l->observer_context = &s->stored;
}

void save_end(Save *s, bool waited) {
  if (!s) return;
  if (!s->failed) {
    if (waited) put_waited(s);
    put_before(s);
    put_expected(s);
    put(s, "lint.yaml", s->yaml.s, s->yaml.len);
  }
  errno = s->error;
  if (s->failed) session_failed(session(), s->folder);
  for (int i = 0; i < s->count; i++) free(s->reached[i].before);
  stored_end(&s->stored);
  arena_free(s->arena);
}
