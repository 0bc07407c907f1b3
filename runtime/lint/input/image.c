/* SPDX-License-Identifier: MIT */
#include "lint/input/image.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f16", "f32"};
static const char *const shapes[EMU_IMAGE_SHAPES] = {
    [EMU_IMAGE_1D] = "1d",       [EMU_IMAGE_A1D] = "a1d",      [EMU_IMAGE_2D] = "2d",
    [EMU_IMAGE_3D] = "3d",       [EMU_IMAGE_A2D] = "a2d",      [EMU_IMAGE_CUBE] = "cube",
    [EMU_IMAGE_ACUBE] = "acube", [EMU_IMAGE_BUFFER] = "buffer"};
static const char *const addressings[] = {"wrap", "clamp", "mirror", "border"};
enum { TYPES = sizeof types / sizeof *types, ADDRESSINGS = 4, CHANNELS = 4 };

/* --- pieces --- */

static int find(const char *const *list, int count, const char *word, size_t n) {
  for (int i = 0; i < count; i++)
    if (list[i] && strlen(list[i]) == n && memcmp(list[i], word, n) == 0) return i;
  return -1;
}

static bool read_number(const char *text, uint32_t *out) {
  char *end;
  const unsigned long value = strtoul(text, &end, 10);
  *out = (uint32_t)value;
  return isdigit((unsigned char)*text) && !*end && value && value <= 1 << 30;
}

/* Parses WxHxD; returns their number, or 0. */
static int read_dims(const char *text, uint32_t out[3]) {
  for (int n = 0; n < 3; n++) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || !value || value > 1 << 20) return 0;
    out[n] = (uint32_t)value;
    if (!*end) return n + 1;
    if (*end != 'x') return 0;
    text = end + 1;
  }
  return 0;
}

/* Parses A/B/C; missing values equal the last one. False unless there are 1 to `most`. */
static bool read_floats(const char *text, float *out, int most) {
  for (int n = 0; n < most; n++) {
    char *end;
    const float value = strtof(text, &end);
    if (end == text) return false;
    for (int i = n; i < most; i++) out[i] = value;
    if (!*end) return true;
    if (*end != '/') return false;
    text = end + 1;
  }
  return false;
}

static bool read_addressing(const char *text, EmuSampler *s) {
  for (int n = 0; n < 3; n++) {
    const size_t length = strcspn(text, "/");
    const int found = find(addressings, ADDRESSINGS, text, length);
    if (found < 0) return false;
    for (int i = n; i < 3; i++) s->along[i] = (EmuAddressing)found;
    if (!text[length]) return true;
    text += length + 1;
  }
  return false;
}

/* --- keys --- */

typedef struct {
  LintImage *out;
  int dims;
  bool shaped;
} Reader;

static bool read_shape(Reader *r, const char *text) {
  const int found = find(shapes, EMU_IMAGE_SHAPES, text, strlen(text));
  r->shaped = found >= 0;
  if (r->shaped) r->out->image.shape = (EmuImageShape)found;
  return r->shaped;
}

static bool read_extents(Reader *r, const char *text) {
  uint32_t extent[3] = {1, 1, 1};
  r->dims = read_dims(text, extent);
  r->out->image.width = extent[0];
  r->out->image.height = extent[1];
  r->out->image.depth = extent[2];
  return r->dims > 0;
}

static bool read_flag(LintImage *m, const char *word) {
  EmuSampler *s = &m->sampler;
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"zero", &m->zero},
               {"normalised", &s->normalised},
               {"srgb", &s->srgb},
               {"fractions", &s->as_fractions},
               {"seamless", &s->seamless},
               {"filter=linear", &s->linear},
               {"levels_filter=linear", &s->linear_levels}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(word, flags[i].name) == 0) return *flags[i].flag = true;
  return false;
}

/* Parses one KEY=VALUE; false if it is invalid. */
static bool read_key(Reader *r, const char *key, const char *value) {
  LintImage *m = r->out;
  uint32_t number = 0;
  const bool counted = read_number(value, &number);
  const size_t n = (size_t)(value - key) - 1;
  const char *const names[] = {"dims",  "shape", "at",       "address", "border", "bias",
                               "least", "most",  "channels", "levels",  "pitch",  "handle"};
  switch (find(names, sizeof names / sizeof *names, key, n)) {
  case 0: return read_extents(r, value);
  case 1: return read_shape(r, value);
  case 2: m->at = value; return *value != '\0';
  case 3: return read_addressing(value, &m->sampler);
  case 4: return read_floats(value, m->sampler.border, CHANNELS);
  case 5: return read_floats(value, &m->sampler.bias, 1);
  case 6: return read_floats(value, &m->sampler.least_level, 1);
  case 7: return read_floats(value, &m->sampler.most_level, 1);
  case 8: m->image.channels = (int)number; return counted && (number < 3 || number == CHANNELS);
  case 9: m->image.levels = number; return counted;
  case 10: m->image.pitch = number; return counted;
  case 11: m->handle = strtoull(value, NULL, 10); return m->handle != 0;
  default: return false;
  }
}

static const char *read_word(Arena *a, Reader *r, const char *word) {
  const char *equals = strchr(word, '=');
  if (read_flag(r->out, word) || (equals && read_key(r, word, equals + 1))) return NULL;
  return arena_printf(a,
                      "%s is not a key of a texture with such a value: "
                      "docs/reference/arguments-and-lint-yaml.md has them",
                      word);
}

static const char *finish(Reader *r) {
  LintImage *m = r->out;
  static const EmuImageShape by_dims[] = {EMU_IMAGE_1D, EMU_IMAGE_2D, EMU_IMAGE_3D};
  if (!r->dims) return "a texture without dims=WxHxD";
  if (!r->shaped) m->image.shape = by_dims[r->dims - 1];
  return NULL;
}

bool lint_image_read(Arena *a, const char *text, bool is_surface, LintImage *out,
                     const char **why) {
  char *rest = arena_strndup(a, text, strlen(text)), *word = strchr(rest, ':');
  *out = (LintImage){.is_surface = is_surface, .image = {.channels = 1, .levels = 1}};
  if (word) *word++ = '\0';
  const int type = find(types, TYPES, rest, strlen(rest));
  Reader r = {.out = out};
  *why = type < 0 ? "TYPE:dims=WxHxD, TYPE u8, i8, u16, i16, u32, i32, f16 or f32" : NULL;
  while (word && !*why) {
    char *next = strchr(word, ':');
    if (next) *next++ = '\0';
    *why = read_word(a, &r, word);
    word = next;
  }
  if (!*why) *why = finish(&r);
  if (*why) return false;
  out->image.texel = (EmuTexel)type;
  out->dtype = dtype_find(types[type]);
  return true;
}

/* --- spelling --- */

static void put_sampler(Text *out, const EmuSampler *s) {
  text_printf(out, ":address=%s/%s/%s", addressings[s->along[0]], addressings[s->along[1]],
              addressings[s->along[2]]);
  text_printf(out, "%s%s%s%s%s%s", s->linear ? ":filter=linear" : "",
              s->linear_levels ? ":levels_filter=linear" : "", s->normalised ? ":normalised" : "",
              s->as_fractions ? ":fractions" : "", s->srgb ? ":srgb" : "",
              s->seamless ? ":seamless" : "");
  text_printf(out, ":border=%a/%a/%a/%a:bias=%a:least=%a:most=%a", (double)s->border[0],
              (double)s->border[1], (double)s->border[2], (double)s->border[3], (double)s->bias,
              (double)s->least_level, (double)s->most_level);
}

const char *lint_image_spell(Arena *a, const LintImage *image) {
  const EmuImage *m = &image->image;
  Text out = text_new(a);
  text_printf(&out, "%s:%s:dims=%ux%ux%u:shape=%s:channels=%d:levels=%u",
              image->is_surface ? "surf" : "tex", types[m->texel], m->width, m->height, m->depth,
              shapes[m->shape], m->channels, m->levels);
  if (m->pitch) text_printf(&out, ":pitch=%llu", (unsigned long long)m->pitch);
  if (!image->is_surface) put_sampler(&out, &image->sampler);
  if (image->at) text_printf(&out, ":at=%s", image->at);
  if (image->handle) text_printf(&out, ":handle=%llu", (unsigned long long)image->handle);
  return out.s;
}
