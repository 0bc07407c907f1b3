/* SPDX-License-Identifier: MIT */
/* Each form of an instruction that only computes leaves what it left on an H200, in registers and
 * in memory: data/isa.txt has a checksum for each. tests/emu/gpu/isa_values_test.c shows the
 * operands where one differs. */
#include <stdlib.h>

#include "check.h"
#include "emu/emu.h"
#include "emu/isa_kernel.h"
#include "emu/isa_list.h"

static IsaList list;

static void run(const IsaBatch *b, EmuMemory *memory, EmuModule *module, void *out) {
  const uint64_t in_bytes = b->in[b->count], out_bytes = b->out[b->count];
  void *in = calloc(1, in_bytes);
  const uint64_t from = emu_alloc(memory, in_bytes, "in"), to = emu_alloc(memory, out_bytes, "out");
  const void *args[] = {&from, &to};
  const EmuLaunch launch = {.kernel = "k",
                            .grid = {(uint32_t)b->threads / ISA_BLOCK, 1, 1},
                            .block = {ISA_BLOCK, 1, 1},
                            .args = args,
                            .threads = 1,
                            .unchecked = true};
  isa_batch_fill(b, 0, in);
  emu_copy_in(memory, from, in, in_bytes);
  EmuResult *r = emu_launch(module, &launch);
  CHECK(!r->error[0] && !r->findings, "%s: %s", b->form[0].line, r->error);
  emu_copy_out(memory, out, to, out_bytes);
  emu_result_free(r);
  free(in);
}

static void check(const IsaBatch *b, const int *line, const void *out) {
  for (int i = 0; i < b->count; i++) {
    char sum[9];
    snprintf(sum, sizeof sum, "%08x", isa_batch_sum(b, i, out));
    CHECK(strcmp(list.mark[line[i]], sum) == 0, "%s: %s, not %s", b->form[i].line, sum,
          list.mark[line[i]]);
  }
}

static void execute(const IsaBatch *b, const int *line) {
  if (!b->count) return;
  Arena *a = arena_new();
  Text ptx = text_new(a);
  isa_put_kernel(&ptx, b);
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx.s, ptx.len);
  void *out = calloc(1, b->out[b->count]);
  run(b, memory, module, out);
  check(b, line, out);
  free(out);
  emu_unload(module);
  emu_memory_free(memory);
  arena_free(a);
}

int main(void) {
  static IsaBatch batch;
  int line[ISA_BATCH];
  Arena *a = arena_new();
  isa_list_read(a, "isa.txt", &list);
  for (int i = 0; i < list.count; i++) {
    batch.threads = ISA_THREADS;
    if (list.mark[i][1] && isa_batch_add(&batch, list.name[i])) line[batch.count - 1] = i;
    if (batch.count < ISA_BATCH && i + 1 < list.count) continue;
    execute(&batch, line);
    batch = (IsaBatch){0};
  }
  arena_free(a);
  return check_report("emu_isa_values");
}
