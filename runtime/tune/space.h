/* SPDX-License-Identifier: MIT */
/* space.h: the configurations of a spec that are worth measuring according to the model. They are
 * in the arena passed to space_make(); plans and sources are made again where needed. */
#ifndef KGEN_TUNE_SPACE_H
#define KGEN_TUNE_SPACE_H

#include "batch.h"
#include "tune/wisdom.h"

typedef struct {
  int settings;
  const Setting *setting; /* as declared by the template, in expressions */
  Values set;             /* their values */
  const char *label;      /* the same values as text */
  uint64_t identity;      /* hash of `set`, which determines the shard */
  /* threads per block; blocks per SM, as far as shared memory and threads allow */
  int threads, blocks;
  int64_t shared_bytes;
  double work;       /* work of the counted launch: KiB moved, or thousands of operations */
  double wavefronts; /* shared-memory wavefronts of that launch per unit of work */
  double total;      /* shared-memory wavefronts of the timed launch */
} Point;

enum { SPACE_MAX_TRIES = 8192 };

typedef struct {
  const char *path;
  const SpecOptions *options; /* the spec without settings */
  const Spec *base;           /* the configuration of the unchanged spec */
  int axes;                   /* number of axes that are searched */
  const TuneAxis *axis;
  int64_t combinations; /* number of combinations of all values */
  /* combinations rejected by the spec's rules; combinations with an equal kernel */
  int tried, inadmissible, twins;
  int points; /* the first point is the unchanged spec */
  Point *point;
} Space;

/* The condition for ending early. */
typedef struct {
  double end; /* milliseconds of the clock */
  bool (*stops)(void *context);
  void *context;
} SpaceLimit;

/* Tries combinations on all cores, as far as the limit allows. freed: also searches what the spec
 * itself sets. False on an error of the spec, in d. */
bool space_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                SpaceLimit limit, Space *out);

/* Like space_make(), with the given points only, spelled as by values_text(); also false if one is
 * impossible, in d. */
bool space_find(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                int count, const char *const *label, Space *out);

/* The spec with that configuration: never fails, because it was tried. */
BatchItem space_item(Arena *a, const Space *s, const Point *p);

/* True if a shard, counted from 1, contains that point. */
bool space_in_shard(const Point *p, int shard, int shards);

#endif
