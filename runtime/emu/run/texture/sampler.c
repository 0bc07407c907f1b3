/* SPDX-License-Identifier: MIT */
#include "emu/run/texture/sampler.h"

#include <math.h>
#include <string.h>

#include "emu/arith/arith_filter.h"
#include "emu/arith/arith_format.h"
#include "emu/arith/arith_texel.h"
#include "emu/run/texture/cube.h"

enum { ONE = FILTER_ONE, CHANNELS = 4, OUTSIDE = -1 };

/* --- along one dimension --- */

/* The one or two texels around a coordinate, and the weight of the second. */
typedef struct {
  int64_t texel[2]; /* OUTSIDE: border color */
  uint32_t weight;  /* in units of 1 / ONE */
} Axis;

static int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

/* The index that replaces an index outside 0 to n - 1. */
static int64_t addressed(int64_t i, int64_t n, EmuAddressing how) {
  const int64_t twice = modulo(i, 2 * n);
  switch (how) {
  case EMU_WRAP: return modulo(i, n);
  case EMU_MIRROR: return twice < n ? twice : 2 * n - 1 - twice;
  case EMU_BORDER: return i < 0 || i >= n ? OUTSIDE : i;
  default: return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
}

/* Only normalized coordinates wrap; others are clamped [programming guide]. */
static EmuAddressing addressing(const EmuSampler *s, int dimension) {
  const EmuAddressing how = s->along[dimension];
  return s->normalised || how == EMU_BORDER ? how : EMU_CLAMP;
}

/* Clamps a coordinate to a range larger than any texture; NaN and subnormals become 0. */
static double within(float x) {
  const float most = 0x1p40f;
  if (!(fabsf(x) >= 0x1p-126f)) return 0;
  return x < -most ? (double)-most : x > most ? (double)most : (double)x;
}

/* Scales a normalized coordinate to texels. A coordinate that wraps is reduced to its fraction,
 * truncated to 21 bits, or to 22 if the extent is a power of two [measured on an H200]. */
static double scaled(float c, int64_t n, EmuAddressing how) {
  const double places = n & (n - 1) ? 0x1p21 : 0x1p22;
  double x = within(c);
  if (how == EMU_WRAP) x = isfinite(c) ? x - floor(x) : 0;
  if (how == EMU_MIRROR) x = isfinite(c) ? x - 2 * floor(x / 2) : 0;
  return floor(x * places) / places * (double)n;
}

/* The fraction is rounded to nearest, ties up. A clamped coordinate outside the texture selects its
 * last texel. */
static Axis axis_linear(double x, int64_t n, int32_t offset, EmuAddressing how) {
  const int64_t fixed = (int64_t)floor((x - 0.5) * ONE + 0.5) + offset * ONE, i = fixed >> 8;
  if (how == EMU_CLAMP && fixed < 0) return (Axis){{0, 0}, 0};
  if (how == EMU_CLAMP && i >= n - 1) return (Axis){{n - 1, n - 1}, 0};
  return (Axis){{addressed(i, n, how), addressed(i + 1, n, how)}, (uint32_t)(fixed & (ONE - 1))};
}

static Axis axis_point(double x, int64_t n, int32_t offset, EmuAddressing how) {
  return (Axis){{addressed((int64_t)floor(x) + offset, n, how), OUTSIDE}, 0};
}

/* --- a position in one level --- */

typedef struct {
  const Sampled *from;
  const EmuImageLevel *level;
  SampleTaps *taps;
  Axis axis[3];
  int rank;
  int64_t layer;
} Footprint;

/* The address of a texel; NULL: border. */
static const uint8_t *locate(const Footprint *f, const int64_t at[3]) {
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) return NULL;
  const uint64_t offset = f->level->offset + (uint64_t)(at[2] + f->layer) * f->level->slice +
                          (uint64_t)at[1] * f->level->row + (uint64_t)at[0] * f->level->texel;
  if (f->taps->count < SAMPLER_MAX_TAPS) f->taps->offset[f->taps->count++] = offset;
  return f->from->host + offset;
}

/* One channel, as returned without a filter. */
static uint32_t read_channel(const Texture *t, const uint8_t *host, int channel) {
  const EmuSampler *s = &t->sampler;
  const uint8_t *at = host + (unsigned)channel * image_channel_bytes(t->image.texel);
  if (channel >= t->image.channels) return 0;
  if (s->srgb && channel < 3) return (uint32_t)arith_f32_bits(arith_texel_linear(*at));
  if (s->as_fractions) return (uint32_t)arith_f32_bits(arith_texel_fraction(t->image.texel, at));
  return arith_texel_element(t->image.texel, at);
}

static uint32_t texel_channel(const Texture *t, const uint8_t *host, int channel) {
  if (host) return read_channel(t, host, channel);
  const float border = t->sampler.border[channel];
  return (uint32_t)arith_f32_bits(
      t->sampler.as_fractions ? arith_texel_rounded(t->image.texel, border) : border);
}

static void fetch_point(const Footprint *f, uint32_t out[CHANNELS]) {
  const uint8_t *host =
      locate(f, (int64_t[]){f->axis[0].texel[0], f->axis[1].texel[0], f->axis[2].texel[0]});
  for (int i = 0; i < CHANNELS; i++) out[i] = texel_channel(f->from->texture, host, i);
}

/* Integer coordinates outside the texture, or a layer after the last one, read 0, whatever the
 * border. */
static void fetch_indexed(const Footprint *f, const SamplePoint *p, uint32_t out[CHANNELS]) {
  bool inside = !image_is_layered(p->shape) || p->layer == (uint64_t)f->layer;
  for (int i = 0; i < 3; i++) inside &= f->axis[i].texel[0] != OUTSIDE;
  if (inside)
    fetch_point(f, out);
  else
    memset(out, 0, CHANNELS * sizeof *out);
}

/* --- filters --- */

/* Texels with their weights, which sum to FILTER_ONE. */
typedef struct {
  int count;
  const uint8_t *host[FILTER_MAX_TAPS];
  uint32_t weight[FILTER_MAX_TAPS];
} Taps;

static void add_tap(const Footprint *f, Taps *taps, int corner, uint32_t weight) {
  int64_t at[3];
  for (int i = 0; i < 3; i++) at[i] = f->axis[i].texel[corner >> i & 1];
  taps->weight[taps->count] = weight;
  taps->host[taps->count++] = locate(f, at);
}

/* The four texels of a slice, or the two of a line, with weights that sum to `whole`. Ties are
 * rounded in favour of the texel further along x, then further along y [measured on an H200]. */
static void add_slice(const Footprint *f, Taps *taps, int slice, uint32_t whole) {
  const uint32_t right = (whole * f->axis[0].weight + 128) >> 8, left = whole - right;
  const uint32_t high[2] = {(left * f->axis[1].weight + 127) >> 8,
                            (right * f->axis[1].weight + 128) >> 8};
  const uint32_t low[2] = {left - high[0], right - high[1]};
  for (int i = 0; i < FILTER_QUAD; i++)
    add_tap(f, taps, slice << 2 | i, i & 2 ? high[i & 1] : low[i & 1]);
}

static void add_footprint(const Footprint *f, Taps *taps, uint32_t whole) {
  const uint32_t back = (whole * f->axis[2].weight + 128) >> 8;
  add_slice(f, taps, 0, whole - back);
  if (f->rank == 3) add_slice(f, taps, 1, back);
}

/* One texel with the whole weight, and three with weight 0. */
static void add_point(const Footprint *f, Taps *taps, uint32_t whole) {
  add_tap(f, taps, 0, whole);
  for (int i = 1; i < FILTER_QUAD; i++) {
    taps->weight[taps->count] = 0;
    taps->host[taps->count++] = NULL;
  }
}

static float filter_fractions(const Texture *t, const Taps *taps, int channel) {
  int32_t value[FILTER_MAX_TAPS];
  for (int i = 0; i < taps->count; i++) {
    const uint8_t *at = taps->host[i];
    const uint64_t skipped = (uint64_t)channel * image_channel_bytes(t->image.texel);
    value[i] = at ? (int32_t)arith_texel_element(t->image.texel, at + skipped)
                  : arith_texel_integer(t->image.texel, t->sampler.border[channel]);
  }
  return arith_filter_fractions(t->image.texel, value, taps->weight, taps->count);
}

static float filter_floats(const Texture *t, const Taps *taps, int channel) {
  float value[FILTER_MAX_TAPS];
  for (int i = 0; i < taps->count; i++)
    value[i] = arith_f32(texel_channel(t, taps->host[i], channel));
  const int bits = t->image.texel == EMU_TEXEL_F32 ? 24 : 11;
  return arith_filter_floats(value, taps->weight, taps->count, bits);
}

static void filter(const Texture *t, const Taps *taps, uint32_t out[CHANNELS]) {
  for (int i = 0; i < CHANNELS; i++) {
    const bool floats = t->image.texel >= EMU_TEXEL_F16 || (t->sampler.srgb && i < 3);
    const bool there = i < t->image.channels;
    const float x = !there ? 0 : floats ? filter_floats(t, taps, i) : filter_fractions(t, taps, i);
    out[i] = (uint32_t)arith_f32_bits(x);
  }
}

/* --- positions --- */

static int64_t layer_of(const Texture *t, const SamplePoint *p) {
  const EmuImageShape shape = p->shape;
  if (!image_is_layered(shape)) return 0;
  const uint32_t each = shape == EMU_IMAGE_ACUBE ? 6 : 1, last = (t->image.depth - 1) / each;
  const uint32_t layer = p->layer < last ? p->layer : last;
  return (int64_t)layer * each;
}

static Axis axis_of(const Sampled *s, const SamplePoint *p, int dimension, int64_t n, float c,
                    bool linear) {
  const EmuSampler *sampler = &s->texture->sampler;
  if (p->integers) return axis_point(p->texel[dimension], n, p->offset[dimension], EMU_BORDER);
  const bool cube = image_is_cube(p->shape);
  const EmuAddressing how = cube && sampler->seamless ? EMU_CLAMP : addressing(sampler, dimension);
  const double x = sampler->normalised || cube ? scaled(c, n, how) : within(c);
  return linear ? axis_linear(x, n, p->offset[dimension], how)
                : axis_point(x, n, p->offset[dimension], how);
}

static Footprint footprint_of(const Sampled *s, const SamplePoint *p, uint32_t level, bool linear,
                              SampleTaps *taps) {
  const Texture *t = s->texture;
  Footprint f = {.from = s, .level = &t->level[level], .taps = taps, .layer = layer_of(t, p)};
  const uint32_t extent[3] = {f.level->width, f.level->height, f.level->depth};
  float place[2];
  const bool cube = image_is_cube(p->shape);
  if (cube) f.layer += cube_face(p->at, place);
  if (f.layer >= f.level->depth) f.layer = (int64_t)f.level->depth - 1;
  f.rank = cube ? 2 : image_rank(p->shape);
  for (int i = 0; i < f.rank; i++) {
    const float c = cube ? place[i] : p->at[i];
    f.axis[i] = axis_of(s, p, i, extent[i], c, linear);
  }
  /* A 1D texture is one texel high, and the hardware samples it at y = 0, so half of the filter is
   * outside. */
  if (linear && p->shape == EMU_IMAGE_1D && t->sampler.along[1] == EMU_BORDER)
    f.axis[1] = axis_linear(0, 1, 0, EMU_BORDER);
  return f;
}

/* Linear memory reads 0 out of bounds. */
static void fetch_buffer(const Sampled *s, const SamplePoint *p, uint32_t out[CHANNELS],
                         SampleTaps *taps) {
  const int64_t x = p->integers ? p->texel[0] : (int64_t)floor(within(p->at[0]));
  const Footprint f = {.from = s, .level = s->texture->level, .taps = taps, .rank = 1};
  const bool inside = x >= 0 && x < s->texture->image.width;
  const uint8_t *host = inside ? locate(&f, (int64_t[]){x, 0, 0}) : NULL;
  for (int i = 0; i < CHANNELS; i++) out[i] = inside ? read_channel(s->texture, host, i) : 0;
}

/* --- levels --- */

/* The level is the binary logarithm of the longer gradient, measured in texels. */
static float level_of_gradients(const Texture *t, const SamplePoint *p) {
  const uint32_t extent[3] = {t->image.width, t->image.height, t->image.depth};
  double x = 0, y = 0;
  for (int i = 0; i < image_rank(p->shape); i++) {
    const double scale = t->sampler.normalised ? extent[i] : 1;
    x += (double)p->dx[i] * scale * (double)p->dx[i] * scale;
    y += (double)p->dy[i] * scale * (double)p->dy[i] * scale;
  }
  return (float)(log2(fmax(x, y)) / 2);
}

static int32_t in_steps(float level) {
  const float most = IMAGE_MAX_LEVELS;
  return (int32_t)(fminf(fmaxf(level, -most), most) * ONE);
}

/* A level in steps of 1/256, as are its terms [measured on an H200]; NaN selects level 0. Without
 * mipmap levels the bias is ignored. */
static uint32_t level_of(const Texture *t, const SamplePoint *p) {
  const EmuSampler *s = &t->sampler;
  const int32_t last = (int32_t)(t->image.levels - 1) * ONE, most = in_steps(s->most_level);
  const int32_t least = in_steps(s->least_level), end = most < last ? most : last;
  int32_t level = 0;
  if (p->choice == LEVEL_GIVEN) level = in_steps(p->level) + in_steps(s->bias);
  if (p->choice == LEVEL_BY_GRADIENT)
    level = in_steps(level_of_gradients(t, p)) + in_steps(s->bias);
  level = level > least ? level : least;
  level = level < end ? level : end;
  return level > 0 ? (uint32_t)level : 0;
}

/* Reads one texel, unfiltered. */
static void fetch_single(const Sampled *s, const SamplePoint *p, uint32_t level,
                         uint32_t out[CHANNELS], SampleTaps *seen) {
  const Footprint f = footprint_of(s, p, level, false, seen);
  if (p->integers)
    fetch_indexed(&f, p, out);
  else
    fetch_point(&f, out);
}

static void add_level(const Sampled *s, const SamplePoint *p, uint32_t level, uint32_t whole,
                      Taps *taps, SampleTaps *seen) {
  const bool linear = s->texture->sampler.linear;
  const Footprint f = footprint_of(s, p, level, linear, seen);
  if (linear)
    add_footprint(&f, taps, whole);
  else
    add_point(&f, taps, whole);
}

void sampler_fetch(const Sampled *s, const SamplePoint *p, uint32_t out[CHANNELS],
                   SampleTaps *seen) {
  const Texture *t = s->texture;
  seen->count = 0;
  if (t->image.shape == EMU_IMAGE_BUFFER) {
    fetch_buffer(s, p, out, seen);
    return;
  }
  const bool floats = t->sampler.as_fractions || t->image.texel >= EMU_TEXEL_F16;
  const uint32_t exact = t->image.levels > 1 ? level_of(t, p) : 0, next = exact % ONE;
  const bool between = t->sampler.linear_levels && next && floats && !p->integers;
  const uint32_t level = t->sampler.linear_levels ? exact / ONE : (exact + ONE / 2) / ONE;
  Taps taps = {.count = 0};
  if (p->integers || (!t->sampler.linear && !between)) {
    fetch_single(s, p, level, out, seen);
    return;
  }
  add_level(s, p, level, between ? ONE - next : ONE, &taps, seen);
  if (between) add_level(s, p, level + 1, next, &taps, seen);
  filter(t, &taps, out);
}

void sampler_gather(const Sampled *s, const SamplePoint *p, int channel, uint32_t out[CHANNELS],
                    SampleTaps *taps) {
  static const uint8_t corner[CHANNELS][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  taps->count = 0;
  const Footprint f = footprint_of(s, p, 0, true, taps);
  for (int i = 0; i < CHANNELS; i++) {
    const int64_t at[3] = {f.axis[0].texel[corner[i][0]], f.axis[1].texel[corner[i][1]], 0};
    out[i] = texel_channel(s->texture, locate(&f, at), channel);
  }
}
