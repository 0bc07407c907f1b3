/* SPDX-License-Identifier: MIT */
/* Textures and surfaces against what an H200 returned, bit for bit: data/h200_texture.txt. */
#include "emu/emu_run.h"
#include "emu/emu_texels.h"

enum { MAX_ROWS = 64, ROW = 11, LINEAR = 7, PITCH = 8 };

typedef struct {
  char shape[8], type[8], fill[8], filter[8], along[3][8], read[8], op[8], mip[8];
  unsigned w, h, d, levels, seed;
  int channels, normalised, srgb, seamless, border, opti;
  float bias, least, most;
} Config;

static const char *const type_names[] = {"u8",  "s8",  "u16", "s16", "u32",
                                         "s32", "f16", "f32", NULL};
static const char *const fill_names[] = {"random", "impulse", "wide", "big", NULL};
static const char *const along_names[] = {"wrap", "clamp", "mirror", "border", NULL};
static const char *const shape_names[] = {"1d",   "2d",    "3d",     "a1d",   "a2d",
                                          "cube", "acube", "linear", "pitch", NULL};

static int which(const char *const *names, const char *name) {
  int i = 0;
  while (names[i] && strcmp(names[i], name) != 0) i++;
  if (!names[i]) die("no name %s", name);
  return i;
}

static uint32_t row[MAX_ROWS][ROW], want[MAX_ROWS][4], got[MAX_ROWS][4];

/* --- images --- */

static void fill_level(EmuMemory *m, const EmuImage *image, unsigned level, Fill fill,
                       uint32_t seed) {
  const EmuImageLevel l = emu_image_level(image, level);
  const uint32_t bytes = (uint32_t)texel_bytes(image->texel), channels = (uint32_t)image->channels;
  for (uint32_t i = 0; i < l.width * l.height * l.depth * channels; i++) {
    const uint32_t n = i / channels, x = n % l.width, y = n / l.width % l.height,
                   z = n / l.width / l.height;
    const bool hit = x == l.width / 2 && y == l.height / 2 && z == l.depth / 2;
    const uint32_t t = texel_bits(image->texel, fill, seed + 1000 * level, i, hit);
    const uint64_t at = l.offset + z * l.slice + y * l.row + x * l.texel + i % channels * bytes;
    emu_copy_in(m, image->address + at, &t, bytes);
  }
}

static EmuImage image_of(EmuMemory *m, const Config *c) {
  const int shape = which(shape_names, c->shape);
  EmuImage image = {.shape = shape == PITCH ? EMU_IMAGE_2D : (EmuImageShape)shape,
                    .texel = (EmuTexel)which(type_names, c->type),
                    .channels = c->channels,
                    .width = c->w,
                    .height = c->h,
                    .depth = c->d,
                    .levels = c->levels ? c->levels : 1};
  if (shape == PITCH) image.pitch = 512 * 16;
  image.address = emu_alloc(m, emu_image_bytes(&image), "image");
  for (unsigned i = 0; i < image.levels; i++)
    fill_level(m, &image, i, (Fill)which(fill_names, c->fill), c->seed);
  return image;
}

static EmuSampler sampler_of(const Config *c) {
  EmuSampler s = {.linear = strcmp(c->filter, "linear") == 0,
                  .normalised = c->normalised,
                  .as_fractions = strcmp(c->read, "norm") == 0,
                  .srgb = c->srgb,
                  .seamless = c->seamless,
                  .linear_levels = strcmp(c->mip, "linear") == 0,
                  .bias = c->bias,
                  .least_level = c->least,
                  .most_level = c->most};
  for (int i = 0; i < 3; i++) s.along[i] = (EmuAddressing)which(along_names, c->along[i]);
  if (c->border) memcpy(s.border, (float[]){0.3f, -0.7f, 1.9f, 0.45f}, sizeof s.border);
  return s;
}

/* --- kernels --- */

static const char head[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %%p; .reg .b32 %%r<16>; .reg .b64 %%d<8>; .reg .b32 %%c<16>; .reg .b32 %%v<4>;\n"
    ".reg .b16 %%h<4>;\n"
    "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%tid.x; mad.lo.u32 %%r0, %%r0, 128, %%r1;\n"
    "ld.param.u32 %%r1, [n]; setp.ge.u32 %%p, %%r0, %%r1; @%%p ret;\n"
    "ld.param.u64 %%d0, [t]; ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [out];\n"
    "mad.wide.u32 %%d1, %%r0, 44, %%d1; mad.wide.u32 %%d2, %%r0, 16, %%d2;\n"
    "ld.global.b32 %%c0, [%%d1]; ld.global.b32 %%c1, [%%d1+4]; ld.global.b32 %%c2, [%%d1+8];\n"
    "ld.global.b32 %%c3, [%%d1+12]; ld.global.b32 %%c4, [%%d1+16]; ld.global.b32 %%c5, "
    "[%%d1+20];\n"
    "ld.global.b32 %%c6, [%%d1+24]; ld.global.b32 %%c7, [%%d1+28]; ld.global.b32 %%c8, "
    "[%%d1+32];\n"
    "ld.global.b32 %%c9, [%%d1+36]; ld.global.b32 %%c10, [%%d1+40];\n"
    "%s\n"
    "st.global.v4.b32 [%%d2], {%%v0, %%v1, %%v2, %%v3}; ret;\n}\n";

/* The operand's coordinates by shape; c10 is the layer. */
static const char *const places[] = {"%c0",
                                     "%c0, %c1",
                                     "%c0, %c1, %c2, %c2",
                                     "%c10, %c0",
                                     "%c10, %c0, %c1, %c1",
                                     "%c0, %c1, %c2, %c2",
                                     "%c10, %c0, %c1, %c2"};
static const char *const gradients[] = {", {%c4}, {%c7}", ", {%c4, %c5}, {%c7, %c8}",
                                        ", {%c4, %c5, %c6, %c6}, {%c7, %c8, %c9, %c9}",
                                        ", {%c4}, {%c7}", ", {%c4, %c5}, {%c7, %c8}"};

static void write_body(const Config *c, char *out, size_t size) {
  const int listed = which(shape_names, c->shape), shape = listed == LINEAR  ? 0
                                                           : listed == PITCH ? 1
                                                                             : listed;
  const bool f =
      strcmp(c->type, "f16") == 0 || strcmp(c->type, "f32") == 0 || strcmp(c->read, "norm") == 0;
  const char *type = f ? "f32" : c->type[0] == 's' ? "s32" : "u32", *geometry = shape_names[shape];
  const bool integers = strcmp(c->op, "fetch") == 0 || strcmp(c->op, "s32") == 0;
  const bool given = strcmp(c->op, "lod") == 0, graded = strcmp(c->op, "grad") == 0;
  if (c->op[0] == 'g' && !graded)
    snprintf(out, size, "tld4.%c.2d.v4.%s.f32 {%%v0, %%v1, %%v2, %%v3}, [%%d0, {%s}];",
             "rgba"[c->op[1] - '0'], type, places[shape]);
  else if (strcmp(c->op, "f16") == 0)
    snprintf(out, size,
             "tex.2d.v4.f16.f32 {%%h0, %%h1, %%h2, %%h3}, [%%d0, {%s}];\n"
             "cvt.u32.u16 %%v0, %%h0; cvt.u32.u16 %%v1, %%h1; cvt.u32.u16 %%v2, %%h2; cvt.u32.u16 "
             "%%v3, %%h3;",
             places[shape]);
  else
    snprintf(out, size, "tex.%s%s.v4.%s.%s {%%v0, %%v1, %%v2, %%v3}, [%%d0, {%s}]%s;",
             given    ? "level."
             : graded ? "grad."
                      : "",
             geometry, type, integers ? "s32" : "f32", places[shape],
             given    ? ", %c3"
             : graded ? gradients[shape]
                      : "");
}

/* --- comparison --- */

static bool same(uint32_t a, uint32_t b) {
  const bool nan = (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
  return a == b || nan;
}

static void compare(const char *line, int rows) {
  int bad = 0;
  for (int i = 0; i < rows; i++) {
    bool equal = true;
    for (int k = 0; k < 4; k++) equal &= same(got[i][k], want[i][k]);
    if (equal || bad++ > 2) continue;
    fprintf(stderr, "  %x %x %x %x layer %d: %x %x %x %x, want %x %x %x %x\n", row[i][0], row[i][1],
            row[i][2], row[i][3], (int)row[i][10], got[i][0], got[i][1], got[i][2], got[i][3],
            want[i][0], want[i][1], want[i][2], want[i][3]);
  }
  CHECK(bad == 0, "%d of %d: %s", bad, rows, line);
}

static void run_config(const Config *c, const char *line, int rows) {
  char body[512], ptx[4096];
  const char *why;
  write_body(c, body, sizeof body);
  snprintf(ptx, sizeof ptx, head, body);
  Machine m = machine_open(ptx, strlen(ptx));
  const EmuImage image = image_of(m.memory, c);
  EmuImage shown = image;
  if (strcmp(c->shape, "linear") == 0) shown.shape = EMU_IMAGE_BUFFER;
  const EmuSampler sampler = sampler_of(c);
  const uint64_t texture = emu_texture_new(m.memory, &shown, &sampler, &why);
  CHECK(texture, "%s: %s", line, why);
  const uint64_t in = emu_alloc(m.memory, sizeof row, "in"),
                 out = emu_alloc(m.memory, sizeof got, "out");
  emu_copy_in(m.memory, in, row, sizeof row);
  const uint32_t n = (uint32_t)rows;
  const EmuLaunch launch = {.kernel = "k",
                            .grid = {(n + 127) / 128, 1, 1},
                            .block = {128, 1, 1},
                            .args = (const void *[]){&texture, &in, &out, &n},
                            .threads = 1};
  EmuResult *r = emu_launch(m.module, &launch);
  check_clean(r, line);
  emu_copy_out(m.memory, got, out, sizeof got);
  compare(line, rows);
  emu_result_free(r);
  machine_close(&m);
}

/* --- reading --- */

static bool read_config(const char *line, Config *c) {
  int id;
  return sscanf(line,
                "T %d dim=%7s w=%u h=%u d=%u type=%7s ch=%d fill=%7s filter=%7s "
                "addr=%7[^,],%7[^,],%7s norm=%d read=%7s srgb=%d op=%7s levels=%u mip=%7s bias=%f "
                "min=%f max=%f seamless=%d border=%d seed=%u opti=%d",
                &id, c->shape, &c->w, &c->h, &c->d, c->type, &c->channels, c->fill, c->filter,
                c->along[0], c->along[1], c->along[2], &c->normalised, c->read, &c->srgb, c->op,
                &c->levels, c->mip, &c->bias, &c->least, &c->most, &c->seamless, &c->border,
                &c->seed, &c->opti) == 25;
}

static void read_row(char *at, int i) {
  memset(row[i], 0, sizeof row[i]);
  for (int k = 0; k < 4; k++) row[i][k] = (uint32_t)strtoul(at, &at, 16);
  row[i][10] = (uint32_t)strtol(at, &at, 10);
  for (int k = 4; k < 10 && !strchr(" =", at[1]); k++) row[i][k] = (uint32_t)strtoul(at, &at, 16);
  at = strchr(at, '=') + 1;
  for (int k = 0; k < 4; k++) want[i][k] = (uint32_t)strtoul(at, &at, 16);
}

/* A handle that the program chose is given to one texture only, until that is freed. */
static void test_handles(void) {
  EmuMemory *m = emu_memory_new();
  EmuImage image = {
      .shape = EMU_IMAGE_1D, .channels = 1, .width = 4, .height = 1, .depth = 1, .levels = 1};
  const EmuSampler sampler = {.linear = false};
  const char *why;
  image.address = emu_alloc(m, 64, "image");
  const uint64_t first = emu_texture_new(m, &image, &sampler, &why), next = first + 1;
  CHECK(first && !emu_texture_at(m, first, &image, &sampler, &why) && strstr(why, "taken"),
        "twice");
  CHECK(!emu_texture_at(m, first, &image, NULL, &why), "a surface in its place");
  CHECK(emu_texture_at(m, next, &image, NULL, &why), "the next: %s", why);
  CHECK(!emu_texture_at(m, next, &image, &sampler, &why), "a texture in a surface's place");
  CHECK(emu_texture_free(m, first) && emu_texture_at(m, first, &image, &sampler, &why), "freed");
  CHECK(!emu_texture_at(m, 64, &image, &sampler, &why), "an address is no handle");
  emu_memory_free(m);
}

int main(void) {
  test_handles();
  FILE *f = fopen(KGEN_SOURCE_DIR "/tests/emu/data/h200_texture.txt", "r");
  if (!f) die("no data");
  static char line[1 << 16], head_line[512];
  Config c = {.w = 0};
  int rows = 0;
  while (fgets(line, sizeof line, f)) {
    if (*line == 'R') {
      read_row(line + 1, rows++);
      continue;
    }
    if (rows) run_config(&c, head_line, rows);
    rows = 0;
    snprintf(head_line, sizeof head_line, "%.*s", (int)strcspn(line, "\n"), line);
    if (*line == 'T' && !read_config(line, &c)) die("unknown line %s", line);
  }
  if (rows) run_config(&c, head_line, rows);
  fclose(f);
  return check_report("emu_texture");
}
