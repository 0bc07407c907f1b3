/* SPDX-License-Identifier: MIT */
/* Every spec of tests/spec/bad gives exactly the errors in its .txt file; a missing .txt is a
 * failure and is never written. Templates come from tests/spec/bad/families. */
#include "spec/access.h"
#include "spec/spec_read.h"

#include "base/file.h"
#include "check.h"

#include <dirent.h>
#include <stdlib.h>

static const char *const folder = "tests/spec/bad";

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All that a spec's reader and its accesses have to say. */
static const char *errors_of(Arena *a, const char *path) {
  const SpecOptions options = {.templates = templates_open(a, "tests/spec/bad/families")};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, path, &options);
  CHECK((spec == NULL) == (diag_count(d) > 0), "%s: result and errors disagree", path);
  for (int t = 0; spec && t < spec->tiles; t++)
    access_expand(a, d, spec, &spec->tile[t], &(Budget){.limit = EXPAND_EFFORT});
  Text out = text_new(a);
  diag_print(d, &out, false);
  return out.s;
}

static void check_file(const char *name) {
  Arena *a = arena_new();
  const size_t stem = strlen(name) - 5;
  const char *got = errors_of(a, arena_printf(a, "%s/%s", folder, name));
  size_t length;
  const char *golden = arena_printf(a, "%s/%.*s.txt", folder, (int)stem, name);
  const char *want = file_read(a, golden, 1 << 20, &length);
  CHECK(*got, "%s is a bad spec without an error", name);
  CHECK(want, "%s is missing; the errors are:\n%s", golden, got);
  if (want) CHECK(strcmp(got, want) == 0, "%s\n--- got\n%s--- want\n%s", name, got, want);
  arena_free(a);
}

int main(void) {
  enum { ROOM = 1000 };
  char *name[ROOM];
  int count = 0;
  Arena *a = arena_new();
  DIR *dir = opendir(folder);
  CHECK(dir, "cannot open %s", folder);
  for (const struct dirent *e; dir && count < ROOM && (e = readdir(dir));) {
    const size_t n = strlen(e->d_name);
    if (n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0)
      name[count++] = arena_strndup(a, e->d_name, n);
  }
  if (dir) closedir(dir);
  qsort(name, (size_t)count, sizeof(*name), by_name);
  for (int i = 0; i < count; i++) check_file(name[i]);
  arena_free(a);
  return check_report("bad_specs_test");
}
