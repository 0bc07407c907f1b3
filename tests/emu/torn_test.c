/* SPDX-License-Identifier: MIT */
/* A strong access of up to 16 bytes is a single access: a block that reads two words which another
 * block stores as one vector never finds one of them new and the other old. */
#include "emu/emu_run.h"

enum { ROUNDS = 20000, LANES = 32 };

/* Block 0 stores pairs of equal numbers, one for each lane; block 1 counts behind them those that
 * differ, and waits at first until there is one. */
static const char ptx[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d4, [out]; mov.u64 %d3, 0; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
    "mad.wide.u32 %d0, %r1, 16, %d4;\n"
    "setp.ne.u32 %p0, %r0, 0; @%p0 bra wait;\n"
    "store: add.u64 %d3, %d3, 1; st.relaxed.gpu.v2.u64 [%d0], {%d3, %d3};\n"
    "setp.lt.u64 %p1, %d3, 20000; @%p1 bra store; ret;\n"
    "wait: ld.relaxed.gpu.u64 %d1, [%d0]; setp.eq.u64 %p1, %d1, 0; @%p1 bra wait;\n"
    "read: ld.relaxed.gpu.v2.u64 {%d1, %d2}, [%d0]; setp.eq.u64 %p2, %d1, %d2;\n"
    "@!%p2 red.global.add.u64 [%d4+512], 1; setp.lt.u64 %p1, %d1, 20000; @%p1 bra read; ret;\n}\n";

int main(void) {
  uint64_t out[2 * LANES + 1] = {0};
  Machine m = machine_open(ptx, sizeof ptx - 1);
  const Run run = {
      .kernel = "k", .grid = 2, .block = LANES, .out = out, .out_bytes = sizeof out, .threads = 2};
  EmuResult *r = machine_launch(&m, &run, true);
  check_clean(r, "two blocks");
  CHECK(out[0] == ROUNDS && out[1] == ROUNDS, "%llu rounds", (unsigned long long)out[0]);
  CHECK(!out[2 * LANES], "%llu pairs were torn", (unsigned long long)out[2 * LANES]);
  emu_result_free(r);
  machine_close(&m);
  return check_report("emu_torn");
}
