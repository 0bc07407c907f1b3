/* options.h: the command line. */
#ifndef KGEN_OPTIONS_H
#define KGEN_OPTIONS_H

#include "spec/spec.h"

enum { EXIT_USAGE = 2, EXIT_NO_GPU = 77 };

/* A flag given several times. */
typedef struct {
  int count;
  const char **item;
} OptionList;

typedef struct {
  bool jit, run, explain, json, csv, dry_run, quiet, verbose, no_cache, pads, help, version;
  const char *out;       /* folder */
  const char *templates; /* folder, or NULL */
  const char *arch;      /* a name of arch_table, or NULL */
  const char *device;    /* auto, cuda, emulator */
  const char *color;     /* auto, always, never */
  const char *layout;    /* a name of want_name, or NULL */
  const char *seed;      /* digits */
  int specs;
  const char **spec; /* as given: files and folders */
  const char *lint;  /* a kernel's file: judge it, and nothing else; or NULL */
  /* from here to define only with --lint; texts before lists */
  const char *kernel, *grid, *block, *smem, *max_conflicts, *max_steps;
  OptionList arg, include, define;
  OptionList sweep; /* NAME=VALUES each: try all their products, and write no files */
} Options;

/* False, with messages in *why, on a usage error. */
bool options_parse(Arena *a, int argc, char **argv, Options *out, Text *why);
/* The text of --help. */
void options_help(Text *out);

/* The seed as a number. */
uint64_t options_seed(const Options *o);
/* Whether text for `fd` (1 or 2) is coloured: as asked, else if it is a terminal and neither
 * NO_COLOR nor TERM=dumb says no. */
bool options_color(const Options *o, int fd);

#endif
