/*
 * The estimate of a kernel's registers: small kernels by hand, random ones against the definition
 * taken literally, and that the steps it takes grow as the text does, not as its square.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "libcuda/image/registers.h"

static int guess(Arena *a, const char *body, uint64_t *steps) {
  const char *ptx = arena_printf(a, ".visible .entry k()\n{\n%s\n}\n", body);
  return registers_guess(a, ptx, "k", steps);
}

/* --- by hand: above 16, which is the least --- */

#define TWENTY                                                                                     \
  ".reg .b32 %r<64>;\nmov %r1; mov %r2; mov %r3; mov %r4; mov %r5; mov %r6; mov %r7; mov %r8; "    \
  "mov %r9; mov %r10; mov %r11; mov %r12; mov %r13; mov %r14; mov %r15; mov %r16; mov %r17; "      \
  "mov %r18; mov %r19; mov %r20;\n"
#define USED                                                                                       \
  "st %r1 %r2 %r3 %r4 %r5 %r6 %r7 %r8 %r9 %r10 %r11 %r12 %r13 %r14 %r15 %r16 %r17 %r18 %r19 "      \
  "%r20;\n"

typedef struct {
  const char *name, *body;
  int want;
} Case;

static const Case cases[] = {
    {"twenty at once", TWENTY USED, 20},
    {"none after its last use", TWENTY USED "mov %r21; st %r21; mov %r22; st %r22;\n", 20},
    {"doubles are two", ".reg .f64 %d<4>;\n" TWENTY "mov %d1; mov %d2;\n" USED "st %d1 %d2;\n", 24},
    {"a loop that uses one keeps it to its end",
     ".reg .b32 a, b;\nmov a;\n" TWENTY "L: st a; " USED "mov b; st b; bra L;\n", 22},
    {"through a loop that the first one enters",
     ".reg .b32 a;\nmov a;\nL: st a;\nM: bra L;\n" TWENTY USED "bra M;\n", 21},
    {"not through one that began before it",
     "M: st;\n.reg .b32 a;\nmov a;\nL: st a; bra L;\n" TWENTY USED "bra M;\n", 20},
    {"an inner scope hides a name as far as it has numbers",
     TWENTY "{ .reg .b64 %r<3>; mov %r2; mov %r30; st %r2 %r30; }\n" USED, 21},
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
    text_printf(body, "bra L%d;\n", label);
    return;
  }
  text_add(body, "mov", 3);
  for (int k = 0; k < 3; k++) name_one(m, body, i, (int)(next(state) % NAMES));
  text_add(body, ";\n", 2);
}

/* The estimate as registers.h defines it, taken literally. */
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
  const int got = guess(a, body.s, NULL), want = by_definition(&m);
  CHECK(got == want, "program %u: %d, expected %d\n%s", seed, got, want, body.s);
}

/* --- steps --- */

/* Loops of four statements, each with an asm block that declares a register of its own. */
static uint64_t steps_of(Arena *a, int loops) {
  uint64_t steps;
  Text body = text_new(a);
  text_printf(&body, ".reg .b32 %%r<%d>;\n", 2 * loops + 2);
  for (int i = 0; i < loops; i++)
    text_printf(&body,
                "L%d: mov %%r%d %%r%d; { .reg .b32 t%d; mov t%d; st t%d; } bra L%d; bra L%d;\n", i,
                i, 2 * i, i % 7, i % 7, i % 7, i, i / 2);
  guess(a, body.s, &steps);
  return steps;
}

/* The text ends within a declaration: what lies behind its NUL is none of it. */
static void check_cut(Arena *a) {
  Text text = text_new(a);
  text_puts(&text, ".visible .entry k()\n{ .reg ,#%r<40>;\n");
  for (int i = 0; i < 80; i++) text_printf(&text, "mov %%r%d;", i % 40);
  *strchr(text.s, '#') = '\0';
  const int got = registers_guess(a, text.s, "k", NULL);
  CHECK(got == 16, "of a text that is cut: %d", got);
}

int main(void) {
  Arena *a = arena_new();
  check_cut(a);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int got = guess(a, cases[i].body, NULL);
    CHECK(got == cases[i].want, "%s: %d, expected %d", cases[i].name, got, cases[i].want);
  }
  for (uint32_t seed = 1; seed <= PROGRAMS; seed++) check_random(a, seed);
  const uint64_t few = steps_of(a, 1000), many = steps_of(a, 16000);
  CHECK(many < 26 * few, "%llu steps for 1000 loops, %llu for 16000", (unsigned long long)few,
        (unsigned long long)many);
  arena_free(a);
  return check_report("libcuda_registers");
}
