/* SPDX-License-Identifier: MIT */
/*
 * trace.h: the record of a launch for launches that may begin before it has ended: the last
 * accesses to each word of global memory, and on which earlier launches it has waited. Traces do
 * not change once their launch has ended, and are freed with their last reference.
 */
#ifndef KGEN_EMU_RUN_RACE_TRACE_H
#define KGEN_EMU_RUN_RACE_TRACE_H

#include "base/arena.h"
#include "emu/memory/memory.h"

enum { TRACE_DEPTH = 8 }; /* earlier launches that may still run; further ones are forgotten */

/* The source location of an instruction. */
typedef struct {
  const char *file; /* valid as long as the memory; NULL if unknown */
  int line, ptx_line;
} TraceLine;

/* The last access of one kind to a word. bytes: mask; late: after the block's trigger. */
typedef struct {
  uint32_t bytes : 4;
  uint32_t strong : 1;
  uint32_t late : 1;
  uint32_t pc : 26;
} TraceAccess;

typedef struct {
  TraceAccess read, write; /* bytes 0: none */
} TraceWord;

/* Earlier launches, none of them twice. */
typedef struct {
  int count;
  EmuTrace *trace[TRACE_DEPTH];
  /* the kernel that began after each and never waits for it; NULL: each later one waits */
  const char *skipped_by[TRACE_DEPTH];
} TraceSet;

struct EmuTrace {
  _Atomic int references;
  Arena *arena;
  const char *kernel;
  bool triggers; /* some block executes launch_dependents: dependents may run at the same time */
  bool waits;    /* some thread executes griddepcontrol.wait */
  bool waits_before_trigger; /* in some block no dependent begins before that */
  TraceSet running;          /* may run when this launch begins */
  TraceSet unfinished;       /* those that griddepcontrol.wait does not wait for */
  TraceLine trigger;         /* the first one; line 0: unknown */
  TraceLine *line;           /* by pc */
  struct TracePage **bucket;
  uint64_t pages;
};

/* An empty trace with one reference; NULL when out of memory. */
EmuTrace *trace_new(const char *kernel, int instructions);
/* The word that contains an address; NULL if nothing was recorded near it. */
const TraceWord *trace_find(const EmuTrace *trace, uint64_t address);
/* The same for recording; NULL when out of memory, or beyond the limit of a trace. */
TraceWord *trace_at(EmuTrace *trace, uint64_t address);
/* Adds an access to part of a word. A weak one is kept rather than a strong one. */
void trace_add(TraceAccess *old, TraceAccess access);
/* Adds a trace with a reference, unless the set has it or is full. */
void trace_set_add(TraceSet *set, EmuTrace *trace, const char *skipped_by);
void trace_set_clear(TraceSet *set);

#endif
