/* SPDX-License-Identifier: MIT */
#include "spec/spec_layout.h"

#include <string.h>

#include "base/number.h"
#include "model/modes.h"
#include "spec/spec_keys.h"

enum { MAX_ALIGN = 128, MAX_LAYOUT_BYTES = 1 << 30 };

typedef struct {
  const Reader *in;
  int64_t unpadded;
  LayoutRequest *out;
} LayoutReader;

static void read_kind(void *to, const Key *key, const Yaml *value) {
  const LayoutReader *l = to;
  const int kind = key_word(l->in, key, value);
  if (kind >= 0) l->out->kind = (Want)kind;
}

static void read_align(void *to, const Key *key, const Yaml *value) {
  const LayoutReader *l = to;
  int align;
  if (!key_number(l->in, key, value, &align)) return;
  l->out->align = align;
  if (!number_is_power(align))
    diag_error(l->in->diag, value->loc, "align is %d, but must be a power of two", align);
}

/* The maximum size of the tile that the architecture allows. */
static void read_max_bytes(void *to, const Key *key, const Yaml *value) {
  const LayoutReader *l = to;
  int bytes;
  if (!key_number(l->in, key, value, &bytes)) return;
  if (bytes < l->unpadded)
    diag_error(l->in->diag, value->loc, "max_bytes is %d, but the tile takes %lld without padding",
               bytes, (long long)l->unpadded);
  if (bytes < l->out->max_bytes) l->out->max_bytes = bytes;
}

static void read_strict(void *to, const Key *key, const Yaml *value) {
  const LayoutReader *l = to;
  key_bool(l->in, key, value, &l->out->strict);
}

// clang-format off
static const Key layout_keys[] = {
    {.name = "kind", .what = "layout", .kind = VALUE_WORD, .word = want_name, .max = WANT_COUNT,
     .read = read_kind, .about = "pads, XORs, both or neither"},
    {.name = "align", .kind = VALUE_NUMBER, .min = 1, .max = MAX_ALIGN, .read = read_align,
     .about = "keep aligned pieces of so many bytes whole, for cp.async, TMA or vectors"},
    {.name = "max_bytes", .kind = VALUE_NUMBER, .min = 1, .max = MAX_LAYOUT_BYTES,
     .read = read_max_bytes, .about = "what the tile may take"},
    {.name = "strict", .kind = VALUE_BOOL, .read = read_strict,
     .about = "exit 4 if no layout is conflict-free"},
    /* These four keys specify a layout: spec_given.h. */
    {.name = "swizzle", .about = "cost a mode of TMA", .kind = VALUE_WORD, .word = mode_name, .max = MODES},
    {.name = "cute", .about = "cost CuTe's Swizzle<B, M, S>", .kind = VALUE_LIST,
     .shape = {.item = VALUE_EXPR, .fewest = 3, .most = 3}},
    {.name = "pad", .about = "cost this many elements added to each row", .kind = VALUE_EXPR},
    {.name = "expr", .about = "cost an expression over c0, c1, ...", .kind = VALUE_EXPR},
};
// clang-format on
const KeyTable layout_table = {layout_keys, sizeof layout_keys / sizeof *layout_keys, NULL, 0};

/* A single word is short for a map with only that kind. */
void read_layout(const Reader *in, const Yaml *node, int64_t unpadded, LayoutRequest *out) {
  LayoutReader l = {in, unpadded, out};
  if (!node) return;
  out->loc = node->loc;
  if (node->kind == YAML_TEXT && !yaml_is_null(node))
    read_kind(&l, &layout_keys[0], node);
  else if (expect_kind(in, node, "layout", YAML_MAP))
    keys_take(in, node, &layout_table, node->loc, "layout", &l);
  else
    diag_hint(in->diag, "or one of: auto, none, pad, xor, tma");
}

static bool is_pad_of(const char *name, const char *tile) {
  if (strcmp(name, "pad") == 0) return true;
  const size_t n = tile ? strlen(tile) : 0;
  return tile && strncmp(name, tile, n) == 0 && strcmp(name + n, ".pad") == 0;
}

/* A pad that is set leaves nothing to solve. A pad for one tile has precedence over one for all
 * tiles. */
static void set_pad(Arena *a, const SpecOptions *options, const char *tile, LayoutRequest *out) {
  for (int i = 0; i < options->settings; i++) {
    const Setting *s = &options->setting[i];
    if (!is_pad_of(s->name, tile) || (out->alone && strcmp(s->name, "pad") == 0)) continue;
    out->kind = WANT_PAD;
    GivenLayout *given = ARENA_NEW(a, GivenLayout);
    *given = (GivenLayout){.kind = GIVEN_PAD, .pad = s->value};
    out->given = given;
    out->alone = true;
  }
}

void override_layout(Arena *a, const SpecOptions *options, const char *tile, LayoutRequest *out) {
  if (options->want) {
    out->kind = *options->want;
    out->given = NULL;
  }
  set_pad(a, options, tile, out);
}
