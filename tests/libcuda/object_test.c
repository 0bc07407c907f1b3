/* SPDX-License-Identifier: MIT */
/* Device code in an object of the host's compiler, and in archives of objects, is linked. Messages
 * of the linker and the PTX compiler go to the buffers that the program passes. */
#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcuda/cu.h"

CUresult cuModuleLoad(CUmodule *out, const char *path);
CUresult cuLibraryLoadFromFile(CUmodule *out, const char *path, int *jit_option, void **jit_value,
                               unsigned jit_options, int *option, void **value, unsigned options);

enum { INPUT_PTX = 1, INPUT_OBJECT = 3, INPUT_LIBRARY = 4 };
enum { ERROR_BUFFER = 5, ERROR_BYTES };

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char main_unit[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                               ".visible .entry go(.param .u64 out) {\n"
                               "  .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [out];\n"
                               "  { .param .b32 p0; .param .b32 p1; st.param.b32 [p0], 21;\n"
                               "    call.uni (p1), twice, (p0); ld.param.b32 %r, [p1]; }\n"
                               "  st.global.u32 [%d], %r; ret;\n"
                               "}\n";
static const char other_unit[] =
    HEAD ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
         "  .reg .b32 %a; ld.param.b32 %a, [x]; shl.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }\n";

/* A fat binary with one entry: PTX, or machine code (kind 2). */
typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;
  uint16_t kind, entry_version;
  uint32_t entry_bytes;
  uint64_t payload_bytes;
  uint32_t compressed_bytes, options, unknown, arch, bits, producer;
  uint64_t flags, reserved, plain_bytes;
  char code[512];
} Fatbin;

static const char names[] = "\0__nv_relfatbin\0.shstrtab";

/* Two fat binaries in the section, as in a program of two objects. */
typedef struct {
  Elf64_Ehdr head;
  Fatbin fat[2];
  char names[32];
  Elf64_Shdr section[3];
} Object;

static Fatbin fat_binary(uint16_t kind) {
  Fatbin f = {.magic = 0xba55ed50,
              .header_bytes = offsetof(Fatbin, kind),
              .bytes = sizeof f - offsetof(Fatbin, kind),
              .kind = kind,
              .entry_bytes = offsetof(Fatbin, code) - offsetof(Fatbin, kind),
              .payload_bytes = sizeof f.code,
              .arch = 75};
  memcpy(f.code, other_unit, sizeof other_unit);
  return f;
}

static Object object(uint16_t first, uint16_t second) {
  Object o = {
      .head = {.e_ident = ELFMAG,
               .e_machine = EM_X86_64,
               .e_shoff = offsetof(Object, section),
               .e_shnum = 3,
               .e_shstrndx = 2},
      .fat = {fat_binary(first), fat_binary(second)},
      .section = {{0},
                  {.sh_name = 1, .sh_offset = offsetof(Object, fat), .sh_size = sizeof o.fat},
                  {.sh_name = 16, .sh_offset = offsetof(Object, names), .sh_size = sizeof names}}};
  o.head.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(o.names, names, sizeof names);
  return o;
}

static void test_linked(void *image, size_t bytes, int kind) {
  CUlinkState link;
  CUmodule m;
  void *whole;
  CU(cuLinkCreate_v2(0, NULL, NULL, &link));
  CU(cuLinkAddData_v2(link, INPUT_PTX, main_unit, sizeof main_unit, "main", 0, NULL, NULL));
  CU(cuLinkAddData_v2(link, kind, image, bytes, "other", 0, NULL, NULL));
  CU(cuLinkComplete(link, &whole, NULL));
  CU(cuModuleLoadData(&m, whole));
  CU(cuLinkDestroy(link));
  const unsigned value = cu_go(m);
  CHECK(value == 42, "%u", value);
  CU(cuModuleUnload(m));
}

/* Copies an image to the end of a page, behind which nothing may be read. */
static void *at_end(const void *image, size_t bytes) {
  enum { PAGE = 4096 };
  static char *page;
  if (!page) {
    page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && !mprotect(page + PAGE, PAGE, PROT_NONE), "no pages");
  }
  return memcpy(page + PAGE - bytes, image, bytes);
}

/* The first member has an odd size, so that the other is not aligned. */
static void test_archive(const Object *o) {
  static char archive[2 * sizeof(Object)];
  size_t n = (size_t)sprintf(archive, ARMAG "%-48s%-10d%sabc\n", "readme/", 3, ARFMAG);
  n += (size_t)sprintf(archive + n, "%-48s%-10zu%s", "other.o/", sizeof *o, ARFMAG);
  memcpy(archive + n, o, sizeof *o);
  test_linked(archive, n + sizeof *o, INPUT_LIBRARY);
  for (size_t cut = 0; cut < n + sizeof *o; cut += 7) {
    CUlinkState link;
    CU(cuLinkCreate_v2(0, NULL, NULL, &link));
    cuLinkAddData_v2(link, INPUT_LIBRARY, at_end(archive, cut), cut, "cut", 0, NULL, NULL);
    CU(cuLinkDestroy(link));
  }
}

/* --- damaged images --- */

static void test_cut(const void *image, size_t bytes) {
  for (size_t cut = 4; cut < bytes; cut += 4) {
    CUlinkState link;
    CU(cuLinkCreate_v2(0, NULL, NULL, &link));
    CU_FAILS(cuLinkAddData_v2(link, INPUT_OBJECT, at_end(image, cut), cut, "cut", 0, NULL, NULL),
             CUDA_ERROR_INVALID_IMAGE);
    CU(cuLinkDestroy(link));
  }
}

/* The entry claims to extend past its fat binary. */
static void test_long_entry(void) {
  CUmodule m;
  Fatbin f = fat_binary(1);
  memset(f.code, ' ', sizeof f.code);
  memcpy(f.code, "//", 2);
  f.payload_bytes = 1 << 20;
  CU_FAILS(cuModuleLoadData(&m, at_end(&f, sizeof f)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  f.payload_bytes = 0 - (uint64_t)f.entry_bytes;
  CU_FAILS(cuModuleLoadData(&m, at_end(&f, sizeof f)), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* The sections of machine code are after its file. */
static void test_far_sections(void) {
  enum { OF_CUDA = 190 };
  static const char path[] = "object_test.cubin";
  Object o = object(1, 1);
  o.head.e_machine = OF_CUDA;
  o.head.e_shoff = (uint64_t)1 << 40;
  CUmodule m;
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(&o, sizeof o, 1, f) == 1 && !fclose(f), "%s", path);
  CU_FAILS(cuModuleLoad(&m, path), CUDA_ERROR_NO_BINARY_FOR_GPU);
  unlink(path);
}

/* nvJitLink puts section headers at odd places. */
static void test_odd_sections(void) {
  enum { OF_CUDA = 190, WANT = 7 };
  static const char own_names[] = "\0.nv_debug_ptx_txt\0.shstrtab";
  static const char ptx[] = HEAD ".visible .entry go(.param .u64 out) { .reg .b64 %d;\n"
                                 "  ld.param.u64 %d, [out]; st.global.u32 [%d], 7; ret; }\n";
  static char cubin[1024];
  const size_t at_names = sizeof(Elf64_Ehdr), at_ptx = at_names + sizeof own_names;
  const size_t at_headers = at_ptx + sizeof ptx + (at_ptx + sizeof ptx + 1) % 2;
  Elf64_Ehdr head = {.e_ident = ELFMAG,
                     .e_machine = OF_CUDA,
                     .e_shoff = at_headers,
                     .e_shnum = 3,
                     .e_shstrndx = 2};
  const Elf64_Shdr section[] = {
      {0},
      {.sh_name = 1, .sh_offset = at_ptx, .sh_size = sizeof ptx},
      {.sh_name = 19, .sh_offset = at_names, .sh_size = sizeof own_names}};
  CUmodule m;
  head.e_ident[EI_CLASS] = ELFCLASS64;
  memcpy(cubin, &head, sizeof head);
  memcpy(cubin + at_names, own_names, sizeof own_names);
  memcpy(cubin + at_ptx, ptx, sizeof ptx);
  memcpy(cubin + at_headers, section, sizeof section);
  CHECK(at_headers % 2, "the headers are at an odd place");
  CU(cuModuleLoadData(&m, cubin));
  CHECK(cu_go(m) == WANT, "the kernel in it ran");
  CU(cuModuleUnload(m));
}

/* An entry of PTX holds something else: linked, it would be the driver's whole answer. */
static void test_no_text(void) {
  CUlinkState link;
  void *whole;
  Fatbin f = fat_binary(1);
  memcpy(f.code, ELFMAG, SELFMAG);
  CU(cuLinkCreate_v2(0, NULL, NULL, &link));
  CU_FAILS(cuLinkAddData_v2(link, INPUT_OBJECT, &f, sizeof f, "f", 0, NULL, NULL),
           CUDA_ERROR_INVALID_IMAGE);
  CU_FAILS(cuLinkComplete(link, &whole, NULL), CUDA_ERROR_INVALID_VALUE);
  CU(cuLinkDestroy(link));
}

static void test_damaged(void) {
  const Fatbin f = fat_binary(1);
  test_no_text();
  test_cut(&f, sizeof f);
  test_long_entry();
  test_far_sections();
}

/* --- what is said --- */

static void test_refused(Object *o, CUresult want, const char *why) {
  char log[40];
  int option[] = {ERROR_BUFFER, ERROR_BYTES};
  void *value[] = {log, (void *)sizeof log};
  CUlinkState link;
  memset(log, '#', sizeof log);
  CU(cuLinkCreate_v2(2, option, value, &link));
  CHECK(!log[0] && !value[1], "nothing has been said");
  CU_FAILS(cuLinkAddData_v2(link, INPUT_OBJECT, o, sizeof *o, "o", 0, NULL, NULL), want);
  CHECK(strcmp(log, why) == 0, "'%.40s'", log);
  CHECK((size_t)value[1] == sizeof log, "%zu bytes", (size_t)value[1]);
  CU(cuLinkDestroy(link));
}

static void test_module_log(void) {
  char log[100];
  int option[] = {ERROR_BUFFER, ERROR_BYTES};
  void *value[] = {log, (void *)sizeof log};
  CUmodule m;
  memset(log, '#', sizeof log);
  CU(cuModuleLoadDataEx(&m, main_unit, 2, option, value));
  CHECK(!log[0] && !value[1], "nothing is wrong");
  value[1] = (void *)sizeof log;
  CU(cuModuleUnload(m));
  CU_FAILS(cuModuleLoadDataEx(&m, HEAD ".global .u32 late ", 2, option, value),
           CUDA_ERROR_INVALID_PTX);
  CHECK(strstr(log, "refused: PTX line 4") && !strchr(log, '\n'), "'%.100s'", log);
  CHECK((size_t)value[1] == strlen(log), "%zu bytes", (size_t)value[1]);
  CU_FAILS(cuModuleLoadDataEx(&m, main_unit, 1, option, value), CUDA_ERROR_INVALID_VALUE);
}

/* PTX that is too new names the GPU that runs it. */
static void test_later(void) {
  static const char said[] =
      "kgen: a module is refused: it holds PTX of compute_120, which an sm_90 cannot run\n"
      "kgen: hint: --arch sm_120 has the program see a GPU that can";
  char log[256];
  int option[] = {ERROR_BUFFER, ERROR_BYTES};
  void *value[] = {log, (void *)sizeof log};
  CUmodule m;
  Fatbin f = fat_binary(1);
  f.arch = 120;
  CU_FAILS(cuModuleLoadDataEx(&m, &f, 2, option, value), CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(strcmp(log, said) == 0, "'%s'", log);
}

/* Text that the program writes to the log buffer after receiving it is not part of the log. */
static void test_used_buffer(void) {
  static const char said[] = "kgen: a module is refused: it holds neither PTX nor a fat binary";
  char log[256];
  int option[] = {ERROR_BUFFER, ERROR_BYTES};
  void *value[] = {log, (void *)sizeof log};
  CUlinkState link;
  CU(cuLinkCreate_v2(2, option, value, &link));
  memset(log, '#', sizeof log);
  CU_FAILS(cuLinkAddData_v2(link, INPUT_PTX, "none", 5, "none", 0, NULL, NULL),
           CUDA_ERROR_INVALID_IMAGE);
  CHECK(strcmp(log, said) == 0 && (size_t)value[1] == strlen(said), "'%.70s'", log);
  CU(cuLinkDestroy(link));
}

/* A call that fails before it begins does not write to the program's buffers. */
static void test_before_init(void) {
  char log[] = "own";
  int option[] = {ERROR_BUFFER, ERROR_BYTES};
  void *value[] = {log, (void *)sizeof log};
  CUmodule m;
  CU_FAILS(cuLibraryLoadFromFile(&m, "none.cubin", option, value, 2, NULL, NULL, 0),
           CUDA_ERROR_NOT_INITIALIZED);
  CHECK(strcmp(log, "own") == 0 && (size_t)value[1] == sizeof log, "'%s'", log);
}

int main(void) {
  test_before_init();
  cu_begin();
  Object o = object(2, 1);
  test_linked(&o, sizeof o, INPUT_OBJECT);
  test_archive(&o);
  test_odd_sections();
  test_damaged();
  o = object(2, 2);
  test_refused(&o, CUDA_ERROR_NO_BINARY_FOR_GPU, "kgen: a module is refused: it holds mac");
  o.section[1].sh_name = 16;
  test_refused(&o, CUDA_ERROR_INVALID_IMAGE, "kgen: a module is refused: it holds no ");
  test_module_log();
  test_used_buffer();
  test_later();
  return check_report("libcuda_object");
}
