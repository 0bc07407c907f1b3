/* SPDX-License-Identifier: MIT */
/* tile.h: element types, architectures, a tile, and the warp-wide instructions that access it. */
#ifndef KGEN_MODEL_TILE_H
#define KGEN_MODEL_TILE_H

#include "../templates/layout.h"
#include "base/diag.h"

/* --- element types --- */
typedef struct {
  const char *name;   /* as in a spec: f32 */
  int bytes;          /* 1, 2, 4, 8, 16 */
  const char *c_type; /* C type of its storage in templates: float, unsigned short, uint4 */
} Dtype;

extern const Dtype dtype_table[];
extern const int dtype_count;
const Dtype *dtype_find(const char *name); /* NULL if unknown */
const char *dtype_choice(int i);           /* the i-th name; NULL after the last */

/* --- architectures --- */
typedef struct {
  const char *name;     /* sm_90 */
  int shared_per_block; /* maximum with opt-in, bytes */
  int shared_per_sm;    /* bytes */
  int warps_per_sm, blocks_per_sm;
} Arch;

extern const Arch arch_table[];
extern const int arch_count;
const Arch *arch_find(const char *name);
const char *arch_choice(int i);
int arch_number(const Arch *arch); /* 90 for sm_90 and sm_90a */
/* True if `arch` runs on chips of `of`: sm_90a is a variant of sm_90, sm_100f and sm_100a of
 * sm_100. */
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
/* op_spelling() has two more: ldmatrix.trans and stmatrix.trans, which cost as much as ldmatrix and
 * stmatrix. */
enum { OP_SPELLINGS = OP_COUNT + 2 };
extern const char *const op_name[OP_SPELLINGS];
Op op_of_spelling(int i);
int op_find(const char *name); /* by any of its spellings; -1 if unknown */
/* The first architecture with this operation, e.g. 80 for cp.async. wgmma of sm_90 is in no later
 * architecture. */
int op_sm(Op op);
bool op_runs_on(Op op, const Arch *arch);
/* True for ldmatrix and stmatrix, whose lanes give the addresses of 16-byte rows. */
bool op_moves_matrices(Op op);

/* True for TMA and wgmma, which move whole boxes at 128 bytes per wavefront and never conflict.
 * They need a layout that is one of the hardware's modes [docs/explanation/layouts-and-banks.md,
 * "TMA and wgmma"]. */
bool op_moves_boxes(Op op);
bool op_is_wgmma(Op op);
enum { WGMMA_K_BYTES = 32 }; /* bytes along k that one instruction takes, for every element type */

/* The dimension of the matrix that the rows of a wgmma operand run along. */
typedef enum { MAJOR_K, MAJOR_MN } Major;
extern const char *const major_name[];

/* The cache operator of cp.async. */
typedef enum {
  COPY_CA, /* through L1, 4, 8 or 16 bytes per lane */
  COPY_CG  /* bypasses L1, 16 bytes per lane */
} CopyCache;
extern const char *const copy_cache_name[];

/* Bytes. A tile starts at a multiple of this, so that its first word is in bank 0. */
enum { TILE_ALIGN = 128 };
int64_t tile_align(int64_t bytes); /* rounds up to the next multiple of TILE_ALIGN */

typedef struct {
  int count, bytes;
} BankGeometry;
extern const BankGeometry banks_nvidia; /* the banks of every GPU since sm_50 */

/* --- layout request --- */
typedef enum { WANT_AUTO, WANT_NONE, WANT_PAD, WANT_XOR, WANT_TMA, WANT_COUNT } Want;
extern const char *const want_name[WANT_COUNT];
const char *want_choice(int i);

/* A user-specified layout, which is costed instead of solved for. */
typedef enum { GIVEN_SWIZZLE, GIVEN_CUTE, GIVEN_PAD, GIVEN_EXPR } GivenKind;

typedef struct {
  GivenKind kind;
  int bytes;         /* GIVEN_SWIZZLE: swizzle width of the TMA mode: 0 (none), 32, 64 or 128 */
  int b, m, s;       /* GIVEN_CUTE: Swizzle<B, M, S> on element offsets */
  int pad;           /* GIVEN_PAD: elements added to a row's stride */
  const char *text;  /* GIVEN_EXPR: a C expression over the names of the tile's dimensions */
  const int32_t *at; /* GIVEN_EXPR: its value for each element, by row-major index */
} GivenLayout;

typedef struct {
  Want kind;
  int align;     /* alignment in bytes that rows and XORed units keep; 1 if not requested */
  int max_bytes; /* maximum size of the tile with padding; default: what the architecture leaves if
                    the other tiles are not padded */
  bool strict;   /* exit 4 if no layout is conflict-free */
  Loc loc;
  const GivenLayout *given; /* NULL: solve */
  bool alone; /* do not compare the user-specified layout with others (used by sweeps) */
} LayoutRequest;

/* --- a tile --- */

typedef struct {
  const char *name; /* NULL in the one-tile form */
  const Dtype *dtype;
  int rank;
  int extent[KGEN_MAX_RANK];
  const char *dim[KGEN_MAX_RANK]; /* names of its coordinates */
  LayoutRequest want;
} Tile;

/* The default name of a coordinate: c0, c1, ...; i if the tile has one dimension. */
const char *tile_default_dim(int rank, int dim);
/* The number of elements; 0 if an extent is not known. Saturates at INT_MAX for a tile that exceeds
 * any memory, which the caller reports elsewhere. */
int tile_elements(const Tile *t);
/* The coordinates of the element with this row-major index; 0 in dimensions beyond the rank. */
void tile_coord(const Tile *t, int64_t index, int coord[KGEN_MAX_RANK]);
/* "(3, 17)", for messages. */
const char *tile_spell_element(Arena *a, const Tile *t, int64_t index);
/* The size in bytes of a box that TMA or wgmma moves; box[] holds its extents. */
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

/* Sets the coordinates of a lane to the element with this row-major index. */
void tile_place_lane(const Tile *t, int64_t index, WarpAccess *w, int lane);

/* All warp-wide instructions of one access. */
typedef struct {
  const char *name;
  Loc loc;
  Op op;
  long weight;        /* relative frequency in thousandths (WEIGHT_ONE = 1) */
  int bytes_per_lane; /* vector * element bytes; 16 for the matrix operations */
  int elements;       /* contiguous elements per lane: bytes_per_lane / element bytes */
  int warps;          /* instructions with at least one active lane; 0 for box operations */
  const WarpAccess *warp;
  const int *issue; /* per instruction: iteration of the loops * warps per block + warp; NULL if the
                       access does not come from a spec */
  CopyCache cache;  /* OP_CP_ASYNC */
  const int64_t (*source)[WARP]; /* OP_CP_ASYNC: per instruction and lane, the byte offset in device
                                    memory that the lane copies from; 0 for inactive lanes */
  Major major;                   /* OP_WGMMA_A, OP_WGMMA_B */
  int boxes;                     /* TMA and wgmma: the number of boxes that are moved; else 0 */
  int box[KGEN_MAX_RANK];        /* extents of a box, in elements */
  const int32_t (*corner)[KGEN_MAX_RANK]; /* start of each box; NULL if the boxes cover the tile */
  int64_t box_starts; /* TMA: bitwise OR of the first bytes of all boxes in the unpadded tile */
} Access;

/* Maximum number of instructions in all accesses of a tile. */
enum { ACCESS_MAX_WARPS = 1 << 17 };

typedef struct {
  const Tile *tile;
  BankGeometry banks;
  int accesses;
  const Access *access;
  int64_t effort; /* the solver's budget in steps (budget.h); 0: SOLVE_EFFORT */
  bool stays;     /* keep the positions of index bits: the kernel evaluates only strides and XOR
                     terms */
} AccessSet;

#endif
