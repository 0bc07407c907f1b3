/* SPDX-License-Identifier: MIT */
/* Operands that texture and surface instructions share, and queries. */
#include "emu/op/op_image.h"

#include "emu/run/texture/handle.h"

static const char *const shape_names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", NULL};

EmuImageShape image_take_shape(Decoder *d) {
  return (EmuImageShape)decode_take_one(d, shape_names);
}

void image_decode_vector(Decoder *d, const Operand *operand, int count, int room, Ref *refs) {
  int given;
  const Operand *item = decode_items(operand, &given);
  if (given < count) {
    decode_fail(d, "%d coordinates, expected %d", given, count);
    return;
  }
  for (int i = 0; i < room; i++)
    refs[i] = i < count ? decode_source(d, &item[i], ARITH_F32) : decode_constant(d, 0);
}

/* A register with a handle, or a variable, which stands for the handle that it contains. */
static Ref decode_handle(Decoder *d, const Operand *operand) {
  const bool known = operand->kind == OPERAND_MEMORY && operand->value == 0;
  if (!known) decode_fail(d, "an operand is not a texture or surface");
  return known ? decode_source(d, &operand->item[0], ARITH_U64) : 0;
}

void image_decode_place(Decoder *d, const Operand *operand, EmuImageShape shape, Ref *refs) {
  refs[IMAGE_HANDLE] = decode_handle(d, operand);
  if (operand->kind == OPERAND_MEMORY && operand->items > 2)
    decode_fail(d, "samplers apart from textures are not supported");
  if (operand->kind != OPERAND_MEMORY || operand->items < 2) decode_fail(d, "no coordinates");
  if (d->failed) return;
  const Operand *at = &operand->item[1];
  const int layer = image_is_layered(shape), rank = image_rank(shape);
  Ref all[1 + IMAGE_RANK];
  image_decode_vector(d, at, layer + rank, 1 + IMAGE_RANK, all);
  refs[IMAGE_LAYER] = layer ? all[0] : decode_constant(d, 0);
  for (int i = 0; i < IMAGE_RANK; i++) refs[IMAGE_COORD + i] = all[layer + i];
}

/* --- queries --- */

typedef enum {
  QUERY_WIDTH,
  QUERY_HEIGHT,
  QUERY_DEPTH,
  QUERY_TYPE,
  QUERY_ORDER,
  QUERY_LAYERS,
  QUERY_NORMALISED,
  QUERY_LEVELS,
  QUERY_SAMPLES,
  QUERY_UNNORMALISED,
  QUERY_FILTER,
  QUERY_ADDRESSING /* of the first coordinate; then of the second and the third */
} Query;

static const char *const query_names[] = {"width",
                                          "height",
                                          "depth",
                                          "channel_data_type",
                                          "channel_order",
                                          "array_size",
                                          "normalized_coords",
                                          "num_mipmap_levels",
                                          "num_samples",
                                          "force_unnormalized_coords",
                                          "filter_mode",
                                          "addr_mode_0",
                                          "addr_mode_1",
                                          "addr_mode_2",
                                          NULL};

/* OpenCL's numbers of channel types, which the ISA uses: of integers and floats, and of integers
 * that are read as fractions. */
static uint32_t type_number(const Texture *t) {
  static const uint16_t plain[EMU_TEXELS] = {0x10da, 0x10d7, 0x10db, 0x10d8,
                                             0x10dc, 0x10d9, 0x10dd, 0x10de};
  static const uint16_t fraction[] = {0x10d2, 0x10d0, 0x10d3, 0x10d1};
  const EmuTexel texel = t->image.texel;
  return t->sampler.as_fractions && texel <= EMU_TEXEL_S16 ? fraction[texel] : plain[texel];
}

/* An H200's suq returns the layers of a surface as the extent after those of its rank. */
static uint32_t extent_after(const EmuImage *m, bool surface, int rank) {
  return surface && image_is_layered(m->shape) && image_rank(m->shape) == rank ? m->depth : 0;
}

static uint32_t answer(const Texture *t, bool surface, unsigned query, uint32_t level) {
  const EmuImage *m = &t->image;
  const bool layered = image_is_layered(m->shape), known = level < m->levels;
  const EmuImageLevel *at = &t->level[known ? level : 0];
  switch (query) {
  case QUERY_WIDTH: return known ? at->width : 0;
  case QUERY_HEIGHT:
    return known && image_rank(m->shape) > 1 ? at->height : extent_after(m, surface, 1);
  case QUERY_DEPTH:
    return known && m->shape == EMU_IMAGE_3D ? at->depth : extent_after(m, surface, 2);
  case QUERY_TYPE: return type_number(t);
  case QUERY_ORDER: return m->channels == 1 ? 0x10b0 : m->channels == 2 ? 0x10b2 : 0x10b5;
  case QUERY_LAYERS: return layered ? m->depth : 0;
  case QUERY_NORMALISED: return t->sampler.normalised;
  case QUERY_LEVELS: return m->levels;
  case QUERY_SAMPLES: return 1;
  case QUERY_UNNORMALISED: return !t->sampler.normalised;
  case QUERY_FILTER: return t->sampler.linear;
  default: return t->sampler.along[query - QUERY_ADDRESSING];
  }
}

/* Sources: the handle and the level. The opcode's first letter tells suq from txq. */
static Flow exec_query(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *handle = warp_reg(w, insn->s[0]), *level = warp_reg(w, insn->s[1]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  const bool surface = insn->statement->opcode[0] == 's';
  Handle h = {.texture = NULL};
  FOR_LANES(lane, active) {
    const bool found = texture_handle_open(w, insn, lane, handle[lane], surface, &h);
    d[lane] = found ? answer(h.texture, surface, insn->memory.elements, (uint32_t)level[lane]) : 0;
  }
  return FLOW_NEXT;
}

/* txq.width.b32 d, [a]; txq.level.width.b32 d, [a], level; suq.width.b32 d, [a] */
void decode_image_query(Decoder *d) {
  Insn *insn = d->insn;
  const bool leveled = decode_take(d, "level");
  const int query = decode_take_one(d, query_names);
  if (!decode_count(d, 2 + leveled, 2 + leveled)) return;
  Ref *s = decode_refs(d, 2);
  decode_result(d);
  s[0] = decode_handle(d, decode_operand(d, 1));
  s[1] = leveled ? decode_source(d, decode_operand(d, 2), ARITH_U32) : decode_constant(d, 0);
  insn->s = s;
  insn->n_s = 2;
  insn->kind = INSN_TEXTURE;
  insn->fn = exec_query;
  insn->memory.elements = (uint8_t)query;
}
