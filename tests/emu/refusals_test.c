/* SPDX-License-Identifier: MIT */
/* Rejected input, and its messages: malformed PTX, unsupported instructions, hostile sizes and
 * launches. */
#include "emu/emu_run.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define OF_PARAMETER(body)                                                                         \
  HEAD ".func f(.param .b64 x, .param .b64 y)\n{\n.reg .b32 %r<2>; .reg .b64 %d<2>; .reg .pred "   \
       "%p<1>;\n" body "\nret;\n}\n.entry k { .param .b64 p0; call f, (p0, p0); ret; }"
#define KERNEL(body)                                                                               \
  HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred "      \
       "%p<2>;\n" body "\nret;\n}\n"

typedef struct {
  const char *name, *ptx;
  int line;            /* line of the error */
  const char *message; /* part of it */
} Case;

static const Case cases[] = {
    {"unknown opcode", KERNEL("frobnicate.b32 %r0, %r1;"), 7,
     "frobnicate.b32: the instruction is not supported"},
    {"texture, its name", KERNEL("tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [tex, {%r0}];"), 7,
     "unknown name 'tex'"},
    {"wmma, its shape", KERNEL("wmma.load.a.sync.aligned.row.m16n8k16.f16 {%r0}, [%d0];"), 7,
     "wmma.load.a.sync.aligned.row.m16n8k16.f16: this shape or type is not supported"},
    {"wmma, its type", KERNEL("wmma.load.c.sync.aligned.row.m16n16k16.bf16 {%r0}, [%d0];"), 7,
     "this shape or type"},
    {"wmma, its matrix", KERNEL("wmma.store.sync.aligned.row.m16n16k16.f16 [%d0], {%r0};"), 7,
     "this shape or type"},
    {"wmma, its registers", KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%d0];"), 7,
     "a fragment needs 8 registers"},
    {"wmma, its product",
     KERNEL("wmma.mma.sync.aligned.row.col.m16n16k16.f32.s8 {%r0}, {%r0}, {%r0}, "
            "{%r0};"),
     7, "this shape or type"},
    {"texture, its width", KERNEL("tex.1d.v2.f32.s32 {%r0, %r0}, [%d0, {%r1}];"), 7,
     "modifier .v2 is not supported, expected .v4"},
    {"texture with a sampler", KERNEL("tex.1d.v4.f32.s32 {_, _, _, _}, [%d0, %d0, {%r1}];"), 7,
     "samplers apart"},
    {"texture, depths", KERNEL("tex.1d.v4.f32.f32 {_, _, _, _}, [%d0, {%r1}], %r0;"), 7,
     "comparison of depths"},
    {"texture, its coordinates", KERNEL("tex.2d.v4.f32.f32 {_, _, _, _}, [%d0, {%r1}];"), 7,
     "1 coordinates, expected 2"},
    {"texture, its shape", KERNEL("tex.2dms.v4.f32.s32 {_, _, _, _}, [%d0, {%r1, %r1}];"), 7,
     "modifier .2dms is not supported"},
    {"surface, its form", KERNEL("suld.p.1d.b32.trap %r0, [%d0, {%r1}];"), 7,
     "modifier .p is not supported, expected .b"},
    {"surface, its shape", KERNEL("suld.b.cube.b32.trap %r0, [%d0, {%r1}];"), 7,
     "modifier .cube is not supported"},
    {"surface, its reduction", KERNEL("sured.b.xor.1d.f32.trap [%d0, {%r1}], %r0;"), 7,
     "modifier .xor is not supported"},
    {"surface, its attribute", KERNEL("suq.colour.b32 %r0, [%d0];"), 7,
     "modifier .colour is not supported"},
    {"coordinates", KERNEL("ld.global.u32 %r0, [%d0, {%r1}];"), 7, "coordinates"},
    {"unknown modifier", KERNEL("ld.global.sideways.u32 %r0, [%d0];"), 7, "modifier .sideways"},
    {"bulk copy, its mode",
     KERNEL("cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%d0], "
            "[%d0, {%r0, %r1}], [%d0];"),
     7, "modifier .im2col is not supported"},
    {"bulk copy, its type",
     KERNEL("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.f32 [%d0], [%d0], 16;"), 7,
     "this reduction is not supported"},
    {"bulk copy, its spaces", KERNEL("cp.async.bulk.global.global.bulk_group [%d0], [%d0], 16;"), 7,
     "modifier .global is not supported, expected .shared::cta"},
    {"shuffle, its mode", KERNEL("shfl.sync.b32 %r0, %r1, 0, 31, -1;"), 7,
     "shfl.sync.b32: expected .up, .down, .bfly or .idx"},
    {"shuffle, its type", KERNEL("shfl.sync.idx.b64 %d0, %d0, 0, 31, -1;"), 7,
     "modifier .b64 is not supported, expected .b32"},
    {"comparison that is missing", KERNEL("vset.u32.u32 %r0, %r1, %r2;"), 7, "comparison"},
    {"sign in a vector", KERNEL("mov.b64 %d0, {-%r1, %r2};"), 7, "a sign"},
    {"arrival without a count", KERNEL("bar.arrive 1;"), 7, "operands"},
    {"operand of no cache policy", KERNEL("ld.global.u32 %r0, [%d0], %d1;"), 7, "operands"},
    {"hint without its policy", KERNEL("ld.global.L2::cache_hint.u32 %r0, [%d0];"), 7, "operands"},
    {"operand of no cache policy, atom", KERNEL("red.global.add.u32 [%d0], %r0, %d1;"), 7,
     "operands"},
    {"operand of no cache policy, copy",
     KERNEL("cp.async.ca.shared.global [%r0], [%d0], 4, 4, %d1;"), 7, "operands"},
    {"unknown register", KERNEL("mov.u32 %r0, %r9;"), 7, "unknown register '%r9'"},
    {"unknown special", KERNEL("mov.u32 %r0, %ntidy;"), 7, "unknown register '%ntidy'"},
    {"unknown label", KERNEL("bra nowhere;"), 7, "unknown label 'nowhere'"},
    {"unknown function", KERNEL("call nothing;"), 7, "not a function"},
    {"undefined function", HEAD ".extern .func f;\n.entry k { call f; ret; }", 5,
     "'f' is not defined"},
    {"missing operand", KERNEL("add.u32 %r0, %r1;"), 7, "operands"},
    {"extra operand", KERNEL("mov.u32 %r0, %r1, %r2;"), 7, "operands"},
    {"constant written", KERNEL("mov.u32 5, %r1;"), 7, "destination"},
    {"predicate as value", KERNEL("add.u32 %r0, %p1, %r1;"), 7, "not a value"},
    {"value as guard", KERNEL("@%r0 ret;"), 7, "not a predicate"},
    {"no semicolon", KERNEL("mov.u32 %r0, %r1"), 8, "expected ';'"},
    {"no bracket", KERNEL("ld.global.u32 %r0, [%d0;"), 7, "expected ']'"},
    {"no end", HEAD ".entry k {\nret;", 5, "has no end"},
    {"string without end", HEAD ".file 1 \"abc\n", 4, "string without an end"},
    {"bad character", KERNEL("mov.u32 %r0, `;"), 7, "expected an operand"},
    {"constant divided by zero", KERNEL("mov.u32 %r0, 5 / (1 - 1);"), 7, "divided by zero"},
    {"remainder of zero", KERNEL("mov.u32 %r0, 5 % (1 - 1);"), 7, "divided by zero"},
    {"real constant divided by zero", KERNEL("mov.f32 %r0, 5.0 / 0.0;"), 7, "divided by zero"},
    {"constants of two types", KERNEL("mov.u32 %r0, 1.5 + 2;"), 7, "different types"},
    {"bits of a real constant", KERNEL("mov.u32 %r0, ~1.5;"), 7, "integer constant"},
    {"choice by a real constant", KERNEL("mov.u32 %r0, 1.5 ? 1 : 2;"), 7, "integer constant"},
    {"address beside a real constant", KERNEL("ld.global.u32 %r0, [%d0+1.5];"), 7,
     "integer constant"},
    {"open constant", KERNEL("mov.u32 %r0, (1 + 2;"), 7, "expected ')'"},
    {"half a choice", KERNEL("mov.u32 %r0, 1 ? 2;"), 7, "expected ':'"},
    {"huge integer", KERNEL("mov.u64 %d0, 99999999999999999999;"), 7, "exceeds 64 bits"},
    {"short float", KERNEL("mov.b32 %r0, 0f3F80;"), 7, "too few digits"},
    {"32-bit addresses", ".version 9.0\n.address_size 32\n", 2, "64-bit"},
    {"register twice", KERNEL(".reg .b32 %x; .reg .b32 %x;"), 7, "declared twice"},
    {"label twice", KERNEL("x: x: ret;"), 7, "defined twice"},
    {"too many registers", KERNEL(".reg .b32 %y<999999999>;"), 7, "more than"},
    {"too many registers in turns", KERNEL(".reg .b32 %y<200000>; .reg .b32 %z<200000>;"), 7,
     "more than"},
    {"array too large", HEAD ".shared .b8 x[99999999999];\n", 4, "array too large"},
    {"array overflows", HEAD ".global .b64 x[65536][65536][65536];\n", 4, "array too large"},
    {"much shared memory", KERNEL(".shared .b8 x[100000000]; mov.u64 %d0, x;"), 4,
     "static shared memory"},
    {"much local memory", KERNEL(".local .b8 x[1000000]; mov.u64 %d0, x;"), 4, "512 KiB of local"},
    {"much const memory", HEAD ".const .b8 x[65537];\n", 4, "64 KiB of .const"},
    {"odd alignment", HEAD ".global .align 3 .b8 x[4];\n", 4, "alignment"},
    {"long initialiser", HEAD ".global .b8 x[2] = {1, 2, 3};\n", 4, "longer than the variable"},
    {"unknown initialiser", HEAD ".global .u64 x = y;\n", 4, "unknown name 'y'"},
    {"mask of no bits", HEAD ".global .u8 y; .global .u8 x = 0(y);\n", 4, "no mask"},
    {"mask of an address without an end", HEAD ".global .u8 y; .global .u8 x = 0xFF(y;\n", 4,
     "expected ')'"},
    {"address of a parameter stored", OF_PARAMETER("mov.u64 %d0, x; st.global.u64 [%d1], %d0;"), 7,
     "the address of parameter 'x'"},
    {"address of a parameter and a register",
     OF_PARAMETER("mov.u64 %d0, x; add.s64 %d1, %d0, %d1; ld.param.u32 %r0, [%d1];"), 7,
     "the address of parameter 'x'"},
    {"address of one of two parameters",
     OF_PARAMETER("mov.u64 %d0, x; @%p0 mov.u64 %d0, y; ld.param.u32 %r0, [%d0];"), 7,
     "the address of parameter 'x'"},
    {"address of a parameter, beyond its end",
     OF_PARAMETER(
         "mov.u64 %d0, x; add.s64 %d0, %d0, 0; add.s64 %d1, %d0, 5; ld.param.u32 %r0, [%d1];"),
     7, "the address of parameter 'x'"},
    {"beyond a parameter's end",
     OF_PARAMETER("mov.u64 %d0, x; add.s64 %d1, %d0, 5; ld.param.u32 %r0, [%d1];"), 7,
     "offset 5 is not one within 'x'"},
    {"nested too deep", NULL, 6, "nested deeper"},
    {"parameter overrun",
     HEAD ".func f(.param .b32 a)\n{ .reg .b64 %x; ld.param.b64 %x, [a]; ret; }\n"
          ".entry k { .param .b32 b; call f, (b); ret; }",
     5, "within 'a'"},
    {"store to const", HEAD ".const .u32 c;\n.entry k { st.const.u32 [c], 1; ret; }", 5,
     "modifier .const is not supported"},
    {"old shfl", KERNEL("shfl.idx.b32 %r0, %r1, 0, 31;"), 7, ".sync"},
    {"external variable", HEAD ".extern .global .u32 x;\n", 4, "linking"},
};

static void run_case(const Case *c, const char *ptx) {
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  const EmuError *error = emu_errors(module, &errors);
  bool found = false;
  for (int i = 0; i < errors; i++) {
    found |= error[i].ptx_line == c->line && strstr(error[i].message, c->message);
  }
  CHECK(found, "%s: %d errors, the first: line %d: %s", c->name, errors,
        errors ? error[0].ptx_line : 0, errors ? error[0].message : "");
  EmuLaunch launch = {.kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
  EmuResult *result = emu_launch(module, &launch);
  CHECK(strstr(result->error, "has errors"), "%s: %s", c->name, result->error);
  emu_result_free(result);
  emu_unload(module);
  emu_memory_free(memory);
}

static void run_nested(const Case *c) {
  char ptx[4096];
  size_t n = (size_t)snprintf(ptx, sizeof ptx, HEAD ".entry k\n{\n");
  memset(ptx + n, '{', 2000);
  snprintf(ptx + n + 2000, sizeof ptx - n - 2000, "ret; ");
  run_case(c, ptx);
}

/* A declaration that is rejected at its end does not affect what follows. */
static void test_refused_variable(void) {
  static const char ptx[] =
      HEAD ".extern .global .u32 y;\n.entry k\n{\n.reg .b32 %r<4>;\nret;\n}\n";
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  const EmuError *error = emu_errors(module, &errors);
  CHECK(errors == 1 && strstr(error->message, "is external"), "%d errors: %s", errors,
        errors ? error[errors - 1].message : "");
  emu_unload(module);
  emu_memory_free(memory);
}

static void test_deep_constant(void) {
  static const Case c = {"constant nested too deep", NULL, 7, "too deep"};
  char ptx[4096];
  size_t n =
      (size_t)snprintf(ptx, sizeof ptx, HEAD ".entry k\n{\n.reg .b32 %%r<2>;\nmov.u32 %%r0, ");
  memset(ptx + n, '(', 2000);
  snprintf(ptx + n + 2000, sizeof ptx - n - 2000, "1; ret; }");
  run_case(&c, ptx);
}

/* Several errors are all reported, each with the source line of its .loc. */
static void test_all_errors(void) {
  static const char ptx[] = HEAD ".file 1 \"a.cu\"\n.entry k\n{\n.reg .b32 %r<4>;\n.loc 1 12 "
                                 "3\nfoo.u32 %r0;\n.loc 1 14 3\nbar9.u32 %r0;\nret;\n}\n";
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  const EmuError *error = emu_errors(module, &errors);
  CHECK(errors == 2, "%d errors", errors);
  if (errors == 2) {
    CHECK(error[0].line == 12 && error[1].line == 14, "lines %d, %d", error[0].line, error[1].line);
    CHECK_STR(error[1].file, "a.cu");
  }
  emu_unload(module);
  emu_memory_free(memory);
}

/* Texts of a few megabytes that repeat one construct take time in proportion to their length. */
static void test_large(void) {
  static const char *const line[] = {".shared .b8 v%d[4];\n", ".global .u32 v%d = 1;\n",
                                     ".func f%d { ret; }\n", ".entry f%d { ret; }\n"};
  enum { LINES = 40000, LINE = 40 };
  char *text = malloc((size_t)LINES * LINE);
  for (int k = 0; k < 4; k++) {
    size_t n = (size_t)snprintf(text, 100, HEAD);
    for (int i = 0; i < LINES; i++) n += (size_t)snprintf(text + n, LINE, line[k], i);
    EmuMemory *memory = emu_memory_new();
    EmuModule *module = emu_load(memory, text, n);
    int errors;
    const EmuError *error = emu_errors(module, &errors);
    CHECK((errors > 0) == (k >= 2), "%s: %d errors", line[k], errors);
    CHECK(k < 2 || strstr(error[0].message, "functions"), "%s: %s", line[k], error[0].message);
    emu_unload(module);
    emu_memory_free(memory);
  }
  free(text);
}

/* An unsupported instruction that is never executed rejects only its own kernel. */
static void test_other_kernel(void) {
  static const char ptx[] = HEAD ".entry bad { foo.u32 1; ret; }\n.entry good { ret; }\n";
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  EmuLaunch launch = {.kernel = "good", .grid = {1, 1, 1}, .block = {1, 1, 1}};
  EmuResult *result = emu_launch(module, &launch);
  CHECK_STR(result->error, "");
  emu_result_free(result);
  launch.kernel = "bad";
  result = emu_launch(module, &launch);
  CHECK_STR(result->error, "the kernel has errors");
  emu_result_free(result);
  emu_unload(module);
  emu_memory_free(memory);
}

/* Launch bounds whose product exceeds 32 bits, and wraps around to 0. */
static void test_launch_bounds(void) {
  static const char ptx[] =
      HEAD ".entry k .maxntid 32768, 65536\n.minnctapersm 2\n{ ret; }\n"
           ".entry r .reqntid 2147483648, 2147483648, 4\n.minnctapersm 4\n{ ret; }\n";
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  emu_errors(module, &errors);
  CHECK(errors == 0 && emu_kernel(module, "r"), "%d errors", errors);
  emu_unload(module);
  emu_memory_free(memory);
}

typedef struct {
  const char *what, *kernel;
  unsigned grid[3], block[3], dynamic_shared;
  const char *error; /* a part of the message; "" if it must run */
} LaunchCase;

static const LaunchCase launches[] = {
    {"no kernel", "q", {1, 1, 1}, {1, 1, 1}, 0, "no such kernel"},
    {"zero", "k", {1, 0, 1}, {1, 1, 1}, 0, "is 0"},
    {"block", "k", {1, 1, 1}, {1024, 2, 1}, 0, "1,024"},
    {"overflow", "k", {1, 1, 1}, {1u << 31, 2, 1}, 0, "1,024"},
    {"maxntid", "k", {1, 1, 1}, {65, 1, 1}, 0, ".maxntid"},
    {"reqntid", "r", {1, 1, 1}, {32, 1, 1}, 0, ".reqntid"},
    {"as required", "r", {1, 1, 1}, {16, 2, 1}, 0, ""},
    {"grid", "k", {1, 70000, 1}, {1, 1, 1}, 0, "grid"},
    {"shared", "k", {1, 1, 1}, {1, 1, 1}, 232000, "shared"},
    {"shared overflow", "k", {1, 1, 1}, {1, 1, 1}, UINT32_MAX, "shared"},
    {"fine", "k", {3, 2, 1}, {64, 1, 1}, 0, ""},
    {"cluster", "c", {3, 2, 1}, {64, 1, 1}, 0, "multiple of the cluster"},
    {"clusters", "c", {4, 2, 1}, {64, 1, 1}, 0, ""},
    {"large cluster", "l", {34, 1, 1}, {64, 1, 1}, 0, "larger than 16"},
    {"no cluster", "e", {4, 1, 1}, {64, 1, 1}, 0, "needs a launch with clusters"},
};

static void run_launch(const Machine *m, const LaunchCase *c, const void *const *args) {
  EmuLaunch launch = {.kernel = c->kernel, .args = args, .dynamic_shared = c->dynamic_shared};
  memcpy(launch.grid, c->grid, sizeof launch.grid);
  memcpy(launch.block, c->block, sizeof launch.block);
  EmuResult *result = emu_launch(m->module, &launch);
  const bool as_wanted = c->error[0] ? strstr(result->error, c->error) != NULL : !result->error[0];
  CHECK(as_wanted, "%s: '%s'", c->what, result->error);
  emu_result_free(result);
}

static void test_launches(void) {
  static const char ptx[] = HEAD ".entry k(.param .u64 out) .maxntid 64\n{ .shared .b8 s[1024]; "
                                 ".reg .b64 %d<2>; ld.param.u64 %d0, [out]; "
                                 "mov.u64 %d1, s; ret; }\n"
                                 ".entry c(.param .u64 out) .reqnctapercluster 2 { ret; }\n"
                                 ".entry r(.param .u64 out) .reqntid 16, 2 { ret; }\n"
                                 ".entry e(.param .u64 out) .explicitcluster { ret; }\n"
                                 ".entry l(.param .u64 out) .reqnctapercluster 17 { ret; }\n";
  static const LaunchCase bare = {"no arguments", "k", {1, 1, 1}, {1, 1, 1}, 0, "arguments"};
  uint64_t out = 0;
  const void *args[] = {&out};
  Machine m = machine_open(ptx, strlen(ptx));
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
    run_launch(&m, &launches[i], args);
  run_launch(&m, &bare, NULL);
  machine_close(&m);
}

static void test_memory(void) {
  EmuMemory *memory = emu_memory_new();
  uint64_t a = emu_alloc(memory, 100, "a"), b = emu_alloc(memory, 8, "b");
  char bytes[200] = {0};
  CHECK(a && b && a % 256 == 0 && b % 256 == 0, "0x%llx 0x%llx", (unsigned long long)a,
        (unsigned long long)b);
  CHECK(emu_alloc(memory, 0, "none") == 0, "nothing allocated");
  CHECK(emu_alloc(memory, 1ull << 50, "all") == 0, "too much allocated");
  CHECK(emu_copy_in(memory, a + 90, bytes, 10), "the last bytes");
  CHECK(!emu_copy_in(memory, a + 91, bytes, 10), "one byte too many");
  CHECK(!emu_copy_out(memory, bytes, a, UINT64_MAX), "a size that wraps");
  CHECK(!emu_copy_out(memory, bytes, 0, 1), "the null address");
  CHECK(!emu_free(memory, a + 1), "freed within");
  CHECK(emu_free(memory, a) && !emu_free(memory, a), "freed twice");
  CHECK(!emu_copy_out(memory, bytes, a, 1), "read after free");
  emu_memory_free(memory);
}

static void test_memory_at(void) {
  EmuMemory *memory = emu_memory_new();
  const uint64_t at = (1ull << 46) + 4096;
  char bytes[8] = "1234567";
  CHECK(emu_alloc_at(memory, at, 100, "given"), "where nothing lies");
  CHECK(emu_copy_in(memory, at + 92, bytes, 8), "its last bytes");
  CHECK(!emu_copy_in(memory, at + 93, bytes, 8), "one byte too many");
  CHECK(!emu_alloc_at(memory, at - 7, 8, "x") && !emu_alloc_at(memory, at + 99, 8, "x") &&
            !emu_alloc_at(memory, at - 50, 200, "x"),
        "over another one");
  CHECK(emu_alloc_at(memory, at - 8, 8, "before") && emu_alloc_at(memory, at + 100, 8, "after"),
        "beside it");
  CHECK(!emu_alloc_at(memory, 1 << 20, 8, "x"), "among the windows of other spaces");
  CHECK(!emu_alloc_at(memory, UINT64_MAX - 7, 8, "x"), "an end that wraps");
  CHECK(emu_copy_out(memory, bytes, at - 8, 8) && !bytes[0], "zeroed");
  CHECK(emu_alloc(memory, 1 << 20, "new") > at + 100, "others come after it");
  emu_memory_free(memory);
}

/* setmaxnreg is of the architectures whose names end in a or f [ptxas]. */
static void test_special_targets(void) {
  static const struct {
    const char *target;
    bool has;
  } targets[] = {{"sm_90", false},  {"sm_90a", true},  {"sm_100", false},
                 {"sm_100a", true}, {"sm_120a", true}, {"sm_120f", true}};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    char ptx[256];
    snprintf(ptx, sizeof ptx,
             ".version 9.0\n.target %s\n.address_size 64\n.visible .entry k() .maxntid 128\n{\n"
             "setmaxnreg.inc.sync.aligned.u32 96; ret;\n}\n",
             targets[i].target);
    EmuMemory *memory = emu_memory_new();
    EmuModule *module = emu_load(memory, ptx, strlen(ptx));
    int errors;
    (void)emu_errors(module, &errors);
    CHECK((errors == 0) == targets[i].has, "setmaxnreg on %s: %d errors", targets[i].target,
          errors);
    emu_unload(module);
    emu_memory_free(memory);
  }
}

int main(void) {
  test_special_targets();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].ptx)
      run_case(&cases[i], cases[i].ptx);
    else
      run_nested(&cases[i]);
  }
  test_deep_constant();
  test_refused_variable();
  test_all_errors();
  test_other_kernel();
  test_launch_bounds();
  test_large();
  test_launches();
  test_memory();
  test_memory_at();
  return check_report("emu_refusals");
}
