#define _POSIX_C_SOURCE 200809L /* opendir */

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec_reader.h"

static const char *const keys[] = {"version", "family",  "about", "dtypes",    "params",
                                   "let",     "require", "dtype", "tile",      "block",
                                   "layout",  "access",  "tiles", "constants", "problem"};
enum { KEYS = sizeof(keys) / sizeof(*keys), MAX_FAMILIES = 256 };

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the families that exist, sorted, for hints. */
static int list_families(SpecReader *r, const char **names) {
  DIR *dir = opendir(r->options->template_dir);
  int count = 0;
  for (const struct dirent *e; dir && count < MAX_FAMILIES && (e = readdir(dir));) {
    const size_t n = strlen(e->d_name);
    if (n <= 5 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
    const char *name = arena_strndup(r->arena, e->d_name, n - 5);
    if (is_identifier(name)) names[count++] = name;
  }
  if (dir) closedir(dir);
  qsort(names, (size_t)count, sizeof(*names), by_name);
  return count;
}

/* A family that exists is read from its file, and from nowhere else: the name is no path. */
static bool family_exists(SpecReader *r, const Yaml *kernel) {
  const char *names[MAX_FAMILIES + 1];
  const int count = list_families(r, names);
  names[count] = "none";
  return read_choice(r, kernel, "kernel", names, count + 1) >= 0;
}

/* The spec's dtype, and those of its tiles, must be among the family's. */
static void check_dtypes(SpecReader *r) {
  const Yaml *list = yaml_get(r->family, "dtypes"), *tiles = yaml_get(r->spec, "tiles");
  if (!list || !expect_kind(r, list, "dtypes", YAML_LIST)) return;
  const char **names = ARENA_ARRAY(r->arena, const char *, (size_t)list->count);
  int count = 0;
  for (int i = 0; i < list->count; i++) {
    const Dtype *d = read_dtype(r, list->item[i]);
    if (d) names[count++] = d->name;
  }
  const int members = tiles && tiles->kind == YAML_MAP ? tiles->count : 0;
  for (int i = -1; i < members; i++) {
    const Yaml *dtype = yaml_get(i < 0 ? r->spec : tiles->pair[i].value, "dtype");
    if (dtype && dtype->kind == YAML_TEXT && dtype_find(dtype->text))
      read_choice(r, dtype, "dtype of this kernel", names, count);
  }
}

static void check_family(SpecReader *r, const Yaml *kernel) {
  r->family = check_keys(r, r->family, keys, KEYS);
  const Yaml *name = yaml_get(r->family, "family"), *version = yaml_get(r->family, "version");
  int one;
  if (version)
    read_plain(r, version, "version", 1, 1, &one);
  else
    diag_error(r->diag, r->family->loc, "'version' is missing");
  if (!name)
    diag_error(r->diag, r->family->loc, "'family' is missing");
  else if (expect_kind(r, name, "family", YAML_TEXT) && strcmp(name->text, kernel->text) != 0)
    diag_error(r->diag, name->loc, "family '%s' in the file of '%s'", name->text, kernel->text);
  check_dtypes(r);
}

void read_family(SpecReader *r, const Yaml *kernel) {
  r->blind = true; /* until it is read */
  const char *folder = r->options->template_dir;
  if (!is_identifier(kernel->text)) {
    read_name(r, kernel, "kernel");
    return;
  }
  const char *path = arena_printf(r->arena, "%s/%s.yaml", folder, kernel->text);
  if (!family_exists(r, kernel)) return;
  r->family = yaml_read(r->arena, r->diag, path, NULL);
  if (!r->family) return;
  if (!expect_kind(r, r->family, "a family", YAML_MAP)) {
    r->family = NULL;
    return;
  }
  r->blind = false;
  r->out->template_path = arena_printf(r->arena, "%s/%s.cu", folder, kernel->text);
  check_family(r, kernel);
}
