/* spec.h: a spec file, and the family it names, as plain structs. */
#ifndef KGEN_SPEC_SPEC_H
#define KGEN_SPEC_SPEC_H

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

/* The slots of the names that an access expression sees. Loops follow, then what is the same for
 * every lane: params, extents (d0...; in the `tiles` form also NAME_d0...), esize, bx by bz,
 * threads, warps. */
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
  int box[KGEN_MAX_RANK]; /* TMA and wgmma, elements; [0] 0: not said */
  Loc box_loc;
  int from_dims; /* cp_async: of the source, in device memory; 0: where it stands in the tile, rows
                    far apart */
  const Expr *from[KGEN_MAX_RANK]; /* one a dimension, in elements; NULL if it has an error */
  int loops;
  Loop loop[MAX_LOOPS];
  const Expr *at[KGEN_MAX_RANK]; /* one a dimension; or at[0] alone is a linear element index if
                                    linear is set; in a spec with errors NULL if it has one */
  bool linear;
  const Expr *when;     /* NULL: all lanes */
  const int64_t *lanes; /* NULL, or 32 linear element indices of one warp, -1 an inactive lane */
  const Expr *times;    /* family only: how often a block executes it beyond its loops, over the
                           problem's names; or NULL */
  bool unread;          /* its addresses could not be read, which was reported */
  Names names;          /* of at and when */
  int64_t value[EXPR_MAX_VARS]; /* of names that are constant: params, extents, block; else 0 */
} AccessSpec;

typedef struct {
  Tile tile;
  Loc loc;
  int accesses;
  const AccessSpec *access;
  bool own; /* its accesses are the spec's, which a family's kernel need not keep to */
} TileSpec;

/* --- a family's launch: what a runtime needs to run the kernel on a problem of any size --- */
typedef struct {
  const char *name;
  bool output;       /* an output: poisoned before the launch and compared after it */
  bool workspace;    /* zero before the first launch, and left by each as the next one needs it */
                     /* neither: an input, filled with random elements, unchanged after it */
  const char *type;  /* dtype name; NULL: the first tile's */
  const Expr *count; /* elements */
  const Dtype *dtype;
} BufferSpec;

/* A tensor map of one of the buffers: formulas, dimensions innermost first. NULL: not given, or
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
  const Expr *value; /* of a number */
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
  int64_t value[EXPR_MAX_VARS]; /* constants filled in; extents and shared_bytes 0 */
  int shared_slot;              /* of shared_bytes, known only once the plan is: to evaluate, copy
                                   `value` and set it and the extents */
  int extents;                  /* the first `extents` names are the problem's free sizes */
  int checks;                   /* size sets every run checks */
  const int64_t (*check)[MAX_EXTENTS];
  int64_t exact[MAX_EXTENTS]; /* a small launch of full tiles, where counters equal the plan */
  int64_t bench[MAX_EXTENTS]; /* what is timed */
  int buffers;
  const BufferSpec *buffer;
  int args;
  const ArgSpec *arg;
  const Expr *grid[3];
  const Expr *cluster[3]; /* blocks; NULL: the kernel's own, if it has any */
  int entries;
  EntrySpec entry[MAX_OTHERS]; /* the first one whose condition is not 0 is launched */
  const Expr *shared;          /* bytes of shared memory of a launch; NULL: those of all tiles */
  bool programmatic; /* by programmatic dependent launch: the kernel waits for the one before */
  const Expr *bytes; /* read plus written in device memory, for GB/s */
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

/* What a family declares as worth trying: expressions for a param or an extent, named as in
 * Setting. */
typedef struct {
  const char *name;
  bool given; /* the spec itself says it */
  int values, capacity;
  const char **value;
} TuneAxis;

enum { MAX_AXES = 16, MAX_AXIS_VALUES = 64 };

/* A hash of what a spec says: its name, comments and the order of keys do not count. */
typedef struct {
  uint64_t spec;
  uint64_t open; /* the same without what the family's axes set */
} SpecHash;

typedef struct {
  const Source *source;
  const struct SpecReader *reader; /* for blame_begin (spec_blame.h) */
  const char *name; /* a C identifier: names the files and begins the names in them */
  Loc name_loc;
  const char *symbol; /* the kernel's; NULL for `none` */
  const char *kernel; /* the family, or NULL for `none` */
  int block[3];
  const Arch *arch;
  BankGeometry banks;
  bool many; /* written with `tiles:` */
  int tiles;
  const TileSpec *tile;
  int params;
  const Param *param;
  int constants;
  const Constant *constant;
  const ProblemSpec *problem; /* NULL for `none` */
  int axes;
  const TuneAxis *axis; /* of the family */
  SpecHash hash;
  const char *origin; /* of the settings, as in SpecOptions; NULL: there are none */
  int overrides;      /* settings that took effect where the spec says nothing */
  const Param *override;
} Spec;

static inline int spec_threads(const Spec *s) { return s->block[0] * s->block[1] * s->block[2]; }

/* A value that replaces the spec's. name: `pad`, the elements added to the row stride of every tile
 * (of a rank-1 tile: after every bank period), TILE.pad for one tile's, a param, or as expressions
 * call them an extent of a tile (d0, with several tiles TILE_d0) or of the block (bx, by, bz). */
typedef struct {
  const char *name;
  int value;        /* of a pad: 0 to MAX_PAD */
  const char *text; /* an expression instead, over the names that the spec's own may use; or NULL */
  bool open;        /* only where the spec itself says nothing; no pad */
} Setting;

enum { MAX_PAD = 1024 };

typedef struct {
  Templates *templates;
  const Arch *arch; /* --arch, or NULL */
  const Want *want; /* --layout: overrides every tile's kind; or NULL */
  int settings;
  const Setting *setting;
  const char *origin;   /* where the settings come from: what is emitted says so; or NULL */
  const Source *source; /* the spec's text if it was read before: a pipe can be read only once */
  const Spec *read;     /* the spec under these very options if it was read before; or NULL */
} SpecOptions;

#endif
