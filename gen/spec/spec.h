/* SPDX-License-Identifier: MIT */
/* spec.h: a spec file, and the kernel template that it names, as plain structs. */
#ifndef KGEN_SPEC_SPEC_H
#define KGEN_SPEC_SPEC_H

#include "base/budget.h"
#include "model/tensor_map.h"
#include "spec/expr.h"
#include "spec/templates.h"

/* --- accesses as written --- */
enum { MAX_LOOPS = 8, MAX_ACCESSES = 64, MAX_TILES = 8, MAX_PARAMS = 32 };

typedef struct {
  const char *name;
  int slot;
  int64_t count; /* the variable runs from 0 to count - 1 */
} Loop;

/* The slots of the names that an access expression sees. After these come the loops, then the names
 * with one value for all lanes: params, extents (d0...; in the `tiles` form also NAME_d0...),
 * esize, bx to bz, threads, warps. */
enum { SLOT_LANE, SLOT_WARP, SLOT_TID, SLOT_TX, SLOT_TY, SLOT_TZ, SLOT_FIXED };

typedef struct {
  const char *name;
  Loc loc;
  Op op;
  int vector;             /* elements per lane, contiguous in the last dimension */
  int matrices;           /* 1, 2, 4 for ldmatrix and stmatrix, else 0 */
  long weight;            /* relative frequency in thousandths (WEIGHT_ONE = 1) */
  CopyCache cache;        /* cp_async */
  Major major;            /* wgmma_a, wgmma_b */
  int box[KGEN_MAX_RANK]; /* box of TMA and wgmma, in elements; [0] == 0: not given */
  Loc box_loc;
  /* cp_async: dimensions of the source in device memory; 0: arranged as in the tile, with rows far
   * apart */
  int from_dims;
  const Expr *from[KGEN_MAX_RANK]; /* one per dimension, in elements; NULL if it has an error */
  int loops;
  Loop loop[MAX_LOOPS];
  /* one per dimension; if linear is set, at[0] is a linear element index; NULL if it has an
   * error */
  const Expr *at[KGEN_MAX_RANK];
  bool linear;
  const Expr *when; /* NULL: all lanes */
  /* NULL, or 32 linear element indices of one warp, -1 for an inactive lane */
  const int64_t *lanes;
  /* kernel templates only: executions per block in addition to its loops, over the problem's names;
   * or NULL */
  const Expr *times;
  bool unread;                  /* its addresses could not be read, which was reported */
  Names names;                  /* names for `at` and `when` */
  int64_t value[EXPR_MAX_VARS]; /* values of constant names: params, extents, block; else 0 */
} AccessSpec;

typedef struct {
  Tile tile;
  Loc loc;
  int accesses;
  const AccessSpec *access;
  bool own; /* its accesses come from the spec, so the template's kernel may access differently */
} TileSpec;

/* --- a template's launch: what a runtime needs to run the kernel on a problem of any size --- */
typedef struct {
  const char *name;
  bool output; /* an output: poisoned before the launch and compared after it */
  /* zero before the first launch, and left by each launch as the next one needs it */
  bool workspace;
  /* neither: an input, filled with random elements, unchanged after it */
  const char *type;  /* dtype name; NULL: the first tile's */
  const Expr *count; /* number of elements */
  const Dtype *dtype;
} BufferSpec;

/* A tensor map of one of the buffers: formulas, innermost dimension first. NULL: not given, or
 * reported as an error. */
typedef struct {
  Loc loc;
  int buffer, rank;
  const Expr *dim[TENSOR_MAX_RANK];
  const Expr *stride[TENSOR_MAX_RANK]; /* bytes; [0] is always NULL */
  const Expr *box[TENSOR_MAX_RANK];
  const Expr *step[TENSOR_MAX_RANK]; /* NULL: 1 */
  const Expr *swizzle;               /* 0, 32, 64 or 128 bytes; NULL: 0 */
  bool fill_nan;
} MapSpec;

typedef struct {
  const char *name;
  const char *type;  /* "buffer", "map", "i32", "i64", "f32" */
  int buffer;        /* index, or -1 */
  const Expr *value; /* value of a number */
  const MapSpec *map;
} ArgSpec;

/* Another kernel of the source, NAME_`name`, for sizes for which `when` is not 0. */
typedef struct {
  const char *name;
  const Expr *when; /* NULL if it has an error */
} EntrySpec;

enum { MAX_EXTENTS = 12, MAX_BUFFERS = 32, MAX_OTHERS = 4 };

typedef struct {
  Names names;                  /* extents first, then as in accesses, then shared_bytes */
  int64_t value[EXPR_MAX_VARS]; /* constants are filled in; extents and shared_bytes are 0 */
  /* slot of shared_bytes, which is known only after planning: to evaluate, copy `value` and set
   * this slot and the extents */
  int shared_slot;
  int extents; /* the first `extents` names are the sizes of the problem */
  int checks;  /* number of size sets that every run checks */
  const int64_t (*check)[MAX_EXTENTS];
  int64_t exact[MAX_EXTENTS]; /* a small launch of full tiles, for which counters equal the plan */
  int64_t bench[MAX_EXTENTS]; /* the size that is timed */
  int buffers;
  const BufferSpec *buffer;
  int args;
  const ArgSpec *arg;
  const Expr *grid[3];
  const Expr *cluster[3]; /* in blocks; NULL: the kernel's own cluster, if it has one */
  int entries;
  EntrySpec entry[MAX_OTHERS]; /* the first one whose condition is not 0 is launched */
  const Expr *shared;          /* bytes of shared memory per launch; NULL: all tiles */
  bool programmatic; /* programmatic dependent launch: the kernel waits for the preceding one */
  bool linear;       /* every access takes its offset from layout.h, for any linear layout */
  const Expr *bytes; /* bytes read plus written in device memory, for GB/s */
  const Expr *flops; /* NULL: not a compute-bound kernel */
} ProblemSpec;

/* A template constant: a name between the template's marker lines, and its value. */
typedef struct {
  const char *name;
  int64_t value;
} Constant;

typedef struct {
  const char *name;
  int64_t value;
} Param;

/* A size of the timed problem, such as `rows`: the spec's `problem` sets it. Templates read it as
 * timed_rows, since their formulas of a launch read `rows`, which differs between launches. */
typedef struct {
  const char *name;
  const char *old; /* name of the param that set it formerly and still may; or NULL */
  int64_t value;
  bool by_old; /* the spec sets it by that param, */
  Loc loc;     /* here */
} SizeSpec;

enum { MAX_SIZES = 8 };

/* A tuning axis of the template: expressions for a param or an extent, named as in Setting. */
typedef struct {
  const char *name;
  bool given; /* the spec itself sets it */
  int values, capacity;
  const char **value;
} TuneAxis;

enum { MAX_AXES = 16, MAX_AXIS_VALUES = 64 };

/* A hash of the meaning of a spec: its name, comments and key order do not affect it. */
typedef struct {
  uint64_t spec;
  uint64_t open; /* the hash without what the template's axes set */
} SpecHash;

typedef struct {
  const Source *source;
  const struct SpecReader *reader; /* for blame_begin (spec_blame.h) */
  const char *name;                /* a C identifier: file name, and prefix of the names in it */
  Loc name_loc;
  const char *symbol; /* name of the kernel; NULL for `none` */
  const char *kernel; /* name of the template, or NULL for `none` */
  int block[3];
  const Arch *arch;
  BankGeometry banks;
  bool many; /* written with `tiles:` */
  int tiles;
  const TileSpec *tile;
  int params;
  const Param *param;
  int sizes;
  const SizeSpec *size;
  int constants;
  const Constant *constant;
  const ProblemSpec *problem; /* NULL for `none` */
  int axes;
  const TuneAxis *axis; /* axes of the template */
  SpecHash hash;
  const char *origin; /* origin of the settings, as in SpecOptions; NULL: no settings */
  int overrides;      /* number of settings that took effect because the spec leaves them open */
  const Param *override;
  Budget *budget; /* the steps that a command may spend on the spec */
} Spec;

static inline int spec_threads(const Spec *s) { return s->block[0] * s->block[1] * s->block[2]; }

/* A value that replaces the spec's. name: `pad`, the elements added to the row stride of every tile
 * (for a rank-1 tile: after every bank period), TILE.pad for one tile, a param, or an extent as
 * expressions name it, of a tile (d0, with several tiles TILE_d0) or the block (bx, by, bz). */
typedef struct {
  const char *name;
  int value; /* for a pad: 0 to MAX_PAD */
  /* an expression instead, over the names that the spec's own may use; or NULL */
  const char *text;
  bool open; /* applies only if the spec leaves the value open; never for a pad */
} Setting;

enum { MAX_PAD = 1024 };

typedef struct {
  Templates *templates;
  const Arch *arch; /* --arch, or NULL */
  const Want *want; /* --layout: overrides every tile's kind; or NULL */
  int settings;
  const Setting *setting;
  int sizes; /* number of values that replace the spec's sizes of the timed problem */
  const Param *size;
  const char *origin;   /* origin of the settings, stated in emitted files; or NULL */
  const Source *source; /* the spec's text if it was read before (a pipe can be read only once) */
  const Spec *read;     /* the spec, read with these very options, if it was read before; or NULL */
  Budget *budget; /* shared by the candidates of a sweep; NULL: the spec gets one of its own */
} SpecOptions;

#endif
