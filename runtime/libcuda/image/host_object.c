/* SPDX-License-Identifier: MIT */
#include "libcuda/image/host_object.h"

#include <ar.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/fatbin.h"

static bool is_archive(const void *image, size_t bytes) {
  return bytes >= SARMAG && memcmp(image, ARMAG, SARMAG) == 0;
}

/* True for ELF files of the host: machine code of a GPU is ELF, too. */
static bool is_hosts(const void *image, size_t bytes) {
  enum { OF_CUDA = 190 };
  Elf64_Ehdr e;
  if (bytes < sizeof e || !cubin_is(image)) return false;
  memcpy(&e, image, sizeof e);
  return e.e_machine != OF_CUDA;
}

bool host_object_is(const void *image, size_t bytes) {
  return is_archive(image, bytes) || is_hosts(image, bytes);
}

/* Finds the fat binaries of a section. A linker concatenates its objects' sections, each at a
 * multiple of 8 bytes. */
static void add_section(Arena *a, const char *section, size_t bytes, ObjectCode *out) {
  enum { STEP = 8 };
  const char *copy = arena_strndup(a, section, bytes);
  for (size_t at = 0, n; at < bytes; at += number_up_bytes(n, STEP)) {
    n = fatbin_bytes(copy + at, bytes - at);
    if (!n)
      n = STEP;
    else {
      out->fatbin = arena_grow(a, out->fatbin, out->count, &out->room, sizeof *out->fatbin);
      out->fatbin[out->count++] = copy + at;
    }
  }
}

static void add_elf(Arena *a, const void *image, size_t bytes, ObjectCode *out) {
  size_t n;
  const char *section = cubin_section((Cubin){image, bytes}, "__nv_relfatbin", &n);
  if (section) add_section(a, section, n, out);
}

static void add_archive(Arena *a, const char *at, size_t bytes, ObjectCode *out) {
  struct ar_hdr h;
  char size[sizeof h.ar_size + 1] = "";
  for (size_t from = SARMAG; bytes - from >= sizeof h;) {
    memcpy(&h, at + from, sizeof h);
    memcpy(size, h.ar_size, sizeof h.ar_size);
    from += sizeof h;
    const size_t n = strtoul(size, NULL, 10);
    if (n > bytes - from) return;
    if (is_hosts(at + from, n)) add_elf(a, at + from, n, out);
    from += n + n % 2;
    if (from > bytes) return;
  }
}

ObjectCode host_object_code(Arena *a, const void *image, size_t bytes) {
  ObjectCode out = {.archive = is_archive(image, bytes)};
  if (out.archive)
    add_archive(a, image, bytes, &out);
  else
    add_elf(a, image, bytes, &out);
  return out;
}
