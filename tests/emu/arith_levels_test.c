/* SPDX-License-Identifier: MIT */
/* Every row of arithmetic is executed with every type, rounding and flag that it takes. Loops over
 * lanes that are compiled for every processor and for processors with vectors give the same bits:
 * for whole warps and for some of the lanes, with the result in a separate register and in an
 * operand's register. */
#include "check.h"
#include "emu/arith/lanes.h"
#include "emu/row_forms.h"

static uint64_t state = 88172645463325252ull;

static uint64_t random64(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* Returns random bits, or a value that is special to one type or another. */
static uint64_t operand(void) {
  static const uint64_t special[] = {
      0,          1,          0x7fffffff, 0x80000000, 0xffffffff,         31,
      32,         64,         0x3f800000, 0xff800000, 0x7fc00000,         0x00000001,
      0x807fffff, 0x7f7fffff, 0x3c00,     UINT64_MAX, 0x7ff8000000000000, 0x7ff0000000000000};
  const uint64_t r = random64();
  if (r % 4 == 0) return special[r / 4 % (sizeof special / sizeof *special)];
  return r % 4 == 1 ? (r >> 2 & 0x807fffff) | 0x3f800000 : r;
}

typedef struct {
  uint64_t reg[4][LANES];
  uint32_t active, mask;
} State;

/* The register that the opcode has for its result. */
static uint32_t run(const ArithInsn *insn, const State *in, bool in_place, uint64_t d[LANES]) {
  State s = *in;
  const uint64_t *source[4] = {s.reg[0], s.reg[1], s.reg[2], s.reg[3]};
  uint64_t *to = in_place ? s.reg[0] : d;
  const uint32_t mask = insn->fn(insn, to, source, in->active, in->mask);
  memcpy(d, to, sizeof s.reg[0]);
  return mask;
}

/* Executes lane by lane, so that no loop becomes vector code. */
static uint32_t run_singly(const ArithInsn *insn, const State *in, uint64_t d[LANES]) {
  uint32_t mask = 0;
  FOR_LANES(lane, in->active) {
    const uint64_t *source[4] = {in->reg[0] + lane, in->reg[1] + lane, in->reg[2] + lane,
                                 in->reg[3] + lane};
    const uint32_t bit = insn->fn(insn, &d[lane], source, 1, in->mask >> lane);
    mask |= (bit & 1) << lane;
  }
  return mask;
}

static void check_opcode(const char *opcode, unsigned vectors, const State *in) {
  ArithInsn plain, insn;
  CHECK(arith_resolve_for(opcode, 0, &plain) == ARITH_OK, "%s", opcode);
  CHECK(arith_resolve_for(opcode, vectors, &insn) == ARITH_OK, "%s", opcode);
  for (int in_place = 0; in_place < 2; in_place++) {
    uint64_t want[LANES], got[LANES];
    memcpy(want, in->reg[in_place ? 0 : 3], sizeof want);
    memcpy(got, want, sizeof got);
    const uint32_t t = run_singly(&plain, in, want);
    const uint32_t u = run(&insn, in, in_place, got);
    CHECK(t == u && memcmp(want, got, sizeof got) == 0, "%s with vectors %u, lanes 0x%08x", opcode,
          vectors, in->active);
  }
}

typedef struct {
  const State *in;
  int forms;
  uint64_t types[ARITH_TYPES]; /* bit s of [t]: the row was executed for the types t and s */
} Executed;

static void execute_form(void *context, const ArithRow *row, uint32_t types, const char *opcode) {
  Executed *e = context;
  ArithInsn insn;
  for (unsigned v = 0; v <= arith_most_vectors(); v++) check_opcode(opcode, v, e->in);
  e->forms++;
  if (arith_resolve_for(opcode, arith_most_vectors(), &insn) == ARITH_OK && insn.row == row)
    e->types[types & 255] |= UINT64_C(1) << (types >> 8);
}

/* A row must be reachable with each of its types: an earlier row may take some of its words only.
 */
static int execute_row(const ArithRow *row, const State *in) {
  Executed e = {.in = in};
  row_forms(row, &(RowVisitor){execute_form, &e});
  for (unsigned t = 0; t < ARITH_TYPES; t++) {
    const uint64_t want = !(row->types >> t & 1) ? 0 : row->from ? row->from : 1;
    CHECK(e.types[t] == want, "%s.%s: second types 0x%llx, not 0x%llx", row->op,
          arith_type_name((ArithType)t), (unsigned long long)e.types[t], (unsigned long long)want);
  }
  return e.forms;
}

int main(void) {
  enum { ROUNDS = 12 };
  ArithTable table[ARITH_TABLES];
  arith_tables(arith_most_vectors(), table);
  int rows = 0, forms = 0;
  for (int k = 0; k < ROUNDS; k++) {
    State in = {.active = k % 4 == 0 ? (uint32_t)random64() : ALL_LANES,
                .mask = (uint32_t)random64()};
    for (int r = 0; r < 4; r++)
      for (int i = 0; i < LANES; i++) in.reg[r][i] = operand();
    for (int t = 0; t < ARITH_TABLES; t++)
      for (size_t i = 0; i < table[t].count; i++, rows++)
        forms += execute_row(&table[t].rows[i], &in);
  }
  printf("%d rows, %d forms\n", rows / ROUNDS, forms / ROUNDS);
  CHECK(rows / ROUNDS > 200, "only %d rows", rows / ROUNDS);
  return check_report("emu_arith_levels");
}
