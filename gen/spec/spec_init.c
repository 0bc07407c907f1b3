/* SPDX-License-Identifier: MIT */
#include "spec/spec_init.h"

#include <inttypes.h>
#include <string.h>

#include "spec/spec_read.h"

enum { COMMENT = 26 }; /* the column that comments begin in */

/* The text being written, and the source of its values. */
typedef struct {
  Arena *arena;
  const char *kernel;
  const Spec *spec;   /* with nothing set; NULL for `none` */
  const Yaml *family; /* the template's file; NULL for `none` */
  Text *out;
} Init;

/* --- lines --- */

static const char *about_of(const char *key) {
  for (int i = 0; i < spec_table.count; i++)
    if (strcmp(spec_table.key[i].name, key) == 0) return spec_table.key[i].about;
  return NULL;
}

static void put_line(const Init *w, const char *line, const char *comment) {
  text_puts(w->out, line);
  if (comment)
    text_printf(w->out, "%*s# %s", (int)strlen(line) < COMMENT ? COMMENT - (int)strlen(line) : 1,
                "", comment);
  text_puts(w->out, "\n");
}

/* set: writes the key; otherwise writes it commented out, with its default. */
static void put_key(const Init *w, bool set, const char *key, const char *value,
                    const char *comment) {
  put_line(w, arena_printf(w->arena, "%s%s: %s", set ? "" : "#", key, value),
           comment ? comment : about_of(key));
}

/* --- values --- */

static const char *list(Arena *a, const int *v, int count) {
  Text t = text_new(a);
  for (int i = 0; i < count; i++) text_printf(&t, "%s%d", i ? ", " : "[", v[i]);
  text_puts(&t, "]");
  return t.s;
}

static const char *block_of(const Init *w) {
  const int *b = w->spec->block;
  return list(w->arena, b, b[2] > 1 ? 3 : b[1] > 1 ? 2 : 1);
}

static const char *dtypes_of(const Init *w) {
  const Yaml *own = yaml_get(w->family, "dtypes");
  Text t = text_new(w->arena);
  if (own && own->kind == YAML_LIST)
    for (int i = 0; i < own->count; i++) text_printf(&t, "%s ", own->item[i]->text);
  else
    for (int i = 0; i < dtype_count; i++) text_printf(&t, "%s ", dtype_table[i].name);
  if (t.len) t.s[--t.len] = '\0';
  return t.s;
}

/* --- values of a template --- */

static void put_tiles(const Init *w) {
  const Spec *s = w->spec;
  if (!s->many) {
    const Tile *t = &s->tile[0].tile;
    put_key(w, true, "dtype", t->dtype->name, dtypes_of(w));
    put_key(w, false, "tile", list(w->arena, t->extent, t->rank), NULL);
    return;
  }
  put_key(w, false, "tiles", "", NULL);
  for (int i = 0; i < s->tiles; i++) {
    const Tile *t = &s->tile[i].tile;
    put_line(w,
             arena_printf(w->arena, "#  %s: {dtype: %s, tile: %s}", t->name, t->dtype->name,
                          list(w->arena, t->extent, t->rank)),
             NULL);
  }
}

/* "about; one of 1, 2, 4; default esize == 4 ? 1 : 4" */
static const char *param_about(const Init *w, const Yaml *declared) {
  static const char *const limit[][2] = {{"min", "at least"}, {"max", "at most"}};
  const char *about = yaml_text(declared, "about");
  const Yaml *values = yaml_get(declared, "values");
  Text t = text_new(w->arena);
  if (about) text_puts(&t, about);
  for (int i = 0; i < yaml_items(values); i++)
    text_printf(&t, "%s%s", i ? ", " : t.len ? "; one of " : "one of ", values->item[i]->text);
  for (int i = 0; i < 2; i++)
    if (yaml_text(declared, limit[i][0]))
      text_printf(&t, "%s%s %s", t.len ? "; " : "", limit[i][1], yaml_text(declared, limit[i][0]));
  return t.s;
}

static void put_sizes(const Init *w) {
  const Yaml *sizes = yaml_get(yaml_get(w->family, "problem"), "sizes");
  if (!w->spec->sizes) return;
  put_key(w, false, "problem", "", NULL);
  for (int i = 0; i < w->spec->sizes; i++) {
    const SizeSpec *s = &w->spec->size[i];
    put_line(w, arena_printf(w->arena, "#  %s: %" PRId64, s->name, s->value),
             param_about(w, yaml_get(sizes, s->name)));
  }
}

static void put_params(const Init *w) {
  const Yaml *params = yaml_get(w->family, "params");
  if (!w->spec->params) return;
  put_key(w, false, "params", "", NULL);
  for (int i = 0; i < w->spec->params; i++) {
    const Param *p = &w->spec->param[i];
    put_line(w, arena_printf(w->arena, "#  %s: %" PRId64, p->name, p->value),
             param_about(w, yaml_get(params, p->name)));
  }
}

static void put_family(const Init *w) {
  const char *about = yaml_text(w->family, "about");
  text_printf(w->out, "# %s: %s.\n# A key in a comment shows its default.\n", w->kernel,
              about ? about : "a family");
  put_key(w, true, "version", "1", NULL);
  put_key(w, true, "kernel", w->kernel, NULL);
  put_key(w, false, "name", arena_printf(w->arena, "%s_1", w->kernel), NULL);
  put_tiles(w);
  put_key(w, false, "block", block_of(w), NULL);
  put_key(w, false, "arch", w->spec->arch->name, NULL);
  put_key(w, false, "layout", "auto", "or none, pad, xor, or a map of what must hold, as");
  put_key(w, false, "layout", "{kind: auto, align: 16, max_bytes: 49152, strict: true}", "this");
  put_sizes(w);
  put_params(w);
}

/* --- a layout alone --- */

/* The core of every transpose: rows are stored, columns are read. */
static void put_none(const Init *w) {
  text_puts(w->out, "# A header with the index function of a tile that has these accesses, for a "
                    "kernel of your own.\n");
  put_key(w, true, "version", "1", NULL);
  put_key(w, true, "kernel", "none", NULL);
  put_key(w, false, "name", "my_tile", NULL);
  put_key(w, true, "dtype", "f32", dtypes_of(w));
  put_key(w, true, "tile", "[32, 32]", NULL);
  put_key(w, true, "dims", "[row, col]", NULL);
  put_key(w, true, "block", "[32, 8]", NULL);
  put_key(w, false, "layout", "{kind: auto, align: 16, max_bytes: 49152, strict: true}", NULL);
  put_key(w, true, "access", "", "each warp executes them for every value of their loops");
  put_line(w, "  - {name: fill, op: store, for: {j: 4}, at: [ty + 8 * j, tx]}", NULL);
  put_line(w, "  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8 * j]}", NULL);
}

/* --- the whole spec --- */

/* Reads the template as for a spec that sets nothing. */
static bool read_defaults(Init *w, Diag *d, Templates *templates) {
  Source *source = ARENA_NEW(w->arena, Source);
  source->path = "--init";
  source->text = arena_printf(w->arena, "version: 1\nname: begin\nkernel: %s\n", w->kernel);
  source->len = strlen(source->text);
  const SpecOptions options = {.templates = templates, .source = source};
  w->spec = spec_read(w->arena, d, source->path, &options);
  if (!w->spec) return false;
  w->family = templates_declaration(templates, d, w->kernel);
  return w->family != NULL;
}

bool spec_init(Arena *a, Diag *d, Templates *templates, const char *kernel, const char *schema,
               Text *out) {
  Init w = {.arena = a, .kernel = kernel, .out = out};
  const bool none = strcmp(kernel, "none") == 0;
  if (!none && !read_defaults(&w, d, templates)) return false;
  if (schema) text_printf(out, "# yaml-language-server: $schema=%s\n", schema);
  if (none)
    put_none(&w);
  else
    put_family(&w);
  return true;
}
