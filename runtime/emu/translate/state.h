/* state.h: a function of C while it is written: which registers it holds in variables. */
#ifndef KGEN_EMU_TRANSLATE_STATE_H
#define KGEN_EMU_TRANSLATE_STATE_H

#include "base/text.h"
#include "emu/translate/region.h"

typedef struct {
  bool declared, valid; /* the variable holds the value */
  bool dirty;           /* memory may not */
  bool live_in;         /* its value before the region is needed */
  int version;          /* writes so far */
  int home;             /* the depth of the part that alone names it */
} Held;

typedef struct {
  const Program *program;
  const FunctionCode *function;
  const Named *named;
  Region region;
  Held *held;   /* by slot */
  bool *placed; /* by instruction from the region's start: the text has found where it accesses */
  Text body;
  int32_t at;           /* the instruction */
  int steps, unguarded; /* instructions not counted yet; those that all of m's lanes execute */
  int depth;            /* of parts that only some of the lanes execute, of the mask m there */
} State;

enum { MOST_NAMED = 64 }; /* registers of a statement */

/* The register's width, where it may be a variable. */
Width state_width(const State *s, int slot);
/* Its slot, or -1 for another bank. */
int state_slot(Ref ref);
/* The variable holds the value from here on. */
void state_load(State *s, int slot);
void state_store(State *s, int slot);  /* memory does, too */
void state_spill(State *s, int slot);  /* the same within a branch that the text may not take */
void state_reload(State *s, int slot); /* m's lanes in memory have been written to, in one */
/* All are stored where the text returns. */
void state_leave(State *s);
void state_forget(State *s, int slot); /* the same in any case */
/* It is about to be written; `whole`: in all lanes, else the old value is loaded. */
void state_define(State *s, int slot, bool whole);

/* The operand as an expression of that width, loading the register first; NULL if it has another
 * one. */
const char *state_source(State *s, Arena *a, Ref ref, Width width);
/* A predicate as a set of lanes, and a variable to assign to. */
const char *state_pred(Arena *a, PredRef p);
/* Whether lanes keep what they have where the instruction writes the register; or any. */
bool state_is_partial(const State *s, const Insn *insn, int slot);
bool state_is_guarded(const State *s, const Insn *insn);
/* Those of them that execute: `m` is the mask. */
const char *state_active(Arena *a, PredRef p);
/* The statement's registers, each once; returns how many. */
int state_named(const State *s, const Insn *insn, int *slot, int most);
/* The operand's, beside `count` others. */
int state_named_in(const State *s, const Operand *o, int *slot, int count, int most);

#endif
