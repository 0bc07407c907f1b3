/* SPDX-License-Identifier: MIT */
/* The instructions of PTX ISA 9.0 up to sm_90a, except textures, surfaces and wgmma: data/isa.txt
 * has a line for each form that ptxas 13.0 accepts, including modifiers and types. All are executed
 * except those marked "!", which are rejected by name. */
#include "emu/emu_run.h"
#include "emu/isa_list.h"

enum { BATCH = 128 };

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".global .align 16 .b8 gvar[256];\n.const .align 16 .b8 cvar[256];\n.func fn() { ret; }\n"
    ".func (.param .b32 r) fnr (.param .b32 a) { .reg .b32 %t; ld.param.b32 %t, [a]; st.param.b32 "
    "[r], %t; ret; }\n"
    ".func (.reg .b32 r) fng (.reg .b32 a) { mov.b32 r, a; ret; }\n";

static const char body[] =
    ".visible .entry k%d(.param .b64 k_param_0)\n{\n"
    ".reg .b8 %%b<8>; .reg .b16 %%h<64>; .reg .b32 %%r<64>; .reg .b64 %%d<64>; .reg .f32 %%f<64>; "
    ".reg .f64 %%g<64>; .reg .pred %%p<8>;%s\n"
    ".shared .align 128 .b8 svar[1024]; .param .b32 rv; .param .b32 pa;\n"
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\nftab: .calltargets fnr;\n"
    "tgts: .branchtargets done, done;\n%s;\ndone: ret;\n}\n";

static void add(Text *ptx, int number, const char *line) {
  const char *wide = strstr(line, "%q") ? " .reg .b128 %q<8>;" : "";
  text_printf(ptx, body, number, wide, line);
}

static void check(const EmuModule *module, const IsaList *list, int i) {
  char name[16];
  snprintf(name, sizeof name, "k%d", i);
  const EmuKernel *kernel = emu_kernel(module, name);
  int errors;
  const EmuError *error = emu_errors(module, &errors);
  const bool told = kernel && kernel->errors > 0, is_refused = list->mark[i][0] == '!';
  CHECK(kernel && kernel->runnable != is_refused, "%s: %s", list->name[i],
        told ? error[kernel->first_error].message : "runs");
}

static void load(const IsaList *list, int first) {
  const int end = first + BATCH < list->count ? first + BATCH : list->count;
  Arena *arena = arena_new();
  Text ptx = text_new(arena);
  text_puts(&ptx, head);
  for (int i = first; i < end; i++) add(&ptx, i, list->name[i]);
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx.s, ptx.len);
  for (int i = first; i < end; i++) check(module, list, i);
  emu_unload(module);
  emu_memory_free(memory);
  arena_free(arena);
}

int main(void) {
  static IsaList list;
  Arena *arena = arena_new();
  isa_list_read(arena, "isa.txt", &list);
  CHECK(list.count > 5000, "%d instructions", list.count);
  for (int first = 0; first < list.count; first += BATCH) load(&list, first);
  arena_free(arena);
  return check_report("emu_isa");
}
