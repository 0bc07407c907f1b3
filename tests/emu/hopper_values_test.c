/* SPDX-License-Identifier: MIT */
/* Results of Hopper's tile instructions, including wgmma and copies by the TMA, equal the results
 * on an H200: data/hopper.txt. tests/emu/gpu/hopper_values_test.c compares the two. */
#include "emu/hopper_probes.h"
#include "emu/isa_list.h"

/* One of this many probes is also checked, which takes several times as long. */
enum { ONE_OF = 8 };

static IsaList list;
static int line;

static void check(Probe *p, void *context) {
  (void)context;
  char sum[9];
  probe_emulate(p, line % ONE_OF == 0);
  snprintf(sum, sizeof sum, "%08x", probe_sum(p));
  CHECK(line < list.count && strcmp(list.name[line], p->name) == 0, "%s: not in the list", p->name);
  CHECK(strcmp(list.mark[line], sum) == 0, "%s: %s, not %s", p->name, sum, list.mark[line]);
  line++;
}

int main(void) {
  Arena *a = arena_new();
  isa_list_read(a, "hopper.txt", &list);
  probes_visit(check, NULL);
  CHECK(line == list.count, "%d probes, %d in the list", line, list.count);
  arena_free(a);
  return check_report("emu_hopper_values");
}
