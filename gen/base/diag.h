/* SPDX-License-Identifier: MIT */
/* diag.h: errors in the user's input, as records: file, line, column, severity, kind,
 * message, hint. They are collected, and printed together at the end. */
#ifndef KGEN_BASE_DIAG_H
#define KGEN_BASE_DIAG_H

#include "base/text.h"

/* A source text that locations point into; lives as long as the arena. */
typedef struct {
  const char *path; /* as the user named it */
  const char *text;
  size_t len;
} Source;

typedef struct {
  const Source *source; /* NULL: no file to name */
  int line, col;        /* counted from 1, in characters; line 0: the whole file, e.g. unreadable */
  int width;            /* characters to underline, at least 1 */
} Loc;

typedef struct Diag Diag;

/* DIAG_OUTPUT: text of another program, such as a compiler's log, to be shown as it is. */
typedef enum { DIAG_ERROR, DIAG_NOTE, DIAG_OUTPUT } DiagSeverity;
typedef enum {
  DIAG_INPUT,    /* a file of the user's */
  DIAG_ARGUMENT, /* an option, or a parameter of the library */
  DIAG_REJECTED  /* a kernel that does not compile, or that the emulator does not execute */
} DiagKind;

/* One record. */
typedef struct {
  Loc loc;
  DiagSeverity severity;
  DiagKind kind;
  const char *text, *hint; /* hint: NULL if there is none */
  const char *more;        /* further lines, such as a list of what there is; or NULL */
  bool shown;              /* the DIAG_OUTPUT before it says so already */
} DiagEntry;

enum { DIAG_MAX_PER_FILE = 100 }; /* further errors are only counted */

Diag *diag_new(Arena *a);
/* Records errors in source `from` in `to` instead, until the next call; NULL: stops diverting. */
void diag_divert(Diag *d, const Source *from, Diag *to);
/* Records one error. An error with the same text and location is recorded once. */
void diag_error(Diag *d, Loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Records an error without a file, or one in a file of which only the line is known. */
void diag_say(Diag *d, DiagKind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_at(Diag *d, DiagKind kind, const char *path, int line, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* Records what is no error; another program's text; a compiler's log, with the errors in it. */
void diag_note(Diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void diag_output(Diag *d, const char *text, size_t n);
void diag_log(Diag *d, const char *log);
/* Adds lines, each with its end, below the record made last. */
void diag_more(Diag *d, const char *lines);
/* Adds a hint to the error recorded last, printed below its caret. */
void diag_hint(Diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
int diag_count(const Diag *d);
/* Like diag_count(), including repetitions: a spec that repeats a recorded error is wrong, too. */
int diag_met(const Diag *d);
/* The text of the first error recorded, without its location; NULL if there is none. */
const char *diag_first(const Diag *d);
/* The errors that were kept, at most DIAG_MAX_PER_FILE per file, ordered by file and position. */
const DiagEntry *diag_list(const Diag *d, Arena *a, int *count);
/* All records in the order in which they were made, as the command prints them: errors without a
 * file after "kgen: ". */
void diag_write(const Diag *d, Text *out);
/* All errors in the order of file and position, as they go to stderr; color: ANSI escapes. Control
 * characters of the user's text are printed as '?'. */
void diag_print(const Diag *d, Text *out, bool color);
/* The name among `count` names that is nearest to `word`, or NULL if it needs more edits than a
 * third of the word's length (one for two letters); a swap of neighbours is one edit. */
const char *diag_nearest(const char *word, const char *const *names, int count);

#endif
