/* SPDX-License-Identifier: MIT */
#include "spec/spec_read.h"

#include <string.h>

#include "base/file.h"
#include "spec/access.h"
#include "spec/spec_access.h"
#include "spec/spec_blame.h"
#include "spec/spec_block.h"
#include "spec/spec_family.h"
#include "spec/spec_hash.h"
#include "spec/spec_keys.h"
#include "spec/spec_layout.h"
#include "spec/spec_let.h"
#include "spec/spec_names.h"
#include "spec/spec_override.h"
#include "spec/spec_param.h"
#include "spec/spec_problem.h"
#include "spec/spec_require.h"
#include "spec/spec_tile.h"
#include "spec/spec_tune.h"

/* --- the root's keys --- */

static void read_version(void *to, const Key *key, const Yaml *value) {
  const SpecReader *r = to;
  int version;
  key_number(&r->in, key, value, &version);
}

/* The file's name without directory and extension. */
static const char *stem(const Reader *in, const char *path) {
  const char *name = path_name(path);
  const char *dot = strrchr(name, '.');
  return arena_strndup(in->arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* The template's name is added: a library may have a macro, a type or a function of any name, so no
 * list of reserved names could be complete. */
static const char *symbol_of(Arena *a, const Spec *s) {
  const size_t n = strlen(s->kernel);
  const bool own = strncmp(s->name, s->kernel, n) == 0 && (!s->name[n] || s->name[n] == '_');
  return own ? s->name : arena_printf(a, "%s_kernel", s->name);
}

static void read_spec_name(void *to, const Key *key, const Yaml *value) {
  SpecReader *r = to;
  const Yaml stand_in = {
      .kind = YAML_TEXT, .loc = r->spec->loc, .text = stem(&r->in, r->path), .quoted = true};
  const char *what = value ? key->name : "the file's name";
  const Yaml *node = value ? value : &stand_in;
  r->out->name_loc = node->loc;
  r->out->name = read_name(&r->in, node, what);
  if (r->out->name && r->family) r->out->symbol = symbol_of(r->in.arena, r->out);
  if (!r->out->name && !value) diag_hint(r->in.diag, "give the kernel its own with 'name:'");
}

static const Arch *find_arch(const SpecReader *r, const Key *key, const Yaml *value) {
  const char **names = ARENA_ARRAY(r->in.arena, const char *, (size_t)arch_count);
  for (int i = 0; i < arch_count; i++) names[i] = arch_table[i].name;
  const int i = value ? read_choice(&r->in, value, key->name, names, arch_count) : -1;
  return i < 0 ? NULL : &arch_table[i];
}

/* From the command line, else the spec, else the template. For a template that needs sm_90a, sm_90
 * means sm_90a: the same GPUs, and its kernel compiled for sm_90 would only trap. */
static void read_arch(void *to, const Key *key, const Yaml *value) {
  SpecReader *r = to;
  const Arch *own = find_arch(r, key, value);
  const Arch *needed = find_arch(r, key, r->family ? yaml_get(r->family, key->name) : NULL);
  const Arch *arch = r->options->arch ? r->options->arch : own ? own : needed;
  if (!arch) arch = arch_find("sm_90");
  r->out->arch = needed && arch_is_variant(needed, arch) ? needed : arch;
}

static void read_bank_count(void *to, const Key *key, const Yaml *value) {
  SpecReader *r = to;
  key_number(&r->in, key, value, &r->out->banks.count);
}

static void read_bank_bytes(void *to, const Key *key, const Yaml *value) {
  SpecReader *r = to;
  int *bytes = &r->out->banks.bytes;
  if (key_number(&r->in, key, value, bytes) && (*bytes & (*bytes - 1)))
    diag_error(r->in.diag, value->loc, "banks' bytes is %d, but must be 1, 2, 4, 8 or 16", *bytes);
}

// clang-format off
static const Key bank_keys[] = {
    {.name = "count", .what = "banks' count", .kind = VALUE_NUMBER, .min = 1, .max = 64,
     .read = read_bank_count},
    {.name = "bytes", .what = "banks' bytes", .kind = VALUE_NUMBER, .min = 1, .max = 16,
     .read = read_bank_bytes},
};
// clang-format on
KEY_TABLE(bank_table, bank_keys);

static void read_banks(void *to, const Key *key, const Yaml *value) {
  SpecReader *r = to;
  r->out->banks = banks_nvidia;
  if (value) keys_take(&r->in, value, &bank_table, value->loc, key->name, r);
}

/* The other keys are declared first: names and values may depend on each other. A tile has the same
 * keys in a list of several. */
// clang-format off
static const Key spec_keys[] = {
    {.name = "version", .kind = VALUE_NUMBER, .min = 1, .max = 1, .required = true,
     .hint = "version: 1", .read = read_version, .about = "of the spec language"},
    {.name = "kernel", .kind = VALUE_TEXT, .required = true,
     .hint = "a family's name, or none for a header with the layout",
     .about = "a family of templates/, or none: a header with the layout alone"},
    {.name = "name", .kind = VALUE_NAME, .read = read_spec_name,
     .about = "names what is emitted; default: the file's name"},
    {.name = "dtype", .kind = VALUE_TEXT, .about = "the type of an element",
     .shape = {.choice = dtype_choice}},
    {.name = "tile", .kind = VALUE_LIST, .about = "1 to 4 extents, the last one contiguous",
     .shape = {.item = VALUE_EXPR, .fewest = 1, .most = KGEN_MAX_RANK, .least = 1}},
    {.name = "block", .kind = VALUE_LIST, .about = "threads x, y, z",
     .shape = {.item = VALUE_EXPR, .fewest = 1, .most = 3, .least = 1}},
    {.name = "arch", .kind = VALUE_TEXT, .read = read_arch,
     .about = "the GPU's; default sm_90, or what the family needs", .shape = {.choice = arch_choice}},
    {.name = "banks", .kind = VALUE_MAP, .read = read_banks,
     .about = "the banks of shared memory; default 32 of 4 bytes", .shape = {.table = &bank_table}},
    {.name = "layout", .about = "what may be done to the plain tile, and what must hold",
     .shape = {.kinds = 1 << VALUE_TEXT | 1 << VALUE_MAP, .table = &layout_table,
               .choice = want_choice}},
    {.name = "params", .kind = VALUE_MAP, .about = "the family's knobs; of none, names for numbers",
     .shape = {.item = VALUE_EXPR, .most = MAX_PARAMS}},
    {.name = "problem", .kind = VALUE_MAP, .about = "the sizes that are timed, tuned and chosen for",
     .shape = {.item = VALUE_EXPR, .most = MAX_SIZES}},
    {.name = "let", .kind = VALUE_MAP, .about = "names for expressions",
     .shape = {.item = VALUE_EXPR}},
    {.name = "access", .kind = VALUE_LIST,
     .about = "what is done with the tile, an instruction each; a family brings its own",
     .shape = {.table = &access_table, .fewest = 1, .most = MAX_ACCESSES}},
    {.name = "tiles", .kind = VALUE_MAP, .about = "several shared arrays, each with a name",
     .shape = {.item = VALUE_MAP, .table = &tile_table, .fewest = 1, .most = MAX_TILES}},
    {.name = "dims", .kind = VALUE_LIST, .about = "what its coordinates are called",
     .shape = {.item = VALUE_NAME, .fewest = 1, .most = KGEN_MAX_RANK}},
};
// clang-format on
const KeyTable spec_table = {spec_keys, sizeof spec_keys / sizeof *spec_keys, NULL, 0};

/* --- stages --- */

/* Merges the keys of the template's file, if there is one, after the spec's. */
static void read_kernel(SpecReader *r) {
  const Yaml *node = yaml_get(r->spec, "kernel");
  r->blind = !node || !expect_kind(&r->in, node, "kernel", YAML_TEXT);
  if (!r->blind && strcmp(node->text, "none") != 0) read_family(r, node);
  if (r->family) r->out->kernel = node->text;
  const Yaml *files[] = {r->spec, r->family};
  r->root = map_merge(&r->in, files, 2);
}

/* False if a map of the file has too many names, including those before. */
static bool has_room(SpecReader *r, const Yaml *file, const char *key, int most, int *names) {
  const Yaml *map = yaml_get(file, key);
  if (!map || map->kind != YAML_MAP) return true;
  const int room = most - *names;
  *names += map->count;
  if (*names <= most) return true;
  diag_error(r->in.diag, map->pair[room].key->loc, "more than %d names in '%s'", most, key);
  return false;
}

/* If there are too many names, the rest would be unknown to all expressions that read them. */
static bool names_fit(SpecReader *r) {
  int params = 0, lets = 0;
  const bool fit = has_room(r, r->family ? r->family : r->spec, "params", MAX_PARAMS, &params);
  return has_room(r, r->family, "let", EXPR_MAX_LETS, &lets) &&
         has_room(r, r->spec, "let", EXPR_MAX_LETS, &lets) && fit;
}

/* Declares all names of expressions, with the definitions of their values. */
static void declare_names(SpecReader *r) {
  r->scope.in = &r->in;
  r->scope.esize_slot = declare_ours(r, "esize");
  r->sm_slot = declare_ours(r, "sm");
  scope_set(&r->scope, r->sm_slot, arch_number(r->out->arch));
  declare_block(r);
  declare_tiles(r);
  define_block(r);
  declare_params(r);
  declare_sizes(r);
  declare_lets(r);
}

static void read_values(SpecReader *r) {
  scope_finish(&r->scope);
  read_block(r, r->out->block);
  read_params(r);
  read_sizes(r);
  read_tiles(r);
  check_requirements(r);
}

/* A template's accesses are not checked if one of its requirements failed. */
static void read_all_accesses(SpecReader *r) {
  TileSpec *tile = ARENA_ARRAY(r->in.arena, TileSpec, MAX_TILES);
  for (int t = 0; t < r->tiles; t++) {
    tile[t] = r->out->tile[t];
    if (tile[t].own || !r->unfit) read_accesses(r, &r->tile[t], &tile[t]);
  }
  r->out->tile = tile;
}

/* Reads the spec's keys, and the template's. */
static void read_spec(SpecReader *r) {
  r->spec = keys_known(&r->in, r->spec, &spec_table);
  keys_given(&r->in, r->spec, &spec_table, 0, r->spec->loc, NULL);
  read_kernel(r);
}

static void read_rest(SpecReader *r) {
  if (!names_fit(r)) return;
  keys_read(&r->in, r->spec, &spec_table, 0, r);
  declare_names(r);
  read_values(r);
  read_problem(r);
  read_all_accesses(r);
  read_constants(r);
  read_tune(r);
  read_overrides(r);
  r->out->hash = spec_hash(r);
}

/* Expands the accesses of a spec that is not planned (because it has errors, or only errors are
 * requested) to find further errors. */
static void check_accesses(SpecReader *r) {
  Arena *scratch = arena_new();
  Budget b = {.limit = EXPAND_EFFORT};
  for (int t = 0; t < r->out->tiles; t++)
    access_expand(scratch, r->in.diag, r->out, &r->out->tile[t], &b);
  arena_free(scratch);
}

/* The reader of a file, with its root; NULL if the root is not a map. */
static SpecReader *reader_new(Arena *a, Diag *d, const char *path, const SpecOptions *options) {
  SpecReader *r = ARENA_NEW(a, SpecReader);
  *r = (SpecReader){.in = {a, d}, .options = options, .path = path};
  r->spec = yaml_read(a, d, path, options->source);
  if (!r->spec || !expect_kind(&r->in, r->spec, "a spec", YAML_MAP)) return NULL;
  r->out = ARENA_NEW(a, Spec);
  r->out->source = r->spec->loc.source;
  r->out->reader = r;
  r->out->budget = options->budget ? options->budget : ARENA_NEW(a, Budget);
  if (!options->budget) *r->out->budget = (Budget){.limit = SPEC_EFFORT};
  return r;
}

bool spec_family_is_broken(const SpecReader *of) {
  Arena *a = of->in.arena;
  Diag *d = diag_new(a), *kept;
  const char *text = arena_printf(a, "version: 1\nname: begin\nkernel: %s\n", of->out->kernel);
  const Source source = {"defaults", text, strlen(text)};
  const SpecOptions options = {.templates = of->options->templates, .source = &source};
  SpecReader *r = reader_new(a, d, source.path, &options);
  read_spec(r);
  kept = blame_begin(r, d);
  read_rest(r);
  check_accesses(r);
  return diag_count(kept) > 0;
}

const Spec *spec_read(Arena *a, Diag *d, const char *path, const SpecOptions *options) {
  const int before = diag_met(d);
  SpecReader *r = reader_new(a, d, path, options);
  if (!r) return NULL;
  read_spec(r);
  Diag *kept = blame_begin(r, d);
  read_rest(r);
  if (diag_met(d) != before) check_accesses(r);
  blame_end(r, d, kept, diag_count(kept) > 0 && spec_family_is_broken(r));
  return diag_met(d) == before ? r->out : NULL;
}
