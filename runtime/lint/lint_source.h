/* lint_source.h: the file under judgement: its text, its PTX, its kernels. */
#ifndef KGEN_LINT_SOURCE_H
#define KGEN_LINT_SOURCE_H

#include "command/options.h"
#include "emu/emu.h"

typedef struct LintFile LintFile;

typedef struct {
  Arena *arena;
  const char *path; /* as given */
  const char *arch;
  const char *text; /* CUDA C++ or PTX */
  bool is_ptx;
  const char *ptx;
  size_t ptx_size;
  const char *instance; /* PTX name of the --kernel that was instantiated; NULL: look it up */
  LintFile *files;      /* others that lines were quoted from */
} LintSource;

/* Reads the file and compiles it, unless it is PTX. Returns 0 or the exit code, with the reason in
 * *why. */
int lint_source_load(Arena *a, const Options *o, LintSource *out, Text *why);

/* The kernel that --kernel means; if that is not given but a grid is, the only one. NULL: the
 * reason, with a list of kernels, is in *why. */
const EmuKernel *lint_source_kernel(const LintSource *s, const EmuModule *m, const Options *o,
                                    Text *why);

/* Where something stands, for people. `file` is NULL for the file under judgement. */
typedef struct {
  const char *file;
  int line;
} LintPlace;

/* From what the emulator knows; PTX without source lines is its own source. */
LintPlace lint_source_place(const LintSource *s, const char *file, int line, int ptx_line);
/* That line without its indentation, at most `width` characters, control characters as '?'. NULL if
 * it cannot be read. */
const char *lint_source_line(LintSource *s, LintPlace at, int width);

#endif
