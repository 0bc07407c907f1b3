/* SPDX-License-Identifier: MIT */
/* Surfaces compared with host arithmetic: loads, stores and reductions of every shape and width,
 * coordinates out of range, queries, variables that hold handles, and findings. */
#include "emu/emu_run.h"

enum { W = 32, H = 4, D = 3, WORDS = W * H * D * 4, THREADS = 32 };

static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .surfref held;\n.global .texref seen;\n"
    ".visible .entry k(.param .u64 s, .param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %%p; .reg .b32 %%r<24>; .reg .b64 %%d<8>; .reg .b32 %%v<4>; .reg .b16 %%h<4>;\n"
    ".shared .align 16 .b8 tile[64];\n"
    "ld.param.u64 %%d0, [s]; ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out];\n"
    "mov.u32 %%r0, %%tid.x; mad.wide.u32 %%d1, %%r0, 32, %%d1; mad.wide.u32 %%d2, %%r0, 16, %%d2;\n"
    "ld.global.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%d1];\n"
    "ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%d1+16];\n"
    "mov.b64 %%d3, {%%v0, %%v1}; mov.b64 %%d4, {%%v2, %%v3}; cvt.u16.u32 %%h0, %%v0;\n"
    "%s\n"
    "st.global.v4.b32 [%%d2], {%%v0, %%v1, %%v2, %%v3}; ret;\n}\n";

/* One thread's coordinates and values. */
typedef struct {
  int32_t x, y, z, layer;
  uint32_t value[4];
} Input;

typedef struct {
  Machine machine;
  EmuImage image;
  uint64_t surface;
  Input in[THREADS];
  uint32_t out[THREADS][4];
  uint32_t before[WORDS], after[WORDS]; /* the image's memory */
  EmuResult *result;
} Scene;

static uint32_t mixed(uint32_t i) {
  i = (i ^ i >> 16) * 0x45d9f3bu;
  return (i ^ i >> 15) * 0x2c1b3c6du;
}

/* Gives the threads coordinates that no two share, in units of `unit` bytes. */
static void spread(Scene *s, unsigned unit) {
  const uint32_t row = s->image.width * 4 * (uint32_t)s->image.channels / unit;
  for (uint32_t i = 0; i < THREADS; i++) {
    Input *in = &s->in[i];
    const uint32_t n = i * 7 % (row * s->image.height * s->image.depth);
    in->x = (int32_t)(n % row * unit);
    in->y = (int32_t)(n / row % s->image.height);
    in->z = in->layer = (int32_t)(n / row / s->image.height);
    for (uint32_t k = 0; k < 4; k++) in->value[k] = mixed(i * 4 + k + 1);
  }
}

static void open_scene(Scene *s, const char *body, EmuImageShape shape, EmuTexel texel,
                       int channels) {
  char ptx[8192];
  const char *why;
  memset(s, 0, sizeof *s);
  snprintf(ptx, sizeof ptx, frame, body);
  s->machine = machine_open(ptx, strlen(ptx));
  const bool flat = shape == EMU_IMAGE_1D || shape == EMU_IMAGE_A1D;
  const bool deep = shape != EMU_IMAGE_1D && shape != EMU_IMAGE_2D;
  s->image = (EmuImage){.shape = shape,
                        .texel = texel,
                        .channels = channels,
                        .width = W,
                        .height = flat ? 1 : H,
                        .depth = deep ? D : 1,
                        .levels = 1};
  s->image.address = emu_alloc(s->machine.memory, sizeof s->before, "image");
  s->surface = emu_surface_new(s->machine.memory, &s->image, &why);
  CHECK(s->surface, "%s", why);
  for (uint32_t i = 0; i < WORDS; i++) s->before[i] = mixed(i + 1000);
  emu_copy_in(s->machine.memory, s->image.address, s->before, sizeof s->before);
}

static void launch(Scene *s, uint64_t handle) {
  EmuMemory *m = s->machine.memory;
  const uint64_t in = emu_alloc(m, sizeof s->in, "in"), out = emu_alloc(m, sizeof s->out, "out");
  emu_copy_in(m, in, s->in, sizeof s->in);
  const EmuLaunch launch = {.kernel = "k",
                            .grid = {1, 1, 1},
                            .block = {THREADS, 1, 1},
                            .args = (const void *[]){&handle, &in, &out},
                            .threads = 1};
  s->result = emu_launch(s->machine.module, &launch);
  emu_copy_out(m, s->out, out, sizeof s->out);
  emu_copy_out(m, s->after, s->image.address, sizeof s->after);
}

static void close_scene(Scene *s) {
  emu_result_free(s->result);
  machine_close(&s->machine);
}

/* The location of a thread's byte in the image's memory. */
static uint8_t *place(const Scene *s, uint32_t *memory, const Input *in) {
  const uint64_t row = (uint64_t)s->image.width * 4 * (uint64_t)s->image.channels;
  return (uint8_t *)memory + (uint64_t)in->z * row * s->image.height + (uint64_t)in->y * row +
         (uint64_t)in->x;
}

/* --- shapes and widths --- */

static const char *const geometry[] = {"1d", "2d", "3d", "a1d", "a2d"};
static const char *const at[] = {"%r1", "%r1, %r2", "%r1, %r2, %r3, %r3", "%r4, %r1",
                                 "%r4, %r1, %r2, %r2"};

typedef struct {
  const char *type, *registers;
  unsigned bytes;
} Width;

static const Width widths[] = {{"b8", "%h0", 1},
                               {"b16", "%h0", 2},
                               {"b32", "%v0", 4},
                               {"b64", "%d3", 8},
                               {"v2.b32", "{%v0, %v1}", 8},
                               {"v4.b32", "{%v0, %v1, %v2, %v3}", 16},
                               {"v2.b64", "{%d3, %d4}", 16}};

static void store(int shape, const Width *w) {
  char body[256];
  Scene s;
  snprintf(body, sizeof body, "sust.b.%s.%s.trap [%%d0, {%s}], %s;", geometry[shape], w->type,
           at[shape], w->registers);
  open_scene(&s, body, (EmuImageShape)shape, EMU_TEXEL_F32, 4);
  spread(&s, w->bytes);
  launch(&s, s.surface);
  check_clean(s.result, body);
  for (int i = 0; i < THREADS; i++) memcpy(place(&s, s.before, &s.in[i]), s.in[i].value, w->bytes);
  CHECK(memcmp(s.before, s.after, sizeof s.after) == 0, "%s", body);
  close_scene(&s);
}

static void load(int shape, const Width *w) {
  char body[512];
  Scene s;
  snprintf(body, sizeof body,
           "suld.b.%s.%s.zero %s, [%%d0, {%s}];\n"
           "%s",
           geometry[shape], w->type, w->registers, at[shape],
           w->bytes <= 2            ? "cvt.u32.u16 %v0, %h0;"
           : strstr(w->type, "b64") ? "mov.b64 {%v0, %v1}, %d3; mov.b64 {%v2, %v3}, %d4;"
                                    : "");
  open_scene(&s, body, (EmuImageShape)shape, EMU_TEXEL_F32, 4);
  spread(&s, w->bytes);
  launch(&s, s.surface);
  check_clean(s.result, body);
  for (int i = 0; i < THREADS; i++)
    CHECK(memcmp(place(&s, s.before, &s.in[i]), s.out[i], w->bytes) == 0, "%s: thread %d", body, i);
  close_scene(&s);
}

static void test_widths(void) {
  for (int shape = 0; shape < 5; shape++)
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
      store(shape, &widths[i]);
      load(shape, &widths[i]);
    }
}

/* --- out of range --- */

static int32_t clamped(int32_t x, int32_t last) { return x < 0 ? 0 : x > last ? last : x; }

/* Places threads on both sides of every edge. */
static void spread_out(Scene *s) {
  spread(s, 4);
  for (int i = 0; i < THREADS; i++) {
    if (i % 2 == 0) s->in[i].x += (i % 4 ? 1 : -1) * W * 4;
    if (i % 8 == 3) s->in[i].y += i % 16 == 3 ? H : -H;
  }
}

static bool is_inside(const Input *in) {
  return in->x >= 0 && in->x < W * 4 && in->y >= 0 && in->y < H;
}

static void test_zero(void) {
  Scene s;
  open_scene(&s,
             "suld.b.2d.b32.zero %v1, [%d0, {%r1, %r2}];\n"
             "sust.b.2d.b32.zero [%d0, {%r1, %r2}], %v0; mov.b32 %v0, %v1;",
             EMU_IMAGE_2D, EMU_TEXEL_U32, 1);
  spread_out(&s);
  launch(&s, s.surface);
  check_clean(s.result, "zero");
  for (int i = 0; i < THREADS; i++) {
    const bool inside = is_inside(&s.in[i]);
    uint32_t old = 0;
    if (inside) memcpy(&old, place(&s, s.before, &s.in[i]), sizeof old);
    CHECK(s.out[i][0] == old, "zero: thread %d loads 0x%x, want 0x%x", i, s.out[i][0], old);
    if (inside) memcpy(place(&s, s.before, &s.in[i]), s.in[i].value, 4);
  }
  CHECK(memcmp(s.before, s.after, sizeof s.after) == 0, "stores out of range are dropped");
  close_scene(&s);
}

static void test_clamp(void) {
  Scene s;
  open_scene(&s, "suld.b.2d.b32.clamp %v0, [%d0, {%r1, %r2}];", EMU_IMAGE_2D, EMU_TEXEL_U32, 1);
  spread_out(&s);
  launch(&s, s.surface);
  check_clean(s.result, "clamp");
  for (int i = 0; i < THREADS; i++) {
    const Input in = {.x = clamped(s.in[i].x, W * 4 - 4), .y = clamped(s.in[i].y, H - 1)};
    CHECK(memcmp(place(&s, s.before, &in), s.out[i], 4) == 0, "clamp: thread %d", i);
  }
  close_scene(&s);
}

/* Rows whose bytes are not a multiple of the access: an H200 takes the last whole one. */
static void test_clamp_wide(void) {
  enum { BYTES = 16, WIDTH = W - 3, LAST = (WIDTH * 4 / BYTES - 1) * BYTES };
  _Static_assert(WIDTH * 4 % BYTES != 0, "a row ends within an access");
  const char *why;
  Scene s;
  open_scene(&s, "suld.b.2d.v4.b32.clamp {%v0, %v1, %v2, %v3}, [%d0, {%r1, %r2}];", EMU_IMAGE_2D,
             EMU_TEXEL_U32, 1);
  s.image.width = WIDTH;
  s.surface = emu_surface_new(s.machine.memory, &s.image, &why);
  CHECK(s.surface, "%s", why);
  for (int i = 0; i < THREADS; i++) s.in[i] = (Input){.x = (i - 2) * BYTES};
  launch(&s, s.surface);
  check_clean(s.result, "wide clamp");
  for (int i = 0; i < THREADS; i++) {
    const Input in = {.x = clamped(s.in[i].x, LAST), .y = s.in[i].y};
    CHECK(memcmp(place(&s, s.before, &in), s.out[i], BYTES) == 0, "wide clamp: thread %d", i);
  }
  close_scene(&s);
}

/* A .trap access out of range ends the launch, as on a GPU: nothing after it is executed. */
static void test_trap(void) {
  Scene s;
  open_scene(&s, "suld.b.2d.b32.trap %v0, [%d0, {%r1, %r2}]; mov.b32 %v1, 77;", EMU_IMAGE_2D,
             EMU_TEXEL_U32, 1);
  spread_out(&s);
  launch(&s, s.surface);
  const EmuResult *r = s.result;
  CHECK(r->findings == 1 && r->finding[0].kind == EMU_OUT_OF_BOUNDS, "%d findings", r->findings);
  CHECK(r->findings && strstr(r->finding[0].message, "32 x 4 x 1 texels of 4 bytes"), "%s",
        r->findings ? r->finding[0].message : "");
  CHECK(s.out[1][1] != 77, "goes on after the trap");
  close_scene(&s);
}

/* --- texels --- */

static void texel_store(EmuTexel texel, int channels, const uint32_t given[4], const void *want,
                        unsigned bytes) {
  Scene s;
  open_scene(&s, "sust.p.2d.v4.b32.trap [%d0, {%r1, %r2}], {%v0, %v1, %v2, %v3};", EMU_IMAGE_2D,
             texel, channels);
  for (int i = 0; i < THREADS; i++) {
    s.in[i] = (Input){.x = i % W, .y = i / W};
    memcpy(s.in[i].value, given, sizeof s.in[i].value);
  }
  launch(&s, s.surface);
  check_clean(s.result, "sust.p");
  for (unsigned i = 0; i < THREADS; i++)
    CHECK(memcmp((uint8_t *)s.after + i * bytes, want, bytes) == 0, "sust.p: type %d, texel %u",
          texel, i);
  close_scene(&s);
}

static void test_texels(void) {
  const uint32_t floats[4] = {0x3fc00000, 0xc0000000, 0x7f7fffff, 0x33000000};
  const uint32_t integers[4] = {5, 300, 0xffffffff, 70000};
  texel_store(EMU_TEXEL_F32, 4, floats, floats, 16);
  texel_store(EMU_TEXEL_F16, 2, floats, (uint16_t[]){0x3e00, 0xc000}, 4);
  texel_store(EMU_TEXEL_U32, 2, integers, integers, 8);
}

/* --- reductions --- */

typedef struct {
  const char *opcode;
  EmuTexel texel;
  uint32_t (*combine)(uint32_t old, uint32_t value);
} Reduction;

static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t most(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
static uint32_t both(uint32_t a, uint32_t b) { return a & b; }
static uint32_t either(uint32_t a, uint32_t b) { return a | b; }

static const Reduction reductions[] = {
    {"b.add.2d.u32", EMU_TEXEL_U32, add},   {"b.min.2d.u32", EMU_TEXEL_U32, least},
    {"b.max.2d.s32", EMU_TEXEL_U32, most},  {"b.and.2d.b32", EMU_TEXEL_U32, both},
    {"b.or.2d.b32", EMU_TEXEL_U32, either}, {"p.add.2d.b32", EMU_TEXEL_U32, add},
    {"p.min.2d.b32", EMU_TEXEL_U32, least}, {"p.max.2d.b32", EMU_TEXEL_S32, most}};

/* Reduces by all threads into a few texels. */
static void reduce(const Reduction *r) {
  char body[128];
  Scene s;
  const int unit = r->opcode[0] == 'p' ? 1 : 4;
  snprintf(body, sizeof body, "sured.%s.trap [%%d0, {%%r1, %%r2}], %%v0;", r->opcode);
  open_scene(&s, body, EMU_IMAGE_2D, r->texel, 1);
  spread(&s, 4);
  for (int i = 0; i < THREADS; i++) s.in[i].x = i % 3 * unit, s.in[i].y = i % 2;
  launch(&s, s.surface);
  check_clean(s.result, body);
  for (int i = 0; i < THREADS; i++) {
    uint32_t *word = &s.before[i % 2 * W + i % 3];
    *word = r->combine(*word, s.in[i].value[0]);
  }
  CHECK(memcmp(s.before, s.after, sizeof s.after) == 0, "%s", body);
  close_scene(&s);
}

static void test_wide_reduction(void) {
  Scene s;
  open_scene(&s, "sured.b.add.1d.u64.trap [%d0, {0}], %d3;", EMU_IMAGE_1D, EMU_TEXEL_U32, 2);
  spread(&s, 8);
  launch(&s, s.surface);
  uint64_t want, got;
  memcpy(&want, s.before, sizeof want);
  for (int i = 0; i < THREADS; i++) want += s.in[i].value[0] | (uint64_t)s.in[i].value[1] << 32;
  memcpy(&got, s.after, sizeof got);
  CHECK(got == want, "sums of 64 bits: 0x%llx, want 0x%llx", (unsigned long long)got,
        (unsigned long long)want);
  close_scene(&s);
}

/* Every other lane's surface has unsigned texels, in the same memory. */
static void test_mixed_reduction(void) {
  Scene s;
  const char *why;
  open_scene(&s, "sured.p.max.2d.b32.trap [%d4, {%r1, %r2}], %v0;", EMU_IMAGE_2D, EMU_TEXEL_S32, 1);
  EmuImage of_unsigned = s.image;
  of_unsigned.texel = EMU_TEXEL_U32;
  const uint64_t handle[2] = {s.surface, emu_surface_new(s.machine.memory, &of_unsigned, &why)};
  CHECK(handle[1], "%s", why);
  for (int i = 0; i < THREADS; i++) {
    s.in[i] = (Input){.x = i % W, .y = i / W, .value = {mixed((uint32_t)i)}};
    memcpy(&s.in[i].value[2], &handle[i % 2], sizeof handle[i % 2]);
  }
  launch(&s, s.surface);
  check_clean(s.result, "sured.p of surfaces that differ");
  for (int i = 0; i < THREADS; i++) {
    const uint32_t old = s.before[i], value = s.in[i].value[0];
    const uint32_t want = i % 2 ? (old > value ? old : value) : most(old, value);
    CHECK(s.after[i] == want, "lane %d: 0x%x, want 0x%x", i, s.after[i], want);
  }
  close_scene(&s);
}

/* With one-byte texels, a reduction of four bytes crosses the end of a row before they do. */
static void test_narrow_reduction(void) {
  const char *why;
  Scene s;
  open_scene(&s, "sured.p.add.1d.b32.trap [%d0, {4}], %v0;", EMU_IMAGE_1D, EMU_TEXEL_U8, 1);
  s.image.width = 5;
  s.surface = emu_surface_new(s.machine.memory, &s.image, &why);
  CHECK(s.surface, "%s", why);
  spread(&s, 4);
  launch(&s, s.surface);
  CHECK(s.result->findings == 1 && s.result->finding[0].kind == EMU_OUT_OF_BOUNDS,
        "a reduction beyond the row: %d findings", s.result->findings);
  CHECK(memcmp(s.before, s.after, sizeof s.after) == 0, "memory beyond the row is changed");
  close_scene(&s);
}

static void test_reductions(void) {
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) reduce(&reductions[i]);
  test_wide_reduction();
  test_mixed_reduction();
  test_narrow_reduction();
}

/* --- queries, and variables --- */

/* Queries an image; the number of layers is in the position of one more dimension. */
static void query(EmuImageShape shape, uint32_t height, uint32_t depth) {
  Scene s;
  open_scene(&s,
             "suq.width.b32 %v0, [%d0]; suq.height.b32 %v1, [%d0]; suq.depth.b32 %v2, [%d0];\n"
             "suq.channel_data_type.b32 %v3, [%d0];",
             shape, EMU_TEXEL_F16, 2);
  launch(&s, s.surface);
  check_clean(s.result, "suq");
  const uint32_t want[4] = {W, height, depth, 0x10dd};
  CHECK(memcmp(s.out[5], want, sizeof want) == 0, "suq: %u %u %u 0x%x", s.out[5][0], s.out[5][1],
        s.out[5][2], s.out[5][3]);
  close_scene(&s);
}

static void test_queries(void) {
  query(EMU_IMAGE_1D, 0, 0);
  query(EMU_IMAGE_2D, H, 0);
  query(EMU_IMAGE_3D, H, D);
  query(EMU_IMAGE_A1D, D, 0);
  query(EMU_IMAGE_A2D, H, D);
}

static void test_texture_queries(void) {
  Scene s;
  const char *why;
  open_scene(&s,
             "txq.width.b32 %v0, [%d0]; txq.level.height.b32 %v1, [%d0], 1;\n"
             "txq.addr_mode_1.b32 %v2, [%d0]; txq.num_mipmap_levels.b32 %v3, [%d0];",
             EMU_IMAGE_2D, EMU_TEXEL_F32, 1);
  s.image.levels = 2;
  const EmuSampler sampler = {.along = {EMU_WRAP, EMU_MIRROR, EMU_CLAMP}, .normalised = true};
  launch(&s, emu_texture_new(s.machine.memory, &s.image, &sampler, &why));
  check_clean(s.result, "txq");
  const uint32_t want[4] = {W, H / 2, EMU_MIRROR, 2};
  CHECK(memcmp(s.out[5], want, sizeof want) == 0, "txq: %u %u %u %u", s.out[5][0], s.out[5][1],
        s.out[5][2], s.out[5][3]);
  close_scene(&s);
}

/* A surface variable is accessed by its name, and by its address. */
static void test_variables(void) {
  Scene s;
  const char *why;
  open_scene(&s,
             "suld.b.1d.b32.trap %v0, [held, {4}]; mov.u64 %d5, held;\n"
             "suld.b.1d.b32.trap %v1, [%d5, {8}];\n"
             "tex.1d.v4.u32.s32 {%v2, _, _, %v3}, [seen, {3}];",
             EMU_IMAGE_1D, EMU_TEXEL_U32, 1);
  const EmuSampler sampler = {.along = {EMU_CLAMP, EMU_CLAMP, EMU_CLAMP}};
  const uint64_t texture = emu_texture_new(s.machine.memory, &s.image, &sampler, &why);
  CHECK(emu_set_variable(s.machine.module, "held", &s.surface, 8) &&
            emu_set_variable(s.machine.module, "seen", &texture, 8),
        "variables of opaque types hold handles");
  launch(&s, 0);
  check_clean(s.result, "variables");
  for (int i = 0; i < 3; i++)
    CHECK(s.out[0][i] == s.before[i + 1], "variable %d: 0x%x", i, s.out[0][i]);
  close_scene(&s);
}

/* --- what is found --- */

typedef struct {
  const char *name, *body;
  EmuFindingKind kind;
  const char *message;
  uint64_t handle; /* 0: the surface's */
  bool freed;
} Fault;

static const Fault faults[] = {
    {"no handle", "suld.b.2d.b32.zero %v0, [%d0, {0, 0}];", EMU_OUT_OF_BOUNDS,
     "the handle 0x11, which is no surface", 0x11, false},
    {"a surface as a texture", "tex.2d.v4.u32.s32 {%v0, %v1, %v2, %v3}, [%d0, {0, 0}];",
     EMU_OUT_OF_BOUNDS, "which is no texture", 0, false},
    {"freed", "suld.b.2d.b32.zero %v0, [%d0, {0, 0}];", EMU_OUT_OF_BOUNDS, "has been freed", 0,
     true},
    {"misaligned", "suld.b.2d.b32.zero %v0, [%d0, {2, 0}];", EMU_MISALIGNED, "multiple of 4", 0,
     false},
    {"race", "sust.b.2d.b32.zero [%d0, {0, 0}], %r0;", EMU_RACE, "", 0, false},
    {"undefined value",
     "mov.u32 %r10, tile; ld.shared.b32 %r11, [%r10]; shl.b32 %r12, %r0, 2;\n"
     "rem.u32 %r12, %r12, 32; shr.u32 %r13, %r0, 3; sust.b.2d.b32.zero [%d0, {%r12, %r13}], %r11;",
     EMU_UNINITIALISED, "", 0, false},
    {"undefined place",
     "mov.u32 %r10, tile; ld.shared.b32 %r11, [%r10]; suld.b.2d.b32.zero %v0, [%d0, {%r11, 0}];",
     EMU_UNINITIALISED, "is part of an address", 0, false},
};

static void find(const Fault *f) {
  Scene s;
  open_scene(&s, f->body, EMU_IMAGE_2D, EMU_TEXEL_U32, 1);
  spread(&s, 4);
  if (f->freed) emu_free(s.machine.memory, s.image.address);
  launch(&s, f->handle ? f->handle : s.surface);
  const EmuResult *r = s.result;
  CHECK(r->findings >= 1, "%s: nothing found", f->name);
  if (r->findings)
    CHECK(r->finding[0].kind == f->kind && strstr(r->finding[0].message, f->message), "%s: %s",
          f->name, r->finding[0].message);
  close_scene(&s);
}

/* A kernel that writes the linear memory of its own texture, which texture caches do not see. */
static void test_texture_race(void) {
  Scene s;
  const char *why;
  open_scene(&s, "st.global.b32 [%d3], %r0; tex.1d.v4.u32.s32 {%v0, %v1, %v2, %v3}, [%d0, {0}];",
             EMU_IMAGE_1D, EMU_TEXEL_U32, 1);
  s.image.shape = EMU_IMAGE_BUFFER;
  spread(&s, 4);
  for (uint64_t i = 0; i < THREADS; i++) {
    const uint64_t word = s.image.address + i % W * 4;
    memcpy(s.in[i].value, &word, sizeof word);
  }
  const EmuSampler sampler = {.along = {EMU_CLAMP, EMU_CLAMP, EMU_CLAMP}};
  launch(&s, emu_texture_new(s.machine.memory, &s.image, &sampler, &why));
  bool met = false;
  for (int i = 0; i < s.result->findings; i++) met |= s.result->finding[i].kind == EMU_RACE;
  CHECK(met, "a race with a texture is not found");
  close_scene(&s);
}

static void test_faults(void) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) find(&faults[i]);
  test_texture_race();
}

int main(void) {
  test_widths();
  test_zero();
  test_clamp();
  test_clamp_wide();
  test_trap();
  test_texels();
  test_reductions();
  test_queries();
  test_texture_queries();
  test_variables();
  test_faults();
  return check_report("emu_surface");
}
