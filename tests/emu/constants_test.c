/* SPDX-License-Identifier: MIT */
/* Constant memory that kernels write through its global address: reads of it in the same launch,
 * and in launches that overlap. */
#include "emu/emu_run.h"

static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 4 .b32 c[4];\n"
    /* stores, then reads; a barrier orders them */
    ".visible .entry same_broken(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u64 %d1, [out];\n"
    "st.global.b32 [%d0], 7; bar.sync 0; ld.const.b32 %r0, [c];\n"
    "st.global.b32 [%d1], %r0; ret;\n}\n"
    ".visible .entry same_clean(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u64 %d1, [out];\n"
    "ld.const.b32 %r0, [c]; bar.sync 0; st.global.b32 [%d0], 7;\n"
    "st.global.b32 [%d1], %r0; ret;\n}\n"
    /* other words */
    ".visible .entry other_clean(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u64 %d1, [out];\n"
    "st.global.b32 [%d0], 7; bar.sync 0; ld.const.b32 %r0, [c+8];\n"
    "st.global.b32 [%d1], %r0; ret;\n}\n"
    ".visible .entry reads(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [out]; griddepcontrol.launch_dependents; ld.const.b32 %r0, [c];\n"
    "st.global.b32 [%d1], %r0; ret;\n}\n"
    ".visible .entry writes_broken(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b64 %d<4>;\nld.param.u64 %d0, [p]; st.global.b32 [%d0], 7; ret;\n}\n"
    ".visible .entry writes_clean(.param .u64 p, .param .u64 out)\n{\n"
    ".reg .b64 %d<4>;\n"
    "ld.param.u64 %d0, [p]; griddepcontrol.wait; st.global.b32 [%d0], 7; ret;\n}\n";

static Machine m;
static uint64_t constants, out;

static EmuResult *launch(const char *kernel, EmuTrace **primary, EmuTrace **trace) {
  const void *args[] = {&constants, &out};
  const EmuLaunch l = {.kernel = kernel,
                       .grid = {1, 1, 1},
                       .block = {1, 1, 1},
                       .args = args,
                       .primary = primary,
                       .primaries = primary ? 1 : 0,
                       .trace = trace};
  return emu_launch(m.module, &l);
}

static void check(EmuResult *r, const char *kernel, const char *says) {
  if (!says) {
    check_clean(r, kernel);
  } else {
    CHECK(r->findings == 1 && r->finding[0].kind == EMU_RACE, "%s: %d findings", kernel,
          r->findings);
    CHECK(r->findings && strstr(r->finding[0].message, says), "%s: %s", kernel,
          r->findings ? r->finding[0].message : "");
  }
  emu_result_free(r);
}

static void check_overlap(const char *second, const char *says) {
  EmuTrace *trace = NULL;
  check(launch("reads", NULL, &trace), "reads", NULL);
  CHECK(trace, "reads leaves no trace");
  check(launch(second, &trace, NULL), second, says);
  emu_trace_free(trace);
}

int main(void) {
  EmuVariable variable;
  m = machine_open(text, sizeof text - 1);
  CHECK(emu_variable(m.module, "c", &variable, &constants), "no address of c");
  out = emu_alloc(m.memory, 64, "out");
  check(launch("same_broken", NULL, NULL), "same_broken", "reads constant memory that this launch");
  check(launch("same_clean", NULL, NULL), "same_clean", NULL);
  check(launch("other_clean", NULL, NULL), "other_clean", NULL);
  check_overlap("writes_broken", "that kernel reads reads at");
  check_overlap("writes_clean", NULL);
  machine_close(&m);
  return check_report("emu_constants");
}
