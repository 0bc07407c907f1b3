/* SPDX-License-Identifier: MIT */
/* sarif.h: writes findings as SARIF 2.1.0 (OASIS, 2020), for code scanners and editors. */
#ifndef KGEN_COMMAND_SARIF_H
#define KGEN_COMMAND_SARIF_H

#include "base/diag.h"

typedef struct {
  const char *id, *about; /* about: one sentence */
  const char *level;      /* error, warning or note */
} SarifRule;

/* line and col count from 1, col in characters. line 0: the whole file; col 0: the whole line. */
typedef struct {
  const char *file;
  int line, col, width;
  const char *role; /* for a related location: its relation to the result */
} SarifPlace;

typedef struct {
  const char *rule, *message;
  const char *level; /* NULL: the rule's */
  SarifPlace at;
  const char *text;  /* text of the line, which identifies the finding if lines move; NULL:
                        unknown */
  const char *state; /* compared with a baseline: new, unchanged or updated; NULL: without a
                        baseline */
  int related;
  const SarifPlace *related_at;
} SarifResult;

typedef struct {
  Arena *arena;
  const char *category; /* the input that was checked; distinguishes logs that are uploaded
                           together */
  const SarifRule *rule;
  int rules;
  int results, capacity;
  SarifResult *result;
  const char *refusal; /* the reasons why nothing was checked, one per line; NULL: it was checked */
} Sarif;

/* rule: all rules that results may refer to. */
Sarif sarif_new(Arena *a, const char *category, const SarifRule *rule, int rules);
void sarif_add(Sarif *s, const SarifResult *result);
/* Writes the whole log. */
void sarif_put(const Sarif *s, Text *out, int exit_code);
/* Writes the log to a file, completely or not at all; `data`: see output_write(). False, with the
 * reason in *why. */
bool sarif_write(const Sarif *s, const char *path, int exit_code, Text *data, Diag *diag);
/* Like sarif_write(), for the errors of d, each with its hint. */
bool sarif_write_mistakes(Arena *a, const Diag *d, const char *path, int exit_code, Text *data,
                          Diag *diag);

#endif
