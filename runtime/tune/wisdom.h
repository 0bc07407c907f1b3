/* SPDX-License-Identifier: MIT */
/* wisdom.h: the tuning database (called wisdom, after FFTW): measurements, one JSON object per
 * line, in append-only files. */
#ifndef KGEN_TUNE_WISDOM_H
#define KGEN_TUNE_WISDOM_H

#include "base/json.h"
#include "spec/spec.h"

/* Names with numbers: a problem's extents, a configuration. */
typedef struct {
  int count;
  const Param *param;
} Values;

const Param *values_find(const Values *v, const char *name);
bool values_equal(const Values *a, const Values *b);
/* Orders configurations by their values only, for qsort(). */
int values_order(const Values *a, const Values *b);
/* vector=4 d0=64 */
const char *values_text(Arena *a, const Values *v);
/* Writes an object with the names, on one line. */
void values_json(Json *j, const char *key, const Values *v);
/* Parses the output of values_text(); false if the text is anything else. */
bool values_parse(Arena *a, const char *text, Values *out);

/* The quantity that is minimized: milliseconds or, without a GPU, the wavefronts and sectors
 * counted per KiB that the kernel moves, or per thousand operations. */
typedef enum { UNIT_MS, UNIT_COUNTS, UNITS } Unit;
extern const char *const unit_name[UNITS];

/* The conditions of a measurement: two figures are comparable only if their keys are equal. */
typedef struct {
  const char *kernel;
  uint64_t spec, code; /* hashes: SpecHash; the template's declaration and sources */
  const char *device;  /* "NVIDIA H200" */
  const char *toolkit; /* NVRTC's version: "13.0"; "": unknown */
  Values problem;      /* extents of the timed launch */
  Unit unit;
} WisdomKey;

typedef struct {
  WisdomKey key;
  const char *name; /* name of the spec, for people */
  const char *arch, *driver;
  Values set; /* the configuration */
  /* the reason why it does not count: compile, runtime, correctness; NULL: it counts */
  const char *invalid;
  const char *why;      /* that reason in words; or NULL */
  bool final;           /* measured interleaved with the other finalists, not only to select them */
  double median, noise; /* in the unit */
  int samples;
  const char *place; /* process and address of the first buffer: a time depends on both */
  int64_t at;        /* seconds since 1970 */
  const char *file;  /* the file that contains it */
} WisdomRecord;

typedef struct {
  Arena *arena;
  int count, capacity;
  WisdomRecord *record;
  int broken; /* number of lines that are not records, as a full disk leaves them */
} Wisdom;

/* $KGEN_WISDOM, else $XDG_DATA_HOME/kgen/wisdom.jsonl, else the same below ~/.local/share; NULL: no
 * home directory. */
const char *wisdom_file(Arena *a);

/* Files kept as text, so that each of many specs parses only its own lines. */
typedef struct {
  const char *file, *text;
} WisdomText;

typedef struct {
  int count, capacity;
  WisdomText *file;
} WisdomTexts;

/* Reads the records installed with kgen (directory, or NULL), then the user's. */
WisdomTexts wisdom_texts(Arena *a, const char *folder);
/* Parses their records; `only`: lines that contain this text, NULL: all. */
Wisdom wisdom_parse(Arena *a, const WisdomTexts *texts, const char *only);
/* Adds the records of one file. False with errno set if it is missing or cannot be read. */
bool wisdom_read(Wisdom *w, const char *file);

/* One line. */
void wisdom_put(Text *out, const WisdomRecord *r);
/* Appends a record in one write, so that processes which share the file do not interleave; creates
 * the file and its directories. False with *why. */
bool wisdom_append(Arena *a, const char *file, const WisdomRecord *r, Diag *diag);
/* True if a record could be appended; creates the file. False with *why. */
bool wisdom_is_writable(Arena *a, const char *file, Diag *diag);

#endif
