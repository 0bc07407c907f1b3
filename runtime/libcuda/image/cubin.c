/* SPDX-License-Identifier: MIT */
#include "libcuda/image/cubin.h"

#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

/* The location of a cubin's section headers and section names. nvJitLink puts headers at odd
 * addresses, so headers and symbols are copied before they are read. */
typedef struct {
  Cubin cubin;
  uint64_t count;
  const char *headers, *names;
  uint64_t names_bytes;
} Sections;

bool cubin_is(const void *image) { return memcmp(image, ELFMAG, SELFMAG) == 0; }

/* NULL if the part exceeds the cubin. */
static const char *part(Cubin c, uint64_t offset, uint64_t bytes) {
  if (offset > c.bytes || bytes > c.bytes - offset) return NULL;
  return (const char *)c.data + offset;
}

static const char *contents(const Sections *s, Elf64_Shdr h) {
  const bool absent = h.sh_type == SHT_NOBITS || h.sh_flags & SHF_COMPRESSED;
  return absent ? NULL : part(s->cubin, h.sh_offset, h.sh_size);
}

static Elf64_Shdr header_at(const Sections *s, uint64_t i) {
  Elf64_Shdr h;
  memcpy(&h, s->headers + i * sizeof h, sizeof h);
  return h;
}

static bool read_sections(Cubin c, Sections *out) {
  Elf64_Ehdr e;
  const char *first = part(c, 0, sizeof e);
  if (!first) return false;
  memcpy(&e, first, sizeof e);
  if (!cubin_is(&e) || e.e_ident[EI_CLASS] != ELFCLASS64) return false;
  *out = (Sections){.cubin = c, .count = e.e_shnum};
  out->headers = part(c, e.e_shoff, e.e_shnum * sizeof(Elf64_Shdr));
  if (!out->headers || e.e_shstrndx >= e.e_shnum) return false;
  const Elf64_Shdr names = header_at(out, e.e_shstrndx);
  out->names = contents(out, names);
  out->names_bytes = names.sh_size;
  return out->names && out->names_bytes && !out->names[out->names_bytes - 1];
}

static const char *name_of(const Sections *s, Elf64_Shdr h) {
  return h.sh_name < s->names_bytes ? s->names + h.sh_name : "";
}

/* --- PTX --- */

/* The PTX of a section. ptxas ends every line with a NUL, and leaves .loc lines empty. */
static PtxUnit text_of(Arena *a, const Sections *s, Elf64_Shdr h, const char *lines) {
  const size_t bytes = (size_t)h.sh_size;
  char *text = arena_strndup(a, "", 0);
  if (bytes) {
    text = arena_alloc(a, bytes + 1);
    memcpy(text, lines, bytes);
    text[bytes] = '\0';
  }
  for (size_t i = 0; i < bytes; i++)
    if (!text[i]) text[i] = '\n';
  return (PtxUnit){.ptx = text, .bytes = bytes, .machine = s->cubin, .section = name_of(s, h)};
}

int cubin_ptx(Arena *a, Cubin cubin, PtxUnit *out, int room) {
  static const char prefix[] = ".nv_debug_ptx_txt"; /* in linked code a number follows */
  Sections s;
  int count = 0;
  if (!read_sections(cubin, &s)) return 0;
  for (uint64_t i = 0; i < s.count && count < room; i++) {
    const Elf64_Shdr h = header_at(&s, i);
    const char *lines = contents(&s, h);
    if (lines && h.sh_size && strncmp(name_of(&s, h), prefix, sizeof prefix - 1) == 0)
      out[count++] = text_of(a, &s, h, lines);
  }
  return count;
}

/* --- sections by type and name --- */

/* The first section of a type; without one, a section of type SHT_NULL, which is empty. */
static Elf64_Shdr find_type(const Sections *s, uint32_t type) {
  for (uint64_t i = 0; i < s->count; i++)
    if (header_at(s, i).sh_type == type) return header_at(s, i);
  return (Elf64_Shdr){.sh_type = SHT_NULL};
}

static const char *find_name(const Sections *s, const char *name, size_t *bytes) {
  for (uint64_t i = 0; i < s->count; i++) {
    const Elf64_Shdr h = header_at(s, i);
    *bytes = (size_t)h.sh_size;
    if (strcmp(name_of(s, h), name) == 0) return contents(s, h);
  }
  *bytes = 0;
  return NULL;
}

const void *cubin_section(Cubin file, const char *name, size_t *bytes) {
  Sections s;
  *bytes = 0;
  return read_sections(file, &s) ? find_name(&s, name, bytes) : NULL;
}

/* --- the architecture --- */

/* A note section contains the options that ptxas or nvlink was called with: "-arch sm_90a -m
 * 64". */
const char *cubin_arch(Arena *a, Cubin cubin) {
  static const char option[] = "-arch ";
  size_t bytes, n = 0;
  const char *text = cubin_section(cubin, ".note.nv.tkinfo", &bytes);
  const char *at = text ? memmem(text, bytes, option, sizeof option - 1) : NULL;
  if (!at) return NULL;
  at += sizeof option - 1;
  while (at + n < text + bytes && (isalnum((unsigned char)at[n]) || at[n] == '_')) n++;
  return arena_strndup(a, at, n);
}

/* --- registers --- */

/* Returns the index of a symbol; index 0 is never used. */
static uint32_t symbol_of(const Sections *s, const char *name) {
  const Elf64_Shdr table = find_type(s, SHT_SYMTAB);
  const char *symbols = contents(s, table);
  if (!symbols || table.sh_link >= s->count) return 0;
  const Elf64_Shdr strings = header_at(s, table.sh_link);
  const char *names = contents(s, strings);
  const size_t n = strlen(name) + 1;
  Elf64_Sym symbol;
  for (uint32_t i = 1; names && i < table.sh_size / sizeof symbol; i++) {
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    if (symbol.st_name < strings.sh_size && n <= strings.sh_size - symbol.st_name &&
        memcmp(names + symbol.st_name, name, n) == 0)
      return i;
  }
  return 0;
}

/* An attribute of section .nv.info, which is a sequence of them. Each has the form of its value,
 * its kind, and the value or, for long values, the size of the value that follows. */
typedef struct {
  uint8_t form, attribute;
  uint16_t value;
} Attribute;

enum { FORM_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f };

int cubin_registers(Cubin cubin, const char *kernel) {
  Sections s;
  if (!cubin.data || !read_sections(cubin, &s)) return 0;
  const uint32_t symbol = symbol_of(&s, kernel);
  size_t bytes;
  const char *at = find_name(&s, ".nv.info", &bytes);
  if (!symbol || !at) return 0;
  for (const char *end = at + bytes; end - at >= (ptrdiff_t)sizeof(Attribute);) {
    Attribute one;
    uint32_t of[2]; /* index of the symbol, its number of registers */
    memcpy(&one, at, sizeof one);
    at += sizeof one;
    const uint16_t more = one.form == FORM_SIZED ? one.value : 0;
    if (more > end - at) return 0;
    if (one.attribute == ATTRIBUTE_REGISTERS && more == sizeof of) {
      memcpy(of, at, sizeof of);
      if (of[0] == symbol) return (int)of[1];
    }
    at += more;
  }
  return 0;
}
