/* SPDX-License-Identifier: MIT */
/* Each form of an instruction of data/isa.txt that only computes, on the GPU and on the emulator,
 * with the same PTX and operands: their results in registers and memory are equal. Arguments: a
 * number of rounds, each with other operands; "list": prints data/isa.txt as measured here. */
#include <stdlib.h>

#include "check.h"
#include "device/backend.h"
#include "emu/isa_kernel.h"
#include "emu/isa_list.h"

enum { SHOWN = 4 };

static IsaList list;

typedef struct {
  void *in, *out[2]; /* outputs of the GPU and of the emulator */
} Buffers;

static bool launch(Device *d, const IsaBatch *b, const Text *ptx, const void *in, void *out) {
  const Backend *on = d->backend;
  const uint64_t in_bytes = b->in[b->count], out_bytes = b->out[b->count];
  const Jit jit = {.image = ptx->s, .size = ptx->len + 1};
  void *module = on->load(d, &jit, "k", 0);
  const uint64_t from = on->alloc(d, in_bytes, "in"), to = on->alloc(d, out_bytes, "out");
  const void *const args[] = {&from, &to};
  const Launch l = {.module = module,
                    .kernel = "k",
                    .grid = {(unsigned)b->threads / ISA_BLOCK, 1, 1},
                    .block = {ISA_BLOCK, 1, 1},
                    .args = args};
  const bool ok = module && from && to && on->upload(d, from, in, in_bytes) &&
                  on->upload(d, to, out, out_bytes) && on->launch(d, &l) &&
                  on->download(d, out, to, out_bytes);
  CHECK(ok, "%s: %s", b->form[0].line, d->error.s);
  on->release(d, from);
  on->release(d, to);
  if (module) on->unload(d, module);
  return ok;
}

/* --- differences --- */

static void show_words(const char *what, const void *at, uint64_t bytes) {
  fprintf(stderr, "  %s", what);
  for (uint64_t k = 0; k < bytes; k += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, (const char *)at + k, sizeof word);
    fprintf(stderr, " %llx", (unsigned long long)word);
  }
}

/* Compares the threads' slots or their memory, which begin at `in` and `out` of the buffers. */
static uint64_t compare(const IsaBatch *b, const Buffers *u, const char *line, uint64_t in,
                        uint64_t in_bytes, uint64_t out, uint64_t out_bytes) {
  uint64_t count = 0;
  for (uint64_t k = 0; k < (uint64_t)b->threads; k++) {
    const char *gpu = (const char *)u->out[0] + out + k * out_bytes;
    const char *emulator = (const char *)u->out[1] + out + k * out_bytes;
    if (memcmp(gpu, emulator, out_bytes) == 0 || count++ >= SHOWN) continue;
    fprintf(stderr, "%s: thread %llu", line, (unsigned long long)k);
    show_words("of", (const char *)u->in + in + k * in_bytes, in_bytes);
    show_words("GPU", gpu, out_bytes);
    show_words("emulator", emulator, out_bytes);
    fputc('\n', stderr);
  }
  return count;
}

static void compare_form(const IsaBatch *b, int i, const Buffers *u) {
  const IsaForm *f = &b->form[i];
  const uint64_t threads = (uint64_t)b->threads, in = isa_in_bytes(f), out = isa_out_bytes(f);
  const uint64_t memory = isa_memory_bytes(f);
  const uint64_t slots = compare(b, u, f->line, b->in[i], in, b->out[i], out);
  const uint64_t rows =
      compare(b, u, f->line, b->in[i] + threads * in, memory, b->out[i] + threads * out, memory);
  CHECK(slots + rows == 0, "%s: %llu threads differ, %llu in memory", f->line,
        (unsigned long long)slots, (unsigned long long)rows);
}

/* --- the list --- */

static void execute(Device *const device[2], const IsaBatch *b, uint64_t first, Buffers *u) {
  Arena *a = arena_new();
  Text ptx = text_new(a);
  isa_put_kernel(&ptx, b);
  u->in = calloc(1, b->in[b->count]);
  isa_batch_fill(b, first, u->in);
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    u->out[i] = calloc(1, b->out[b->count]);
    ok = ok && launch(device[i], b, &ptx, u->in, u->out[i]);
  }
  if (!ok) exit(check_report("emu_isa_values_gpu"));
  arena_free(a);
}

/* Takes as many lines as a batch holds; returns the next one. Approximations are left out. */
static int next_batch(IsaBatch *b, int line) {
  *b = (IsaBatch){.threads = ISA_THREADS};
  for (; line < list.count && b->count < ISA_BATCH; line++)
    if (!strchr("!~", list.mark[line][0])) isa_batch_add(b, list.name[line]);
  return line;
}

/* The lines from `from` to `to`, with the checksums of what the GPU left. */
static void print_list(const IsaBatch *b, const Buffers *u, int from, int to) {
  for (int i = from, k = 0; i < to; i++) {
    const bool measured = k < b->count && b->form[k].line == list.name[i];
    if (measured)
      printf("%08x %s\n", isa_batch_sum(b, k++, u->out[0]), list.name[i]);
    else
      printf("%s %s\n", list.mark[i], list.name[i]);
  }
}

static void run_round(Device *const device[2], uint64_t first, bool prints) {
  static IsaBatch batch;
  for (int line = 0, end; line < list.count; line = end) {
    Buffers u = {0};
    end = next_batch(&batch, line);
    if (batch.count) execute(device, &batch, first, &u);
    for (int i = 0; i < batch.count && !prints; i++) compare_form(&batch, i, &u);
    if (prints) print_list(&batch, &u, line, end);
    free(u.in);
    free(u.out[0]);
    free(u.out[1]);
  }
}

int main(int argc, char **argv) {
  Arena *a = arena_new();
  Text why = text_new(a);
  Device *const device[2] = {backend_open(a, "cuda", &why), backend_open(a, "emulator", &why)};
  if (!device[0]) return check_skip("emu_isa_values_gpu", why.s);
  const bool prints = argc > 1 && strcmp(argv[1], "list") == 0;
  const int rounds = argc > 1 && !prints ? atoi(argv[1]) : 1;
  isa_list_read(a, "isa.txt", &list);
  for (int i = 0; i < rounds; i++) run_round(device, (uint64_t)i * ISA_THREADS, prints);
  for (int i = 0; i < 2; i++) backend_close(device[i]);
  arena_free(a);
  if (prints) return 0;
  return check_report("emu_isa_values_gpu");
}
