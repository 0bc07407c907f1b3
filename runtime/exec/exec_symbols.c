/* SPDX-License-Identifier: MIT */
#include "exec/exec_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/span.h"
#include "base/word_list.h"
#include "device/process.h"
#include "lint/input/name.h"

enum { MAX_LOG = 16 << 20 };

/* The frames in one module; each address occurs once. */
typedef struct {
  Arena *arena;
  const char *folder;
  const char *module;
  bool stripped;
  int count, capacity;
  LintFrame **frame;
} Module;

/* --- its names --- */

static bool read_at(int file, uint64_t offset, void *out, size_t bytes) {
  return pread(file, out, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool holds_names(int file) {
  Elf64_Ehdr e;
  Elf64_Shdr h;
  if (!read_at(file, 0, &e, sizeof e) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (uint64_t i = 0; i < e.e_shnum; i++)
    if (read_at(file, e.e_shoff + i * sizeof h, &h, sizeof h) && h.sh_type == SHT_SYMTAB)
      return true;
  return false;
}

/* For a stripped file, addr2line names the exported function before an address, however far away.
 */
static bool is_stripped(const char *path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return true;
  const bool named = holds_names(file);
  close(file);
  return !named;
}

/* --- addr2line --- */

static const char *next_line(Arena *a, const char **at) {
  const Span line = span_line(at);
  return arena_strndup(a, line.s, line.len);
}

/* "FILE:LINE", "FILE:LINE (discriminator 2)", "??:0". */
static void read_place(const Module *m, const char *text, LintFrame *out) {
  const char *colon = strrchr(text, ':');
  const int line = colon ? atoi(colon + 1) : 0;
  if (line <= 0 || *text == '?') return;
  out->file = path_below(m->folder, arena_strndup(m->arena, text, (size_t)(colon - text)));
  out->line = line;
}

static bool is_in_stub(const char *place) { return place && strstr(place, ".stub.c:"); }

/* True if the location is in a template of the CUDA runtime or in a stub of nvcc, which are inlined
 * into the program. */
static bool is_of_runtime(const char *place) {
  return is_in_stub(place) || strstr(place, "/cuda_runtime.h:") || strstr(place, "/include/crt/");
}

/* True for a stub that nvcc generates. nvcc turns a kernel into a host function that calls a stub;
 * a template's calls another one first, "void __wrapper__device_stub_k<32>(int*&)". The last stub
 * calls the runtime. */
static bool is_stub(const char *function) {
  return function && (text_begins_with(function, "__device_stub__") ||
                      strstr(function, "__wrapper__device_stub_"));
}

/* "reduce" for "void ns::reduce<float>(float*)". */
static const char *short_name(Arena *a, const char *function) {
  const size_t n = strcspn(function, "(<");
  size_t first = n;
  while (first && function[first - 1] != ' ' && function[first - 1] != ':') first--;
  return arena_strndup(a, function + first, n - first);
}

static bool is_kernel(Arena *a, const char *stub, const char *function) {
  return is_stub(stub) && function && strstr(stub, short_name(a, function));
}

/* addr2line leaves deeply nested names mangled. The host function of a kernel counts as a stub. */
static void read_function(const Module *m, const char *line, const char *place, bool kernel,
                          LintFrame *f) {
  if (*line == '?' || (m->stripped && *place == '?')) return;
  const char *name = lint_name_plain(m->arena, line);
  f->function = kernel ? arena_printf(m->arena, "__device_stub__%s", name) : name;
}

/* Reads an address, then two lines per function inlined there, innermost first; the last one is a
 * called function. */
static void read_answers(const Module *m, const char *at) {
  const char *inner = NULL, *inner_place = NULL;
  for (int i = -1; *at;) {
    const char *line = next_line(m->arena, &at);
    if (strncmp(line, "0x", 2) == 0) {
      inner = inner_place = NULL;
      i++;
      continue;
    }
    const char *place = next_line(m->arena, &at);
    if (i < 0 || i >= m->count) continue;
    LintFrame *f = m->frame[i];
    const bool kernel = is_kernel(m->arena, inner, line) ||
                        (is_in_stub(inner_place) && !is_in_stub(place) && !is_stub(line));
    read_function(m, line, place, kernel, f);
    if (!f->file && !kernel && !is_of_runtime(place) && !is_stub(line)) read_place(m, place, f);
    inner = line;
    inner_place = place;
  }
}

static void ask(const Module *m, const Scratch *scratch) {
  Arena *a = m->arena;
  static const char *const first[] = {"addr2line", "-a", "-f", "-C", "-i", "-e"};
  const char *log = scratch_file(a, scratch, "addr2line");
  WordList words = {.arena = a};
  Text nothing = text_new(a);
  size_t size;
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) word_list_add(&words, first[i]);
  word_list_add(&words, m->module);
  for (int i = 0; i < m->count; i++) word_list_printf(&words, "0x%" PRIx64, m->frame[i]->offset);
  if (process_run(a, words.word, log, scratch, (ProcessWait){0}, &nothing) != 0) return;
  const char *answers = file_read(a, log, MAX_LOG, &size);
  if (answers) read_answers(m, answers);
}

/* --- what is left out --- */

static bool begins_with_one(const char *s, const char *const *with, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (text_begins_with(s, with[i])) return true;
  return false;
}

static bool is_runtime(const LintFrame *f) {
  static const char *const function[] = {"cuda", "__cuda", "cudart::", "libcudart_static"};
  static const char *const module[] = {"libcuda.so", "libcudart.so"};
  return begins_with_one(path_name(f->module), module, 2) || is_stub(f->function) ||
         (f->function && begins_with_one(f->function, function, 4));
}

static bool is_before_main(const LintFrame *f) {
  static const char *const function[] = {"_start", "__libc_start", "start_thread", "clone"};
  return (f->function && begins_with_one(f->function, function, 4)) ||
         strncmp(path_name(f->module), "libc.so", 7) == 0;
}

static void trim(Arena *a, LintStack *s) {
  int first = 0, end = s->count;
  for (int i = 0; i < s->count; i++)
    if (is_runtime(&s->frame[i])) first = i + 1;
  if (first && first < end && is_kernel(a, s->frame[first - 1].function, s->frame[first].function))
    first++;
  while (end > first + 1 && is_before_main(&s->frame[end - 1])) end--;
  if (first >= end) return; /* if all frames belong to the runtime, keep them */
  s->frame += first;
  s->count = end - first;
}

/* --- the whole --- */

static void collect(Module *m, LintStack *const *stack, int count, bool *done) {
  int n = 0;
  for (int s = 0; s < count; s++)
    for (int i = 0; i < stack[s]->count; i++, n++) {
      LintFrame *f = &stack[s]->frame[i];
      if (done[n] || (m->module && strcmp(m->module, f->module) != 0)) continue;
      m->module = f->module;
      m->frame = arena_grow(m->arena, m->frame, m->count, &m->capacity, sizeof *m->frame);
      m->frame[m->count++] = f;
      done[n] = true;
    }
}

void exec_symbols(Arena *a, const Scratch *scratch, const char *folder, LintStack *const *stack,
                  int count) {
  int frames = 0;
  for (int s = 0; s < count; s++) frames += stack[s]->count;
  bool *done = ARENA_ARRAY(a, bool, (size_t)frames + 1);
  for (;;) {
    Module m = {.arena = a, .folder = folder};
    collect(&m, stack, count, done);
    if (!m.count) break;
    m.stripped = is_stripped(m.module);
    if (*m.module == '/' && file_is_regular(m.module)) ask(&m, scratch);
  }
  for (int s = 0; s < count; s++) trim(a, stack[s]);
}
