/* SPDX-License-Identifier: MIT */
/* state.h: the C function that is being generated, and the registers that it holds in variables. */
#ifndef KGEN_EMU_TRANSLATE_STATE_H
#define KGEN_EMU_TRANSLATE_STATE_H

#include "base/text.h"
#include "emu/translate/region.h"

typedef struct {
  bool declared, valid; /* the variable exists; it holds the current value */
  bool dirty;           /* memory may hold an old value */
  bool live_in;         /* its value before the region is needed */
  int version;          /* number of writes so far */
  int home;             /* depth of the only part that refers to it */
} Held;

typedef struct {
  const Program *program;
  const FunctionCode *function;
  const Named *named;
  Region region;
  Held *held; /* indexed by slot */
  /* indexed by instruction, from the region's start: its address has been resolved */
  bool *placed;
  Text body;
  int32_t at; /* index of the current instruction */
  /* instructions not yet counted; of these, those that all lanes in m execute */
  int steps, unguarded;
  int depth; /* nesting depth of parts that only some lanes execute, with mask m */
} State;

enum { MOST_NAMED = 64 }; /* maximum number of registers per statement */

/* The register's width, if it can be a variable. */
Width state_width(const State *s, int slot);
/* The slot of a register, or -1 for other banks. */
int state_slot(Ref ref);
/* Loads the variable; it holds the value from here on. */
void state_load(State *s, int slot);
void state_store(State *s, int slot); /* writes it back to memory */
/* like state_store(), in a branch that the text may not take */
void state_spill(State *s, int slot);
/* memory was written for the lanes in m: merges it into the variable */
void state_reload(State *s, int slot);
/* Writes back all variables, before a return. */
void state_leave(State *s);
void state_forget(State *s, int slot); /* like state_reload(), unconditionally */
/* Prepares a write to the register; `whole`: to all lanes, else the old value is loaded first. */
void state_define(State *s, int slot, bool whole);

/* The operand as an expression of that width, after loading its register; NULL if it has another
 * width. */
const char *state_source(State *s, Arena *a, Ref ref, Width width);
/* A predicate as a set of lanes: as an expression, and as a variable to assign to. */
const char *state_pred(Arena *a, PredRef p);
/* True if some lanes keep their values when the instruction writes the register; if it writes
 * any. */
bool state_is_partial(const State *s, const Insn *insn, int slot);
bool state_is_guarded(const State *s, const Insn *insn);
/* The subset of `m` that executes the instruction. */
const char *state_active(Arena *a, PredRef p);
/* Lists the statement's registers without duplicates; returns their number. */
int state_named(const State *s, const Insn *insn, int *slot, int most);
/* Adds the operand's registers to `count` others. */
int state_named_in(const State *s, const Operand *o, int *slot, int count, int most);

#endif
