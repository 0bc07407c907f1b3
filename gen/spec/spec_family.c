/* SPDX-License-Identifier: MIT */
#include "spec/spec_family.h"

#include <string.h>

#include "spec/names.h"
#include "spec/spec_keys.h"

/* A template is read from its file only: the name is not a path. */
static bool family_exists(SpecReader *r, const Yaml *kernel) {
  const char *const *known;
  const int count = templates_kernels(r->options->templates, &known);
  const char **names = ARENA_ARRAY(r->in.arena, const char *, (size_t)count + 1);
  for (int i = 0; i < count; i++) names[i] = known[i];
  names[count] = "none";
  return read_choice(&r->in, kernel, "kernel", names, count + 1) >= 0;
}

/* --- its keys --- */

typedef struct {
  SpecReader *r;
  const Yaml *kernel;
} FamilyReader;

static void read_version(void *to, const Key *key, const Yaml *value) {
  const FamilyReader *f = to;
  int version;
  key_number(&f->r->in, key, value, &version);
}

static void read_own_name(void *to, const Key *key, const Yaml *value) {
  const FamilyReader *f = to;
  (void)key;
  if (value && strcmp(value->text, f->kernel->text) != 0)
    diag_error(f->r->in.diag, value->loc, "family '%s' in the file of '%s'", value->text,
               f->kernel->text);
}

/* Checks that the spec's dtype, and its tiles' dtypes, are in the template's list. */
static void read_dtypes(void *to, const Key *key, const Yaml *list) {
  const FamilyReader *f = to;
  const Reader *in = &f->r->in;
  const Yaml *spec = f->r->spec, *tiles = yaml_get(spec, "tiles");
  (void)key;
  if (!list) return;
  const char **names = ARENA_ARRAY(in->arena, const char *, (size_t)list->count);
  int count = 0;
  for (int i = 0; i < list->count; i++) {
    const Dtype *d = read_dtype(in, list->item[i]);
    if (d) names[count++] = d->name;
  }
  const int members = tiles && tiles->kind == YAML_MAP ? tiles->count : 0;
  for (int i = -1; i < members; i++) {
    const Yaml *dtype = yaml_get(i < 0 ? spec : tiles->pair[i].value, "dtype");
    if (dtype && dtype->kind == YAML_TEXT && dtype_find(dtype->text))
      read_choice(in, dtype, "dtype of this kernel", names, count);
  }
}

/* Keys without a reader here are read along with the spec. */
// clang-format off
static const Key family_keys[] = {
    {.name = "version", .kind = VALUE_NUMBER, .min = 1, .max = 1, .required = true,
     .read = read_version},
    {.name = "family", .kind = VALUE_TEXT, .required = true, .read = read_own_name},
    {.name = "about", .kind = VALUE_PROSE},
    {.name = "dtypes", .kind = VALUE_LIST, .read = read_dtypes},
    {.name = "params", .kind = VALUE_MAP},
    {.name = "let", .kind = VALUE_MAP},
    {.name = "require", .kind = VALUE_LIST},
    {.name = "dtype", .kind = VALUE_TEXT},
    {.name = "tile", .kind = VALUE_LIST},
    {.name = "block", .kind = VALUE_LIST},
    {.name = "arch", .kind = VALUE_TEXT},
    {.name = "layout"},
    {.name = "access", .kind = VALUE_LIST},
    {.name = "tiles", .kind = VALUE_MAP},
    {.name = "constants", .kind = VALUE_MAP},
    {.name = "problem", .kind = VALUE_MAP, .required = true},
    {.name = "tune", .kind = VALUE_MAP},
};
// clang-format on
KEY_TABLE(family_table, family_keys);

/* --- the file --- */

void read_family(SpecReader *r, const Yaml *kernel) {
  const Reader *in = &r->in;
  FamilyReader f = {r, kernel};
  r->blind = true; /* until it is read */
  if (!is_identifier(kernel->text)) {
    read_name(in, kernel, "kernel");
    return;
  }
  if (!family_exists(r, kernel)) return;
  const Yaml *family = templates_declaration(r->options->templates, in->diag, kernel->text);
  if (!family || !expect_kind(in, family, "a family", YAML_MAP)) return;
  r->blind = false;
  r->family = keys_known(in, family, &family_table);
  keys_given(in, r->family, &family_table, 0, family->loc, NULL);
  keys_read(in, r->family, &family_table, 0, &f);
}
