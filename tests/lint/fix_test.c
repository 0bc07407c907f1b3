/* SPDX-License-Identifier: MIT */
/* The fixes that lint proposes for arrays whose accesses are known, and the names that it reads out
 * of PTX. */
#include "check.h"
#include "lint/fix/access_set.h"
#include "lint/fix/layout.h"
#include "lint/input/dims.h"
#include "lint/input/name.h"

/* --- names --- */

static const char *const kernels[][2] = {
    {"transpose", "transpose"},
    {"_Z4gemmPf", "gemm"},
    {"_Z3addPi", "add"},
    {"_Z1kv", "k"},
    {"_ZL1kIiEvv", "k<int>"},
    {"_ZN2ns1kIvEEvv", "ns::k<void>"},
    {"_Z9transposeIfLi32EEvPKT_PS0_i", "transpose<float, 32>"},
    {"_ZN2ns1kEPfh6__half6float2", "ns::k"},
    {"_ZN1a1b1cIN1d1eELb1ELin3EEEvv", "a::b::c<d::e, true, -3>"},
    {"_ZN12_GLOBAL__N_14hideEv", "(anonymous)::hide"},
    {"_ZL4hidePi", "hide"},
    {"_Z", "_Z"},
    {"_Z99x", "_Z99x"},
    {"_ZN", "_ZN"},
    {"_ZL", "_ZL"},
    {"_Z1fI", "f<..."},
    {"_Z1fIXtlEE", "f<..."},
};

static const char *const variables[][2] = {
    {"_ZZ9transposeE4tile", "tile"},    {"_ZZ9transposeIfLi32EEvPKT_PS0_iE4tile", "tile"},
    {"_ZZ1kPfE4tile_0", "tile"},        {"_ZN2ns3dynE", "ns::dyn"},
    {"shared_memory", "shared_memory"}, {"_ZZ", "_ZZ"},
};

static void check_names(Arena *a) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    CHECK_STR(lint_name_plain(a, kernels[i][0]), kernels[i][1]);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    CHECK_STR(lint_name_variable(a, variables[i][0]), variables[i][1]);
  CHECK_STR(lint_name_short(a, "_Z3runIiEvT_"), "run<int>");
  CHECK_STR(lint_name_short(a, "void run<int>(int (*)(int))"), "void run<int>(int (*)(int))");
  const char *many = arena_printf(a, "std::map<%0100d> ns::run<int, A<(B)1> >(C<%0100d>)", 0, 0);
  CHECK_STR(lint_name_short(a, many), "std::map<...> ns::run<...>(...)");
  many = arena_printf(a, "A& (anonymous namespace)::operator<< <decltype(a->%0100d)>(B<1>)", 0);
  CHECK_STR(lint_name_short(a, many), "A& (anonymous namespace)::operator<< <...>(...)");
  many = arena_printf(a, "C<%0100d>::operator()((anonymous namespace)::D const*) const", 0);
  CHECK_STR(lint_name_short(a, many), "C<...>::operator()(...) const");
  many = arena_printf(a, "_ZN12_GLOBAL__N_13runILl%0104dEEEvv", 0);
  CHECK_STR(lint_name_short(a, many), "(anonymous)::run<...>");
  CHECK(lint_name_is("k", "ns::k") && lint_name_is("ns::k", "ns::k"), "namespaces");
  CHECK(lint_name_is("f<int,3>", "f<int, 3>") && lint_name_is("f", "f<int, 3>"), "templates");
  CHECK(!lint_name_is("g", "ns::k") && !lint_name_is("", "k") && !lint_name_is("kk", "k"),
        "others");
}

/* --- fixes --- */

enum { BASE = 256 };

typedef struct {
  Arena *arena;
  LintWatch *watch;
  LintArray array;
  int lines;
} Seen;

static Seen seen_new(Arena *a, const char *name, uint32_t bytes) {
  Seen s = {.arena = a, .watch = lint_watch_new(a, BASE + bytes, 64)};
  s.array = (LintArray){.name = name, .offset = BASE, .bytes = bytes, .max_bytes = 65536};
  s.array.insn = ARENA_ARRAY(a, const LintInsn *, 64);
  return s;
}

/* Adds an instruction that is executed `times` times: lane l accesses element l * step + iteration
 * * shift. */
static void see(Seen *s, EmuAccessKind kind, int bytes, int step, int shift, int times) {
  uint64_t address[EMU_LANES];
  EmuEvent e = {
      .times = 1, .ptx_line = ++s->lines, .kind = kind, .space = EMU_SHARED, .active = UINT32_MAX};
  e.bytes_per_lane = bytes;
  e.address = address;
  e.source = kind == EMU_CP_ASYNC ? address : NULL;
  e.bypass = kind == EMU_CP_ASYNC && bytes == 16;
  for (int turn = 0; turn < times; turn++) {
    for (int lane = 0; lane < EMU_LANES; lane++)
      address[lane] = BASE + (uint64_t)((lane * step + turn * shift) * bytes);
    lint_watch_event(s->watch, &e);
  }
  const EmuAccess access = {
      .ptx_line = s->lines, .kind = kind, .space = EMU_SHARED, .bytes_per_lane = bytes};
  s->array.insn[s->array.insns++] = lint_watch_find(s->watch, &access);
}

/* Adds an instruction of a warp that covers two rows of 16 elements. */
static void see_rows(Seen *s, EmuAccessKind kind, int pitch) {
  uint64_t address[EMU_LANES];
  EmuEvent e = {
      .times = 1, .ptx_line = ++s->lines, .kind = kind, .space = EMU_SHARED, .active = UINT32_MAX};
  e.bytes_per_lane = 4;
  e.address = address;
  for (int lane = 0; lane < EMU_LANES; lane++)
    address[lane] = BASE + (uint64_t)((lane / 16 * pitch + lane % 16) * 4);
  lint_watch_event(s->watch, &e);
  const EmuAccess access = {
      .ptx_line = s->lines, .kind = kind, .space = EMU_SHARED, .bytes_per_lane = 4};
  s->array.insn[s->array.insns++] = lint_watch_find(s->watch, &access);
}

static void check_transpose(Arena *a) {
  Seen s = seen_new(a, "tile", 4096);
  see(&s, EMU_STORE, 4, 1, 32, 32);
  see(&s, EMU_LOAD, 4, 32, 1, 32);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.before == 32 + 1024 && f.after == 64 && f.ideal == 64, "%d -> %d", (int)f.before,
        (int)f.after);
  CHECK_STR(f.fix,
            "tile[row][col ^ (row & 31)], rows of 32 4-byte elements, row = i / 32: 1056 -> 64 "
            "wavefronts, about "
            "+2 instructions an access");
  CHECK_STR(f.alternative,
            "tile[32][33]: pad each row of 32 4-byte elements by 1, row = i / 32: 1056 -> 64 "
            "wavefronts, +128 bytes");
  lint_watch_free(s.watch);
}

static void check_pad_only(Arena *a) {
  Seen s = seen_new(a, "t", 33 * 32 * 2);
  see(&s, EMU_LOAD, 2, 33, 1, 32); /* halves at an odd pitch */
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.fix && f.after == f.ideal, "%s", f.fix ? f.fix : f.why_none);
  CHECK_STR(f.fix, "t[32][34]: pad each row of 33 2-byte elements by 1, row = i / 33: 48 -> 32 "
                   "wavefronts, +64 bytes");
  lint_watch_free(s.watch);
}

/* A layout that separates accesses which ptxas would merge is charged for it. */
static void check_joins(Arena *a) {
  Seen s = seen_new(a, "tile", 4096);
  see(&s, EMU_STORE, 4, 1, 32, 32);
  see(&s, EMU_LOAD, 4, 32, 1, 32);
  LintFix f = lint_fix_find(a, &s.array);
  lint_fix_weigh(a, &f, 0);
  CHECK(f.fix && !f.joined, "nothing is joined");
  lint_fix_weigh(a, &f, 900);
  CHECK(f.fix && f.joined == 156, "%d", (int)f.joined);
  lint_fix_weigh(a, &f, 1000);
  CHECK(!f.fix && !f.alternative && f.joined == 56, "%s", f.fix);
  CHECK_STR(f.why_none,
            "what ptxas may join takes it to about 56 wavefronts as it is; the best layout "
            "found, of 64, would keep ptxas from joining");
  LintFix none = lint_fix_find(a, &s.array);
  lint_fix_weigh(a, &none, none.before + 1);
  CHECK(!none.fix && !none.joined, "more than there are: %d", (int)none.joined);
  lint_watch_free(s.watch);
}

/* Rows of 10 and of 40 need equal wavefronts; rows of 10, which come later, need fewer bytes. */
static void check_bytes(Arena *a) {
  Seen s = seen_new(a, "t", 600);
  see(&s, EMU_LOAD, 1, 16, 37, 1);
  see(&s, EMU_LOAD, 2, 5, 35, 2);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK_STR(f.fix, "t[60][12]: pad each row of 10 1-byte elements by 2, row = i / 10: 8 -> 4 "
                   "wavefronts (ideal 3), +120 bytes");
  lint_watch_free(s.watch);
}

/* The last row bits move no lane: maps that differ in these alone cost as much as the best. */
static void check_last_bits(Arena *a) {
  Seen s = seen_new(a, "t", 4104);
  see(&s, EMU_LOAD, 8, 4, 63, 3);
  see(&s, EMU_LOAD, 1, 23, 62, 1);
  see(&s, EMU_LOAD, 8, 16, 38, 1);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.fix || f.why_none, "neither a fix nor a reason");
  lint_watch_free(s.watch);
}

/* If the source's row length is known, other lengths are not proposed, even with fewer
 * conflicts. */
static void check_own_rows(Arena *a) {
  Seen s = seen_new(a, "t", 16 * 65 * 4);
  see(&s, EMU_LOAD, 4, 4, 65, 16);
  LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.fix && strstr(f.fix, "rows of 4 "), "%s", f.fix);
  s.array.row_bytes = 65 * 4;
  f = lint_fix_find(a, &s.array);
  CHECK_STR(f.fix, "t[(row ^ ((col >> 4) & 3)) * 65 + col], rows of 65 4-byte elements: 60 -> 30 "
                   "wavefronts (ideal 15), about +3 instructions an access");
  lint_watch_free(s.watch);
}

/* A 16x16 block that accesses rows of a small tile: HeCBench's coarse-grained transpose. */
static void check_small(Arena *a) {
  Seen s = seen_new(a, "t", 16 * 17 * 4);
  s.array.row_bytes = 17 * 4;
  see_rows(&s, EMU_STORE, 17);
  see_rows(&s, EMU_LOAD, 17);
  LintFix f = lint_fix_find(a, &s.array);
  CHECK_STR(f.fix, "t[16][48]: pad each row of 17 4-byte elements by 31: 4 -> 2 wavefronts, +1984 "
                   "bytes");
  s.array.max_bytes = 1100;
  f = lint_fix_find(a, &s.array);
  CHECK(!f.fix &&
            strncmp(f.why_none, "no pad and no XOR of at most 1100 bytes was found ", 50) == 0,
        "%s", f.fix ? f.fix : f.why_none);
  lint_watch_free(s.watch);
}

/* If all elements are equally far apart, the row length cannot be inferred. */
static void check_apart(Arena *a) {
  Seen s = seen_new(a, "t", 128);
  see(&s, EMU_STORE, 2, 1, 0, 8);
  see(&s, EMU_ATOMIC, 2, 1, 0, 8);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.fix && strncmp(f.fix, "t[i * 2], i counts 2-byte elements: ", 36) == 0, "%s",
        f.fix ? f.fix : f.why_none);
  lint_watch_free(s.watch);
}

/* HeCBench's bitpermute: nvcc splits its 16-byte loads where the index is a formula. */
static void check_wide(Arena *a) {
  Seen s = seen_new(a, "t", 8192);
  see(&s, EMU_STORE, 8, 1, 32, 32);
  see(&s, EMU_LOAD, 16, 16, 1, 16);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.fix && strstr(f.fix, "instructions an access, if those of 16 bytes stay whole"), "%s",
        f.fix ? f.fix : f.why_none);
  lint_watch_free(s.watch);
}

/* A loop over a triangle: Rodinia's lud, whose columns are read by ever fewer lanes. */
static void check_triangle(Arena *a) {
  Seen s = seen_new(a, "t", 4096);
  uint64_t address[EMU_LANES];
  EmuEvent e = {.times = 1,
                .ptx_line = ++s.lines,
                .kind = EMU_LOAD,
                .space = EMU_SHARED,
                .bytes_per_lane = 4};
  e.address = address;
  for (int j = 0; j < 31; j++) {
    for (int lane = 0; lane < EMU_LANES; lane++) address[lane] = BASE + (uint64_t)lane * 128;
    e.active = UINT32_MAX << j;
    lint_watch_event(s.watch, &e);
  }
  const EmuAccess access = {
      .ptx_line = s.lines, .kind = EMU_LOAD, .space = EMU_SHARED, .bytes_per_lane = 4};
  s.array.insn[s.array.insns++] = lint_watch_find(s.watch, &access);
  LintFix f = lint_fix_find(a, &s.array);
  CHECK(!f.fix && strncmp(f.why_none, "not searched", 12) == 0, "%s", f.fix);
  s.array.row_bytes = 128;
  f = lint_fix_find(a, &s.array);
  CHECK_STR(f.fix, "t[32][33]: pad each row of 32 4-byte elements by 1: 527 -> 31 wavefronts, +128 "
                   "bytes");
  lint_watch_free(s.watch);
}

/* Bytes whose one conflict takes an XOR at every access: counted against what it saves. */
static void check_unpaid(Arena *a) {
  Seen s = seen_new(a, "t", 2048);
  see(&s, EMU_LOAD, 4, 1, 0, 1000);
  see(&s, EMU_LOAD, 4, 16, 0, 2);
  s.array.max_bytes = 2048;
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(!f.fix && f.after == f.before &&
            strstr(f.why_none, "adds more instructions than it saves: t["),
        "%s", f.fix ? f.fix : f.why_none);
  lint_watch_free(s.watch);
}

/* Layouts of more than twice the array are not searched: rows of 2 padded by 15 are no fix. */
static void check_no_huge_pad(Arena *a) {
  Seen s = seen_new(a, "t", 4096);
  see(&s, EMU_LOAD, 4, 2, 257, 3);
  const AccessSet *set = lint_set_new(a, &s.array, lint_set_elements(&s.array), 2, WANT_PAD);
  CHECK(set && set->tile->want.max_bytes == 8192, "twice");
  s.array.max_bytes = 5000;
  set = lint_set_new(a, &s.array, lint_set_elements(&s.array), 2, WANT_PAD);
  CHECK(set && set->tile->want.max_bytes == 5000, "what a block has");
  lint_watch_free(s.watch);
}

/* --- the source's dimensions --- */

static const struct {
  const char *text, *name;
  uint32_t bytes, row;
} dims[] = {
    {"__shared__ float tile[16][65];", "tile", 4160, 260},
    {"#define N 16\nconstexpr int pad = 1;\n{ __shared__ float tile[N][N * 4 + pad]; }", "tile",
     4160, 260},
    {"template <int W> { __shared__ half t[2][8][W]; }", "t", 2 * 8 * 24 * 2, 48},
    {"__shared__ float t[ROWS][(32 + 1)];", "t", 8 * 33 * 4, 132},
    {"__shared__ T t[ROWS][33];", "t", 8 * 33 * 4, 0},
    {"__shared__ float tile[1040];", "tile", 4160, 0},
    {"float tile[16][65];", "tile", 4160, 0},
    {"__shared__ float tiles[16][65];", "tile", 4160, 0},
    {"__shared__ float tile[16][65];", "tile", 4096, 0},
    {"__shared__ float tile[16][", "tile", 4160, 0},
    {"#define A A\n__shared__ float t[A][A];", "t", 64, 0},
    {"__shared__ float t[1/0][4];", "t", 64, 16},
    {"{ __shared__ float t[64][64]; } { __shared__ float t[32][32]; }", "t", 4096, 128},
    {"{ __shared__ T t[64][64]; } { __shared__ T t[32][32]; }", "t", 4096, 0},
    {"{ __shared__ float t[1024]; } { __shared__ float t[32][32]; }", "t", 4096, 0},
};

static void check_dims(Arena *a) {
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    const uint32_t row = lint_dims_find(a, dims[i].text, dims[i].name, dims[i].bytes).row;
    CHECK(row == dims[i].row, "%s: %u", dims[i].text, row);
  }
}

/* Pieces of 16 bytes that cp.async.cg writes stay whole, and its own wavefronts count. */
static void check_bypass(Arena *a) {
  Seen s = seen_new(a, "tile", 4096);
  see(&s, EMU_LOAD, 4, 32, 1, 32);
  see(&s, EMU_CP_ASYNC, 16, 1, 32, 8);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(f.before == 1056 && f.ideal == 64, "%d wavefronts", (int)f.before);
  CHECK(f.fix && strstr(f.fix, "col ^ (row & 28)"), "%s", f.fix ? f.fix : f.why_none);
  CHECK(f.after == 160, "%d", (int)f.after);
  lint_watch_free(s.watch);
}

static void check_atomic(Arena *a) {
  Seen s = seen_new(a, "count", 4);
  see(&s, EMU_ATOMIC, 4, 0, 0, 1);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(!f.fix && f.why_none, "an atomic on one word has no layout");
  CHECK(f.after == f.before && f.before == 32, "%d", (int)f.before);
  lint_watch_free(s.watch);
}

/* Lanes whose vectors are misaligned are a finding, and not part of a pattern. */
static void check_misaligned(Arena *a) {
  Seen s = seen_new(a, "s", 96 * 4);
  uint64_t address[EMU_LANES];
  EmuEvent e = {
      .times = 1, .ptx_line = 1, .kind = EMU_ATOMIC, .space = EMU_SHARED, .active = UINT32_MAX};
  e.bytes_per_lane = 8;
  e.address = address;
  for (int lane = 0; lane < EMU_LANES; lane++) address[lane] = BASE + (uint64_t)lane / 16 * 33 * 4;
  lint_watch_event(s.watch, &e);
  const EmuAccess access = {
      .ptx_line = 1, .kind = EMU_ATOMIC, .space = EMU_SHARED, .bytes_per_lane = 8};
  CHECK(!lint_watch_find(s.watch, &access), "a misaligned access is a pattern");
  lint_watch_free(s.watch);
}

/* An array of floats that begins at an odd one, read as pairs at even ones: each is aligned, the
 * array is not. */
static void check_odd_array(Arena *a) {
  Seen s = seen_new(a, "s", 4096);
  see(&s, EMU_LOAD, 8, 16, 0, 1);
  s.array.offset = BASE - 4;
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(!f.fix && f.before == 32, "%s, %d", f.fix, (int)f.before);
  CHECK_STR(f.why_none, "the array begins where its accesses may not: no layout of its own");
  lint_watch_free(s.watch);
}

/* The sample of an instruction of many patterns must not depend on their order. */
static void check_sample(Arena *a) {
  uint64_t sum[2] = {0};
  for (int backwards = 0; backwards < 2; backwards++) {
    Seen s = seen_new(a, "big", 40000);
    see(&s, EMU_LOAD, 4, 1, 1, 1);
    LintInsn *insn = (LintInsn *)(uintptr_t)s.array.insn[0];
    uint64_t address[EMU_LANES];
    EmuEvent e = {.times = 1, .ptx_line = 1, .space = EMU_SHARED, .bytes_per_lane = 4, .active = 1};
    e.address = address;
    for (int i = 0; i < 5000; i++) {
      address[0] = BASE + (uint64_t)(4 * (backwards ? 4999 - i : i));
      lint_watch_event(s.watch, &e);
    }
    CHECK(insn->sampled && insn->patterns <= LINT_MAX_PATTERNS && insn->patterns > 100, "%d",
          insn->patterns);
    for (int i = 0; i < insn->slots; i++)
      sum[backwards] += insn->slot[i].hash * insn->slot[i].count;
    lint_watch_free(s.watch);
  }
  CHECK(sum[0] == sum[1], "the sample depends on the order");
}

/* A copy, or a product, of the whole array. */
static LintFix laid_fix(Arena *a, EmuAccessKind kind, int box_row, int swizzle) {
  const uint64_t address[EMU_LANES] = {BASE};
  Seen s = seen_new(a, "t", 4096);
  see(&s, EMU_LOAD, 16, 8, 1, 8); /* down the columns of rows of 128 bytes */
  const EmuEvent e = {.times = 1,
                      .ptx_line = ++s.lines,
                      .kind = kind,
                      .space = EMU_SHARED,
                      .bytes_per_lane = 4096,
                      .active = 1,
                      .address = address,
                      .box_row = box_row,
                      .swizzle = swizzle};
  lint_watch_event(s.watch, &e);
  s.array.row_bytes = 128;
  s.array.laid = lint_watch_laid(s.watch, BASE, 4096);
  const LintFix f = lint_fix_find(a, &s.array);
  lint_watch_free(s.watch);
  return f;
}

/* Dynamic memory: threads store columns of 4096 bytes between boxes; wgmma reads memory after them,
 * which no thread accesses. */
static void check_laid_parts(Arena *a) {
  const uint64_t first[EMU_LANES] = {BASE}, second[EMU_LANES] = {BASE + 4096};
  Seen s = seen_new(a, "t", 8192);
  see(&s, EMU_LOAD, 16, 8, 1, 8);
  const EmuEvent product = {.ptx_line = ++s.lines,
                            .kind = EMU_WGMMA,
                            .space = EMU_SHARED,
                            .bytes_per_lane = 4096,
                            .active = 1,
                            .address = second};
  const EmuEvent box = {.ptx_line = ++s.lines,
                        .kind = EMU_BULK_STORE,
                        .space = EMU_SHARED,
                        .bytes_per_lane = 4096,
                        .active = 1,
                        .address = first,
                        .box_row = 128};
  lint_watch_event(s.watch, &product);
  lint_watch_event(s.watch, &box);
  const LintSpan span = lint_set_span(&s.array);
  CHECK(span.offset == BASE && span.bytes == 4096, "%u from %u on", span.bytes, span.offset);
  s.array.laid = lint_watch_laid(s.watch, BASE, 8192);
  s.array.touched = lint_watch_laid(s.watch, span.offset, span.bytes);
  const LintFix f = lint_fix_find(a, &s.array);
  CHECK(!f.fix && strstr(f.why_none, "boxes of a tensor lay it out"), "%s", f.why_none);
  lint_watch_free(s.watch);
}

/* An array that the async proxy accesses gets one of TMA's swizzles or no fix. */
static void check_laid(Arena *a) {
  static const struct {
    EmuAccessKind kind;
    int row, swizzle;
    const char *why;
  } cases[] = {
      {EMU_BULK_LOAD, 0, 0, "a bulk copy lays it out as in global memory"},
      {EMU_BULK_LOAD, 64, 0, "a pad takes boxes as much wider"},
      {EMU_BULK_STORE, 128, 128, "with a swizzle of TMA"},
      {EMU_WGMMA, 0, 0, "wgmma reads it as its descriptor says"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const LintFix f = laid_fix(a, cases[i].kind, cases[i].row, cases[i].swizzle);
    CHECK(!f.fix && f.after == f.before && strstr(f.why_none, cases[i].why), "%zu: %s", i,
          f.fix ? f.fix : f.why_none);
  }
  const LintFix f = laid_fix(a, EMU_BULK_LOAD, 128, 0);
  CHECK(f.fix && !f.alternative && f.before == 256 && f.after == 32, "%s", f.why_none);
  CHECK(f.fix && strstr(f.fix, "boxes of CU_TENSOR_MAP_SWIZZLE_128B, aligned to 1024 bytes"), "%s",
        f.fix);
}

int main(void) {
  Arena *a = arena_new();
  check_names(a);
  check_transpose(a);
  check_pad_only(a);
  check_bypass(a);
  check_atomic(a);
  check_joins(a);
  check_bytes(a);
  check_last_bits(a);
  check_own_rows(a);
  check_small(a);
  check_apart(a);
  check_unpaid(a);
  check_wide(a);
  check_triangle(a);
  check_no_huge_pad(a);
  check_dims(a);
  check_misaligned(a);
  check_odd_array(a);
  check_sample(a);
  check_laid(a);
  check_laid_parts(a);
  arena_free(a);
  return check_report("lint_fix");
}
