/* wisdom.h: measurements, one JSON object per line, in files that are only appended to. */
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
/* An order of configurations that depends on nothing but them, for qsort. */
int values_order(const Values *a, const Values *b);
/* vector=4 d0=64 */
const char *values_text(Arena *a, const Values *v);
/* An object of the names, on one line. */
void values_json(Json *j, const char *key, const Values *v);
/* Reads what values_text spells; false if it is something else. */
bool values_parse(Arena *a, const char *text, Values *out);

/* What is minimised: milliseconds, or without a GPU the wavefronts and sectors counted per KiB that
 * the kernel moves, or per thousand of its operations. */
typedef enum { UNIT_MS, UNIT_COUNTS, UNITS } Unit;
extern const char *const unit_name[UNITS];

/* Where and of what something was measured: only under an equal key do two figures compare. */
typedef struct {
  const char *kernel;
  uint64_t spec, code; /* hashes: SpecHash; the family's declaration and sources */
  const char *device;  /* "NVIDIA H200" */
  const char *toolkit; /* NVRTC's version: "13.0"; "": unknown */
  Values problem;      /* extents of the launch that is timed */
  Unit unit;
} WisdomKey;

typedef struct {
  WisdomKey key;
  const char *name; /* the spec's, for people */
  const char *arch, *driver;
  Values set;           /* the configuration */
  const char *invalid;  /* why it cannot count: compile, runtime, correctness; NULL: it does */
  const char *why;      /* then, in words; or NULL */
  bool final;           /* measured beside the other finalists, not only to choose them */
  double median, noise; /* in the unit */
  int samples;
  const char *place; /* process and address of the first buffer: a time depends on both */
  int64_t at;        /* seconds since 1970 */
  const char *file;  /* that it stands in */
} WisdomRecord;

typedef struct {
  Arena *arena;
  int count, capacity;
  WisdomRecord *record;
  int broken; /* lines that are not records, as a full disk leaves them */
} Wisdom;

/* $KGEN_WISDOM, else $XDG_DATA_HOME/kgen/wisdom.jsonl, else that below ~/.local/share; NULL: no
 * home. */
const char *wisdom_file(Arena *a);

/* Files as text, so that each of many specs parses only its own lines. */
typedef struct {
  const char *file, *text;
} WisdomText;

typedef struct {
  int count, capacity;
  WisdomText *file;
} WisdomTexts;

/* Those that come with kgen (folder, or NULL), then the user's. */
WisdomTexts wisdom_texts(Arena *a, const char *folder);
/* Their records; `only`: of lines that hold this text, NULL: all. */
Wisdom wisdom_parse(Arena *a, const WisdomTexts *texts, const char *only);
/* Adds the records of one file. False with errno set where it cannot be read, or is not there. */
bool wisdom_read(Wisdom *w, const char *file);

/* One line. */
void wisdom_put(Text *out, const WisdomRecord *r);
/* Appends a record in one write, so that processes which share the file do not mix theirs; makes
 * the file and its folders. False with *why. */
bool wisdom_append(Arena *a, const char *file, const WisdomRecord *r, Text *why);
/* Whether a record could be appended; makes the file, too. False with *why. */
bool wisdom_is_writable(Arena *a, const char *file, Text *why);

#endif
