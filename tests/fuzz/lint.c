/* SPDX-License-Identifier: MIT */
/* kgen --lint of a PTX file: its exit code fits what it says, and its JSON is JSON. */
// covers: gen/base gen/model gen/solve runtime/emu runtime/lint
// words: runtime/emu tests/emu/*.c
// seeds: tests/lint/cases/*.ptx tests/fuzz/seeds/ptx
#include "lint/command.h"

#include "fuzz.h"
#include "kernels.h"

/* An --arg for each parameter of the file's only kernel. */
static OptionList arguments(Arena *a, const uint8_t *data, size_t size) {
  OptionList list = {0};
  int kernels = 0;
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = memory ? emu_load(memory, (const char *)data, size) : NULL;
  const EmuKernel *k = module ? emu_kernels(module, &kernels) : NULL;
  for (int i = 0; kernels == 1 && i < k->params && i < FUZZ_PARAMS; i++)
    option_list_add(a, &list,
                    is_address(&k->param[i])     ? "buf:4096"
                    : k->param[i].type[0] == 'f' ? (k->param[i].bytes == 8 ? "f64:1.5" : "f32:1.5")
                    : k->param[i].bytes == 8     ? "i64:5"
                                                 : "i32:5");
  if (module) emu_unload(module);
  emu_memory_free(memory);
  return list;
}

static void judge(Arena *a, const Options *o) {
  Text data = text_new(a), messages = text_new(a);
  Diag *diag = diag_new(a);
  const int code = lint_command(a, o, &data, &messages, diag);
  MUST(code == 0 || code == 1 || code == 2 || code == 5);
  const bool json = o->format == FORMAT_JSON;
  MUST(code <= 1 ? data.len > 0 : messages.len > 0 || diag_count(diag));
  if (json && data.len) fuzz_json(&data);
  MUST(json || code <= 1 || data.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena *a = arena_new();
  const char *path = arena_printf(a, "%s/input.ptx", fuzz_folder());
  fuzz_write(path, data, size);
  Options o = {.command = COMMAND_LINT,
               .color = COLOR_NEVER,
               .lint = {.file = path,
                        .grid = "2",
                        .block = "40",
                        .smem = 256,
                        .max_steps = 2000,
                        .max_conflicts = -1,
                        .arg = arguments(a, data, size)}};
  o.format = FORMAT_JSON;
  judge(a, &o);
  o.format = FORMAT_TABLE;
  judge(a, &o);
  arena_free(a);
  return 0;
}
