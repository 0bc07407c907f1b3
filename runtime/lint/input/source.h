/* SPDX-License-Identifier: MIT */
/* source.h: the checked file: its text, its PTX, its kernels. */
#ifndef KGEN_LINT_INPUT_SOURCE_H
#define KGEN_LINT_INPUT_SOURCE_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/input/quote.h"

/* A source location, for people. `file` is NULL for the checked file. */
typedef struct {
  const char *file;
  int line;
} LintLocation;

/* A quoted line of a report that was read back. */
typedef struct {
  LintLocation at;
  const char *text;
} LintQuote;

typedef struct {
  Arena *arena;
  const char *path;   /* as given */
  const char *arch;   /* --arch, else the .target of PTX, else sm_90 */
  const Arch *limits; /* limits of `arch`, or of the nearest known older one */
  const char *text;   /* CUDA C++ or PTX */
  bool is_ptx;
  const char *ptx;
  size_t ptx_size;
  const char *instance; /* PTX name of the --kernel that was instantiated; NULL: look it up */
  LintFiles *files;     /* files from which lines may be quoted */
  int quotes;           /* quoted lines of a report that was read back, which has no text */
  LintQuote *quote;
  const EmuModule *module; /* the loaded PTX; NULL: inlined locations are unknown */
  bool lacks_target;       /* the compiler reported that another architecture is needed */
} LintSource;

/* Reads the file; PTX needs nothing else. Returns 0 or the exit code, with the reason in *why. */
int lint_source_load(Arena *a, const Options *o, LintSource *out, Diag *why);

/* Orders locations: the checked file first, then other files by name; by line within a file. */
int lint_location_compare(LintLocation a, LintLocation b);

/* The source location from the emulator's line information; PTX without line information is its own
 * source. For an inlined instruction, the innermost location in the main file, else in the user's
 * directories. ptx_line 0: there is no instruction; file and line are used unchanged. */
LintLocation lint_source_location(const LintSource *s, const char *file, int line, int ptx_line);
/* The calls through which an instruction was inlined. */
typedef struct {
  int callers; /* calls through which it was inlined, innermost first */
  const LintLocation *caller;
  int inners; /* locations in the user's own headers, innermost first */
  const LintLocation *inner;
  int others; /* for several instructions, the locations where their calls differ from these */
  const LintLocation *other;
} LintTrail;
enum { LINT_MAX_STACK = 128 };
LintTrail lint_source_trail(const LintSource *s, const char *file, int line, int ptx_line);
/* Adds the calls of functions that were not inlined, after the inlined ones. */
void lint_source_trail_calls(const LintSource *s, LintTrail *t, const EmuCall *call, int calls);
/* Adds the calls of one more instruction of the line. */
void lint_source_trail_add(Arena *a, LintTrail *t, const LintTrail *more);
/* The line without its indentation, at most `width` characters, control characters as '?'. NULL if
 * it cannot be read, or must not be quoted: see LintFiles. */
const char *lint_source_line(LintSource *s, LintLocation at, int width);

#endif
