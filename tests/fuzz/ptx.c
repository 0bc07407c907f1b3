/* SPDX-License-Identifier: MIT */
/* PTX is rejected with reasons, or its kernels run within their bounds. */
// covers: gen/base gen/model runtime/emu
// words: runtime/emu tests/emu/*.c
// seeds: tests/lint/cases/*.ptx tests/fuzz/seeds/ptx
#include "fuzz.h"
#include "kernels.h"

static void launch(EmuMemory *memory, EmuModule *module, const EmuKernel *k) {
  static uint64_t value[FUZZ_PARAMS];
  static unsigned char structure[4096];
  const void *args[FUZZ_PARAMS];
  for (int i = 0; i < k->params; i++) {
    if (k->param[i].bytes > sizeof structure) return;
    value[i] = is_address(&k->param[i]) ? emu_alloc(memory, FUZZ_BUFFER, k->param[i].name) : 5;
    args[i] = k->param[i].bytes > 8 ? (const void *)structure : &value[i];
  }
  const EmuLaunch l = {.kernel = k->name,
                       .grid = {2, 1, 1},
                       .block = {40, 1, 1},
                       .dynamic_shared = 256,
                       .args = args,
                       .threads = 1,
                       .max_steps = 2000};
  EmuResult *result = emu_launch(module, &l);
  if (result && !result->error[0])
    for (int i = 0; i < result->accesses; i++)
      MUST(result->access[i].wavefronts >= result->access[i].ideal);
  if (result) emu_result_free(result);
  for (int i = 0; i < k->params; i++)
    if (is_address(&k->param[i])) emu_free(memory, value[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int errors = 0, kernels = 0;
  EmuMemory *memory = emu_memory_new();
  MUST(memory);
  EmuModule *module = emu_load(memory, (const char *)data, size);
  if (module) {
    const EmuError *error = emu_errors(module, &errors);
    for (int i = 0; i < errors; i++) MUST(error[i].message[0]);
    const EmuKernel *k = emu_kernels(module, &kernels);
    for (int i = 0; i < kernels; i++)
      if (k[i].runnable && k[i].params <= FUZZ_PARAMS) launch(memory, module, &k[i]);
    emu_unload(module);
  }
  emu_memory_free(memory);
  return 0;
}
