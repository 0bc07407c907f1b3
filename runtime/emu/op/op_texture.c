/* SPDX-License-Identifier: MIT */
/* tex and tld4, and what they read for the race detector. */
#include "emu/op/op_texture.h"

#include <string.h>

#include "emu/arith/arith_format.h"
#include "emu/op/op_image.h"
#include "emu/run/race/global.h"
#include "emu/run/texture/handle.h"
#include "emu/run/texture/sampler.h"

/* The operands after the place: offsets, and the level or both gradients. */
enum {
  TEXTURE_OFFSET = IMAGE_REFS,
  TEXTURE_DX = TEXTURE_OFFSET + IMAGE_RANK,
  TEXTURE_LEVEL = TEXTURE_DX,
  TEXTURE_DY = TEXTURE_DX + IMAGE_RANK,
  TEXTURE_REFS = TEXTURE_DY + IMAGE_RANK,
  CHANNELS = 4
};

typedef enum { RESULT_32, RESULT_F16, RESULT_F16X2 } TextureResult;

typedef struct TextureOp {
  EmuImageShape shape;
  LevelChoice choice;
  TextureResult result;
  bool integers;
  int channel; /* of tld4; -1: tex */
} TextureOp;

/* --- execution --- */

static SamplePoint point_of(const Warp *w, const Insn *insn, unsigned lane) {
  const TextureOp *op = insn->memory.texture;
  uint32_t s[TEXTURE_REFS];
  for (int i = 1; i < TEXTURE_REFS; i++) s[i] = (uint32_t)warp_reg(w, insn->s[i])[lane];
  SamplePoint p = {.shape = op->shape,
                   .integers = op->integers,
                   .layer = s[IMAGE_LAYER],
                   .choice = op->choice,
                   .level = arith_f32(s[TEXTURE_LEVEL])};
  for (int i = 0; i < IMAGE_RANK; i++) {
    p.at[i] = arith_f32(s[IMAGE_COORD + i]);
    p.texel[i] = (int32_t)s[IMAGE_COORD + i];
    p.offset[i] = (int32_t)s[TEXTURE_OFFSET + i];
    p.dx[i] = arith_f32(s[TEXTURE_DX + i]);
    p.dy[i] = arith_f32(s[TEXTURE_DY + i]);
  }
  return p;
}

static void store(Warp *w, const Insn *insn, unsigned lane, const uint32_t value[CHANNELS]) {
  const ArithFormat *half = arith_format(ARITH_F16);
  uint64_t bits[CHANNELS];
  for (int i = 0; i < CHANNELS; i++) {
    const bool narrow = insn->memory.texture->result != RESULT_32;
    bits[i] = narrow ? arith_encode(half, (double)arith_f32(value[i]), ARITH_RN, false) : value[i];
  }
  for (unsigned i = 0; i < insn->n_d; i++) {
    const bool pair = insn->memory.texture->result == RESULT_F16X2;
    warp_reg(w, insn->d[i])[lane] = pair ? bits[2 * i] | bits[2 * i + 1] << 16 : bits[i];
  }
}

/* --- what is read, for the race detector --- */

typedef struct {
  uint32_t lanes;
  uint64_t address[LANES];
  uint8_t *host[LANES];
  SampleTaps taps[LANES];
} Reads;

/* Whether kernels may write the texels: those of linear memory, and of arrays if the program stores
 * to surfaces. */
static bool is_watched(const Warp *w, const Texture *t) {
  const bool linear = t->image.pitch || t->image.shape == EMU_IMAGE_BUFFER;
  return w->block->launch->global_race && (linear || w->block->program->writes_surfaces);
}

static void tell_reads(Warp *w, const Insn *insn, const Reads *r, unsigned bytes) {
  for (int tap = 0; tap < SAMPLER_MAX_TAPS; tap++) {
    Resolved access = {.valid = 0};
    FOR_LANES(lane, r->lanes) {
      if (tap >= r->taps[lane].count) continue;
      access.valid |= 1u << lane;
      access.offset[lane] = r->address[lane] + r->taps[lane].offset[tap];
      access.host[lane] = r->host[lane] + r->taps[lane].offset[tap];
    }
    access.global = access.valid;
    if (!access.valid) return;
    global_race_access(w, insn, RACE_READ, &access, bytes);
  }
}

static void fetch(const Handle *h, const TextureOp *op, const SamplePoint *p,
                  uint32_t out[CHANNELS], SampleTaps *taps) {
  const Sampled from = {h->texture, h->host};
  if (op->channel < 0)
    sampler_fetch(&from, p, out, taps);
  else
    sampler_gather(&from, p, op->channel, out, taps);
}

static Flow exec_texture(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *handle = warp_reg(w, insn->s[IMAGE_HANDLE]);
  Handle h = {.texture = NULL};
  Reads reads = {.lanes = 0};
  unsigned bytes = 0;
  FOR_LANES(lane, active) {
    uint32_t value[CHANNELS] = {0};
    const SamplePoint p = point_of(w, insn, lane);
    if (texture_handle_open(w, insn, lane, handle[lane], false, &h)) {
      fetch(&h, insn->memory.texture, &p, value, &reads.taps[lane]);
      reads.address[lane] = h.texture->image.address;
      reads.host[lane] = h.host;
      bytes = h.texture->level[0].texel;
      if (is_watched(w, h.texture)) reads.lanes |= 1u << lane;
    }
    store(w, insn, lane, value);
  }
  warp_set_pred(w, insn->p_out[0], ALL_LANES, active);
  if (reads.lanes) tell_reads(w, insn, &reads, bytes);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* Decodes the types of the results and of the coordinates. */
static void take_types(Decoder *d, TextureOp *op) {
  const ArithType result = decode_take_type(d), coord = decode_take_type(d);
  op->integers = coord == ARITH_S32;
  op->result = result == ARITH_F16 ? RESULT_F16 : result == ARITH_F16X2 ? RESULT_F16X2 : RESULT_32;
  if (op->integers && image_is_cube(op->shape)) decode_fail(d, "cubes have no integer coordinates");
}

static void decode_results(Decoder *d, const Operand *operand, const TextureOp *op) {
  const int count = op->result == RESULT_F16X2 ? 2 : CHANNELS;
  Ref *r = decode_refs(d, count);
  decode_fragment(d, operand, count, true, r);
  if (operand->second) d->insn->p_out[0] = decode_pred_dest(d, operand->second);
  d->insn->d = r;
  d->insn->n_d = (uint8_t)count;
}

/* From operand `at` on: {level | dPdx, dPdy} {, offsets} {, a depth to compare with} */
static void decode_rest(Decoder *d, const TextureOp *op, int at, Ref *s) {
  const int rank = image_rank(op->shape), count = d->statement->operands;
  for (int i = TEXTURE_OFFSET; i < TEXTURE_REFS; i++) s[i] = decode_constant(d, 0);
  if (op->choice == LEVEL_GIVEN) {
    s[TEXTURE_LEVEL] = decode_source(d, decode_operand(d, at++), ARITH_F32);
  } else if (op->choice == LEVEL_BY_GRADIENT) {
    image_decode_vector(d, decode_operand(d, at++), rank, IMAGE_RANK, &s[TEXTURE_DX]);
    image_decode_vector(d, decode_operand(d, at++), rank, IMAGE_RANK, &s[TEXTURE_DY]);
  }
  if (at < count && decode_operand(d, at)->kind == OPERAND_VECTOR && !image_is_cube(op->shape))
    image_decode_vector(d, decode_operand(d, at++), rank, IMAGE_RANK, &s[TEXTURE_OFFSET]);
  if (at < count) decode_fail(d, "comparison of depths is not supported");
}

static void decode_fetch(Decoder *d, TextureOp *op) {
  enum { MOST = 6 };
  Insn *insn = d->insn;
  take_types(d, op);
  if (d->failed || !decode_count(d, 2, MOST)) return;
  Ref *s = decode_refs(d, TEXTURE_REFS);
  decode_results(d, decode_operand(d, 0), op);
  image_decode_place(d, decode_operand(d, 1), op->shape, s);
  if (!d->failed) decode_rest(d, op, 2, s);
  insn->s = s;
  insn->n_s = TEXTURE_REFS;
  insn->kind = INSN_TEXTURE;
  insn->memory.texture = op;
  insn->fn = exec_texture;
}

void decode_tex(Decoder *d) {
  static const char *const choices[] = {"base", "level", "grad", NULL};
  TextureOp *op = ARENA_NEW(d->arena, TextureOp);
  const int choice = decode_take_one(d, choices);
  op->choice = choice < 0 ? LEVEL_BASE : (LevelChoice)choice;
  op->shape = image_take_shape(d);
  op->channel = -1;
  decode_fetch(d, op);
}

void decode_tld4(Decoder *d) {
  static const char *const channels[] = {"r", "g", "b", "a", NULL};
  TextureOp *op = ARENA_NEW(d->arena, TextureOp);
  op->channel = decode_take_one(d, channels);
  op->shape = image_take_shape(d);
  decode_fetch(d, op);
}
