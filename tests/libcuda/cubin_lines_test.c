/* SPDX-License-Identifier: MIT */
/*
 * Source lines in machine code: tables made by hand, of every opcode, go back into the PTX; what is
 * cut anywhere, or has any byte changed, is left out without a fault.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "check.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/cubin_lines.h"
#include "libcuda/image/line_table.h"

/* --- an ELF file: sections of names and bytes, then its names, then its headers --- */

enum { SECTIONS = 6, K = 7, M = 9 }; /* symbols of two functions */

typedef struct {
  const char *name;
  Text bytes;
} Section;

static void put(Text *t, uint64_t value, size_t bytes) { text_add(t, (const char *)&value, bytes); }

static Cubin file_of(Arena *a, const Section *section, int count) {
  Text all = text_new(a), names = text_new(a);
  Elf64_Shdr h[SECTIONS + 1] = {{0}};
  Elf64_Ehdr head = {.e_ident = ELFMAG, .e_shnum = (Elf64_Half)(count + 1)};
  head.e_ident[EI_CLASS] = ELFCLASS64;
  text_add(&all, (const char *)&head, sizeof head);
  put(&names, 0, 1);
  for (int i = 0; i < count; i++) {
    h[i] = (Elf64_Shdr){.sh_name = (Elf64_Word)names.len, .sh_type = SHT_PROGBITS};
    h[i].sh_offset = all.len;
    h[i].sh_size = section[i].bytes.len;
    text_add(&names, section[i].name, strlen(section[i].name) + 1);
    text_add(&all, section[i].bytes.s, section[i].bytes.len);
  }
  h[count] = (Elf64_Shdr){.sh_offset = all.len, .sh_size = names.len};
  text_add(&all, names.s, names.len);
  head.e_shstrndx = (Elf64_Half)count;
  head.e_shoff = all.len;
  text_add(&all, (const char *)h, sizeof *h * (size_t)(count + 1));
  memcpy(all.s, &head, sizeof head);
  return (Cubin){all.s, all.len};
}

/* --- tables --- */

typedef struct {
  Text bytes, relocations;
  bool bare; /* relocations have no addends, as for sm_80 */
} Table;

static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

/* Special opcodes change the line by -5 to 8, and addresses by up to 14. names: the lists of
 * directories and files, encoded. */
static size_t begin(Table *t, int version, const char *names, size_t bytes) {
  const size_t start = t->bytes.len;
  put(&t->bytes, 0, 4);
  put(&t->bytes, (uint64_t)version, 2);
  put(&t->bytes, (version == 4 ? 6 : 5) + sizeof operands + bytes, 4);
  put(&t->bytes, 1, 1);
  if (version == 4) put(&t->bytes, 1, 1);
  put(&t->bytes, 1, 1);
  put(&t->bytes, (uint8_t)-5, 1);
  put(&t->bytes, 14, 1);
  put(&t->bytes, sizeof operands + 1, 1);
  text_add(&t->bytes, (const char *)operands, sizeof operands);
  text_add(&t->bytes, names, bytes);
  return start;
}

static void end(Table *t, size_t start) {
  const uint32_t bytes = (uint32_t)(t->bytes.len - start - 4);
  memcpy(t->bytes.s + start, &bytes, 4);
}

static void code(Table *t, const char *bytes, size_t n) { text_add(&t->bytes, bytes, n); }
#define CODE(t, bytes) code(t, bytes, sizeof bytes - 1)

/* Sets the address of a function, which a relocation names. */
static void function(Table *t, uint32_t symbol) {
  CODE(t, "\x00\x09\x02");
  const Elf64_Rela one = {.r_offset = t->bytes.len, .r_info = (uint64_t)symbol << 32 | 2};
  put(&t->bytes, 0, 8);
  text_add(&t->relocations, (const char *)&one, t->bare ? sizeof(Elf64_Rel) : sizeof one);
}

static Cubin machine(Arena *a, const char *ptx, const Table *source, const Table *lines) {
  Section s[] = {
      {".nv_debug_ptx_txt", text_new(a)},
      {".debug_line", source->bytes},
      {source->bare ? ".rel.debug_line" : ".rela.debug_line", source->relocations},
      {".nv_debug_line_sass", lines->bytes},
      {lines->bare ? ".rel.nv_debug_line_sass" : ".rela.nv_debug_line_sass", lines->relocations}};
  text_add(&s[0].bytes, ptx, strlen(ptx) + 1);
  return file_of(a, s, 5);
}

/* --- every opcode --- */

#define FOLDERS "/far\0/near\0\0"
#define FILES   FOLDERS "k.cu\0\x01\0\0h.h\0\x02\0\0/abs.h\0\x02\0\0\0"

static void test_opcodes(int version) {
  Arena *a = arena_new();
  Table t = {text_new(a), text_new(a), false};
  const size_t start = begin(&t, version, FILES, sizeof FILES - 1);
  function(&t, K);
  CODE(&t, "\x03\x09\x01"                     /* line 10, a row */
           "\x02\x80\x01\x05\x07\x01"         /* 128 bytes further, a column, a row */
           "\x06\x07\x0a\x0b\x0c\x03"         /* flags */
           "\x08\x03\x76\x04\x02\x01"         /* 17 bytes, line 0, the second file */
           "\x09\x10\x00\x04\x03\x03\x04"     /* 16 bytes, the third file, line 4 */
           "\x00\x03\x90\x02\x00\x20"         /* called by the second row; 1 byte, in one opcode */
           "\x00\x03\x90\x00\x00\x04\x09\x01" /* called by none, a file that there is not */
           "\x00\x01\x01");
  end(&t, start);
  const Table none = {text_new(a), text_new(a), false};
  const LineTable read = line_table_read(a, machine(a, "", &t, &none), ".debug_line");
  const LineRow want[] = {{0, "/far/k.cu", 10, -1},  {128, "/far/k.cu", 10, -1},
                          {145, "/near/h.h", 0, -1}, {162, "/abs.h", 4 + 0, 1},
                          {162, NULL, 4, -1},        {162, NULL, 0, -1}};
  CHECK(read.functions == 1 && read.function[0].symbol == K, "%d functions", read.functions);
  CHECK(read.rows == 6, "%d rows", read.rows);
  for (int i = 0; i < 6 && i < read.rows; i++) {
    const LineRow *r = &read.row[i], *w = &want[i];
    CHECK(r->address == w->address && r->line == w->line && r->caller == w->caller,
          "version %d, row %d: address %d, line %d, caller %d", version, i, (int)r->address,
          r->line, r->caller);
    CHECK(!r->file == !w->file && (!r->file || strcmp(r->file, w->file) == 0), "row %d: %s", i,
          r->file ? r->file : "none");
  }
  CHECK(!line_table_find(&read, M, 0), "a function that there is not");
  CHECK(line_table_find(&read, K, 127) == &read.row[0], "before the second row");
  CHECK(line_table_find(&read, K, 162) == &read.row[5], "the last one of an address");
  arena_free(a);
}

/* If files share a long directory, no path exceeds the limit for paths, and all paths together stay
 * small, however many files the rows name. */
static void test_long_folder(size_t length, int files) {
  Arena *a = arena_new();
  Text names = text_new(a);
  Table t = {text_new(a), text_new(a), false};
  for (size_t i = 0; i < length; i++) put(&names, 'd', 1);
  put(&names, 0, 2);
  for (int i = 0; i < files; i++) text_add(&names, "f\0\1\0\0", 5);
  put(&names, 0, 1);
  const size_t start = begin(&t, 2, names.s, names.len);
  function(&t, K);
  for (int i = 1; i <= files; i++) {
    const char set_file[] = {4, (char)(0x80 | (i & 0x7f)), (char)(i >> 7), 1};
    code(&t, set_file, sizeof set_file);
  }
  CODE(&t, "\x00\x01\x01");
  end(&t, start);
  const Table none = {text_new(a), text_new(a), false};
  const LineTable read = line_table_read(a, machine(a, "", &t, &none), ".debug_line");
  size_t bytes = 0;
  CHECK(read.rows == files + 1, "%d rows", read.rows);
  for (int i = 0; i < files && i < read.rows; i++) bytes += strlen(read.row[i].file);
  CHECK(bytes <= 33 << 20, "%zu bytes of paths", bytes);
  CHECK(length > 4096 || strlen(read.row[0].file) == length + 2, "%s", read.row[0].file);
  CHECK(length <= 4096 || strcmp(read.row[0].file, "f") == 0, "%s", read.row[0].file);
  arena_free(a);
}

/* --- into PTX --- */

static const char ptx[] = ".version 8.0\n.visible .entry k(\n)\n{\n.reg .b32 %r<2>;\n\nmov.u32 "
                          "%r1, 1;\nbar.sync 0;\n\n{\nst.shared.u32 [0], %r1;\n}\n\nret;\n}\n";
static const char with_lines[] =
    ".version 8.0\n.visible .entry k(\n)\n{\n.reg .b32 %r<2>;\n.loc 1 10 0 \nmov.u32 %r1, 1;\n"
    ".loc 1 11 0 bar.sync 0;\n"
    ".loc 1 12 0 .loc 2 3 0, function_name $L__inlined, inlined_at 1 12 0 \n{\nst.shared.u32 [0], "
    "%r1;\n}\n\nret;\n}\n\n.file 1 \"/far/k.cu\"\n.file 2 \"/near/h.h\"\n.section .debug_str\n{\n"
    "$L__inlined:\n.b8 0\n}\n";

/* Instructions of 16 bytes are of source lines 10, 11, and 3 of the other file, called from 12; of
 * PTX lines 7, 8 and 11. */
static Cubin example(Arena *a, bool bare) {
  Table source = {text_new(a), text_new(a), bare}, lines = {text_new(a), text_new(a), bare};
  size_t start = begin(&source, 2, FILES, sizeof FILES - 1);
  function(&source, K);
  CODE(&source, "\x03\x09\x01\xf3\xf3\x00\x03\x90\x03\x00\x04\x02\x03\x77\x01\x02\x10\x00\x01\x01");
  end(&source, start);
  start = begin(&lines, 2, "\0", 2);
  function(&lines, K);
  CODE(&lines, "\x04\x00\x03\x06\x01\xf3\xf5\x02\x10\x00\x01\x01");
  end(&lines, start);
  return machine(a, ptx, &source, &lines);
}

static const char *restored(Arena *a, Cubin cubin, int *units) {
  PtxUnit unit[2];
  *units = cubin_ptx(a, cubin, unit, 2);
  cubin_lines_restore(a, unit, *units);
  return *units ? unit[0].ptx : "";
}

static void test_restored(bool bare) {
  Arena *a = arena_new();
  int units;
  const char *text = restored(a, example(a, bare), &units);
  CHECK(units == 1, "%d units", units);
  CHECK_STR(text, with_lines);
  arena_free(a);
}

/* Machine code of two instructions: of PTX lines 10 and 13, both of source line 12. */
static const char *of_line_12(Arena *a, const char *text) {
  Table source = {text_new(a), text_new(a), false}, lines = {text_new(a), text_new(a), false};
  size_t start = begin(&source, 2, FILES, sizeof FILES - 1);
  function(&source, K);
  CODE(&source, "\x03\x0b\x01\x02\x20\x00\x01\x01");
  end(&source, start);
  start = begin(&lines, 2, "\0", 2);
  function(&lines, K);
  CODE(&lines, "\x04\x00\x03\x09\x01\x02\x10\x03\x03\x01\x02\x10\x00\x01\x01");
  end(&lines, start);
  int units;
  return restored(a, machine(a, text, &source, &lines), &units);
}

/* The source line of a load on PTX line 10, behind `movs`, which has line breaks for its lines. */
static void check_assembly(const char *name, const char *movs, const char *load, int want) {
  enum { LOAD = 10 };
  Arena *a = arena_new();
  const char *text = arena_printf(a,
                                  ".version 8.0\n.visible .entry k(\n)\n{\n\n%s\n%s ld.global.v2"
                                  ".b32 %s, [ %%rd1 + 0 ];\n\n\nret;\n}\n",
                                  movs, load[0] == '@' ? "@%p1" : "", strchr(load, '{'));
  const char *got = of_line_12(a, text);
  const char *loc = strstr(got, ".loc 1 "), *at = strstr(got, "ld.global");
  CHECK(loc && atoi(loc + 7) == want, "%s: %.12s", name, loc ? loc : "no line");
  CHECK(at && text_lines(got, (size_t)(at - got)) == LOAD, "%s: the text has moved", name);
  arena_free(a);
}

/* Instructions after the load have its line unless they have a .loc, which would need a blank
 * line. */
static void test_inherited(void) {
  static const char head[] = ".version 8.0\n.visible .entry k(\n)\n{\n\nmov.u32 %r1, 0x0;\n\n"
                             "mov.u32 %r2, 0x0;\n\nld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];\n";
  Arena *a = arena_new();
  const char *got =
      of_line_12(a, arena_printf(a, "%s\n\nst.shared.u32 [0], %%r1;\nret;\n}\n", head));
  CHECK(strstr(got, ".loc 1 10 ") && !strstr(got, ".loc 1 12 "), "%s", got);
  got = of_line_12(a, arena_printf(a, "%s\nret;\nst.shared.u32 [0], %%r1;\n}\n", head));
  CHECK(strstr(got, ".loc 1 10 ") && strstr(got, ".loc 1 12 "), "%s", got);
  arena_free(a);
}

/* LLVM counts the lines of inline assembly, in which Triton's loads stand. */
static void test_assembly(void) {
  const char two[] = "mov.u32 %r1, 0x0;\n\nmov.u32 %r2, 0x0;\n";
  check_assembly("two movs", two, "{ %r1, %r2 }", 10);
  check_assembly("two movs, some lanes", "\nmov.u32 %r1, 0x0;\n\nmov.u32 %r2, 0x0;",
                 "@{ %r1, %r2 }", 11);
  check_assembly("of a register", "\n\nmov.u32 %r1, %r7;\n", "{ %r1, %r2 }", 11);
  check_assembly("of other registers", two, "{ %r11, %r2 }", 12);
  check_assembly("in one line of source", "\n\n\nmov.u32 %r1, 0x0;", "{ %r1, %r2 }", 12);
  check_assembly("further away", "\nmov.u32 %r1, 0x0;\n\n", "{ %r1, %r2 }", 12);
}

/* Cut anywhere in its tables, or with one byte changed, a file may lose its lines, but no more:
 * lines of PTX keep their numbers. */
static void test_damaged(void) {
  int units, kept = 0, lost = 0;
  for (size_t i = sizeof(Elf64_Ehdr) + sizeof ptx, end = i + 1; i < end; i++) {
    for (int change = 1; change < 256; change = change * 3 + 1) {
      Arena *a = arena_new();
      const Cubin c = example(a, false);
      end = c.bytes - (SECTIONS * sizeof(Elf64_Shdr));
      ((char *)c.data)[i] = (char)(((const char *)c.data)[i] + change);
      const char *text = restored(a, c, &units);
      const char *store = strstr(text, "st.shared.u32 [0], %r1;\n");
      enum { STORE = 11 };
      if (units) CHECK(store, "byte %zu", i);
      if (store) CHECK(text_lines(text, (size_t)(store - text)) == STORE, "byte %zu", i);
      if (units && !strcmp(text, with_lines)) kept++;
      if (units && !strstr(text, ".loc")) lost++;
      arena_free(a);
    }
  }
  CHECK(kept > 20 && lost > 20, "%d kept, %d lost", kept, lost);
}

int main(void) {
  test_long_folder(100, 5);
  test_long_folder(5000, 100);
  test_long_folder(4000, 16000);
  for (int version = 2; version <= 4; version++) test_opcodes(version);
  test_restored(false);
  test_restored(true);
  test_assembly();
  test_inherited();
  test_damaged();
  return check_report("libcuda_cubin_lines");
}
