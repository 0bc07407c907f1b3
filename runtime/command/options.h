/* options.h: the command line as the stages read it. */
#ifndef KGEN_COMMAND_OPTIONS_H
#define KGEN_COMMAND_OPTIONS_H

#include "judge/exit_code.h"
#include "spec/spec.h"

/* The commands, each a verb: `kgen lint FILE`. Most can also be selected by an option, as in
 * `kgen --lint FILE`. options_parse() turns explain and run, which are gen with other defaults,
 * into COMMAND_GEN. */
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
/* How far specs are taken; each stage needs the one before. */
typedef enum { STAGE_WRITTEN, STAGE_COMPILED, STAGE_RUN } Stage;
/* What stdout carries: a report; FORMAT_SOURCE: the source of one spec, instead of files;
 * FORMAT_FILE: the file that an option names as `-`. */
typedef enum {
  FORMAT_TABLE,
  FORMAT_JSON,
  FORMAT_CSV,
  FORMAT_MARKDOWN,
  FORMAT_SOURCE,
  FORMAT_FILE
} Format;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } Color;
/* What is printed instead of doing anything. INFO_SCREEN: the one screen of bare `kgen`, which is
 * an error. */
typedef enum { INFO_NONE, INFO_VERSION, INFO_HELP, INFO_SCREEN } InfoRequest;

/* The values of an option that may be repeated. */
typedef struct {
  int count, capacity;
  const char **item;
} OptionList;

/* --lint: which kernel is judged, its launch, and the compiler's options. */
typedef struct {
  const char *file, *kernel, *grid, *block, *cluster; /* as given, or NULL */
  const char *text;                                   /* what the file holds; NULL: it is read */
  uint64_t smem, max_steps;                           /* bytes; instructions of one warp */
  int64_t max_conflicts;                              /* -1: any number */
  const char *baseline; /* an older report whose findings are tolerated, or NULL */
  int64_t time_limit;   /* seconds; -1: none */
  bool strict;          /* notes are findings */
  int schedule[2];      /* first and last of the orders to repeat launches in; 0: none */
  uint32_t ignored;     /* kinds of findings and notes to leave out, a bit each */
  const char *std;      /* c++17, as compilers call it */
  OptionList arg, variable, dump, include, define, flag;
} LintOptions;

/* --exec: a program, and which of its launches are judged. */
typedef struct {
  OptionList program;         /* and its arguments: what stands after -- */
  const Arch *as;             /* the GPU that it sees */
  const char *kernels, *save; /* a pattern, a folder; or NULL */
  uint64_t skip, error_exit;
  int64_t launches; /* judged at most; -1: all */
  bool no_native;   /* unchecked kernels are not compiled */
  bool no_leaks;    /* memory that is never freed is no finding */
} ExecOptions;

/* --tune: what is searched, and for how long. --wisdom: what to do with the results. */
typedef struct {
  uint64_t budget;     /* seconds for all specs together; 0: a default for each */
  bool free;           /* also search what the specs themselves set */
  OptionList only;     /* configurations: measure these and no others */
  OptionList sizes;    /* problems to tune at, as sizes_parse() reads them; none: the specs' own */
  int shard, shards;   /* part I of N, from 1 on */
  const char *devices; /* all, or their numbers; or NULL */
  bool merge, prune, t4;
} TuneOptions;

typedef struct {
  Command command;
  InfoRequest info;
  Command verb; /* that was given as the first word, or that INFO_HELP is about; COMMANDS: none */
  OptionList spec; /* files and folders */

  const char *templates; /* folder, or NULL */
  const Arch *arch;      /* NULL: the specs' */
  const Want *layout;    /* NULL: the specs' */
  const char *init;      /* the family of --init */
  const char *compare;   /* the older report; the newer one is in `spec` */
  const char *same;      /* the first of two; the other one is in `spec` */
  double tolerance;      /* what may differ: see same and compare; -1: not given */
  OptionList sweep;      /* NAME=VALUES each: try all their products, and write no files */

  Stage stage;
  bool compile_only;  /* --compile-only */
  const char *device; /* auto, cuda, emulator */
  uint64_t seed;
  bool no_cache;

  const char *out;          /* directory */
  bool output_given;        /* -o */
  const char *sarif;        /* file, or NULL */
  const char *repro_folder; /* --repro, or NULL */
  struct Repro *repro;      /* what it must hold; NULL without it */
  OptionList named;         /* files and folders that options name */
  const char *html;         /* file for the page, or NULL */
  const char *svg, *tile;   /* file for the picture, and its tile; or NULL */
  bool dry_run, explain;
  Format format;
  bool json_full; /* no list of JSON is cut */
  bool quiet, verbose;
  Color color;

  const char *command_line; /* as a shell takes it */
  const char *wisdom_of;    /* the device whose wisdom is used, or NULL: the one that is here */
  bool no_wisdom;

  TuneOptions tune;

  LintOptions lint;
  ExecOptions exec;
} Options;

/* Whether a report for people may go to stdout: not with -q, nor beside a file. */
bool options_allow_table(const Options *o);

/* Makes a format what stdout carries; false, with the reason, if stdout carries another one. With
 * --json the refusal is in JSON, too. */
bool options_claim_stdout(Options *o, Format format, Text *why);

/* Where sources are written unless -o names another directory. */
#define OPTIONS_OUTPUT "out"

/* What holds where no option says otherwise. */
Options options_default(void);

void option_list_add(Arena *a, OptionList *list, const char *item);

/* Adds n characters that stand between single quotes of a shell. */
void options_quote(Text *out, const char *word, size_t n);
/* Splits FILE:NAME at the first colon with an existing file before it; otherwise all of it is the
 * file, and *name stays as it is. */
const char *options_split(Arena *a, const char *text, const char **name);
/* The words of a command line, quoted where a shell would read something else. */
const char *options_command(Arena *a, int argc, char **argv);

/* Whether text for `fd` (1 or 2) is coloured: as asked, else if it is a terminal and neither
 * NO_COLOR nor TERM=dumb says no. */
bool options_color(const Options *o, int fd);

#endif
