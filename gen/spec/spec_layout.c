#include <string.h>

#include "spec/spec_reader.h"

enum { MAX_ALIGN = 128, MAX_LAYOUT_BYTES = 1 << 30 };

static void read_kind(SpecReader *r, const Yaml *node, Want *out) {
  const int kind = read_choice(r, node, "layout", want_name, WANT_COUNT);
  if (kind >= 0) *out = (Want)kind;
}

static void read_align(SpecReader *r, const Yaml *node, int *out) {
  if (!read_plain(r, node, "align", 1, MAX_ALIGN, out)) return;
  if (*out & (*out - 1))
    diag_error(r->diag, node->loc, "align is %d, but must be a power of two", *out);
}

/* The most that the tile may take, when the architecture allows it. */
static void read_max_bytes(SpecReader *r, const Yaml *node, int64_t unpadded, int *out) {
  int bytes;
  if (!read_plain(r, node, "max_bytes", 1, MAX_LAYOUT_BYTES, &bytes)) return;
  if (bytes < unpadded)
    diag_error(r->diag, node->loc, "max_bytes is %d, but the tile takes %lld without padding",
               bytes, (long long)unpadded);
  if (bytes < *out) *out = bytes;
}

static void read_map(SpecReader *r, const Yaml *node, int64_t unpadded, LayoutRequest *out) {
  static const char *const keys[] = {"kind", "align", "max_bytes", "strict"};
  if (!expect_kind(r, node, "layout", YAML_MAP)) {
    diag_hint(r->diag, "or one of: auto, none, pad, xor");
    return;
  }
  node = check_keys(r, node, keys, 4);
  const Yaml *kind = yaml_get(node, "kind"), *align = yaml_get(node, "align");
  const Yaml *max_bytes = yaml_get(node, "max_bytes"), *strict = yaml_get(node, "strict");
  if (kind) read_kind(r, kind, &out->kind);
  if (align) read_align(r, align, &out->align);
  if (max_bytes) read_max_bytes(r, max_bytes, unpadded, &out->max_bytes);
  if (strict) read_bool(r, strict, "strict", &out->strict);
}

static bool is_pad_of(const char *name, const char *tile) {
  if (strcmp(name, "pad") == 0) return true;
  const size_t n = tile ? strlen(tile) : 0;
  return tile && strncmp(name, tile, n) == 0 && strcmp(name + n, ".pad") == 0;
}

/* A pad that is set leaves nothing to solve. A tile's own goes before one for all. */
static void set_pad(const SpecReader *r, const char *tile, LayoutRequest *out) {
  for (int i = 0; i < r->options->settings; i++) {
    const Setting *s = &r->options->setting[i];
    if (!is_pad_of(s->name, tile) || (out->pad && strcmp(s->name, "pad") == 0)) continue;
    out->kind = WANT_PAD;
    out->pad = &s->value;
  }
}

void read_want(SpecReader *r, const TileNodes *nodes, LayoutRequest *out) {
  const Yaml *node = nodes->want;
  if (node) out->loc = node->loc;
  if (node && node->kind == YAML_TEXT && !yaml_is_null(node))
    read_kind(r, node, &out->kind);
  else if (node)
    read_map(r, node, tile_bytes(r, nodes), out);
  if (r->options->want) out->kind = *r->options->want;
  set_pad(r, nodes->name, out);
}
