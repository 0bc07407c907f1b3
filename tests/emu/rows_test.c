/* SPDX-License-Identifier: MIT */
/* Accesses to global memory by whole warps: if rows of lanes are compared at once, the report names
 * the lanes that race; if an access is at a constant distance from the one before, its own bounds
 * apply. There are two warps, and warp 0 runs first. */
#include "emu/emu_run.h"

typedef struct {
  const char *name, *body;
  EmuFindingKind kind; /* EMU_FINDING_KINDS: no finding */
  uint64_t count;
  const char *message; /* a part of it */
  uint32_t grid;
} Case;

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from,\n"
    "  .param .b64 bytes, .param .b32 kind, .param .b64 stream);\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %%p<8>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;\n"
    "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; mov.u32 %%r0, %%tid.x;\n"
    "setp.lt.u32 %%p1, %%r0, 32; setp.eq.u32 %%p2, %%r0, 33; setp.eq.u32 %%p3, %%r0, 0;\n"
    "mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d3, %%d0, %%d2; add.u64 %%d4, %%d1, %%d2;\n"
    "mul.wide.u32 %%d5, %%r0, 16; add.u64 %%d5, %%d0, %%d5;\n%s\nret;\n}\n";

static const Case cases[] = {
    {"a row that begins amid what another access read",
     "@%p3 ld.global.v2.u32 {%r1, %r2}, [%d0];\n"
     "@%p1 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d5];\n@%p2 st.global.u32 [%d0+16], %r0;",
     EMU_RACE, 1, "writes byte 16 of buffer in that thread (1, 0, 0) of block (0, 0, 0) reads", 1},
    {"two rows, a word apart",
     "@%p1 ld.global.u32 %r1, [%d3];\n@%p1 ld.global.u32 %r2, [%d3+4];\n"
     "@%p2 st.global.u32 [%d0+20], %r0;",
     EMU_RACE, 2, "writes byte 20 of buffer in that thread (5, 0, 0) of block (0, 0, 0) reads", 1},
    {"a row over what has been read",
     "@%p1 ld.global.u32 %r1, [%d0+28];\n@!%p1 st.global.u32 [%d3+-128], %r0;", EMU_RACE, 2,
     "writes byte 28 of buffer in that thread (0, 0, 0)", 1},
    {"past the end by a constant distance",
     "ld.global.u32 %r1, [%d3+1792];\nld.global.u32 %r2, [%d3+1796];", EMU_OUT_OF_BOUNDS, 1,
     "2048 bytes past the start of buffer in", 1},
    {"before the start of a buffer, past others", "@%p3 ld.global.u32 %r1, [%d1+-4];",
     EMU_OUT_OF_BOUNDS, 1, "4 bytes before the start of buffer out", 1},
    {"through a null pointer", "mov.u64 %d6, 0;\n@%p3 ld.global.u32 %r1, [%d6+8];",
     EMU_OUT_OF_BOUNDS, 1, "4-byte global load at 0x8: a null pointer", 1},
    {"of an address of the host's", "mov.u64 %d6, 0x7ffd12345678;\n@%p3 st.global.u32 [%d6], %r0;",
     EMU_OUT_OF_BOUNDS, 1,
     "4-byte global store at 0x7ffd12345678: far from every buffer, as the host's addresses are",
     1},
    {"past an array whose address may be null",
     ".local .align 8 .b8 few[32]; .local .align 8 .b8 next[32];\n"
     "mov.u64 %d6, few; @!%p1 mov.u64 %d6, 0;\n@%p1 st.local.u32 [%d6+32], %r0;",
     EMU_OUT_OF_BOUNDS, 32, "4-byte local store 32 bytes past the start of array few of 32 bytes",
     1},
    {"before the first array of shared memory",
     ".shared .align 4 .b8 first[256];\nmov.u32 %r1, first; sub.u32 %r1, %r1, 16;\n"
     "@%p3 st.shared.u32 [%r1], %r0;",
     EMU_OUT_OF_BOUNDS, 1, "4-byte shared store 16 bytes before the start of array first of 256",
     1},
    {"misaligned by a constant distance",
     "@%p3 ld.global.u32 %r1, [%d3];\n@%p3 ld.global.u32 %r2, [%d3+2];", EMU_MISALIGNED, 1, "", 1},
    {"words near one another",
     "and.b32 %r3, %r0, 19; mul.wide.u32 %d6, %r3, 4; add.u64 %d6, %d0, %d6;\n"
     "ld.global.u32 %r1, [%d6]; ld.global.u32 %r2, [%d6+16]; ld.global.u32 %r4, [%d6+1968];\n"
     "mad.lo.u32 %r1, %r2, 1000, %r1; mad.lo.u32 %r1, %r4, 7, %r1; st.global.u32 [%d4], %r1;",
     EMU_FINDING_KINDS, 0, "", 1},
    {"rows that three blocks read and the last one writes",
     "mov.u32 %r9, %ctaid.x; setp.eq.u32 %p4, %r9, 2; ld.global.u32 %r1, [%d3];\n"
     "@%p4 st.global.u32 [%d3], %r0;",
     EMU_RACE, 8, "in that thread (0, 0, 0) of block (0, 0, 0) reads", 3},
    {"more rows of a page than its list holds, after a row that another warp wrote",
     "@%p1 st.global.u32 [%d3], %r0;\nbar.sync 0;\nmov.u32 %r9, 0;\n"
     "again:\nld.global.u32 %r1, [%d3];\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p4, %r9, 2000;\n"
     "@%p4 bra again;\n@%p3 st.global.u32 [%d0+132], %r0;",
     EMU_RACE, 1, "writes byte 132 of buffer in that thread (33, 0, 0) of block (0, 0, 0) reads",
     1},
    {"rows before a barrier, written after it",
     "ld.global.u32 %r1, [%d3];\nbar.sync 0;\n@%p3 ld.global.u32 %r2, [%d3+4];\n"
     "st.global.u32 [%d3], %r0;",
     EMU_RACE, 1, "writes byte 4 of buffer in that thread (0, 0, 0) of block (0, 0, 0) reads", 1},
};

/* Thread 0 copies 72 bytes from byte 8 of `in` to byte 1030. */
#define COPIES                                                                                     \
  "@!%p3 bra past;\nadd.u64 %d6, %d0, 1030; add.u64 %d7, %d0, 8;\n"                                \
  "{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 r;\n"  \
  "st.param.b64 [a], %d6; st.param.b64 [b], %d7; st.param.b64 [c], 72; st.param.b32 [d], 3;\n"     \
  "st.param.b64 [e], 0; call.uni (r), __cudaCDP2MemcpyAsync, (a, b, c, d, e); }\npast:\n"

static const Case copies[] = {
    {"a copy of what another warp writes", COPIES "@%p2 st.global.u32 [%d0+76], %r0;", EMU_RACE, 1,
     "writes byte 76 of buffer in that thread (0, 0, 0) of block (0, 0, 0) reads", 1},
    {"past what a copy reads", COPIES "@%p2 st.global.u32 [%d0+80], %r0;", EMU_FINDING_KINDS, 0, "",
     1},
    {"a copy over what another warp writes", COPIES "@%p2 st.global.u8 [%d0+1101], %r0;", EMU_RACE,
     1, "writes byte 1101 of buffer in that thread (0, 0, 0) of block (0, 0, 0) writes", 1},
    {"a copy before a barrier", COPIES "bar.sync 0;\n@%p2 st.global.u32 [%d0+76], %r0;",
     EMU_FINDING_KINDS, 0, "", 1},
};

enum { THREADS = 64, WORDS = 512, STEP = 3 };

static void check_words(const uint32_t *out) {
  for (uint32_t i = 0; i < THREADS; i++) {
    const uint32_t at = i & 19;
    const uint32_t want = STEP * (at + 1000 * (at + 4) + 7 * (at + 492));
    CHECK(out[i] == want, "thread %u: %u, expected %u", i, out[i], want);
  }
}

static void launch_case(Machine *m, const Case *c, bool words) {
  uint32_t in[WORDS], out[THREADS] = {0};
  for (uint32_t i = 0; i < WORDS; i++) in[i] = STEP * i;
  const Run run = {.kernel = "k",
                   .grid = c->grid,
                   .block = THREADS,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .threads = 1};
  EmuResult *r = machine_run(m, &run);
  const EmuFinding *f = r->findings ? &r->finding[0] : NULL;
  CHECK(!r->error[0] && r->findings == (c->kind != EMU_FINDING_KINDS), "%s: %d findings %s",
        c->name, r->findings, r->error);
  if (f)
    CHECK(f->kind == c->kind && f->count == c->count && strstr(f->message, c->message),
          "%s: %llu of kind %d: %s", c->name, (unsigned long long)f->count, f->kind, f->message);
  if (words && c->kind == EMU_FINDING_KINDS) check_words(out);
  emu_result_free(r);
}

/* Runs a case three times on one memory: a launch must not see what the one before noted. `words`:
 * the case has no finding, and writes what check_words looks at. */
static void run_case(const Case *c, bool words) {
  char ptx[4096];
  snprintf(ptx, sizeof ptx, frame, c->body);
  Machine m = machine_open(ptx, strlen(ptx));
  for (int turn = 0; turn < 3; turn++) launch_case(&m, c, words);
  machine_close(&m);
}

/* --- memory for the watch --- */

enum { PAGES = 64, PAGE_WORDS = 1024, MOST = 1 << 20 };

/* Each block adds 1 in place to a page of its own; in the last page a thread of warp 0 reads what
 * warp 1 writes. */
static const char in_place[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d0, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mad.lo.u32 %r2, %r1, 1024, %r0; mul.wide.u32 %d1, %r2, 4; add.u64 %d2, %d0, %d1;\n"
    "setp.eq.u32 %p0, %r1, 63; setp.eq.and.u32 %p1, %r0, 0, %p0;\n"
    "ld.global.u32 %r3, [%d2]; @%p1 ld.global.u32 %r4, [%d2+160];\n"
    "add.u32 %r3, %r3, 1; st.global.u32 [%d2], %r3;\nret;\n}\n";

/* All pages get marks, which are most of the memory that a launch may take, and too many to be
 * kept: what is freed between launches must not count in the next one. */
static void run_limited(uint64_t most, bool found) {
  Machine m = machine_open(in_place, strlen(in_place));
  uint32_t out[1], *in = calloc(PAGES, PAGE_WORDS * sizeof *in);
  const Run run = {.kernel = "k",
                   .grid = PAGES,
                   .block = THREADS,
                   .in = in,
                   .in_bytes = PAGES * PAGE_WORDS * sizeof *in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .threads = 1,
                   .race_bytes = most};
  for (int turn = 0; turn < 3; turn++) {
    EmuResult *r = machine_run(&m, &run);
    CHECK(!r->error[0] && r->findings == found, "turn %d, %llu bytes: %d findings %s", turn,
          (unsigned long long)most, r->findings, r->error);
    emu_result_free(r);
  }
  free(in);
  machine_close(&m);
}

int main(void) {
  run_limited(MOST, true);
  run_limited(MOST / 2,
              false); /* the last page does not fit: it is not watched, without further effect */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i], true);
  for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) run_case(&copies[i], false);
  return check_report("emu_rows");
}
