/* SPDX-License-Identifier: MIT */
/*
 * PTX of the first processors, as ptxas 13 compiles it for sm_90: f32 has no subnormals for .target
 * sm_10 to sm_13, and mad.f32 needs no rounding up to PTX 3.0.
 */
#include "emu/emu_run.h"

typedef struct {
  const char *version, *target, *body; /* %f1 and %f2 to %f3 */
  uint32_t a, b, want;
} Case;

static const char frame[] =
    ".version %s\n.target %s\n.address_size 64\n"
    ".entry k (.param .u64 in, .param .u64 out)\n{\n"
    ".reg .u64 %%d<4>; .reg .f32 %%f<4>; .reg .f64 %%g<2>; .reg .pred %%p<2>;\n"
    "ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out];\n"
    "ld.global.f32 %%f1, [%%d1]; ld.global.f32 %%f2, [%%d1+4];\n%s\n"
    "st.global.f32 [%%d2], %%f3; exit;\n}\n";

enum { ONE = 0x3f800000, SMALL = 0x00400000, LEAST = 0x00800000, ABOVE = 0x3f800001 };
#define MINUS 0x80000000u
#define NARROW                                                                                     \
  "cvt.f64.f32 %g1, %f1; mul.rn.f64 %g1, %g1, 0d3FE0000000000000; cvt.rn.f32.f64 %f3, %g1;"
#define WIDE_SMALL "cvt.f64.f32 %g1, %f1; add.rn.f64 %g1, %g1, %g1; cvt.rn.f32.f64 %f3, %g1;"

static const Case cases[] = {
    {"1.4", "sm_10", "add.f32 %f3, %f1, %f2;", SMALL, SMALL, 0},
    {"1.4", "sm_13", "sub.f32 %f3, %f1, %f2;", LEAST, SMALL, LEAST},
    {"3.0", "sm_13", "mul.f32 %f3, %f1, %f2;", SMALL, ONE, 0},
    {"2.0", "sm_20", "add.f32 %f3, %f1, %f2;", SMALL, SMALL, LEAST},
    {"9.0", "sm_100", "add.f32 %f3, %f1, %f2;", SMALL, SMALL, LEAST},
    {"1.4", "sm_10", "neg.f32 %f3, %f1;", SMALL, 0, MINUS},
    {"1.4", "sm_10", "max.f32 %f3, %f1, %f2;", SMALL, 0, 0},
    {"1.4", "sm_10", "div.full.f32 %f3, %f1, %f2;", SMALL, ONE, 0},
    {"1.4", "sm_10", "sqrt.approx.f32 %f3, %f1;", SMALL, 0, 0},
    {"1.4", "sm_10", "setp.gt.f32 %p1, %f1, %f2; selp.f32 %f3, 0f3F800000, %f2, %p1;", SMALL, 0, 0},
    {"1.4", "sm_10", "mov.f32 %f3, %f1;", SMALL, 0, SMALL},
    {"1.4", "sm_13", NARROW, LEAST, 0, SMALL},
    {"3.0", "sm_13", NARROW, LEAST, 0, 0},
    {"1.4", "sm_13", WIDE_SMALL, SMALL, 0, LEAST},
    {"3.0", "sm_13", WIDE_SMALL, SMALL, 0, 0},
    {"1.4", "sm_10", "mad.f32 %f3, %f1, %f2, 0fBF800000;", ABOVE, 0x3f7ffffe, 0xa8800000},
    {"1.4", "sm_10", "mad.f32 %f3, %f1, %f2, 0f00000000;", SMALL, ONE, 0},
    {"1.4", "sm_10", "mad.sat.f32 %f3, %f1, %f2, 0f3F800000;", ONE, ONE, ONE},
    {"3.0", "sm_30", "mad.f32 %f3, %f1, %f2, 0f00000000;", SMALL, ONE, SMALL},
};

static void check_case(const Case *c) {
  char ptx[1024];
  const uint32_t in[2] = {c->a, c->b};
  uint32_t out = 0xdead;
  snprintf(ptx, sizeof ptx, frame, c->version, c->target, c->body);
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {"k", 1, 1, in, sizeof in, &out, sizeof out, 0, 1000, 1, 0};
  EmuResult *r = machine_run(&m, &run);
  check_clean(r, c->body);
  CHECK(out == c->want, "%s, %s: %s: 0x%x, want 0x%x", c->version, c->target, c->body, out,
        c->want);
  emu_result_free(r);
  machine_close(&m);
}

/* Later PTX has to say how mad.f32 rounds. */
static void check_refused(void) {
  char ptx[1024];
  snprintf(ptx, sizeof ptx, frame, "3.2", "sm_30", "mad.f32 %f3, %f1, %f2, %f2;");
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  emu_errors(module, &errors);
  CHECK(errors == 1, "%d errors, want 1", errors);
  emu_unload(module);
  emu_memory_free(memory);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
  check_refused();
  return check_report("emu_legacy");
}
