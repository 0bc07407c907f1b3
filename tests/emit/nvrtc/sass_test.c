/* SPDX-License-Identifier: MIT */
/* sass_test.c: the index code of headers is as short as what a hand would write: instructions of
 * sm_90 machine code, counted in kernels that do nothing else, for layouts of every rank. */
#include <elf.h>

#include "check.h"
#include "device/nvrtc.h"
#include "emit/offset.h"

enum { INSTRUCTION = 16, EXIT = 0x94d, OPCODE = 0xfff }; /* bytes; the low bits of its first word */

typedef struct {
  KgenLayout layout;
  const char *hand; /* over a, b, c, d, or over i */
} Pair;

static const Pair pairs[] = {
    {{2, 0, {32, 32}, {33, 1}, 0, {{0, 0, 0, 0}}, 0}, "a * 33 + b"},
    {{2, 0, {32, 32}, {32, 1}, 1, {{0, 31, 0, 0}}, 0}, "a * 32 + (b ^ (a & 31))"},
    {{2, 0, {128, 32}, {32, 1}, 1, {{-2, 24, 0, 0}}, 0}, "a * 32 + (b ^ ((a >> 1 & 3) * 8))"},
    {{2, 0, {64, 64}, {64, 1}, 1, {{0, 28, 0, 0}}, 0}, "(a << 6) + (b ^ (a & 28))"},
    {{2, 0, {16, 32}, {40, 1}, 1, {{1, 4, 0, 0}}, 0}, "a * 40 + (b ^ (a >> 1 & 4))"},
    {{2, 0, {64, 16}, {16, 1}, 2, {{0, 3, 0, 0}, {2, 12, 0, 0}}, 0},
     "a * 16 + (b ^ (a & 3) ^ (a >> 2 & 12))"},
    {{1, 32, {1024}, {33, 1}, 0, {{0, 0, 0, 0}}, 0}, "i + (i >> 5)"},
    {{1, 32, {1024}, {36, 1}, 0, {{0, 0, 0, 0}}, 0}, "i + (i >> 5) * 4"},
    {{1, 16, {512}, {16, 1}, 1, {{1, 14, 0, 0}}, 0}, "i ^ (i >> 5 & 14)"},
    {{1, 16, {512}, {16, 1}, 4, {{-3, 8, 0, 0}, {-2, 4, 0, 0}, {-1, 2, 0, 0}, {0, 1, 0, 0}}, 0},
     "i ^ (i >> 4 & 1) * 15"},
    {{3, 0, {3, 8, 24}, {200, 25, 1}, 0, {{0, 0, 0, 0}}, 0}, "a * 200 + b * 25 + c"},
    {{3, 0, {4, 64, 64}, {4096, 64, 1}, 1, {{-3, 56, 0, 0}}, 0},
     "a * 4096 + b * 64 + (c ^ ((b & 7) << 3))"},
    {{3, 0, {8, 16, 32}, {512, 32, 1}, 1, {{4, 7, 0, 0}}, 0}, "a * 512 + b * 32 + (c ^ (a & 7))"},
    {{4, 0, {3, 2, 64, 64}, {8192, 4096, 64, 1}, 1, {{-3, 56, 0, 0}}, 0},
     "(a * 2 + b) * 4096 + c * 64 + (d ^ ((c & 7) * 8))"},
    {{1, 0, {512}, {1}, 1, {{5, 14, KGEN_INDEX, 0}}, 0}, "i ^ (i >> 5 & 14)"},
    {{2, 0, {4, 1024}, {1024, 1}, 1, {{5, 31, KGEN_COORD + 1, 0}}, 0},
     "a * 1024 + (b ^ (b >> 5 & 31))"},
    {{2, 0, {4, 1024}, {1024, 1}, 1, {{7, 31, KGEN_INDEX, 0}}, 0},
     "a * 1024 + (b ^ ((a * 1024 + b) >> 7 & 31))"},
    {{3, 0, {64, 4, 8}, {32, 8, 1}, 2, {{5, 7, KGEN_INDEX, 0}, {8, 3, KGEN_INDEX, 2}}, 0},
     "a * 32 + ((b * 8 + c) ^ (a & 31))"},
    {{1, 0, {1024}, {1}, 3, {{0, 991, KGEN_INDEX, 0}, {2, 32, KGEN_INDEX, 0}, {-2, 128, 1, 0}}, 1},
     "(i & 991) ^ (i >> 2 & 32) ^ (i << 2 & 128)"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const char *const letters[] = {"a", "b", "c", "d"}, *const index_name[] = {"i"};

static void add_kernel(Text *t, const char *name, int n, int rank, const char *const *dim,
                       const char *offset) {
  text_printf(t, "extern \"C\" __global__ void %s_%d(int *out, %s) { *out = %s; }\n", name, n,
              offset_spell_parameters(t->arena, rank, dim), offset);
}

static const char *program(Arena *a) {
  Text t = text_new(a);
  for (int i = 0; i < PAIRS; i++) {
    const KgenLayout *l = &pairs[i].layout;
    const char *const *dim = l->rank == 1 ? index_name : letters;
    add_kernel(&t, "ours", i, l->rank, dim, offset_spell(a, l, dim));
    add_kernel(&t, "hand", i, l->rank, dim, pairs[i].hand);
  }
  return t.s;
}

/* Instructions up to the last EXIT; what follows is padding. */
static int count_code(const unsigned char *code, size_t size) {
  int count = 0;
  for (size_t i = 0; i + INSTRUCTION <= size; i += INSTRUCTION) {
    unsigned word;
    memcpy(&word, code + i, sizeof word);
    if ((word & OPCODE) == EXIT) count = (int)(i / INSTRUCTION) + 1;
  }
  return count;
}

/* The instructions of a kernel in a cubin; 0 if it is not there. */
static int count_kernel(Arena *a, const char *image, const char *name) {
  Elf64_Ehdr head;
  memcpy(&head, image, sizeof head);
  Elf64_Shdr *section = ARENA_ARRAY(a, Elf64_Shdr, head.e_shnum);
  memcpy(section, image + head.e_shoff, head.e_shnum * sizeof *section);
  const char *names = image + section[head.e_shstrndx].sh_offset;
  const char *want = arena_printf(a, ".text.%s", name);
  for (int i = 0; i < head.e_shnum; i++)
    if (strcmp(names + section[i].sh_name, want) == 0)
      return count_code((const unsigned char *)image + section[i].sh_offset, section[i].sh_size);
  return 0;
}

static void compare(Arena *a, const char *image) {
  for (int i = 0; i < PAIRS; i++) {
    const int ours = count_kernel(a, image, arena_printf(a, "ours_%d", i));
    const int hand = count_kernel(a, image, arena_printf(a, "hand_%d", i));
    const KgenLayout *l = &pairs[i].layout;
    const char *text = offset_spell(a, l, l->rank == 1 ? index_name : letters);
    printf("%3d instructions, %3d by hand: %s\n", ours, hand, text);
    CHECK(ours > 3 && hand > 3, "%s: no code", text);
    CHECK(ours <= hand, "%s: %d instructions, by hand %d", text, ours, hand);
  }
}

int main(void) {
  static const char *const option[] = {"-arch=sm_90", "-std=c++17"};
  Arena *a = arena_new();
  Text why = text_new(a);
  if (!nvrtc_identity(a, &why)) return check_skip("emit_sass_nvrtc", why.s);
  const NvrtcSource source = {
      .name = "sass.cu", .text = program(a), .option = option, .options = 2};
  NvrtcResult result = {.accepted = false};
  const bool ran = nvrtc_compile(a, &source, &result, &why);
  CHECK(ran && result.accepted, "%s%s", why.s, result.log ? result.log : "");
  if (result.image) compare(a, result.image);
  arena_free(a);
  return check_report("emit_sass_nvrtc");
}
