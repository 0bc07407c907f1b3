/* SPDX-License-Identifier: MIT */
/* The rules of cp.async against every measured row, and the cases that they must distinguish. */
#include "check.h"
#include "model/cp_async.h"

#include <stdlib.h>

typedef struct {
  int bytes, wavefronts;
  uint32_t active;
  int64_t target[WARP], source[WARP];
} Row;

/* Reads a row: bytes, wavefronts, 32 targets, 32 sources; -1: the lane is inactive, or, as its
 * source, filled with zeros. */
static Row row_read(char *line) {
  Row r = {.bytes = atoi(strtok(line, ","))};
  r.wavefronts = atoi(strtok(NULL, ","));
  for (int i = 0; i < WARP; i++) {
    r.target[i] = atoll(strtok(NULL, ","));
    if (r.target[i] >= 0) r.active |= UINT32_C(1) << i;
  }
  for (int i = 0; i < WARP; i++) r.source[i] = atoll(strtok(NULL, ","));
  return r;
}

/* A file of measurements on a GPU. The rule of the other cache must be wrong on at least
 * `other_wrong` rows: a file that both rules explain would not distinguish them. */
typedef struct {
  const char *name;
  CopyCache cache;
  int rows, other_wrong;
} Measured;

static const Measured measured[] = {{"h200_cp_async_ca", COPY_CA, 821, 83},
                                    {"h200_cp_async_cg", COPY_CG, 893, 90},
                                    {"h200_cp_async_ca_zeros", COPY_CA, 393, 40},
                                    {"h100_cp_async_cg_zeros", COPY_CG, 34, 0},
                                    {"h100_cp_async_cg_repeated", COPY_CG, 120, 12}};

static void check_file(const Measured *file) {
  char path[256];
  snprintf(path, sizeof path, "%s/tests/model/data/%s.csv", KGEN_SOURCE_DIR, file->name);
  FILE *f = fopen(path, "r");
  char line[8192];
  int read = 0, other_wrong = 0;
  CHECK(f != NULL, "%s is missing", path);
  if (!f || !fgets(line, sizeof line, f)) return;
  for (; fgets(line, sizeof line, f); read++) {
    const Row r = row_read(line);
    const int n = cp_async_wavefronts(file->cache, r.bytes, r.active, r.target, r.source);
    CHECK(n == r.wavefronts, "%s, row %d: %d, measured %d", path, read + 1, n, r.wavefronts);
    const CopyCache other = file->cache == COPY_CA ? COPY_CG : COPY_CA;
    other_wrong += r.bytes == 16 &&
                   cp_async_wavefronts(other, 16, r.active, r.target, r.source) != r.wavefronts;
  }
  fclose(f);
  CHECK(read == file->rows, "%s: %d rows, not %d", path, read, file->rows);
  CHECK(other_wrong >= file->other_wrong, "%s: the other rule is wrong on %d rows only", path,
        other_wrong);
}

/* Rows of a tile, 16 bytes per lane, `lanes` lanes per row, from rows of memory that are far apart:
 * the cases of `.cg` in hardware.md, as pitches in bytes. */
static void check_pitches(void) {
  static const struct {
    int lanes, pitch, ca, cg;
  } row[] = {{8, 128, 4, 4}, {8, 144, 4, 10}, {8, 160, 4, 7},  {8, 192, 4, 6},
             {4, 64, 8, 8},  {4, 80, 12, 15}, {4, 96, 12, 10}, {4, 128, 8, 8}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int64_t target[WARP], source[WARP];
    for (int l = 0; l < WARP; l++) {
      target[l] = l / row[i].lanes * row[i].pitch + l % row[i].lanes * 16;
      source[l] = (int64_t)(l / row[i].lanes) * 4096 + l % row[i].lanes * 16;
    }
    const int cg = cp_async_wavefronts(COPY_CG, 16, UINT32_MAX, target, source);
    CHECK(cg == row[i].cg, "pitch %d: .cg %d, not %d", row[i].pitch, cg, row[i].cg);
    const int ca = cp_async_wavefronts(COPY_CA, 16, UINT32_MAX, target, source);
    CHECK(ca == row[i].ca, "pitch %d: .ca %d, not %d", row[i].pitch, ca, row[i].ca);
  }
}

/* An XOR within 128-byte lines costs a bypassing copy nothing. */
static void check_xor(void) {
  int64_t target[WARP], source[WARP];
  for (int l = 0; l < WARP; l++) {
    target[l] = l / 8 * 128 + (l % 8 ^ l / 8) * 16;
    source[l] = (int64_t)(l / 8) * 4096 + l % 8 * 16;
  }
  CHECK(cp_async_wavefronts(COPY_CG, 16, UINT32_MAX, target, source) == 4, "XOR in a line");
  CHECK(cp_async_wavefronts(COPY_CG, 16, 0, target, source) == 0, "no lane");
}

/* Lanes that read nothing are served as stores are, whatever the others read. */
static void check_zeros(void) {
  int64_t target[WARP], source[WARP];
  for (int l = 0; l < WARP; l++) {
    target[l] = l % 8 * 128 + l / 8 * 16;
    source[l] = COPY_ZEROS;
  }
  CHECK(cp_async_group_ideal(COPY_CG, UINT32_MAX, source) == 4, "zeros alone");
  CHECK(cp_async_wavefronts(COPY_CG, 16, UINT32_MAX, target, source) == 32, "of one bank");
  CHECK(cp_async_group_least(COPY_CG, UINT32_MAX, target, source) == 0, "of no line of a source");
}

int main(void) {
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) check_file(&measured[i]);
  check_zeros();
  check_pitches();
  check_xor();
  return check_report("cp_async_test");
}
