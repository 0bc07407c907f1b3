/* problem.h: one launch of a family's kernel at given extents: its buffers, arguments and grid. All
 * of it, contents too, lies in the arena that made it. */
#ifndef KGEN_JUDGE_PROBLEM_H
#define KGEN_JUDGE_PROBLEM_H

#include "spec/spec.h"

enum { PROBLEM_POISON = 0xc7 }; /* the byte that the kernel should overwrite */

typedef struct {
  const BufferSpec *spec;
  int64_t count;       /* elements */
  size_t bytes;        /* at least 1 */
  unsigned char *in;   /* input: its elements; workspace: zeros; output: NULL */
  unsigned char *want; /* output: what the reference expects, poison where nothing is written */
  double *bound;       /* output: the error allowed in each element; NULL: equal bit for bit */
} Buffer;

typedef union {
  int32_t i32;
  int64_t i64;
  float f32;
  uint64_t pointer;
} ArgValue;

typedef struct {
  const Spec *spec;
  const char *kernel;           /* its symbol */
  int64_t value[EXPR_MAX_VARS]; /* of spec->problem->names, extents filled in */
  Buffer *buffer;               /* spec->problem->buffers of them */
  ArgValue *arg;                /* spec->problem->args of them; pointers are 0 */
  TensorMap *map;               /* as many, of the args that are one; addresses are 0 */
  unsigned grid[3];
  unsigned cluster[3]; /* blocks; 0: the kernel's own */
  int64_t blocks;
  int64_t bytes; /* read plus written in device memory */
  int64_t flops; /* operations; 0 if the family counts none */
  Diag *asks;    /* not NULL: a dry run of a reference, which reports what the problem lacks */
} Problem;

/* Evaluates the family's expressions at `extents`. False on an error of the family, which is then
 * in d; no contents are allocated yet. */
bool problem_make(Arena *a, Diag *d, const Spec *spec, const int64_t *extents, Problem *out);
/* Allocates all contents, fills inputs at random, poisons outputs and clears workspaces. any_bits
 * as in value_fill. */
void problem_fill(Arena *a, Problem *p, bool any_bits, uint64_t seed);

/* For references: an extent, param or other name of the problem; a buffer, and how many elements it
 * has. A reference asks for all that it reads, says how far it goes, and then returns if
 * problem_only_asks: family_check or family_fits has called it to learn whether the problem has
 * those names and elements. Until then a value may be 1, and a buffer is not to be looked into. */
int64_t problem_value(const Problem *p, const char *name);
Buffer *problem_buffer(const Problem *p, const char *name);
int64_t problem_count(const Problem *p, const char *name);
/* The reference uses so many elements of a buffer, in the type of the buffer `of`. */
void problem_reaches(const Problem *p, const char *name, int64_t elements, const char *of);
bool problem_only_asks(const Problem *p);

/* rows=100 cols=77 ... */
void problem_print(Text *out, const Problem *p);

/* The dynamic shared memory of its launch, in bytes, if all tiles have `tiles`. False on an error
 * of the family, which is then in d. */
bool problem_shared_bytes(Diag *d, const Problem *p, int64_t tiles, unsigned *out);

/* How often a block executes each access of tile t at these extents: for plan_wavefronts. NULL on a
 * mistake, in d. */
const int64_t *problem_times(Arena *a, Diag *d, const Problem *p, const TileSpec *t);

#endif
