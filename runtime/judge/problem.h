/* SPDX-License-Identifier: MIT */
/* problem.h: one launch of a template's kernel at given extents: its buffers, arguments and grid.
 * Everything, including contents, is in the arena that was passed in. */
#ifndef KGEN_JUDGE_PROBLEM_H
#define KGEN_JUDGE_PROBLEM_H

#include "spec/spec.h"

enum { PROBLEM_POISON = 0xc7 }; /* the byte that the kernel must overwrite */

typedef struct {
  const BufferSpec *spec;
  int64_t count;       /* number of elements */
  size_t bytes;        /* at least 1 */
  unsigned char *in;   /* input: its elements; workspace: zeros; output: NULL */
  unsigned char *want; /* output: the expected values, and poison where nothing is written */
  double *bound;       /* output: the error allowed in each element; NULL: must be bit-identical */
} Buffer;

typedef union {
  int32_t i32;
  int64_t i64;
  float f32;
  uint64_t pointer;
} ArgValue;

typedef struct {
  const Spec *spec;
  const char *kernel;           /* symbol of the kernel */
  int64_t value[EXPR_MAX_VARS]; /* values of spec->problem->names, with extents filled in */
  Buffer *buffer;               /* spec->problem->buffers entries */
  ArgValue *arg;                /* spec->problem->args entries; pointers are 0 */
  TensorMap *map;               /* one per argument; used for tensor maps, whose addresses are 0 */
  unsigned grid[3];
  unsigned cluster[3]; /* in blocks; 0: the kernel's own cluster */
  int64_t blocks;
  int64_t bytes; /* bytes read plus written in device memory */
  int64_t flops; /* operations; 0 if the template does not count them */
  Diag *asks;    /* not NULL: dry run of a reference, which reports missing names */
} Problem;

/* Evaluates the template's expressions at `extents`. False on an error of the template, which is in
 * d; allocates no contents yet. */
bool problem_make(Arena *a, Diag *d, const Spec *spec, const int64_t *extents, Problem *out);
/* Allocates all contents, fills inputs at random, poisons outputs and clears workspaces. any_bits
 * as in value_fill(). */
void problem_fill(Arena *a, Problem *p, bool any_bits, uint64_t seed);

/* For references: an extent, param or other name of the problem; a buffer, and its number of
 * elements. A reference requests everything that it reads, states the sizes, and then returns if
 * problem_is_dry_run(): family_check() or family_fits() has called it to find out if the problem
 * has those names and sizes. Until then values may be 1, and buffers must not be accessed. */
int64_t problem_value(const Problem *p, const char *name);
Buffer *problem_buffer(const Problem *p, const char *name);
int64_t problem_count(const Problem *p, const char *name);
/* States that the reference uses `elements` elements of a buffer, in the type of the buffer
 * `of`. */
void problem_reaches(const Problem *p, const char *name, int64_t elements, const char *of);
bool problem_is_dry_run(const Problem *p);

/* rows=100 cols=77 ... */
void problem_print(Text *out, const Problem *p);

/* The dynamic shared memory of its launch, in bytes, if all tiles need `tiles`. False on an error
 * of the template, which is in d. */
bool problem_shared_bytes(Diag *d, const Problem *p, int64_t tiles, unsigned *out);

/* The number of executions per block of each access of tile t at these extents, for
 * plan_wavefronts(). NULL on an error, in d. */
const int64_t *problem_times(Arena *a, Diag *d, const Problem *p, const TileSpec *t);

#endif
