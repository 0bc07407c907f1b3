/* SPDX-License-Identifier: MIT */
/* Video instructions [PTX ISA, scalar and SIMD video instructions], whose operands are parts of
 * registers and may be negated. */
#include "emu/op/op_video.h"

#include <string.h>

#include "emu/arith/arith_video.h"
#include "emu/run/state/block.h"

static Flow exec_video(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *a = warp_reg(w, insn->s[0]), *b = warp_reg(w, insn->s[1]);
  const uint64_t *c = warp_reg(w, insn->s[2]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active)
    d[lane] = arith_video(insn->video, (uint32_t)a[lane], (uint32_t)b[lane], (uint32_t)c[lane]);
  return FLOW_NEXT;
}

/* --- decoding --- */

typedef struct {
  const char *name;
  VideoOp op;
} VideoName;

static const VideoName names[] = {
    {"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB}, {"vabsdiff", VIDEO_ABSDIFF}, {"vmin", VIDEO_MIN},
    {"vmax", VIDEO_MAX}, {"vshl", VIDEO_SHL}, {"vshr", VIDEO_SHR},         {"vavrg", VIDEO_AVRG},
    {"vset", VIDEO_SET}, {"vmad", VIDEO_MAD},
};

/* Splits a name such as "vadd4" into the operation and the number of lanes; false if there is no
 * such instruction. */
static bool find_op(const char *text, ArithVideo *op) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i].name);
    if (strncmp(text, names[i].name, length) != 0) continue;
    const char *count = text + length;
    op->op = (uint8_t)names[i].op;
    op->lanes = !*count ? 1 : strcmp(count, "2") == 0 ? 2 : strcmp(count, "4") == 0 ? 4 : 0;
    const bool of_lanes = op->lanes > 1, shifts = op->op == VIDEO_SHL || op->op == VIDEO_SHR;
    if (of_lanes ? shifts || op->op == VIDEO_MAD : op->op == VIDEO_AVRG) op->lanes = 0;
    return op->lanes > 0;
  }
  return false;
}

static bool take_sign(Decoder *d) {
  const ArithType type = decode_take_type(d);
  if (type != ARITH_U32 && type != ARITH_S32) decode_fail(d, "this type is not supported");
  return type == ARITH_S32;
}

/* Decodes d's type, which vset lacks, then a's and b's. */
static void take_types(Decoder *d, ArithVideo *op) {
  if (op->op != VIDEO_SET) op->d_signed = take_sign(d);
  op->a_signed = take_sign(d);
  op->b_signed = take_sign(d);
}

static void take_words(Decoder *d, ArithVideo *op) {
  static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge", NULL};
  static const char *const seconds[] = {"add", "min", "max", NULL};
  op->saturates = decode_take(d, "sat");
  op->wraps = decode_take(d, "wrap");
  if (!op->wraps) decode_take(d, "clamp");
  op->plus_one = decode_take(d, "po");
  op->shift = decode_take(d, "shr7") ? 7 : decode_take(d, "shr15") ? 15 : 0;
  const int compare = op->op == VIDEO_SET ? decode_take_one(d, compares) : 0;
  if (compare < 0) decode_fail(d, "the comparison is missing");
  op->compare = (uint8_t)(ARITH_EQ + compare);
  op->second = (uint8_t)(VIDEO_ALONE + 1 + decode_take_one(d, seconds));
}

/* Decodes b0 to b3, h0 or h1; without one, the whole register. */
static VideoPart part(Decoder *d, const Operand *operand) {
  const char *s = operand->selector;
  if (!s) return (VideoPart){0, 32};
  const unsigned n = (unsigned)(s[1] - '0');
  if (strlen(s) != 2 || (s[0] != 'b' && s[0] != 'h') || n > (s[0] == 'b' ? 3 : 1)) {
    decode_fail(d, "selector .%.8s is not supported", s);
    return (VideoPart){0, 32};
  }
  return s[0] == 'b' ? (VideoPart){(uint8_t)(8 * n), 8} : (VideoPart){(uint8_t)(16 * n), 16};
}

/* Decodes "h10" or "b7654": a selection of the lanes of a and b together, the highest first. */
static void select_lanes(Decoder *d, const Operand *operand, unsigned count, unsigned first,
                         uint8_t lane[VIDEO_LANES]) {
  const char *s = operand->selector;
  for (unsigned i = 0; i < count; i++) lane[i] = (uint8_t)(first + i);
  if (!s) return;
  if (s[0] != (count == 2 ? 'h' : 'b') || strlen(s) != count + 1) {
    decode_fail(d, "selector .%.8s is not supported", s);
    return;
  }
  for (unsigned i = 0; i < count; i++) {
    lane[i] = (uint8_t)(s[count - i] - '0');
    if (lane[i] >= 2 * count) decode_fail(d, "selector .%.8s is not supported", s);
  }
}

/* Decodes "h0" or "b310": the lanes that are written. */
static uint8_t mask_of(Decoder *d, const Operand *operand, unsigned count) {
  const char *s = operand->selector;
  unsigned mask = 0;
  if (!s) return (uint8_t)((1u << count) - 1);
  for (const char *at = s + 1; *at; at++) {
    const unsigned lane = (unsigned)(*at - '0');
    if (s[0] != (count == 2 ? 'h' : 'b') || lane >= count)
      decode_fail(d, "selector .%.8s is not supported", s);
    else
      mask |= 1u << lane;
  }
  return (uint8_t)mask;
}

static void take_selectors(Decoder *d, ArithVideo *op) {
  const Operand *to = decode_operand(d, 0), *a = decode_operand(d, 1), *b = decode_operand(d, 2);
  if (op->lanes > 1) {
    op->mask = mask_of(d, to, op->lanes);
    select_lanes(d, a, op->lanes, 0, op->a_lane);
    select_lanes(d, b, op->lanes, op->lanes, op->b_lane);
    return;
  }
  op->d = part(d, to);
  op->a = part(d, a);
  op->b = part(d, b);
  if (to->selector) op->second = VIDEO_MERGE;
}

/* A source without its part and its sign, which have been decoded. */
static Ref source(Decoder *d, int index) {
  Operand plain = *decode_operand(d, index);
  plain.selector = NULL;
  plain.negated = false;
  return decode_source(d, &plain, ARITH_U32);
}

/* Decodes the signs of vmad's product and addend; other instructions negate nothing. */
static void take_signs(Decoder *d, ArithVideo *op, bool uses_c) {
  op->product_negated = decode_operand(d, 1)->negated != decode_operand(d, 2)->negated;
  op->c_negated = uses_c && decode_operand(d, 3)->negated;
  if (op->op != VIDEO_MAD && (op->product_negated || op->c_negated))
    decode_fail(d, "an operand cannot be negated here");
}

static Ref *take_refs(Decoder *d, bool uses_c) {
  Ref *refs = decode_refs(d, 4);
  Operand to = *decode_operand(d, 0);
  to.selector = NULL;
  refs[0] = decode_dest(d, &to);
  refs[1] = source(d, 1);
  refs[2] = source(d, 2);
  refs[3] = uses_c ? source(d, 3) : decode_constant(d, 0);
  return refs;
}

void decode_video(Decoder *d) {
  ArithVideo *op = ARENA_NEW(d->arena, ArithVideo);
  if (!find_op(d->modifier[0], op)) decode_fail(d, "the instruction is not supported");
  if (d->failed) return;
  take_types(d, op);
  take_words(d, op);
  if (!decode_count(d, 3, 4)) return;
  take_selectors(d, op);
  const bool uses_c = op->lanes > 1 || op->op == VIDEO_MAD || op->second != VIDEO_ALONE;
  const int operands = uses_c ? 4 : 3;
  if (d->failed || !decode_count(d, operands, operands)) return;
  take_signs(d, op, uses_c);
  Ref *refs = take_refs(d, uses_c);
  d->insn->d = refs;
  d->insn->s = refs + 1;
  d->insn->n_d = 1;
  d->insn->n_s = 3;
  d->insn->kind = INSN_VIDEO;
  d->insn->video = op;
  d->insn->fn = exec_video;
}
