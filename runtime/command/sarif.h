/* sarif.h: findings as SARIF 2.1.0 (OASIS, 2020), which code scanners and editors read. */
#ifndef KGEN_COMMAND_SARIF_H
#define KGEN_COMMAND_SARIF_H

#include "base/diag.h"

typedef struct {
  const char *id, *about; /* about: a sentence */
  const char *level;      /* error, warning or note */
} SarifRule;

/* line 0: the file as a whole; col 0: the line as a whole. From 1, in characters. */
typedef struct {
  const char *file;
  int line, col, width;
  const char *role; /* of a related one: what it has to do with the result */
} SarifPlace;

typedef struct {
  const char *rule, *message;
  const char *level; /* NULL: the rule's */
  SarifPlace at;
  const char *text;  /* the line's; NULL: not known. Identifies a finding when lines move */
  const char *state; /* against a baseline: new, unchanged or updated; NULL: there is none */
  int related;
  const SarifPlace *related_at;
} SarifResult;

typedef struct {
  Arena *arena;
  const char *category; /* what was judged: distinguishes several logs that are uploaded together */
  const SarifRule *rule;
  int rules;
  int results, capacity;
  SarifResult *result;
  const char *refusal; /* why nothing was judged, one line each; NULL: it was judged */
} Sarif;

/* rule: all that results may name. */
Sarif sarif_new(Arena *a, const char *category, const SarifRule *rule, int rules);
void sarif_add(Sarif *s, const SarifResult *result);
/* The whole log. */
void sarif_put(const Sarif *s, Text *out, int exit_code);
/* Writes it to a file, whole or not at all; `data`: see output_write. False with the reason in
 * *why. */
bool sarif_write(const Sarif *s, const char *path, int exit_code, Text *data, Text *why);
/* The errors of d, each with its hint; otherwise the same. */
bool sarif_write_mistakes(Arena *a, const Diag *d, const char *path, int exit_code, Text *data,
                          Text *why);

#endif
