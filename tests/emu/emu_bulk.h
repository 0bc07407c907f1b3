/* SPDX-License-Identifier: MIT */
/* emu_bulk.h: kernels in hand-written PTX that copy by the async proxy, for the emulator's tests.
 *
 * The frame of a kernel has: %r0 the thread, %r1 the array s of 32,768 bytes, %r2 eight mbarriers,
 * %r3 the rank in the cluster, %r4 to %r8 the coordinates c0 to c4; %d0 in, %d1 out, of which every
 * block has 32,768 bytes, and %d2 the tensor map; %p0 is true in thread 0. */
#ifndef KGEN_TESTS_EMU_EMU_BULK_H
#define KGEN_TESTS_EMU_EMU_BULK_H

#include "emu/emu_run.h"

enum { BULK_BYTES = 32768 };

static const char bulk_head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128],\n"
    " .param .b32 c0, .param .b32 c1, .param .b32 c2, .param .b32 c3, .param .b32 c4)\n{\n"
    ".reg .b16 %h<8>; .reg .b32 %r<64>; .reg .b64 %d<32>; .reg .pred %p<16>; .reg .f32 %f<8>;\n"
    ".shared .align 1024 .b8 s[32768]; .shared .align 64 .b64 bar[8];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, %cluster_ctarank;\n"
    "ld.param.u32 %r4, [c0]; ld.param.u32 %r5, [c1]; ld.param.u32 %r6, [c2];\n"
    "ld.param.u32 %r7, [c3]; ld.param.u32 %r8, [c4]; ld.param.u64 %d0, [in];\n"
    "ld.param.u64 %d1, [out]; mov.b64 %d2, map; cvta.param.u64 %d2, %d2;\n"
    "mov.u32 %r9, %ctaid.x; mul.wide.u32 %d3, %r9, 32768; add.u64 %d1, %d1, %d3;\n"
    "setp.eq.u32 %p0, %r0, 0;\n";

/* Thread 0 initializes the mbarrier at %r2 for `count` arrivals; then all threads go on. */
#define INIT(count)                                                                                \
  "@%p0 mbarrier.init.shared::cta.b64 [%r2], " count ";\n"                                         \
  "@%p0 fence.mbarrier_init.release.cluster; @%p0 fence.proxy.async;\nbar.sync 0;\n"
#define EXPECT(bytes) "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], " bytes ";\n"
#define WAIT(label, parity)                                                                        \
  label ": mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r2], " parity ";\n@!%p9 bra " label ";" \
        "\n"
/* DUMP copies the block's s to its out, 4 bytes a thread and turn; FILL copies in to s. */
#define DUMP(bytes)                                                                                \
  "shl.b32 %r60, %r0, 2; dump: add.u32 %r62, %r60, %r1; ld.shared.u32 %r63, [%r62];\n"             \
  "cvt.u64.u32 %d30, %r60; add.u64 %d30, %d30, %d1; st.global.u32 [%d30], %r63;\n"                 \
  "mov.u32 %r61, %ntid.x; shl.b32 %r61, %r61, 2; add.u32 %r60, %r60, %r61;\n"                      \
  "setp.lt.u32 %p15, %r60, " bytes "; @%p15 bra dump;\n"
#define FILL(bytes)                                                                                \
  "shl.b32 %r60, %r0, 2; fill: add.u32 %r62, %r60, %r1; cvt.u64.u32 %d30, %r60;\n"                 \
  "add.u64 %d30, %d30, %d0; ld.global.u32 %r63, [%d30]; st.shared.u32 [%r62], %r63;\n"             \
  "mov.u32 %r61, %ntid.x; shl.b32 %r61, %r61, 2; add.u32 %r60, %r60, %r61;\n"                      \
  "setp.lt.u32 %p15, %r60, " bytes "; @%p15 bra fill;\n"

#define CLUSTER_SYNC "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

/* A launch. `in` and `out` are filled with a sequence unless the test has filled them. */
typedef struct {
  const char *name, *body; /* $0 to $3 in it are replaced */
  const char *with[4];
  uint32_t grid, block, cluster;
  const TensorMap *map; /* its address is set to in, or out */
  bool map_of_out;
  int32_t coord[5];
  uint32_t *in, *out; /* BULK_BYTES of in, and of out for every block */
  int threads;
  bool ignore_global_races, unchecked;
} BulkRun;

/* Writes the text of a kernel with that body. */
static inline void bulk_text(const BulkRun *run, char *out, size_t room) {
  size_t n = (size_t)snprintf(out, room, "%s", bulk_head);
  for (const char *c = run->body; *c && n + 1 < room; c++) {
    if (*c == '$')
      n += (size_t)snprintf(out + n, room - n, "%s", run->with[*++c - '0']);
    else
      out[n++] = *c;
  }
  snprintf(out + n, room - n, "\nret;\n}\n");
}

/* Loads and launches the kernel; the module's errors are failures. The caller frees the result. */
static inline EmuResult *bulk_run(const BulkRun *run) {
  static char ptx[1 << 16];
  _Alignas(64) unsigned char map[TENSOR_MAP_BYTES] = {0};
  bulk_text(run, ptx, sizeof ptx);
  Machine m = machine_open(ptx, strlen(ptx));
  const size_t out_bytes = (size_t)run->grid * BULK_BYTES;
  uint64_t in = emu_alloc(m.memory, BULK_BYTES, "in"), out = emu_alloc(m.memory, out_bytes, "out");
  emu_copy_in(m.memory, in, run->in, BULK_BYTES);
  emu_copy_in(m.memory, out, run->out, out_bytes);
  if (run->map) {
    TensorMap t = *run->map;
    t.address = run->map_of_out ? out : in;
    const char *why = emu_tensor_map_encode(&t, map);
    CHECK(!why, "%s: %s", run->name, why);
  }
  const void *args[] = {
      &in,           &out, map, &run->coord[0], &run->coord[1], &run->coord[2], &run->coord[3],
      &run->coord[4]};
  EmuLaunch launch = {.kernel = "k",
                      .grid = {run->grid, 1, 1},
                      .block = {run->block, 1, 1},
                      .cluster = {run->cluster, 1, 1},
                      .args = args,
                      .threads = run->threads,
                      .ignore_global_races = run->ignore_global_races,
                      .unchecked = run->unchecked};
  EmuResult *result = emu_launch(m.module, &launch);
  unsigned char *before = malloc(out_bytes);
  memcpy(before, run->out, out_bytes);
  emu_copy_out(m.memory, run->out, out, out_bytes);
  emu_copy_in(m.memory, in, run->in, BULK_BYTES);
  emu_copy_in(m.memory, out, before, out_bytes);
  check_unjudged(&m, launch, result, out, run->out, out_bytes);
  free(before);
  machine_close(&m);
  return result;
}

#endif
