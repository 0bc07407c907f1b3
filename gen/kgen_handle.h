/* SPDX-License-Identifier: MIT */
/* kgen_handle.h: the contents of the public Kgen: one arena, the specs, and the errors of all
 * calls. */
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
  Text text;        /* all errors as text */
  locale_t numbers; /* the locale for numbers: a decimal point, whatever the program's locale
                       uses */
};

/* handle_enter() sets this thread's locale before numbers are read or written; handle_leave()
 * restores it. */
locale_t handle_enter(const Kgen *k);
void handle_leave(locale_t before);

/* One error; its strings live as long as the handle. */
void handle_error(Kgen *k, const KgenError *e);
/* Adds the errors of a call, as structs and as text. */
void handle_take(Kgen *k, KgenErrorKind kind, const Diag *d);
/* Like handle_take(), but the text keeps the order of the records, as the command prints them. */
void handle_take_written(Kgen *k, KgenErrorKind kind, const Diag *d);
/* Adds one error that has no location in a file. Returns false. */
bool handle_refuse(Kgen *k, KgenErrorKind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The picture of a plan's tile with the most conflicts; NULL, with an error, if it cannot be
 * drawn. */
const char *handle_draw(Kgen *k, const Plan *plan);

#endif
