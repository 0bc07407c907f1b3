/* SPDX-License-Identifier: MIT */
#include "libcuda/image/line_table.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- bytes; reads past the end give 0 --- */

typedef struct {
  const char *at, *end;
} Bytes;

static uint64_t take(Bytes *b, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(b->end - b->at) < bytes) bytes = (size_t)(b->end - b->at);
  memcpy(&value, b->at, bytes);
  b->at += bytes;
  return value;
}

static Bytes take_part(Bytes *b, uint64_t bytes) {
  const size_t left = (size_t)(b->end - b->at);
  const Bytes part = {b->at, b->at + (bytes < left ? bytes : left)};
  b->at = part.end;
  return part;
}

/* Reads a LEB128 number: 7 bits per byte, lowest bits first. */
static uint64_t take_leb(Bytes *b, unsigned *bits) {
  uint64_t value = 0, byte = 0x80;
  for (*bits = 0; byte & 0x80 && b->at < b->end; *bits += 7) {
    byte = take(b, 1);
    if (*bits < 64) value |= (byte & 0x7f) << *bits;
  }
  return value;
}

static uint64_t take_unsigned(Bytes *b) {
  unsigned bits;
  return take_leb(b, &bits);
}

static int64_t take_signed(Bytes *b) {
  unsigned bits;
  uint64_t value = take_leb(b, &bits);
  if (bits && bits < 64 && value >> (bits - 1)) value |= ~UINT64_C(0) << bits;
  return (int64_t)value;
}

/* Reads a name and its NUL; the list ends with an empty one. */
static const char *take_name(Arena *a, Bytes *b) {
  const size_t n = strnlen(b->at, (size_t)(b->end - b->at));
  const char *name = arena_strndup(a, b->at, n);
  take_part(b, n + 1);
  return name;
}

/* --- names of files --- */

typedef struct {
  Arena *arena;
  const char **name;
  int count, capacity;
} Names;

static void add(Names *n, const char *name) {
  n->name = arena_grow(n->arena, n->name, n->count, &n->capacity, sizeof *n->name);
  n->name[n->count++] = name;
}

/* The directory with this number, counted from 1; 0 is none. */
static const char *name_at(const Names *n, uint64_t number) {
  return number && number <= (uint64_t)n->count ? n->name[number - 1] : NULL;
}

static Names read_folders(Arena *a, Bytes *b) {
  Names folders = {.arena = a};
  while (b->at < b->end && *b->at) add(&folders, take_name(a, b));
  take(b, 1);
  return folders;
}

typedef struct {
  const char *folder, *name; /* the former may be NULL */
  const char *path;          /* NULL until a row names the file */
} File;

typedef struct {
  Arena *arena;
  File *file;
  int count, capacity;
  size_t bytes; /* total size of the paths */
} Files;

static Files read_files(Arena *a, Bytes *b) {
  const Names folders = read_folders(a, b);
  Files files = {.arena = a};
  while (b->at < b->end && *b->at) {
    const char *name = take_name(a, b), *folder = name_at(&folders, take_unsigned(b));
    take_unsigned(b); /* modification time */
    take_unsigned(b); /* size */
    files.file = arena_grow(a, files.file, files.count, &files.capacity, sizeof *files.file);
    files.file[files.count++] = (File){folder && *name != '/' ? folder : NULL, name, NULL};
  }
  return files;
}

/* The path of a file; numbers count from 1, 0 is none. Many files may share a long directory: it is
 * omitted if the path would exceed the limit for paths, or all paths together their limit. */
static const char *path_of(Files *f, uint64_t number) {
  enum { LONGEST = 4096, MOST = 32 << 20 };
  if (!number || number > (uint64_t)f->count) return NULL;
  File *file = &f->file[number - 1];
  if (file->path) return file->path;
  const size_t bytes = file->folder ? strlen(file->folder) + strlen(file->name) + 2 : 0;
  const bool whole = bytes && bytes <= LONGEST && f->bytes + bytes <= MOST;
  file->path = whole ? arena_printf(f->arena, "%s/%s", file->folder, file->name) : file->name;
  f->bytes += whole ? bytes : 0;
  return file->path;
}

/* --- a unit: a program of opcodes that generates rows --- */

typedef struct {
  Arena *arena;
  LineTable *table;
  Bytes code;
  const char *section; /* relocation addresses are relative to it */
  Bytes relocations;
  size_t relocation; /* size of a relocation */
  Files files;
  uint64_t step; /* size of an instruction */
  int line_base, line_range, opcode_base;
  Bytes operands; /* number of operands of each standard opcode */
  /* registers of the line-number program */
  uint64_t address, file, line;
  uint32_t symbol;
  int first;       /* first row of the function */
  uint64_t caller; /* number of the calling row within the function, counted from 1; 0: none */
} Unit;

static bool read_header(Unit *u) {
  const uint64_t version = take(&u->code, 2);
  Bytes header = take_part(&u->code, take(&u->code, 4));
  u->step = take(&header, 1);
  if (version == 4) take(&header, 1); /* operations per instruction */
  take(&header, 1);                   /* initial value of is_stmt */
  u->line_base = (int8_t)take(&header, 1);
  u->line_range = (int)take(&header, 1);
  u->opcode_base = (int)take(&header, 1);
  if (version < 2 || version > 4 || !u->line_range || !u->opcode_base) return false;
  u->operands = take_part(&header, (uint64_t)u->opcode_base - 1);
  u->files = read_files(u->arena, &header);
  return true;
}

static void reset(Unit *u) {
  u->address = 0;
  u->file = 1;
  u->line = 1;
  u->symbol = 0;
  u->first = u->table->rows;
  u->caller = 0;
}

/* Adds a row. A caller is ignored unless it is an earlier row. */
static void put_row(Unit *u, uint64_t line) {
  LineTable *t = u->table;
  const uint64_t earlier = (uint64_t)(t->rows - u->first);
  t->row = arena_grow(u->arena, t->row, t->rows, &t->row_capacity, sizeof *t->row);
  t->row[t->rows++] =
      (LineRow){.address = u->address,
                .file = path_of(&u->files, u->file),
                .line = line < INT_MAX ? (int)line : 0,
                .caller = u->caller && u->caller <= earlier ? u->first + (int)u->caller - 1 : -1};
}

/* Adds a function. If its symbol is unknown it cannot be found, so it is left out. */
static void end_function(Unit *u) {
  LineTable *t = u->table;
  put_row(u, 0);
  const LineFunction ended = {u->symbol, u->first, t->rows - u->first};
  if (ended.symbol) {
    t->function =
        arena_grow(u->arena, t->function, t->functions, &t->function_capacity, sizeof ended);
    t->function[t->functions++] = ended;
  }
  reset(u);
}

/* The function at an address operand. The file contains 0; a relocation names the function. */
static uint32_t symbol_at(const Unit *u, const char *address) {
  Elf64_Rel one; /* the leading fields of an Elf64_Rela */
  Bytes b = u->relocations;
  for (; (size_t)(b.end - b.at) >= u->relocation; take_part(&b, u->relocation)) {
    memcpy(&one, b.at, sizeof one);
    if (one.r_offset == (uint64_t)(address - u->section)) return (uint32_t)(one.r_info >> 32);
  }
  return 0;
}

static void run_extended(Unit *u) {
  enum { END_SEQUENCE = 1, SET_ADDRESS = 2, INLINED_CALL = 0x90 };
  Bytes operands = take_part(&u->code, take_unsigned(&u->code));
  const uint64_t op = take(&operands, 1);
  if (op == END_SEQUENCE) end_function(u);
  if (op == INLINED_CALL) u->caller = take_unsigned(&operands); /* followed by a name */
  if (op != SET_ADDRESS) return;
  u->symbol = symbol_at(u, operands.at);
  u->address = take(&operands, sizeof u->address);
}

static void skip_operands(Unit *u, int op) {
  const bool known = op - 1 < u->operands.end - u->operands.at;
  const int count = known ? (uint8_t)u->operands.at[op - 1] : 0;
  for (int i = 0; i < count; i++) take_unsigned(&u->code);
}

static void run_special(Unit *u, int op) {
  const int n = op - u->opcode_base;
  u->address += (uint64_t)(n / u->line_range) * u->step;
  u->line += (uint64_t)(u->line_base + n % u->line_range);
  put_row(u, u->line);
}

static void run_standard(Unit *u, int op) {
  enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
  switch (op) {
  case COPY: put_row(u, u->line); break;
  case ADVANCE_PC: u->address += take_unsigned(&u->code) * u->step; break;
  case ADVANCE_LINE: u->line += (uint64_t)take_signed(&u->code); break;
  case SET_FILE: u->file = take_unsigned(&u->code); break;
  case CONST_ADD_PC:
    u->address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->step;
    break;
  case FIXED_ADVANCE_PC: u->address += take(&u->code, 2); break;
  default: skip_operands(u, op);
  }
}

static void run(Unit *u) {
  reset(u);
  while (u->code.at < u->code.end) {
    const int op = (int)take(&u->code, 1);
    if (op == 0)
      run_extended(u);
    else if (op >= u->opcode_base)
      run_special(u, op);
    else
      run_standard(u, op);
  }
}

/* --- the table --- */

static Bytes section_of(Cubin cubin, const char *name) {
  size_t bytes;
  const char *found = cubin_section(cubin, name, &bytes);
  if (!found) return (Bytes){"", ""};
  return (Bytes){found, found + bytes};
}

static int by_symbol(const void *a, const void *b) {
  const uint32_t x = ((const LineFunction *)a)->symbol, y = ((const LineFunction *)b)->symbol;
  return (x > y) - (x < y);
}

/* Cubins for sm_80 and sm_86 have relocations without addends, later ones have addends. */
static void find_relocations(Unit *u, Cubin cubin, const char *section) {
  u->relocation = sizeof(Elf64_Rela);
  u->relocations = section_of(cubin, arena_printf(u->arena, ".rela%s", section));
  if (u->relocations.at < u->relocations.end) return;
  u->relocation = sizeof(Elf64_Rel);
  u->relocations = section_of(cubin, arena_printf(u->arena, ".rel%s", section));
}

LineTable line_table_read(Arena *a, Cubin cubin, const char *section) {
  Bytes all = section_of(cubin, section);
  LineTable t = {0};
  Unit u = {.arena = a, .table = &t, .section = all.at};
  find_relocations(&u, cubin, section);
  while (all.at < all.end) {
    u.code = take_part(&all, take(&all, 4));
    if (read_header(&u)) run(&u);
  }
  if (t.functions) qsort(t.function, (size_t)t.functions, sizeof *t.function, by_symbol);
  return t;
}

bool line_row_same(const LineRow *a, const LineRow *b) {
  return a && a->line == b->line && a->caller == b->caller && strcmp(a->file, b->file) == 0;
}

const LineRow *line_table_find(const LineTable *t, uint32_t symbol, uint64_t address) {
  const LineFunction key = {.symbol = symbol}, *f = NULL;
  if (t->functions)
    f = bsearch(&key, t->function, (size_t)t->functions, sizeof *t->function, by_symbol);
  int first = f ? f->first : 0, end = f ? f->first + f->count : 0;
  const int begin = first;
  while (first < end) { /* binary search for the first row after the address */
    const int middle = first + (end - first) / 2;
    if (t->row[middle].address <= address)
      first = middle + 1;
    else
      end = middle;
  }
  return first > begin ? &t->row[first - 1] : NULL;
}
