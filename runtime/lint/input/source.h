/* source.h: the file under judgement: its text, its PTX, its kernels. */
#ifndef KGEN_LINT_INPUT_SOURCE_H
#define KGEN_LINT_INPUT_SOURCE_H

#include "command/options.h"
#include "emu/emu.h"
#include "lint/input/quote.h"

/* A place in a source, for people. `file` is NULL for the file under judgement. */
typedef struct {
  const char *file;
  int line;
} LintLocation;

/* A line of a report that was read back, as it was quoted there. */
typedef struct {
  LintLocation at;
  const char *text;
} LintQuote;

typedef struct {
  Arena *arena;
  const char *path;   /* as given */
  const char *arch;   /* --arch, else the .target of PTX, else sm_90 */
  const Arch *limits; /* limits of `arch`, or of the nearest older one that is known */
  const char *text;   /* CUDA C++ or PTX */
  bool is_ptx;
  const char *ptx;
  size_t ptx_size;
  const char *instance; /* PTX name of the --kernel that was instantiated; NULL: look it up */
  LintFiles *files;     /* that lines are quoted from */
  int quotes;           /* for a report that was read back: its quoted lines; it has no text */
  LintQuote *quote;
  const EmuModule *module; /* that PTX once loaded; NULL: inlined locations are not known */
  bool lacks_target;       /* the compiler says that another architecture is needed */
} LintSource;

/* Reads the file; of PTX, that is all that is needed. Returns 0 or the exit code, with the reason
 * in *why. */
int lint_source_load(Arena *a, const Options *o, LintSource *out, Diag *why);

/* Order of places: the file under judgement first, then others by name; by line within one. */
int lint_location_compare(LintLocation a, LintLocation b);

/* From the emulator's line information; PTX without source lines is its own source. For an
 * inlined instruction, the innermost location in the main file, else in the user's directories.
 * ptx_line 0: no instruction; file and line are used as they are. */
LintLocation lint_source_location(const LintSource *s, const char *file, int line, int ptx_line);
/* The calls through which an instruction was inlined. */
typedef struct {
  int callers; /* the calls that brought it there, from the innermost on */
  const LintLocation *caller;
  int inners; /* the user's own headers whose code it is there, from the innermost on */
  const LintLocation *inner;
  int others; /* for several instructions: where their calls differ from these */
  const LintLocation *other;
} LintTrail;
enum { LINT_MAX_STACK = 128 };
LintTrail lint_source_trail(const LintSource *s, const char *file, int line, int ptx_line);
/* Adds the calls of functions that were not inlined, after those that were. */
void lint_source_trail_calls(const LintSource *s, LintTrail *t, const EmuCall *call, int calls);
/* Adds the calls of one more instruction of the line. */
void lint_source_trail_add(Arena *a, LintTrail *t, const LintTrail *more);
/* That line without its indentation, at most `width` characters, control characters as '?'. NULL if
 * it cannot be read, or may not be shown: see LintFiles. */
const char *lint_source_line(LintSource *s, LintLocation at, int width);

#endif
