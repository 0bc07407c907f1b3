/* SPDX-License-Identifier: MIT */
/* Each template is read once per store: what the directory holds later does not change the answers,
 * and an error is reported each time. */
#include "spec/templates.h"

#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static void put(Arena *a, const char *dir, const char *name, const char *text) {
  CHECK(file_write(arena_printf(a, "%s/%s", dir, name), text, strlen(text)), "%s", name);
}

static void test_files(Arena *a, const char *dir) {
  Templates *t = templates_open(a, dir);
  CHECK(!templates_file(t, "k.cu") && errno == ENOENT, "a missing file");
  put(a, dir, "k.cu", "one");
  const Source *first = templates_file(t, "k.cu");
  put(a, dir, "k.cu", "two");
  CHECK(first && templates_file(t, "k.cu") == first, "read again");
  CHECK_STR(first->text, "one");
  CHECK_STR(templates_file(templates_open(a, dir), "k.cu")->text, "two");
}

static void test_declarations(Arena *a, const char *dir) {
  Templates *t = templates_open(a, dir);
  Diag *d = diag_new(a);
  put(a, dir, "k.yaml", "family: [");
  CHECK(!templates_declaration(t, d, "k") && diag_count(d) > 0, "a broken declaration");
  CHECK(!templates_declaration(t, d = diag_new(a), "k") && diag_count(d) > 0, "and once more");
  put(a, dir, "k.yaml", "family: k");
  const Yaml *root = templates_declaration(t, d = diag_new(a), "k");
  CHECK(root && diag_count(d) == 0, "the mended one");
  CHECK(templates_declaration(t, d, "k") == root, "parsed again");
}

static void test_kernels(Arena *a, const char *dir) {
  const char *const *name;
  put(a, dir, "b.yaml", "");
  put(a, dir, "a.yaml", "");
  put(a, dir, "not-one.yaml", "");
  CHECK(templates_kernels(templates_open(a, dir), &name) == 3, "a, b and k");
  CHECK_STR(name[0], "a");
  CHECK_STR(name[2], "k");
  CHECK(templates_kernels(templates_open(a, "/nowhere"), &name) == 0, "no directory");
  CHECK(!templates_open(a, NULL), "no name");
}

int main(void) {
  Arena *a = arena_new();
  char dir[] = "/tmp/kgen-templates-XXXXXX";
  CHECK(mkdtemp(dir), "no directory");
  test_files(a, dir);
  test_declarations(a, dir);
  test_kernels(a, dir);
  static const char *const files[] = {"k.cu", "k.yaml", "a.yaml", "b.yaml", "not-one.yaml"};
  for (int i = 0; i < 5; i++) unlink(arena_printf(a, "%s/%s", dir, files[i]));
  rmdir(dir);
  arena_free(a);
  return check_report("templates_test");
}
