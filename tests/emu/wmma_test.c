/* SPDX-License-Identifier: MIT */
/* wmma of every shape and type: loaded, multiplied and stored against a plain triple loop, from
 * global and from shared memory, by rows and by columns; and how often it accesses shared memory,
 * as machine code for sm_90 does. */
#include "emu/arith_exact.h"
#include "emu/emu_run.h"

typedef struct {
  const char *shape;
  unsigned m, n, k;
  const char *ab, *cd;       /* types of the operands and of the sums */
  unsigned of_a, of_b, of_c; /* registers */
  const char *mma;           /* the types of wmma.mma, and .popc's operation before them */
  unsigned loads, stores;    /* accesses to shared memory: a by row, b by column, d by row */
} Case;

static const Case cases[] = {
    {"m16n16k16", 16, 16, 16, "f16", "f32", 8, 8, 8, "f32.f32", 2, 4},
    {"m16n16k16", 16, 16, 16, "f16", "f16", 8, 8, 4, "f16.f16", 2, 4},
    {"m16n16k16", 16, 16, 16, "bf16", "f32", 4, 4, 8, "f32.bf16.bf16.f32", 2, 4},
    {"m16n16k16", 16, 16, 16, "s8", "s32", 2, 2, 8, "s32.s8.s8.s32", 2, 4},
    {"m32n8k16", 32, 8, 16, "f16", "f32", 8, 8, 8, "f32.f32", 3, 4},
    {"m32n8k16", 32, 8, 16, "bf16", "f32", 8, 2, 8, "f32.bf16.bf16.f32", 3, 4},
    {"m32n8k16", 32, 8, 16, "u8", "s32", 4, 1, 8, "s32.u8.u8.s32", 3, 4},
    {"m8n32k16", 8, 32, 16, "f16", "f32", 8, 8, 8, "f32.f32", 3, 8},
    {"m8n32k16", 8, 32, 16, "f16", "f16", 8, 8, 4, "f16.f16", 3, 4},
    {"m8n32k16", 8, 32, 16, "bf16", "f32", 2, 8, 8, "f32.bf16.bf16.f32", 3, 8},
    {"m8n32k16", 8, 32, 16, "s8", "s32", 1, 4, 8, "s32.s8.s8.s32", 3, 8},
    {"m16n16k8", 16, 16, 8, "tf32", "f32", 4, 4, 8, "f32.tf32.tf32.f32", 8, 4},
    {"m8n8k4", 8, 8, 4, "f64", "f64", 1, 1, 2, "f64.f64.f64.f64", 2, 1},
    {"m8n8k4", 8, 8, 4, "f64", "f64", 1, 1, 2, "f64.f64.f64.f64.rn", 2, 1},
    {"m8n8k32", 8, 8, 32, "s4", "s32", 1, 1, 2, "s32.s4.s4.s32", 2, 1},
    {"m8n8k32", 8, 8, 32, "u4", "s32", 1, 1, 2, "s32.u4.u4.s32", 2, 1},
    {"m8n8k128", 8, 8, 128, "b1", "s32", 1, 1, 2, "xor.popc s32.b1.b1.s32", 2, 1},
    {"m8n8k128", 8, 8, 128, "b1", "s32", 1, 1, 2, "and.popc s32.b1.b1.s32", 2, 1},
};

/* Bits of a type by its name: "bf16" 16, "b1" 1. */
static unsigned bits_of(const char *type) {
  return (unsigned)atoi(type + strcspn(type, "0123456789"));
}

/* Lines of a matrix are `pitch` elements apart. */
typedef struct {
  int value[128][128];
  unsigned rows, columns, pitch;
  bool by_column;
} Matrix;

enum { BYTES = 8192, PITCH = 128, B_AT = 8192, C_AT = 16384, D_AT = 24576, ALL = 32768 };

static uint64_t encode(const char *type, int n) {
  const Exact e = exact_make((ExactWide)(n < 0 ? -n : n), 0, n < 0);
  if (strcmp(type, "f16") == 0) return exact_round(&kExactF16, &e, EXACT_RN);
  if (strcmp(type, "bf16") == 0) return exact_round(&kExactBf16, &e, EXACT_RN);
  if (strcmp(type, "f64") == 0) return exact_round(&kExactF64, &e, EXACT_RN);
  if (type[0] == 'f' || type[0] == 't') return exact_round(&kExactF32, &e, EXACT_RN);
  return (uint64_t)(int64_t)n & (UINT64_MAX >> (64 - bits_of(type)));
}

static void put(uint8_t *to, const char *type, size_t element, int n) {
  const unsigned bits = bits_of(type);
  const uint64_t value = encode(type, n);
  if (bits >= 8)
    memcpy(to + element * bits / 8, &value, bits / 8);
  else
    to[element * bits / 8] |= (uint8_t)(value << element * bits % 8);
}

static size_t element_of(const Matrix *x, unsigned row, unsigned column) {
  return x->by_column ? (size_t)column * x->pitch + row : (size_t)row * x->pitch + column;
}

static int draw(const char *type, unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  const int n = (int)(*seed >> 20 & 7);
  return strcmp(type, "b1") == 0 ? n & 1 : type[0] == 'u' ? n : n - 4;
}

static Matrix make(unsigned rows, unsigned columns, const char *type, bool by_column,
                   unsigned *seed, uint8_t *memory) {
  Matrix x = {.rows = rows, .columns = columns, .by_column = by_column, .pitch = PITCH};
  if (bits_of(type) >= 32) x.pitch = 32;
  for (unsigned i = 0; i < rows; i++)
    for (unsigned j = 0; j < columns; j++) {
      x.value[i][j] = draw(type, seed);
      put(memory, type, element_of(&x, i, j), x.value[i][j]);
    }
  return x;
}

static const char *registers(unsigned first, unsigned count, bool wide) {
  static char text[4][160];
  static int next;
  char *at = text[next++ % 4];
  size_t length = 0;
  for (unsigned i = 0; i < count; i++)
    length += (size_t)snprintf(at + length, 160 - length, "%c%%%c%u", i ? ',' : '{',
                               wide ? 'd' : 'r', first + i);
  snprintf(at + length, 160 - length, "}");
  return at;
}

/* Writes the kernel: all four matrices are in one buffer, which is copied to shared memory and back
 * if that is used. */
static int write_ptx(char *out, size_t size, const Case *c, bool a_col, bool b_row, bool d_col,
                     bool shared, const unsigned pitch[3]) {
  const bool wide = strcmp(c->ab, "f64") == 0;
  const char *space = shared ? ".shared" : ".global", *types = strchr(c->mma, ' ');
  char logic[16] = "";
  if (types) snprintf(logic, sizeof logic, ".%.*s", (int)(types - c->mma), c->mma);
  const char *a_order = a_col ? "col" : "row", *b_order = b_row ? "row" : "col";
  const char *of_a = registers(20, c->of_a, wide), *of_b = registers(30, c->of_b, wide);
  const char *of_c = registers(40, c->of_c, wide), *of_d = registers(50, c->of_c, wide);
  return snprintf(
      out, size,
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<2>; .reg .b32 %%r<60>; .reg .b64 "
      "%%d<60>;\n.shared .align 128 .b8 s[%d];\n"
      "ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d1, %%r0, 4; add.u64 %%d2, "
      "%%d0, %%d1; cvt.u32.u64 %%r1, %%d1; mov.u32 %%r2, s; add.u32 %%r2, %%r2, %%r1; mov.u32 "
      "%%r3, 0;\n"
      "in: ld.global.u32 %%r4, [%%d2]; st.shared.u32 [%%r2], %%r4; add.u64 %%d2, %%d2, 128; "
      "add.u32 %%r2, %%r2, 128; add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, %d; @%%p0 bra in;\n"
      "bar.sync 0; mov.u64 %%d3, s; %s"
      "wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%%d3], %u;\n"
      "wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%%d3+%d], %u;\n"
      "wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%%d3+%d], %u;\n"
      "wmma.mma%s.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n"
      "wmma.store.d.sync.aligned.%s.%s%s.%s [%%d3+%d], %s, %u;\n"
      "bar.sync 0; mov.u32 %%r3, 0; add.u64 %%d2, %%d0, %%d1; mov.u32 %%r2, s; add.u32 %%r2, "
      "%%r2, %%r1; %s\n"
      "out: ld.shared.u32 %%r4, [%%r2]; st.global.u32 [%%d2], %%r4; add.u64 %%d2, %%d2, 128; "
      "add.u32 %%r2, %%r2, 128; add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, %d; @%%p0 bra out;\n"
      "ret;\n}\n",
      ALL, ALL / 128, shared ? "" : "mov.u64 %d3, %d0;\n", a_order, c->shape, space, c->ab, of_a,
      pitch[0], b_order, c->shape, space, c->ab, of_b, B_AT, pitch[1], d_col ? "col" : "row",
      c->shape, space, c->cd, of_c, C_AT, pitch[2], logic, a_order, b_order, c->shape,
      types ? types + 1 : c->mma, of_d, of_a, of_b, of_c, d_col ? "col" : "row", c->shape, space,
      c->cd, D_AT, of_d, pitch[2], shared ? "" : "ret;", ALL / 128);
}

static int multiply(const Case *c, const Matrix *a, const Matrix *b, const Matrix *sum, unsigned i,
                    unsigned j) {
  int total = sum->value[i][j];
  for (unsigned k = 0; k < c->k; k++) {
    const int x = a->value[i][k], y = b->value[k][j];
    total += strncmp(c->mma, "xor", 3) == 0 ? x ^ y : x * y;
  }
  return total;
}

/* Checks how often loads of a and b, and stores of d, by wmma access shared memory. */
static void check_counts(const Case *c, const EmuResult *r) {
  uint64_t loads = 0, stores = 0;
  for (int i = 0; i < r->accesses; i++) {
    const EmuAccess *a = &r->access[i];
    if (strncmp(a->opcode, "wmma.load.a", 11) == 0 || strncmp(a->opcode, "wmma.load.b", 11) == 0)
      loads += a->executions;
    if (strncmp(a->opcode, "wmma.store", 10) == 0) stores += a->executions;
  }
  CHECK(loads == c->loads && stores == c->stores, "%s %s %s: %llu loads, %llu stores", c->shape,
        c->ab, c->cd, (unsigned long long)loads, (unsigned long long)stores);
}

static void run(const Case *c, bool a_col, bool b_row, bool d_col, bool shared) {
  static uint8_t memory[ALL], out[ALL];
  char ptx[4096];
  unsigned seed = 7;
  memset(memory, 0, sizeof memory);
  const Matrix a = make(c->m, c->k, c->ab, a_col, &seed, memory);
  const Matrix b = make(c->k, c->n, c->ab, !b_row, &seed, memory + B_AT);
  const Matrix sum = make(c->m, c->n, c->cd, d_col, &seed, memory + C_AT);
  const unsigned pitch[] = {a.pitch, b.pitch, sum.pitch};
  memcpy(out, memory, sizeof out);
  const int length = write_ptx(ptx, sizeof ptx, c, a_col, b_row, d_col, shared, pitch);
  Machine m = machine_open(ptx, (size_t)length);
  const Run launch = {.kernel = "k", .grid = 1, .block = 32, .out = out, .out_bytes = ALL};
  EmuResult *r = machine_run(&m, &launch);
  check_clean(r, c->shape);
  if (shared && !a_col && !b_row && !d_col) check_counts(c, r);
  for (unsigned i = 0; i < c->m; i++)
    for (unsigned j = 0; j < c->n; j++)
      put(memory + D_AT, c->cd, element_of(&sum, i, j), multiply(c, &a, &b, &sum, i, j));
  CHECK(memcmp(out, memory, ALL) == 0, "%s %s %s, a %s, b %s, d %s, %s", c->shape, c->ab, c->cd,
        a_col ? "col" : "row", b_row ? "row" : "col", d_col ? "col" : "row",
        shared ? "shared" : "global");
  emu_result_free(r);
  machine_close(&m);
}

/* 1 + 2^-11, in f32, and a product of 2^-25: their sum in f32 loses the product, and is the
 * midpoint between two fp16 values. */
static const char twice_rounded[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<8>, %z; .reg .f32 %c; .reg .b64 %d<2>;\n"
    "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 16, %d0;\n"
    "and.b32 %r1, %r0, 3; setp.eq.u32 %p, %r1, 0; selp.b32 %r2, 0x0800, 0, %p; mov.b32 %z, 0;\n"
    "mov.b32 %r3, 0x0c000c00; mov.f32 %c, 0f3F801000;\n"
    "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%r4,%r5,%r6,%r7},\n"
    "{%r3,%r3,%r3,%r3,%r3,%r3,%r3,%r3}, {%r2,%z,%z,%z,%z,%z,%z,%z}, {%c,%c,%c,%c,%c,%c,%c,%c};\n"
    "st.global.v4.b32 [%d0], {%r4,%r5,%r6,%r7}; ret;\n}\n";

/* D is written over A, of which the second half of the columns needs all: sums of 16 ones. */
static const char over_a[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<9>, %z; .reg .b64 %d<2>;\n"
    "mov.u32 %r8, %tid.x; ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r8, 16, %d0;\n"
    "mov.b32 %z, 0; mov.b32 %r8, 0x3c003c00; mov.b32 %r0, %r8; mov.b32 %r1, %r8;\n"
    "mov.b32 %r2, %r8; mov.b32 %r3, %r8; mov.b32 %r4, %r8; mov.b32 %r5, %r8;\n"
    "mov.b32 %r6, %r8; mov.b32 %r7, %r8;\n"
    "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r0,%r1,%r2,%r3},\n"
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r8,%r8,%r8,%r8,%r8,%r8,%r8,%r8}, {%z,%z,%z,%z};\n"
    "st.global.v4.b32 [%d0], {%r0,%r1,%r2,%r3}; ret;\n}\n";

/* All registers of the 32 threads of `ptx` hold `want`, checked and unchecked. */
static void check_product(const char *ptx, const char *name, uint32_t want) {
  uint32_t out[128] = {0};
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {.kernel = "k", .grid = 1, .block = 32, .out = out, .out_bytes = sizeof out};
  EmuResult *r = machine_run(&m, &run);
  check_clean(r, name);
  for (int i = 0; i < 128; i++) CHECK(out[i] == want, "%s: register %d: %08x", name, i, out[i]);
  emu_result_free(r);
  machine_close(&m);
}

int main(void) {
  check_product(twice_rounded, "rounded twice", 0x3c003c00);
  check_product(over_a, "over A", 0x4c004c00);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned form = 0; form < 16; form++) {
      const bool a_col = form & 1, b_row = form >> 1 & 1;
      if (bits_of(cases[i].ab) < 8 && (a_col || b_row)) continue;
      run(&cases[i], a_col, b_row, form >> 2 & 1, form >> 3 & 1);
    }
  return check_report("emu_wmma");
}
