/* SPDX-License-Identifier: MIT */
/* Lanes of a warp that come to barriers one after the other: threads make progress independently,
 * so that one which waits to reconverge must not keep others waiting for it. What each thread
 * stores was seen on an H200. */
#include "emu/emu_run.h"

enum { THREADS = 64 };

/* A thread ends in `first` or `second` with a number of its own in %r7. p1: of lanes 16 and up; p2:
 * of the second warp; p3: of lane 5. */
static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %%p<8>; .reg .b32 %%r<16>; .reg .b64 %%d<4>;\n"
    "mov.u32 %%r0, %%tid.x; and.b32 %%r1, %%r0, 31; ld.param.u64 %%d0, [out];\n"
    "mad.wide.u32 %%d0, %%r0, 4, %%d0; setp.ge.u32 %%p1, %%r1, 16; setp.ge.u32 %%p2, %%r0, 32;\n"
    "setp.eq.u32 %%p3, %%r1, 5; mov.u32 %%r7, 0; mov.u32 %%r8, 0;\n"
    "%s\n"
    "first: add.u32 %%r7, %%r7, 1; st.global.u32 [%%d0], %%r7; ret;\n"
    "second: add.u32 %%r7, %%r7, 2; st.global.u32 [%%d0], %%r7; ret;\n}\n";

typedef struct {
  const char *name, *body;
  uint32_t want[4];    /* results of lanes 0, 5 and 16 of the first warp, and of the second */
  const char *finding; /* part of it; NULL: there is none */
} Case;

static const Case cases[] = {
    {"a barrier on each of two ways to the end",
     "@%p1 bra late; barrier.sync 0; bra first; late: barrier.sync 0; bra second;",
     {1, 1, 2, 1},
     NULL},
    {"one for whole warps",
     "@%p1 bra late; bar.sync 0; bra first; late: bar.sync 0; bra second;",
     {1, 1, 2, 1},
     "lanes of one warp wait at different barriers"},
    {"of which one is for whole warps",
     "@%p1 bra late; barrier.sync 0; bra first; late: bar.sync 0; bra second;",
     {1, 1, 2, 1},
     "lanes of one warp wait at different barriers"},
    {"one within a branch, and one behind it",
     "@%p1 bra on; barrier.sync 0; add.u32 %r7, %r7, 4; on: barrier.sync 0; bra first;",
     {5, 5, 1, 5},
     "a thread bypassed this barrier"},
    {"a warp's barrier on each of two ways to the end",
     "@%p1 bra late; bar.warp.sync -1; bra first; late: bar.warp.sync -1; bra second;",
     {1, 1, 2, 1},
     NULL},
    {"a loop with a barrier that some lanes leave",
     "again: setp.eq.u32 %p4, %r8, 1; and.pred %p4, %p4, %p1; @%p4 bra second; bar.sync 0;\n"
     "add.u32 %r7, %r7, 4; add.u32 %r8, %r8, 1; setp.lt.u32 %p5, %r8, 3; @%p5 bra again;\n"
     "bra first;",
     {13, 13, 6, 13},
     "a thread bypassed this barrier"},
    {"a warp's barrier that a lane goes past",
     "@%p3 bra second; bar.warp.sync -1; bra first;",
     {1, 2, 1, 1},
     "lane 5 bypassed it and exited"},
};

static void check_findings(const Case *c, const EmuResult *r) {
  CHECK(!r->error[0], "%s: %s", c->name, r->error);
  if (!c->finding) check_clean(r, c->name);
  bool found = false;
  for (int i = 0; i < r->findings; i++)
    found |= c->finding && strstr(r->finding[i].message, c->finding);
  CHECK(found == (c->finding != NULL), "%s: %d findings: %s", c->name, r->findings,
        r->findings ? r->finding[0].message : "");
}

static void run_case(const Case *c, bool unchecked) {
  static const int thread[] = {0, 5, 16, 32};
  char ptx[4096];
  uint32_t out[THREADS] = {0};
  snprintf(ptx, sizeof ptx, frame, c->body);
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {.kernel = "k",
                   .grid = 1,
                   .block = THREADS,
                   .out = out,
                   .out_bytes = sizeof out,
                   .threads = 1};
  EmuResult *r = machine_launch(&m, &run, unchecked);
  if (unchecked)
    CHECK(!r->findings, "%s, unjudged: %s", c->name, r->findings ? r->finding[0].message : "");
  else
    check_findings(c, r);
  for (int i = 0; i < 4; i++)
    CHECK(out[thread[i]] == c->want[i], "%s: thread %d stored %u", c->name, thread[i],
          out[thread[i]]);
  emu_result_free(r);
  machine_close(&m);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_case(&cases[i], false);
    run_case(&cases[i], true);
  }
  return check_report("emu_parted");
}
