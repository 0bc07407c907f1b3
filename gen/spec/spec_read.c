#include <string.h>

#include "spec/access.h"
#include "spec/spec_read.h"
#include "spec/spec_reader.h"

static const char *const keys[] = {"version", "kernel", "name",  "dtype",  "tile",
                                   "block",   "arch",   "banks", "layout", "params",
                                   "let",     "access", "tiles", "dims"};
enum { KEYS = sizeof(keys) / sizeof(*keys) };

static void read_version(SpecReader *r) {
  const Yaml *node = yaml_get(r->spec, "version");
  int version;
  if (node) {
    read_plain(r, node, "version", 1, 1, &version);
    return;
  }
  diag_error(r->diag, r->spec->loc, "'version' is missing");
  diag_hint(r->diag, "version: 1");
}

/* The kernel's value, for its place; NULL if it is missing. */
static const Yaml *read_kernel(SpecReader *r) {
  const Yaml *node = yaml_get(r->spec, "kernel");
  if (!node) {
    r->blind = true;
    diag_error(r->diag, r->spec->loc, "'kernel' is missing");
    diag_hint(r->diag, "a family's name, or none for a header with the layout");
    return NULL;
  }
  if (!expect_kind(r, node, "kernel", YAML_TEXT)) {
    r->blind = true;
    return node;
  }
  if (strcmp(node->text, "none") != 0) read_family(r, node);
  return node;
}

/* The file's name without folder and extension. */
static const char *stem(SpecReader *r) {
  const char *slash = strrchr(r->path, '/');
  const char *name = slash ? slash + 1 : r->path;
  const char *dot = strrchr(name, '.');
  return arena_strndup(r->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void read_spec_name(SpecReader *r) {
  const Yaml *node = yaml_get(r->spec, "name");
  const Yaml stand_in = {.kind = YAML_TEXT, .loc = r->spec->loc, .text = stem(r), .quoted = true};
  const char *what = node ? "name" : "the file's name";
  if (!node) node = &stand_in;
  r->out->name_loc = node->loc;
  r->out->name = read_name(r, node, what);
  if (r->out->name && r->family && is_library_name(r->out->name)) {
    diag_error(r->diag, node->loc, "%s '%s' is a name of CUDA or the C library", what, node->text);
    r->out->name = NULL;
  }
  if (!r->out->name && node == &stand_in)
    diag_hint(r->diag, "give the kernel its own with 'name:'");
}

static void read_arch(SpecReader *r) {
  const Yaml *node = yaml_get(r->spec, "arch");
  const char **names = ARENA_ARRAY(r->arena, const char *, (size_t)arch_count);
  for (int i = 0; i < arch_count; i++) names[i] = arch_table[i].name;
  r->out->arch = arch_find("sm_90");
  if (node) {
    const int i = read_choice(r, node, "arch", names, arch_count);
    if (i >= 0) r->out->arch = &arch_table[i];
  }
  if (r->options->arch) r->out->arch = r->options->arch;
}

static void read_banks(SpecReader *r) {
  static const char *const bank_keys[] = {"count", "bytes"};
  BankGeometry *b = &r->out->banks;
  *b = (BankGeometry){32, 4};
  const Yaml *node = yaml_get(r->spec, "banks");
  if (!node || !expect_kind(r, node, "banks", YAML_MAP)) return;
  node = check_keys(r, node, bank_keys, 2);
  const Yaml *count = yaml_get(node, "count"), *bytes = yaml_get(node, "bytes");
  if (count) read_plain(r, count, "banks' count", 1, 64, &b->count);
  if (!bytes || !read_plain(r, bytes, "banks' bytes", 1, 16, &b->bytes)) return;
  if (b->bytes & (b->bytes - 1))
    diag_error(r->diag, bytes->loc, "banks' bytes is %d, but must be 1, 2, 4, 8 or 16", b->bytes);
}

/* What accesses, constants and the launch are worked out from. */
static void read_values(SpecReader *r) {
  r->esize_slot = scope_declare_ours(r, "esize");
  name_block(r);
  name_tiles(r);
  name_params(r);
  name_lets(r);
  defer_block(r);
  defer_tiles(r);
  defer_params(r);
  defer_lets(r);
  scope_settle(r);
  finish_block(r);
  finish_params(r);
  finish_tiles(r);
  check_requirements(r);
}

static void read_tiles(SpecReader *r) {
  TileSpec *tile = ARENA_ARRAY(r->arena, TileSpec, (size_t)r->tiles);
  for (int t = 0; t < r->tiles; t++) {
    const TileNodes *nodes = &r->tile[t];
    tile[t] = r->out->tile[t];
    read_want(r, nodes, &tile[t].tile.want);
    tile[t].own = nodes->access && nodes->access->loc.source == r->out->source;
    if (tile[t].own || !r->unfit) read_accesses(r, nodes, &tile[t]);
  }
  r->out->tile = tile;
}

static void read_all(SpecReader *r) {
  r->spec = check_keys(r, r->spec, keys, KEYS);
  read_version(r);
  const Yaml *kernel = read_kernel(r);
  if (r->family) r->out->kernel = kernel->text;
  read_spec_name(r);
  read_arch(r);
  read_banks(r);
  read_values(r);
  read_problem(r);
  read_tiles(r);
  read_constants(r);
}

/* Of a spec with errors nothing is planned, but its accesses may have others to show. */
static void check_accesses(SpecReader *r) {
  Arena *scratch = arena_new();
  for (int t = 0; t < r->out->tiles; t++) access_expand(scratch, r->diag, r->out, &r->out->tile[t]);
  arena_free(scratch);
}

const Spec *spec_read(Arena *a, Diag *d, const char *path, const SpecOptions *options) {
  SpecReader *r = ARENA_NEW(a, SpecReader);
  r->arena = a;
  r->diag = d;
  r->options = options;
  r->path = path;
  r->errors_before = diag_count(d);
  r->spec = yaml_read(a, d, path, options->source);
  if (!r->spec || !expect_kind(r, r->spec, "a spec", YAML_MAP)) return NULL;
  r->out = ARENA_NEW(a, Spec);
  r->out->source = r->spec->loc.source;
  read_all(r);
  if (diag_count(d) == r->errors_before) return r->out;
  check_accesses(r);
  return NULL;
}
