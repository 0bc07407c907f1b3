/* tile.h: what is placed, and who touches it: element types, architectures, a tile and the
 * warp-wide instructions of its accesses. */
#ifndef KGEN_MODEL_TILE_H
#define KGEN_MODEL_TILE_H

#include "../templates/layout.h"
#include "base/diag.h"

/* --- element types --- */
typedef struct {
  const char *name;   /* as in a spec: f32 */
  int bytes;          /* 1, 2, 4, 8, 16 */
  const char *c_type; /* how a template spells its storage: float, unsigned short, uint4 */
} Dtype;

extern const Dtype dtype_table[];
extern const int dtype_count;
const Dtype *dtype_find(const char *name); /* NULL if unknown */
const char *dtype_choice(int i);           /* the names in order, then NULL */

/* --- architectures --- */
typedef struct {
  const char *name;     /* sm_90 */
  int shared_per_block; /* bytes, opt-in */
  int shared_per_sm;    /* bytes */
  int warps_per_sm, blocks_per_sm;
} Arch;

extern const Arch arch_table[];
extern const int arch_count;
const Arch *arch_find(const char *name);
const char *arch_choice(int i);
int arch_number(const Arch *arch); /* 90 of sm_90 and of sm_90a */
/* sm_90a is one of sm_90, sm_100f and sm_100a are of sm_100. */
bool arch_is_variant(const Arch *arch, const Arch *of);

/* --- operations of shared memory --- */
typedef enum {
  OP_LOAD,
  OP_STORE,
  OP_ATOMIC,
  OP_LDMATRIX,
  OP_STMATRIX,
  OP_CP_ASYNC,
  OP_TMA_LOAD,
  OP_TMA_STORE,
  OP_WGMMA_A,
  OP_WGMMA_B,
  OP_COUNT
} Op;
/* ldmatrix.trans and stmatrix.trans, which cost what ldmatrix and stmatrix do, follow the names. */
enum { OP_SPELLINGS = OP_COUNT + 2 };
extern const char *const op_name[OP_SPELLINGS];
Op op_of_spelling(int i);
int op_find(const char *name); /* by any spelling; -1 if unknown */
/* The first architecture that has it: 80 of cp_async. No later one has sm_90's wgmma. */
int op_sm(Op op);
bool op_runs_on(Op op, const Arch *arch);
/* ldmatrix and stmatrix: lanes give the addresses of rows of 16 bytes. */
bool op_moves_matrices(Op op);

/* TMA and wgmma move whole boxes at 128 bytes a wavefront and never conflict; what they ask for is
 * a layout that is one of the hardware's modes [docs/explanation/layouts-and-banks.md, "TMA and
 * wgmma"]. */
bool op_moves_boxes(Op op);
bool op_is_wgmma(Op op);
enum { WGMMA_K_BYTES = 32 }; /* of k that an instruction takes, of any type */

/* The dimension of an operand of wgmma that its rows run along. */
typedef enum { MAJOR_K, MAJOR_MN } Major;
extern const char *const major_name[];

/* How cp.async goes. */
typedef enum {
  COPY_CA, /* through L1, 4, 8 or 16 bytes per lane */
  COPY_CG  /* past L1, 16 bytes per lane */
} CopyCache;
extern const char *const copy_cache_name[];

/* Bytes. A tile starts at such a multiple, so that its first word is in bank 0. */
enum { TILE_ALIGN = 128 };
int64_t tile_align(int64_t bytes); /* the next such multiple */

typedef struct {
  int count, bytes;
} BankGeometry;
extern const BankGeometry banks_nvidia; /* of every GPU since sm_50 */

/* --- layout request --- */
typedef enum { WANT_AUTO, WANT_NONE, WANT_PAD, WANT_XOR, WANT_TMA, WANT_COUNT } Want;
extern const char *const want_name[WANT_COUNT];
const char *want_choice(int i);

/* A layout that is given: judged, not solved for. */
typedef enum { GIVEN_SWIZZLE, GIVEN_CUTE, GIVEN_PAD, GIVEN_EXPR } GivenKind;

typedef struct {
  GivenKind kind;
  int bytes;         /* GIVEN_SWIZZLE: TMA's mode: 0 (none), 32, 64 or 128 */
  int b, m, s;       /* GIVEN_CUTE: Swizzle<B, M, S> on element offsets */
  int pad;           /* GIVEN_PAD: elements added to a row's stride */
  const char *text;  /* GIVEN_EXPR: C over the names of the tile's dimensions */
  const int32_t *at; /* GIVEN_EXPR: what it gives for each element by row-major index */
} GivenLayout;

typedef struct {
  Want kind;
  int align;     /* bytes that rows and XORed pieces keep, 1 if not asked for */
  int max_bytes; /* of the tile, padding included; by default what the architecture leaves when the
                    other tiles are not padded */
  bool strict;   /* exit 4 if no layout is conflict-free */
  Loc loc;
  const GivenLayout *given; /* NULL: solve */
  bool alone;               /* a given layout that is not compared with others, as in a sweep */
} LayoutRequest;

/* --- a tile --- */

typedef struct {
  const char *name; /* NULL in the one-tile form */
  const Dtype *dtype;
  int rank;
  int extent[KGEN_MAX_RANK];
  const char *dim[KGEN_MAX_RANK]; /* what its coordinates are called */
  LayoutRequest want;
} Tile;

/* What a coordinate is called where nobody names it: c0, c1, ..., of one dimension i. */
const char *tile_default_dim(int rank, int dim);
/* How many it has, 0 if an extent is not known; saturates at what an int holds, as that of a tile
 * too large for any memory, which is refused elsewhere. */
int tile_elements(const Tile *t);
/* The coordinates of the element with that row-major index; 0 in dimensions that it lacks. */
void tile_coord(const Tile *t, int64_t index, int coord[KGEN_MAX_RANK]);
/* "(3, 17)", for messages. */
const char *tile_spell_element(Arena *a, const Tile *t, int64_t index);
/* Of a part of it that TMA or wgmma moves, whose extents are given. */
int64_t tile_box_bytes(const Tile *t, const int box[KGEN_MAX_RANK]);

/* --- its accesses --- */

enum { WARP = 32, WEIGHT_ONE = 1000 };

/* One warp-wide instruction. coord[d][lane] is the tile coordinate of the lane's first element;
 * lanes that are not in `active` hold 0. An ldmatrix or stmatrix lane holds the start of its
 * 16-byte row. */
typedef struct {
  uint32_t active;
  int32_t coord[KGEN_MAX_RANK][WARP];
} WarpAccess;

/* A lane at the element with that row-major index. */
void tile_place_lane(const Tile *t, int64_t index, WarpAccess *w, int lane);

/* All warp-wide instructions of one access. */
typedef struct {
  const char *name;
  Loc loc;
  Op op;
  long weight;        /* relative frequency in thousandths (WEIGHT_ONE = 1) */
  int bytes_per_lane; /* vector * element bytes; 16 for the matrix operations */
  int elements;       /* contiguous elements per lane: bytes_per_lane / element bytes */
  int warps;          /* instructions with at least one active lane; of boxes 0 */
  const WarpAccess *warp;
  const int *issue; /* of each instruction: the iteration of the loops, times the block's warps,
                       plus the warp. NULL of accesses that no spec describes */
  CopyCache cache;  /* OP_CP_ASYNC */
  const int64_t (*source)[WARP]; /* OP_CP_ASYNC: of each instruction, the byte of device memory that
                                    a lane copies from; lanes that are not active hold 0 */
  Major major;                   /* OP_WGMMA_A, OP_WGMMA_B */
  int boxes;                     /* of TMA and wgmma: so many are moved; else 0 */
  int box[KGEN_MAX_RANK];        /* their extents, in elements */
  const int32_t (*corner)[KGEN_MAX_RANK]; /* of each box; NULL: they cover the tile */
  int64_t box_starts; /* of TMA: the first byte of every box in the plain tile, ORed */
} Access;

/* Instructions of a tile's accesses, all together. */
enum { ACCESS_MAX_WARPS = 1 << 17 };

typedef struct {
  const Tile *tile;
  BankGeometry banks;
  int accesses;
  const Access *access;
  int64_t effort; /* what the solver may spend, in steps of about a nanosecond; 0: its own limit */
  bool stays; /* bits of the index keep their places: a kernel evaluates strides and terms alone */
} AccessSet;

#endif
