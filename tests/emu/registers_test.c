/* SPDX-License-Identifier: MIT */
/*
 * The estimate of a kernel's registers: small kernels by hand, and random ones against the
 * definition taken literally.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "emu/emu.h"

static int guess(Arena *a, const char *directive, const char *body) {
  const char *ptx = arena_printf(a,
                                 ".version 9.0\n.target sm_90\n.address_size 64\n"
                                 ".func other() { ret; }\n.visible .entry k() %s\n{\n"
                                 ".reg .pred %%p;\n%s\nret;\n}\n",
                                 directive, body);
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  int errors;
  const EmuError *error = emu_errors(module, &errors);
  CHECK(!errors, "line %d: %s\n%s", errors ? error->ptx_line : 0, errors ? error->message : "",
        ptx);
  const int registers = emu_registers(module, emu_kernel(module, "k"));
  emu_unload(module);
  emu_memory_free(memory);
  return registers;
}

/* --- by hand: above 16, which is the minimum --- */

#define SET(R)  "mov.u32 " R ", 0;\n"
#define USE(R)  "st.local.u32 [0], " R ";\n"
#define WIDE(R) "mov.u64 " R ", 0;\n"
#define FOR_20(DO)                                                                                 \
  DO("%r1")                                                                                        \
  DO("%r2")                                                                                        \
  DO("%r3")                                                                                        \
  DO("%r4")                                                                                        \
  DO("%r5")                                                                                        \
  DO("%r6")                                                                                        \
  DO("%r7")                                                                                        \
  DO("%r8")                                                                                        \
  DO("%r9")                                                                                        \
  DO("%r10")                                                                                       \
  DO("%r11")                                                                                       \
  DO("%r12")                                                                                       \
  DO("%r13")                                                                                       \
  DO("%r14")                                                                                       \
  DO("%r15")                                                                                       \
  DO("%r16")                                                                                       \
  DO("%r17")                                                                                       \
  DO("%r18")                                                                                       \
  DO("%r19")                                                                                       \
  DO("%r20")
#define TWENTY ".reg .b32 %r<64>;\n" FOR_20(SET)
#define USED   FOR_20(USE)

typedef struct {
  const char *name, *directive, *body;
  int want;
} Case;

static const Case cases[] = {
    {"nothing", "", "", 16},
    {"a call", "", "call other;", 24},
    {"twenty at once", "", TWENTY USED, 20},
    {"a limit", ".maxnreg 18", TWENTY USED, 18},
    {"none after its last use", "", TWENTY USED SET("%r21") USE("%r21") SET("%r22") USE("%r22"),
     20},
    {"doubles are two", "",
     ".reg .f64 %d<4>;\n" TWENTY "mov.f64 %d1, 0.0; mov.f64 %d2, 0.0;\n" USED
     "add.f64 %d1, %d1, %d2;\n",
     24},
    {"128 bits are four", "",
     ".reg .b128 %q; .reg .b64 %d<2>;\n" TWENTY "mov.b128 %q, {%d0, %d1};\n" USED
     "mov.b128 {%d0, %d1}, %q;\n",
     28},
    {"predicates are none", "",
     ".reg .pred %t<8>;\n" TWENTY "setp.eq.u32 %t1, %r1, 0;\n" USED "@%t1 bra L; L:", 20},
    {"a loop that uses one keeps it to its end", "",
     ".reg .b32 a, b;\n" SET("a") TWENTY "L: " USE("a") USED SET("b") USE("b") "@%p bra L;\n", 22},
    {"through a loop that the first one enters", "",
     ".reg .b32 a;\n" SET("a") "L: " USE("a") "M: @%p bra L;\n" TWENTY USED "@%p bra M;\n", 21},
    {"not through one that began before it", "",
     ".reg .b32 c; M: " SET("c") ".reg .b32 a;\n" SET("a") "L: " USE("a") "@%p bra L;\n" TWENTY USED
                                                                          "@%p bra M;\n",
     20},
    {"an inner scope hides a name", "",
     TWENTY "{ .reg .b64 %r<3>; " WIDE("%r2") "st.local.u64 [0], %r2; }\n" USED, 22},
};

/* --- random --- */

enum { NAMES = 40, STATEMENTS = 120, LABELS = 12, PROGRAMS = 300 };

typedef struct {
  int first[NAMES], last[NAMES]; /* -1: it does not occur */
  int labels, at[LABELS];
  int loops, from[STATEMENTS], to[STATEMENTS];
} Model;

static uint32_t next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static void name_one(Model *m, Text *body, int statement, int name) {
  if (m->first[name] < 0) m->first[name] = statement;
  m->last[name] = statement;
  text_printf(body, " %%r%d", name);
}

static void write_statement(Model *m, Text *body, int i, uint32_t *state) {
  const uint32_t kind = next(state) % 8;
  if (kind == 0 && m->labels < LABELS) {
    text_printf(body, "L%d:\n", m->labels);
    m->at[m->labels++] = i;
  }
  if (kind == 1 && m->labels) {
    const int label = (int)(next(state) % (uint32_t)m->labels);
    m->from[m->loops] = m->at[label];
    m->to[m->loops++] = i;
    text_printf(body, "@%%p bra L%d;\n", label);
    return;
  }
  text_puts(body, "mad.lo.u32");
  for (int k = 0; k < 3; k++) {
    name_one(m, body, i, (int)(next(state) % NAMES));
    text_puts(body, ",");
  }
  text_puts(body, " 1;\n");
}

/* The estimate as emu.h defines it, taken literally. */
static int by_definition(Model *m) {
  int most = 0;
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < m->loops; k++)
      for (int i = 0; i < NAMES; i++) {
        const bool enters =
            m->first[i] >= 0 && m->first[i] < m->from[k] && m->last[i] >= m->from[k];
        if (!enters || m->last[i] >= m->to[k]) continue;
        m->last[i] = m->to[k];
        again = true;
      }
  }
  for (int at = 0; at < STATEMENTS; at++) {
    int live = 0;
    for (int i = 0; i < NAMES; i++)
      live += m->first[i] >= 0 && m->first[i] <= at && m->last[i] > at;
    if (live > most) most = live;
  }
  return most < 16 ? 16 : most;
}

static void check_random(Arena *a, uint32_t seed) {
  uint32_t state = seed;
  Model m = {.labels = 0};
  Text body = text_new(a);
  memset(m.first, -1, sizeof m.first);
  memset(m.last, -1, sizeof m.last);
  text_printf(&body, ".reg .b32 %%r<%d>;\n", NAMES);
  for (int i = 0; i < STATEMENTS; i++) write_statement(&m, &body, i + 1, &state);
  const int got = guess(a, "", body.s), want = by_definition(&m);
  CHECK(got == want, "program %u: %d, expected %d\n%s", seed, got, want, body.s);
}

int main(void) {
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int got = guess(a, cases[i].directive, cases[i].body);
    CHECK(got == cases[i].want, "%s: %d, expected %d", cases[i].name, got, cases[i].want);
  }
  for (uint32_t seed = 1; seed <= PROGRAMS; seed++) check_random(a, seed);
  arena_free(a);
  return check_report("emu_registers");
}
