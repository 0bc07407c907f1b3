/* The library through its one public header. */
#include "kgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static const char good[] = "version: 1\nkernel: none\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\n"
                           "access:\n"
                           "  - {name: fill, op: store, for: {j: 4}, at: [ty + 8*j, tx]}\n"
                           "  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8*j]}\n";
static const char bad[] = "version: 1\nkernel: none\ndtype: f32\ntile: [32]\nblock: [32]\n"
                          "access:\n  - {name: far, op: load, at: [tx + 1]}\n";

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  CHECK(f != NULL, "cannot write %s", path);
  if (!f) return;
  fputs(text, f);
  fclose(f);
}

static void test_specs(const char *folder) {
  char good_path[128], bad_path[128], out[128], file[160];
  snprintf(good_path, sizeof good_path, "%s/good.yaml", folder);
  snprintf(bad_path, sizeof bad_path, "%s/bad.yaml", folder);
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(file, sizeof file, "%s/good.h", out);
  write_file(good_path, good);
  write_file(bad_path, bad);
  Kgen *k = kgen_open(KGEN_SOURCE_TEMPLATES);
  CHECK(kgen_add(k, good_path), "%s", kgen_errors(k));
  CHECK(kgen_count(k) == 1, "%d specs", kgen_count(k));
  CHECK_STR(kgen_errors(k), "");
  if (kgen_count(k) == 1) {
    CHECK_STR(kgen_name(k, 0), "good");
    CHECK_STR(kgen_file(k, 0), "good.h");
    CHECK(strstr(kgen_source(k, 0), "good_offset"), "no index function");
    CHECK(kgen_conflict_free(k, 0), "has conflicts");
    CHECK(strstr(kgen_json(k), "\"conflict_free\": true"), "%s", kgen_json(k));
  }
  CHECK(kgen_write(k, out) && access(file, R_OK) == 0, "%s", kgen_errors(k));
  CHECK(!kgen_add(k, bad_path), "a lane that leaves the tile was accepted");
  CHECK(strstr(kgen_errors(k), "bad.yaml:7:"), "%s", kgen_errors(k));
  CHECK(kgen_count(k) == 1, "%d specs", kgen_count(k));
  CHECK(!kgen_write(k, out), "written in spite of errors");
  kgen_free(k);
  kgen_free(NULL);
}

static void test_wavefronts(void) {
  int64_t column[32], padded[32], negative[32] = {-4}, odd[32] = {2};
  for (int i = 0; i < 32; i++) column[i] = 128 * i, padded[i] = 132 * i;
  int ideal = 0;
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, UINT32_MAX, column, &ideal) == 32 && ideal == 1, "column");
  CHECK(kgen_wavefronts(KGEN_STORE, 4, UINT32_MAX, padded, &ideal) == 1 && ideal == 1, "padded");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 0xff, column, NULL) == 8, "eight lanes");
  CHECK(kgen_wavefronts(KGEN_ATOMIC, 4, 3, (int64_t[32]){0}, NULL) == 2, "one word, two atomics");
  CHECK(kgen_wavefronts(KGEN_LDMATRIX, 16, 0xff, column, NULL) == 8, "rows 128 bytes apart");
  CHECK(kgen_wavefronts(KGEN_LOAD, 3, 1, column, NULL) == -1, "3 bytes");
  CHECK(kgen_wavefronts(KGEN_LDMATRIX, 4, 1, column, NULL) == -1, "ldmatrix of 4 bytes");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 1, negative, NULL) == -1, "negative address");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 1, odd, NULL) == -1, "misaligned");
  CHECK(kgen_wavefronts(KGEN_LOAD, 4, 2, negative, NULL) == 1, "an idle lane's address counts");
}

int main(void) {
  char folder[] = "/tmp/kgen-library-test-XXXXXX", command[64];
  CHECK(mkdtemp(folder) != NULL, "no folder");
  test_specs(folder);
  test_wavefronts();
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0, "cannot clean up");
  return check_report("kgen");
}
