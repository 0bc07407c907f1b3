/* kgen_handle.h: what the public Kgen holds: one arena, the specs, the errors of all calls. */
#ifndef KGEN_HANDLE_H
#define KGEN_HANDLE_H

#include <locale.h>

#include "batch.h"
#include "kgen.h"

struct Kgen {
  Arena *arena;
  Templates *templates;
  Batch batch;
  int errors, capacity;
  KgenError *error;
  Text text;        /* the errors for people */
  locale_t numbers; /* with a decimal point, whatever the program's locale has */
};

/* Brackets what reads or writes numbers: sets this thread's locale, and restores it. */
locale_t handle_enter(const Kgen *k);
void handle_leave(locale_t before);

/* One error; its strings live as long as the handle. */
void handle_error(Kgen *k, const KgenError *e);
/* The errors of a call, as structs and as text. */
void handle_take(Kgen *k, KgenErrorKind kind, const Diag *d);
/* Like handle_take(), with the text as the command prints it: in the order of the records. */
void handle_take_written(Kgen *k, KgenErrorKind kind, const Diag *d);
/* One error that has no place in a file. Returns false. */
bool handle_refuse(Kgen *k, KgenErrorKind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The picture of a plan's tile with the most conflicts; NULL, with an error, if it cannot be
 * drawn. */
const char *handle_draw(Kgen *k, const Plan *plan);

#endif
