/* SPDX-License-Identifier: MIT */
/* How many blocks an SM holds, by threads, registers and shared memory. */
#include "model/occupancy.h"

#include "check.h"

/* Worked out by hand from the programming guide's limits. */
static void test_occupancy(void) {
  static const struct {
    const char *arch;
    int threads, registers;
    int64_t shared;
    int blocks;
  } row[] = {
      {"sm_90", 256, 32, 0, 8},     {"sm_90", 256, 64, 0, 4},     {"sm_90", 1024, 32, 4224, 2},
      {"sm_90", 1024, 33, 0, 1},    {"sm_90", 32, 16, 0, 32},     {"sm_90", 256, 32, 49152, 4},
      {"sm_90", 128, 128, 0, 4},    {"sm_90", 256, 255, 0, 1},    {"sm_90", 64, 32, 232448, 1},
      {"sm_80", 256, 32, 32768, 4}, {"sm_86", 256, 32, 0, 6},     {"sm_89", 512, 40, 16384, 3},
      {"sm_90", 256, 0, 4096, 8},   {"sm_90", 32, 0, 4224, 32},   {"sm_90", 1024, 0, 233472, 0},
      {"sm_90", 256, 32, 16384, 8}, {"sm_90", 256, 32, 65536, 3},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const Arch *arch = arch_find(row[i].arch);
    CHECK(arch != NULL, "no %s", row[i].arch);
    if (!arch) continue;
    const int got = occupancy_blocks(arch, row[i].threads, row[i].registers, row[i].shared);
    CHECK(got == row[i].blocks, "row %zu: %d blocks, want %d", i, got, row[i].blocks);
  }
}

/* With one byte more than the most that n blocks may have, n - 1 fit. */
static void test_steps(void) {
  for (int a = 0; a < arch_count; a++)
    for (int blocks = 1; blocks <= arch_table[a].blocks_per_sm; blocks++) {
      const Arch *arch = &arch_table[a];
      const int64_t most = occupancy_shared(arch, blocks);
      CHECK(occupancy_blocks(arch, 32, 0, most) >= blocks, "%s: %d blocks", arch->name, blocks);
      CHECK(occupancy_blocks(arch, 32, 0, most + 1) < blocks, "%s: more of %d", arch->name, blocks);
    }
}

int main(void) {
  test_steps();
  test_occupancy();
  return check_report("occupancy");
}
