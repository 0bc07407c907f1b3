/* space.h: the configurations of a spec that are worth a measurement according to the model. They
 * lie in the arena of space_make; plans and sources are made again where they are needed. */
#ifndef KGEN_TUNE_SPACE_H
#define KGEN_TUNE_SPACE_H

#include "batch.h"
#include "tune/wisdom.h"

typedef struct {
  int settings;
  const Setting *setting; /* as the family declares it, in expressions */
  Values set;             /* their values */
  const char *label;      /* the same as text */
  uint64_t identity;      /* of `set`: shards go by it */
  int threads, blocks;    /* of a block; that an SM holds, as far as shared memory and threads go */
  int64_t shared_bytes;
  double work;       /* of the launch that is counted: KiB moved, or thousands of operations */
  double wavefronts; /* of shared memory, of that launch, for each of them */
  double total;      /* of shared memory, of the timed launch */
} Point;

enum { SPACE_MAX_TRIES = 8192 };

typedef struct {
  const char *path;
  const SpecOptions *options; /* without settings */
  const Spec *base;           /* the spec as it stands */
  int axes;                   /* that are searched */
  const TuneAxis *axis;
  int64_t combinations;           /* of all values */
  int tried, inadmissible, twins; /* of these: refused by the spec's rules; of an equal kernel */
  int points;                     /* the first is the spec as it stands */
  Point *point;
} Space;

/* When trying ends early. */
typedef struct {
  double end; /* milliseconds of the clock */
  bool (*stops)(void *context);
  void *context;
} SpaceLimit;

/* Tries combinations on all cores, as far as the limit allows. freed: what the spec itself says is
 * searched, too. False on a mistake of the spec, in d. */
bool space_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                SpaceLimit limit, Space *out);

/* The same with no other points than the given ones, each as values_text has it; false also where
 * one cannot be, in d. */
bool space_find(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                int count, const char *const *label, Space *out);

/* The spec with that configuration: never fails, since it was tried. */
BatchItem space_item(Arena *a, const Space *s, const Point *p);

/* Whether a shard, from 1 on, has that point. */
bool space_in_shard(const Point *p, int shard, int shards);

#endif
