/* SPDX-License-Identifier: MIT */
/* suld, sust and sured, and where their coordinates lie in memory. */
#include "emu/op/op_surface.h"

#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/memory/element.h"
#include "emu/op/lane_data.h"
#include "emu/op/op_atomic.h"
#include "emu/op/op_image.h"
#include "emu/run/access/memory.h"
#include "emu/run/state/bulk_copy.h"
#include "emu/run/state/finding.h"
#include "emu/run/texture/handle.h"
#include "emu/run/undef/memory.h"
#include "emu/run/undef/set.h"

/* Sources: the values to store, then the place. */
enum { SURFACE_VALUES = 4, SURFACE_PLACE = SURFACE_VALUES, MAX_BYTES = 16 };

typedef enum { BEYOND_TRAP, BEYOND_CLAMP, BEYOND_ZERO } Beyond;

typedef struct SurfaceOp {
  EmuImageShape shape;
  Beyond beyond;                     /* how coordinates out of range are treated */
  bool formatted;                    /* coordinates count texels, not bytes */
  const FlightReduce *reduce;        /* of sured; for unsigned texels if formatted */
  const FlightReduce *reduce_signed; /* for signed texels */
} SurfaceOp;

/* --- places --- */

static bool trap(Warp *w, const Insn *insn, unsigned lane, const Texture *t,
                 const int64_t at[IMAGE_RANK], const char *units) {
  const EmuImageLevel *m = &t->level[0];
  finding_end(w, insn, EMU_OUT_OF_BOUNDS, 1u << lane,
              "surface access at (%lld%s, %lld, %lld), out of the %u x %u x %u texels of %u bytes: "
              "the launch ends",
              (long long)at[0], units, (long long)at[1], (long long)at[2], m->width, m->height,
              m->depth, m->texel);
  return false;
}

static int64_t clamped(int64_t x, int64_t last) { return x < 0 ? 0 : x > last ? last : x; }

/* Turns coordinates into byte x, row y and slice z, in a layered surface the layer; false where
 * nothing is accessed, as they are out of range. */
static bool place(Warp *w, const Insn *insn, unsigned lane, const Texture *t,
                  int64_t at[IMAGE_RANK]) {
  const SurfaceOp *op = insn->memory.surface;
  const EmuImageLevel *m = &t->level[0];
  const int64_t unit = op->formatted ? m->texel : 1;
  const bool texels = op->formatted && !op->reduce;
  const int64_t bytes = texels ? m->texel : insn->memory.bytes * insn->memory.elements;
  const int64_t last[IMAGE_RANK] = {(int64_t)m->width * m->texel - bytes, (int64_t)m->height - 1,
                                    (int64_t)m->depth - 1};
  const int64_t given[IMAGE_RANK] = {at[0], at[1], at[2]};
  at[0] *= unit;
  bool inside = true;
  for (int i = 0; i < IMAGE_RANK; i++) inside &= at[i] >= 0 && at[i] <= last[i];
  if (inside) return true;
  if (op->beyond == BEYOND_TRAP)
    return trap(w, insn, lane, t, given, op->formatted ? "" : " bytes");
  /* An H200 takes the last access that lies wholly in the row and at a multiple of its size. */
  at[0] = clamped(at[0], last[0] - last[0] % bytes);
  for (int i = 1; i < IMAGE_RANK; i++) at[i] = clamped(at[i], last[i]);
  return op->beyond == BEYOND_CLAMP && last[0] >= 0;
}

/* Where the lanes' accesses lie in memory, and in which surfaces, which may differ. */
static Resolved resolve(Warp *w, const Insn *insn, uint32_t active, const Texture *of[LANES]) {
  const SurfaceOp *op = insn->memory.surface;
  const Ref *s = insn->s + SURFACE_PLACE;
  const uint64_t *handle = warp_reg(w, s[IMAGE_HANDLE]);
  Handle h = {.texture = NULL};
  Resolved access = {.valid = 0};
  FOR_LANES(lane, active) {
    if (!texture_handle_open(w, insn, lane, handle[lane], true, &h)) continue;
    const EmuImageLevel *m = &h.texture->level[0];
    int64_t at[IMAGE_RANK];
    for (int i = 0; i < IMAGE_RANK; i++) at[i] = (int32_t)warp_reg(w, s[IMAGE_COORD + i])[lane];
    if (image_is_layered(op->shape)) at[2] = (uint32_t)warp_reg(w, s[IMAGE_LAYER])[lane];
    if (!place(w, insn, lane, h.texture, at)) continue;
    const uint64_t offset = (uint64_t)at[2] * m->slice + (uint64_t)at[1] * m->row + (uint64_t)at[0];
    access.offset[lane] = h.texture->image.address + offset;
    access.host[lane] = h.host + offset;
    of[lane] = h.texture;
    access.valid |= 1u << lane;
  }
  access.global = access.valid;
  return access;
}

static void check_alignment(Warp *w, const Insn *insn, Resolved *access, unsigned bytes) {
  FOR_LANES(lane, access->valid) {
    if ((access->offset[lane] & (bytes - 1)) == 0) continue;
    access->valid &= ~(1u << lane);
    finding_report(w, insn, EMU_MISALIGNED, lane,
                   "%u-byte surface access: its byte must be a multiple of %u", bytes, bytes);
  }
  access->global = access->valid;
}

/* --- execution --- */

static Flow flow_of(const Warp *w) { return w->block->stop ? FLOW_WAIT : FLOW_NEXT; }

static Flow exec_load(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  const unsigned bytes = (unsigned)op->bytes * op->elements;
  const Texture *of[LANES];
  Resolved access = resolve(w, insn, active, of);
  check_alignment(w, insn, &access, bytes);
  access_read(w, insn, &access, bytes);
  for (unsigned i = 0; i < op->elements; i++) {
    uint64_t *d = warp_reg(w, insn->d[i]);
    FOR_LANES(lane, active) {
      const bool valid = access.valid >> lane & 1;
      d[lane] = valid ? element_load(access.host[lane] + i * op->bytes, op->bytes) : 0;
    }
    if (w->undefined) undef_set_reg(w, insn->d[i], active, NULL, NULL);
  }
  return flow_of(w);
}

static void write_all(Warp *w, const Insn *insn, const Resolved *access, unsigned bytes,
                      unsigned piece, LaneData data) {
  const uint8_t *value[LANES];
  FOR_LANES(lane, access->valid) value[lane] = data[lane];
  access_write(w, insn, access, bytes, piece, value);
  w->changed = true;
}

/* Reports undefined bits of the registers, whatever the format makes of them. */
static void tell_undefined(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  const uint8_t *value[LANES];
  LaneData data;
  if (!w->undefined) return;
  const Insn of = undef_sources(w, insn, op->elements);
  lane_data_gather(w, &of, access->valid, data);
  FOR_LANES(lane, access->valid) value[lane] = data[lane];
  undef_stored(w, insn, op->elements, access, (unsigned)op->bytes * op->elements, value);
}

static Flow exec_store(Warp *w, const Insn *insn, uint32_t active) {
  const MemoryOp *op = &insn->memory;
  const unsigned bytes = (unsigned)op->bytes * op->elements;
  const Texture *of[LANES];
  LaneData data;
  Resolved access = resolve(w, insn, active, of);
  check_alignment(w, insn, &access, bytes);
  lane_data_gather(w, insn, access.valid, data);
  write_all(w, insn, &access, bytes, op->bytes, data);
  tell_undefined(w, insn, &access);
  return flow_of(w);
}

/* --- stores of texels --- */

/* Whether texels are signed integers. */
static bool is_signed(EmuTexel texel) {
  return texel == EMU_TEXEL_S8 || texel == EMU_TEXEL_S16 || texel == EMU_TEXEL_S32;
}

/* An integer, saturated to the channel's type. */
static uint32_t saturated(EmuTexel texel, uint32_t bits) {
  const int64_t value = is_signed(texel) ? (int64_t)(int32_t)bits : (int64_t)bits;
  const int width = (int)image_channel_bytes(texel) * 8 - (is_signed(texel) ? 1 : 0);
  const int64_t most = (INT64_C(1) << width) - 1, least = is_signed(texel) ? -most - 1 : 0;
  return (uint32_t)(value < least ? least : value > most ? most : value);
}

/* A channel as it is stored. */
static uint32_t formatted(EmuTexel texel, uint32_t bits) {
  if (texel == EMU_TEXEL_F32) return bits;
  if (texel != EMU_TEXEL_F16) return saturated(texel, bits);
  return (uint32_t)arith_encode(arith_format(ARITH_F16), (double)arith_f32(bits), ARITH_RN, false);
}

/* Writes the channels that the surface has, 0 for those that the instruction does not supply. */
static void exec_texel(Warp *w, const Insn *insn, const EmuImage *m, const Resolved *access) {
  const unsigned bytes = image_channel_bytes(m->texel), channels = (unsigned)m->channels;
  LaneData data;
  memset(data, 0, sizeof data);
  for (unsigned i = 0; i < channels && i < insn->memory.elements; i++) {
    const uint64_t *s = warp_reg(w, insn->s[i]);
    FOR_LANES(lane, access->valid) {
      const uint32_t value = formatted(m->texel, (uint32_t)s[lane]);
      memcpy(data[lane] + i * bytes, &value, bytes);
    }
  }
  write_all(w, insn, access, bytes * channels, bytes, data);
}

/* Formats, and so the bytes that are written, may differ from lane to lane. */
static Flow exec_store_texel(Warp *w, const Insn *insn, uint32_t active) {
  FOR_LANES(lane, active) {
    const Texture *of[LANES];
    const Resolved access = resolve(w, insn, 1u << lane, of);
    if (access.valid) exec_texel(w, insn, &of[lane]->image, &access);
    tell_undefined(w, insn, &access);
  }
  return flow_of(w);
}

/* --- reductions --- */

static Flow exec_reduce(Warp *w, const Insn *insn, uint32_t active) {
  const SurfaceOp *op = insn->memory.surface;
  const Texture *of[LANES];
  Resolved access = resolve(w, insn, active, of);
  check_alignment(w, insn, &access, insn->memory.bytes);
  access_atomic(w, insn, &access, insn->memory.bytes);
  if (w->undefined) undef_updated(w, insn, &access, false);
  const uint64_t *value = warp_reg(w, insn->s[0]);
  FOR_LANES(lane, access.valid) {
    const bool as_signed = op->formatted && is_signed(of[lane]->image.texel);
    const FlightReduce *how = as_signed ? op->reduce_signed : op->reduce;
    how->apply(how, false, access.host[lane], value[lane]);
  }
  w->changed = true;
  return flow_of(w);
}

/* --- decoding --- */

static SurfaceOp *take_head(Decoder *d) {
  static const char *const beyond[] = {"trap", "clamp", "zero", NULL};
  SurfaceOp *op = ARENA_NEW(d->arena, SurfaceOp);
  op->formatted = decode_take(d, "p");
  op->shape = image_take_shape(d);
  const int mode = decode_take_one(d, beyond);
  op->beyond = mode < 0 ? BEYOND_TRAP : (Beyond)mode;
  return op;
}

static void take_shape(Decoder *d) {
  static const char *const vectors[] = {"v2", "v4", NULL};
  MemoryOp *m = &d->insn->memory;
  const int vector = decode_take_one(d, vectors);
  const unsigned bits = arith_bits(decode_take_type(d));
  m->elements = (uint8_t)(vector < 0 ? 1 : 2 << vector);
  m->bytes = (uint8_t)(bits / 8);
  if (bits / 8 * m->elements > MAX_BYTES) decode_fail(d, "this type is not supported");
}

/* Operand `at` is the place; `values` are what is stored, NULL: nothing is. */
static void finish(Decoder *d, const SurfaceOp *op, int at, const Operand *values, ExecFn fn) {
  Insn *insn = d->insn;
  const int count = insn->memory.elements;
  Ref *s = decode_refs(d, SURFACE_PLACE + IMAGE_REFS);
  for (int i = 0; i < SURFACE_VALUES; i++) s[i] = decode_constant(d, 0);
  if (values) decode_fragment(d, values, count, false, s);
  image_decode_place(d, decode_operand(d, at), op->shape, s + SURFACE_PLACE);
  insn->s = s;
  insn->n_s = SURFACE_PLACE + IMAGE_REFS;
  insn->kind = INSN_SURFACE;
  insn->memory.space = EMU_GLOBAL;
  insn->memory.surface = op;
  insn->fn = fn;
}

void decode_suld(Decoder *d) {
  const SurfaceOp *op = take_head(d);
  take_shape(d);
  if (d->failed || !decode_count(d, 2, 2)) return;
  Ref *r = decode_refs(d, d->insn->memory.elements);
  decode_fragment(d, decode_operand(d, 0), d->insn->memory.elements, true, r);
  d->insn->d = r;
  d->insn->n_d = d->insn->memory.elements;
  finish(d, op, 1, NULL, exec_load);
}

void decode_sust(Decoder *d) {
  const SurfaceOp *op = take_head(d);
  take_shape(d);
  if (d->failed || !decode_count(d, 2, 2)) return;
  d->program->writes_surfaces = true;
  finish(d, op, 0, decode_operand(d, 1), op->formatted ? exec_store_texel : exec_store);
}

/* .b32 of sured.p and .b64 are signed if the texels are. */
static void take_reduction(Decoder *d, SurfaceOp *op) {
  const int which = atomic_take_op(d);
  const ArithType type = decode_take_type(d);
  const bool wide = arith_bits(type) == 64, bits = type == ARITH_B32 || type == ARITH_B64;
  const bool by_format = op->formatted && bits;
  op->reduce = atomic_reduce(d, which, !by_format ? type : wide ? ARITH_U64 : ARITH_U32, false);
  op->reduce_signed = atomic_reduce(d, which,
                                    !by_format ? type
                                    : wide     ? ARITH_S64
                                               : ARITH_S32,
                                    false);
  if (!op->reduce || !op->reduce_signed) decode_fail(d, "this reduction is not supported");
  d->insn->memory.elements = 1;
  d->insn->memory.bytes = wide ? 8 : 4;
}

void decode_sured(Decoder *d) {
  SurfaceOp *op = take_head(d);
  take_reduction(d, op);
  if (d->failed || !decode_count(d, 2, 2)) return;
  d->program->writes_surfaces = true;
  finish(d, op, 0, decode_operand(d, 1), exec_reduce);
}
