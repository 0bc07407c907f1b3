/* SPDX-License-Identifier: MIT */
/* Accesses after the end of a buffer behave as on a GPU, where allocations end at a unit of 256
 * bytes or more, and a block's shared memory at a unit of 128; they are findings nevertheless. */
#include "emu/emu_run.h"

static const char ptx[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    /* the second of two vectors, of which one word is in the buffer */
    ".visible .entry vector(.param .u64 in, .param .u64 out) {\n"
    "  .reg .b64 %d<3>; .reg .b32 %r<5>;\n"
    "  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
    "  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1+16];\n"
    "  st.global.v4.u32 [%d2], {%r1, %r1, %r1, %r1}; ret;\n"
    "}\n"
    /* an atomic operation on a byte, by its word, as compilers make it */
    ".visible .entry byte(.param .u64 in, .param .u64 out) {\n"
    "  .reg .b64 %d<3>; .reg .b32 %r<5>;\n"
    "  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
    "  ld.global.u32 %r1, [%d2]; add.u32 %r2, %r1, 5;\n"
    "  atom.global.cas.b32 %r3, [%d2], %r1, %r2; ret;\n"
    "}\n"
    /* the word after 100 bytes of shared memory, and the last of the unit */
    ".visible .entry unit(.param .u64 in, .param .u64 out) {\n"
    "  .reg .b64 %d<3>; .reg .b32 %r<5>; .shared .align 4 .b8 s[100];\n"
    "  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
    "  ld.global.u32 %r1, [%d1+16]; mov.u32 %r2, s; st.shared.u32 [%r2+124], %r1;\n"
    "  ld.shared.u32 %r3, [%r2+124]; ld.shared.u32 %r4, [%r2+100];\n"
    "  add.u32 %r3, %r3, %r4; st.global.u32 [%d2], %r3; ret;\n"
    "}\n"
    ".visible .entry past(.param .u64 in, .param .u64 out) {\n"
    "  .reg .b32 %r<3>; .shared .align 4 .b8 s[100];\n"
    "  mov.u32 %r2, s; ld.shared.u32 %r1, [%r2+128]; ret;\n"
    "}\n";

enum { WORDS = 5 };

/* Runs a kernel once; if checked, it has `findings`. Returns true if the launch fails on a GPU. */
static bool run(Machine *m, const char *kernel, void *out, size_t bytes, bool judged,
                int findings) {
  static const uint32_t in[WORDS] = {1, 2, 3, 4, 77};
  const Run r = {.kernel = kernel,
                 .grid = 1,
                 .block = 1,
                 .in = in,
                 .in_bytes = sizeof in,
                 .out = out,
                 .out_bytes = bytes};
  EmuResult *result = machine_launch(m, &r, !judged);
  const bool fails = result->illegal_address;
  const int want = judged || fails ? findings : 0;
  CHECK(!result->error[0] && result->findings == want, "%s: %d findings, want %d", kernel,
        result->findings, want);
  for (int i = 0; i < result->findings; i++)
    CHECK(result->finding[i].kind == EMU_OUT_OF_BOUNDS, "%s: %s", kernel,
          result->finding[i].message);
  emu_result_free(result);
  return fails;
}

int main(void) {
  Machine m = machine_open(ptx, sizeof ptx - 1);
  for (int judged = 0; judged < 2; judged++) {
    uint32_t word[4] = {0};
    uint8_t byte = 3;
    CHECK(!run(&m, "vector", word, sizeof word, judged, 1), "no page ends there");
    CHECK(word[0] == 77, "the word in the buffer is %u", word[0]);
    CHECK(!run(&m, "byte", &byte, sizeof byte, judged, 2), "no page ends there");
    CHECK(byte == 8, "the byte is %d", byte);
    CHECK(!run(&m, "unit", word, sizeof word, judged, 3), "no unit ends there");
    CHECK(word[0] == 77, "the unit's last word is %u", word[0]);
    CHECK(run(&m, "past", word, sizeof word, judged, 1), "the unit ends there");
  }
  machine_close(&m);
  return check_report("emu_tail");
}
