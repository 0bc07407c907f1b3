/* SPDX-License-Identifier: MIT */
/* The bank model against every row measured on an H200, and against a second model over random
 * instructions. */
#include "check.h"
#include "model/bank.h"
#include "solve/brute.h"

#include <stdlib.h>

static Op op_of(const char *name) {
  if (strncmp(name, "ldmatrix", 8) == 0) return OP_LDMATRIX;
  if (strncmp(name, "stmatrix", 8) == 0) return OP_STMATRIX;
  return strcmp(name, "load") == 0 ? OP_LOAD : strcmp(name, "store") == 0 ? OP_STORE : OP_ATOMIC;
}

/* Checks one row: op,bytes_per_lane,"a0 a1 ... a31",wavefronts. */
static void check_row(char *line, int number) {
  const char *op = strtok(line, ",");
  const int bytes = atoi(strtok(NULL, ","));
  char *lanes = strtok(NULL, ",");
  const int measured = atoi(strtok(NULL, ","));
  int64_t address[WARP] = {0};
  uint32_t active = 0;
  int n = 0;
  for (char *p = strtok(lanes, " "); p && n < WARP; p = strtok(NULL, " "), n++) {
    if (*p == '~' || *p == '-') continue;
    address[n] = atoll(p);
    active |= UINT32_C(1) << n;
  }
  const char *x = strstr(op, ".x");
  if (x && x[2] != '4') active &= (UINT32_C(1) << 8 * (x[2] - '0')) - 1;
  const BankCost c = bank_cost(banks_nvidia, op_of(op), bytes, active, address);
  CHECK(c.wavefronts == measured, "row %d (%s %d): model %d, measured %d", number, op, bytes,
        c.wavefronts, measured);
}

static void check_measured(void) {
  FILE *f = fopen(KGEN_SOURCE_DIR "/tests/model/data/h200_wavefronts.csv", "r");
  char line[4096];
  int rows = 0;
  CHECK(f != NULL, "tests/model/data/h200_wavefronts.csv is missing");
  if (!f || !fgets(line, sizeof line, f)) return;
  while (fgets(line, sizeof line, f)) check_row(line, ++rows);
  fclose(f);
  CHECK(rows == 342, "%d measured rows, not 342", rows);
}

/* Compares both models on random instructions of every op and width, on several bank geometries. */
static void check_against_second_model(void) {
  static const BankGeometry shape[] = {{32, 4}, {16, 4}, {32, 8}, {7, 4}, {64, 4}, {1, 16}, {4, 1}};
  static const int width[] = {1, 2, 4, 8, 16};
  Random r = {20251121};
  for (int i = 0; i < 20000; i++) {
    const BankGeometry g = shape[random_below(&r, 7)];
    const Op op = (Op)random_below(&r, OP_COUNT);
    const int bytes = op >= OP_LDMATRIX ? 16 : width[random_below(&r, 5)];
    const uint32_t active = random_next(&r) | (random_below(&r, 2) ? random_next(&r) : 0) | 1;
    const int spread = 1 << random_below(&r, 12), share = random_below(&r, 3);
    int64_t address[WARP];
    for (int lane = 0; lane < WARP; lane++)
      address[lane] = (int64_t)random_below(&r, spread) * bytes;
    for (int lane = 0; lane < WARP && share; lane++) address[lane] = address[lane & ~share];
    int ideal;
    const BankCost c = bank_cost(g, op, bytes, active, address);
    const int second = brute_instruction(g, op, bytes, active, address, &ideal);
    CHECK(c.wavefronts == second && c.ideal == ideal,
          "case %d: %d and %d wavefronts, ideal %d and %d", i, c.wavefronts, second, c.ideal,
          ideal);
    CHECK(c.wavefronts >= c.ideal && c.worst >= 1 && c.worst_group >= 0, "case %d", i);
  }
}

/* Lanes of an atomic that share an address cost one wavefront each under every layout, which is the
 * ideal; lanes that share only a word can be separated by a layout. */
static void check_atomics(void) {
  static const struct {
    BankGeometry banks;
    int bytes, distance, wavefronts, ideal; /* lane i at i / 4 * distance, or all at 0 */
  } row[] = {{{32, 4}, 4, 0, 32, 32},
             {{32, 4}, 4, 4, 4, 4},
             {{32, 4}, 4, 128, 32, 4},
             {{32, 4}, 2, 2, 8, 4},
             {{1, 4}, 8, 8, 64, 16}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int64_t address[WARP];
    for (int lane = 0; lane < WARP; lane++) address[lane] = (int64_t)lane / 4 * row[i].distance;
    const BankCost c = bank_cost(row[i].banks, OP_ATOMIC, row[i].bytes, UINT32_MAX, address);
    CHECK(c.wavefronts == row[i].wavefronts && c.ideal == row[i].ideal,
          "row %d: %d wavefronts, ideal %d", (int)i, c.wavefronts, c.ideal);
  }
}

/* The ideal depends on the elements and not on their positions: bytes down a column of 8 banks
 * could be in the 8 words that one row of them fills. */
static void check_narrow_banks(void) {
  static const BankGeometry banks = {8, 4};
  static const int stride[] = {1, 4, 36}, wavefronts[] = {1, 4, 4};
  for (int i = 0; i < 3; i++) {
    int64_t address[WARP];
    for (int lane = 0; lane < WARP; lane++) address[lane] = (int64_t)lane * stride[i];
    const BankCost c = bank_cost(banks, OP_LOAD, 1, UINT32_MAX, address);
    CHECK(c.wavefronts == wavefronts[i] && c.ideal == 1, "stride %d: %d wavefronts, ideal %d",
          stride[i], c.wavefronts, c.ideal);
  }
}

/* Counts that others have published. */
static void check_published(void) {
  const struct {
    int stride_bytes, bytes, wavefronts;
  } row[] = {{128, 4, 32}, {256, 4, 32}, {512, 4, 32}, {64, 4, 16}, {132, 4, 1},
             {32, 1, 8},   {132, 1, 1},  {129, 1, 4},  {264, 8, 2}, {144, 16, 4}};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    int64_t address[WARP];
    for (int lane = 0; lane < WARP; lane++) address[lane] = (int64_t)lane * row[i].stride_bytes;
    const BankCost c = bank_cost(banks_nvidia, OP_LOAD, row[i].bytes, UINT32_MAX, address);
    CHECK(c.wavefronts == row[i].wavefronts, "pitch %d: %d", row[i].stride_bytes, c.wavefronts);
  }
}

int main(void) {
  check_measured();
  check_against_second_model();
  check_atomics();
  check_narrow_banks();
  check_published();
  return check_report("bank_test");
}
