/* SPDX-License-Identifier: MIT */
/* options.h: the parsed command line. */
#ifndef KGEN_COMMAND_OPTIONS_H
#define KGEN_COMMAND_OPTIONS_H

#include "judge/exit_code.h"
#include "spec/spec.h"

/* The commands; each has a verb: `kgen lint FILE`. Most can also be selected by an option, as in
 * `kgen --lint FILE`. options_parse() turns `explain` and `run`, which are `gen` with other
 * defaults, into COMMAND_GEN. */
typedef enum {
  COMMAND_GEN,
  COMMAND_EXPLAIN,
  COMMAND_RUN,
  COMMAND_SWEEP,
  COMMAND_FRONT,
  COMMAND_TUNE,
  COMMAND_WISDOM,
  COMMAND_INIT,
  COMMAND_SCHEMA,
  COMMAND_LINT,
  COMMAND_EXEC,
  COMMAND_SAME,
  COMMAND_COMPARE,
  COMMAND_PADS,
  COMMAND_DOCTOR,
  COMMAND_HELP,
  COMMAND_VERSION,
  COMMANDS
} Command;
/* The last stage that specs go through; each stage includes the preceding ones. */
typedef enum { STAGE_WRITTEN, STAGE_COMPILED, STAGE_RUN } Stage;
/* The contents of stdout: a report. FORMAT_SOURCE: the source of one spec, which is then not
 * written to a file. FORMAT_FILE: the file that an option names as `-`. */
typedef enum {
  FORMAT_TABLE,
  FORMAT_JSON,
  FORMAT_CSV,
  FORMAT_MARKDOWN,
  FORMAT_SOURCE,
  FORMAT_FILE
} Format;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } Color;
/* Information that is printed instead of running a command. INFO_SCREEN: the list of commands that
 * `kgen` without arguments prints; this is an error. */
typedef enum { INFO_NONE, INFO_VERSION, INFO_HELP, INFO_SCREEN } InfoRequest;

/* The values of an option that may be repeated. */
typedef struct {
  int count, capacity;
  const char **item;
} OptionList;

/* --lint: the kernel to check, its launch, and the compiler's options. */
typedef struct {
  const char *file, *kernel, *grid, *block, *cluster; /* as given; or NULL */
  const char *text;         /* contents of the file; NULL: the file is read */
  uint64_t smem, max_steps; /* bytes; instructions per warp */
  int64_t max_conflicts;    /* -1: unlimited */
  const char *baseline;     /* report with findings that are tolerated; or NULL */
  int64_t time_limit;       /* seconds; -1: none */
  bool strict;              /* treat notes as findings */
  uint64_t hang_states;     /* to search for an order that hangs; 0: no search */
  int schedule[2];          /* first and last of the orders to repeat launches in; 0: none */
  uint32_t ignored;         /* bit set of the kinds of findings and notes to omit */
  const char *std;          /* spelled as for compilers: c++17 */
  OptionList arg, variable, dump, include, define, flag;
} LintOptions;

/* --exec: the program, and the launches that are checked. */
typedef struct {
  OptionList program;         /* the program and its arguments: the words after -- */
  const Arch *as;             /* the GPU that the program sees */
  const char *kernels, *save; /* a pattern, a directory; or NULL */
  uint64_t skip, error_exit;
  int64_t launches; /* maximum number of checked launches; -1: all */
  bool no_native;   /* do not compile unchecked kernels */
  bool no_leaks;    /* do not report memory that is never freed */
} ExecOptions;

/* --tune: the search space and the time limit. --wisdom: the operation on the results. */
typedef struct {
  uint64_t budget;     /* seconds for all specs together; 0: a default per spec */
  bool free;           /* also search over values that the specs set */
  OptionList only;     /* configurations to measure; if there are any, no others */
  OptionList sizes;    /* problem sizes to tune for, in the form of sizes_parse(); none: the specs'
                          own */
  int shard, shards;   /* part I of N, counted from 1 */
  const char *devices; /* "all", or device numbers; or NULL */
  bool merge, prune, t4;
} TuneOptions;

typedef struct {
  Command command;
  InfoRequest info;
  Command verb;    /* the first word, or the topic of INFO_HELP; COMMANDS: none */
  OptionList spec; /* files and directories */

  const char *templates; /* directory, or NULL */
  const Arch *arch;      /* NULL: the one in the specs */
  const Want *layout;    /* NULL: the ones in the specs */
  const char *init;      /* --init: a kernel template */
  const char *compare;   /* the older report; the newer one is spec.item[0] */
  const char *same;      /* the first of two kernels; the second one is spec.item[0] */
  double tolerance;      /* allowed difference: see `same` and `compare`; -1: not given */
  OptionList sweep;      /* NAME=VALUES; all combinations are tried, and no files are written */

  Stage stage;
  bool compile_only;  /* --compile-only */
  const char *device; /* auto, cuda, emulator */
  uint64_t seed;
  bool no_cache;

  const char *out;          /* directory */
  bool output_given;        /* -o was given */
  const char *sarif;        /* file, or NULL */
  const char *repro_folder; /* --repro, or NULL */
  struct Repro *repro;      /* the open --repro directory; NULL without --repro */
  OptionList named;         /* files and directories that options name */
  const char *html;         /* file for the HTML report, or NULL */
  const char *svg, *tile;   /* file for the picture, and the tile to draw; or NULL */
  bool dry_run, explain;
  int language; /* explain --as: a Language of emit/language.h; -1: not given */
  Format format;
  bool json_full; /* do not cut lists in JSON */
  bool quiet, verbose;
  Color color;

  const char *command_line; /* quoted for a shell */
  const char *wisdom_of;    /* the device whose tuning database is used; NULL: the current device */
  bool no_wisdom;

  TuneOptions tune;

  LintOptions lint;
  ExecOptions exec;
} Options;

/* True if a report for people may go to stdout: without -q, and if stdout carries no file. */
bool options_allow_table(const Options *o);

/* Claims stdout for a format. False, with the reason in *why, if it already carries another format.
 * With --json the error is written as JSON, too. */
bool options_claim_stdout(Options *o, Format format, Diag *diag);

/* Default directory for generated sources. */
#define OPTIONS_OUTPUT "out"

/* The values of options that are not given. */
Options options_default(void);

void option_list_add(Arena *a, OptionList *list, const char *item);

/* Adds n characters, escaped for a single-quoted string of a shell. */
void options_quote(Text *out, const char *word, size_t n);
/* Splits FILE:NAME at the first colon after the name of an existing file. If there is none, the
 * whole text is the file and *name is unchanged. */
const char *options_split(Arena *a, const char *text, const char **name);
/* The command line as text, with quotes around words that a shell would interpret. */
const char *options_command(Arena *a, int argc, char **argv);

/* True if text for `fd` (1 or 2) is coloured: as --color says; by default if it is a terminal and
 * neither NO_COLOR nor TERM=dumb is set. */
bool options_color(const Options *o, int fd);

#endif
