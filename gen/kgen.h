/* SPDX-License-Identifier: MIT */
/* kgen.h: the library's public interface. It takes specs, tiles and kernels; it returns proven
 * layouts, CUDA sources, and the errors that it found in a kernel.
 *
 *   Kgen *k = kgen_open(NULL);
 *   if (!kgen_add(k, "transpose.yaml") || !kgen_write(k, "out")) fputs(kgen_errors(k), stderr);
 *   kgen_free(k);
 *
 * Every pointer that a function returns belongs to its Kgen and is valid until kgen_free, so use
 * one handle per task instead of one per program. Only one thread may use a Kgen at a time;
 * different handles are independent. The library keeps no state outside its handles. It reads no
 * standard input, writes to neither stdout nor stderr, and never ends the process because of a
 * caller's error. It prints a message on stderr and aborts only if memory is exhausted, or on an
 * internal error.
 *
 * The spec language defines words such as "f32", "ldmatrix" and "xor" (docs/reference/spec.md).
 * Zero a struct before you fill it in: 0 and NULL select the default. */
#ifndef KGEN_H
#define KGEN_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KGEN_API __attribute__((visibility("default")))
#else
#define KGEN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Kgen Kgen;

KGEN_API const char *kgen_version(void); /* "0.2.0" */

/* template_dir: the directory with layout.h and the kernel templates; kgen_add reports missing
 * files. NULL: $KGEN_TEMPLATES, else ../share/kgen/templates relative to the library. Never returns
 * NULL. */
KGEN_API Kgen *kgen_open(const char *template_dir);
KGEN_API void kgen_free(Kgen *k); /* k may be NULL */

/* --- errors --- */

typedef enum {
  KGEN_BAD_ARGUMENT, /* a parameter, or a member of a struct; no file */
  KGEN_BAD_SPEC,     /* a spec, or a kernel template that it names */
  KGEN_REJECTED,     /* a kernel that does not compile, or that the emulator does not execute */
  KGEN_NOT_WRITTEN   /* a file or directory that cannot be written */
} KgenErrorKind;

typedef struct {
  KgenErrorKind kind;
  const char *file; /* as the caller named it; NULL: none */
  int line, col;    /* from 1, col in characters; line 0: the whole file; col 0: the whole line */
  int width;        /* characters from col on; 0: unknown */
  const char *message; /* one sentence, without the location */
  const char *hint;    /* a suggestion; NULL: none */
} KgenError;

/* All errors of all calls so far; the errors of one call are ordered by file and location. */
KGEN_API int kgen_error_count(const Kgen *k);
KGEN_API const KgenError *kgen_error(const Kgen *k, int i); /* NULL beyond the last */
/* All errors as text: "file:line:col: error: ...", each with its source line and a caret; "" if
 * there are none. */
KGEN_API const char *kgen_errors(Kgen *k);

/* --- specs --- */

/* Reads, solves and renders a spec file, or a spec's text. `name` identifies the text in errors;
 * without directory and extension it is the name of a spec that has no `name:`. False on an error
 * (see kgen_errors); specs added earlier remain. */
KGEN_API bool kgen_add(Kgen *k, const char *spec_path);
KGEN_API bool kgen_add_text(Kgen *k, const char *name, const char *text);

/* The number of specs that were added without an error. */
KGEN_API int kgen_count(const Kgen *k);
/* Results for spec i, in the order added. kgen_name: its name. kgen_file: the generated file's name
 * (NAME.cu, or NAME.h for `kernel: none`). kgen_source: that file's text. kgen_explain: the output
 * of `kgen --explain`. kgen_conflict_free: true if no access has a bank conflict. NULL, or false,
 * unless 0 <= i < kgen_count. */
KGEN_API const char *kgen_name(const Kgen *k, int i);
KGEN_API const char *kgen_file(const Kgen *k, int i);
KGEN_API const char *kgen_source(const Kgen *k, int i);
KGEN_API const char *kgen_explain(Kgen *k, int i);
KGEN_API bool kgen_conflict_free(const Kgen *k, int i);
/* An SVG document of the tile with the most conflicts, unpadded and with the chosen layout, one
 * colour per bank. NULL if the spec has no such tile, or on an error: the templates lack the files
 * of the picture (see kgen_errors). */
KGEN_API const char *kgen_svg(Kgen *k, int i);

/* All specs as the object that `kgen --json --dry-run` prints. */
KGEN_API const char *kgen_json(Kgen *k);
/* Writes every spec's file and NAME.json into a directory; a file that would not change keeps its
 * times. On an error, or if a spec had errors (see kgen_errors), returns false without a change. */
KGEN_API bool kgen_write(Kgen *k, const char *folder);

/* --- tiles, without a spec --- */

enum { KGEN_LANES = 32, KGEN_RANKS = 4, KGEN_XORS = 24 };

/* One access: the warp-wide instructions that a kernel executes for it. */
typedef struct {
  const char *name; /* NULL: access0, access1, ... */
  const char *op;   /* load, store, atomic, ldmatrix, stmatrix or cp_async */
  int vector; /* elements per lane, contiguous in the last dimension; 0: 1. Ignored for ldmatrix and
                 stmatrix, whose lanes each give the address of a 16-byte row */
  double weight;         /* relative frequency; 0: 1 */
  int instructions;      /* at least 1 */
  const int32_t *index;  /* [instructions][32]: row-major index in the unpadded tile of the lane's
                            first element; negative: the lane is inactive */
  const char *cache;     /* cp_async: ca or cg; NULL: ca */
  const int64_t *source; /* cp_async, [instructions][32]: byte offset in device memory that the lane
                            copies from, a multiple of its width; NULL: as in the tile, with rows so
                            far apart that no two share a cache line */
} KgenAccess;

typedef struct {
  const char *name;       /* NULL: tile */
  const char *dtype;      /* f32, ...; b8 to b128 for any other type of that many bits */
  int rank;               /* 1 to 4 */
  int extent[KGEN_RANKS]; /* elements; the last dimension is the contiguous one */
  const char *layout;     /* layouts to choose from: auto, none, pad, xor; NULL: auto */
  int align;              /* alignment in bytes that rows and XORed units keep; 0: 1 */
  int max_bytes;    /* maximum bytes of the tile with its padding; 0: all shared memory that `arch`
                       gives a block */
  const char *arch; /* sm_90, ...; NULL: sm_90 */
  int accesses;     /* 1 to 64 */
  const KgenAccess *access;
} KgenTile;

/* The source of a term. KGEN_OF_ROW: all dimensions but the last, flattened. KGEN_OF_INDEX: the
 * row-major index in the unpadded tile. KGEN_COORDINATE + d: coordinate d. */
enum { KGEN_OF_ROW, KGEN_OF_INDEX, KGEN_COORDINATE };

/* The offset of an element is the sum of coordinates times strides. Before that, each term XORs
 * (source >> shift) & mask into its target; a negative shift shifts left. A padded tile of rank 1
 * has a period P > 0: row = i / P has stride[0], col = i % P has stride[1]. */
typedef struct {
  int period;             /* rank 1 only; else 0 */
  int stride[KGEN_RANKS]; /* elements */
  int xors;
  struct {
    int shift, mask;
    int source; /* KGEN_OF_ROW (0), KGEN_OF_INDEX, ... */
    int target; /* 0: the last coordinate; 1 + d: coordinate d */
  } xor_term[KGEN_XORS];
  int linear; /* 1: the offset is the XOR of all terms, without strides */
} KgenPlacement;

typedef struct {
  const char *name;
  int bytes_per_lane;
  int64_t instructions; /* with at least one active lane */
  int64_t wavefronts, ideal;
  int64_t plain; /* wavefronts of the unpadded row-major tile; -1: it splits or misaligns vectors */
  int worst;     /* wavefronts of the costliest lane group */
} KgenCost;

typedef struct KgenResult KgenResult;
struct KgenResult {
  KgenPlacement placement;
  const char *kind; /* none, pad, xor, pad+xor or linear; from kgen_judge also expr, if it is none
                       of these */
  const char *expression; /* the offset in C over c0, c1, ...: c0 * 33 + c1 */
  const char *cute;       /* the layout in CuTe; NULL: CuTe has none */
  int tma;                /* TMA swizzle mode with this layout: 32, 64, 128; 0: none */
  int64_t bytes, pad_bytes;
  bool conflict_free; /* every access costs its ideal */
  bool minimal;       /* proven: no layout in the layout space costs less */
  int accesses;
  const KgenCost *cost;     /* one per access */
  const char *claim;        /* the certificate in one sentence */
  const KgenResult *better; /* from kgen_judge: a cheaper layout; NULL: none known */
};

/* The cheapest layout for all accesses together: fewest weighted wavefronts, then fewest bytes,
 * then the cheapest address computation. NULL on an error (see kgen_errors). */
KGEN_API const KgenResult *kgen_solve(Kgen *k, const KgenTile *tile);
/* The cost of the same accesses under a user-specified placement; tile->layout selects the layouts
 * that it is compared with. NULL on an error, including a placement that maps two elements to one
 * address, exceeds max_bytes, or splits or misaligns a lane's vector. */
KGEN_API const KgenResult *kgen_judge(Kgen *k, const KgenTile *tile, const KgenPlacement *p);
/* The output of `kgen --explain` and of `kgen --json` for a result, and its picture as in
 * kgen_svg. */
KGEN_API const char *kgen_result_explain(Kgen *k, const KgenResult *r);
KGEN_API const char *kgen_result_json(Kgen *k, const KgenResult *r);
KGEN_API const char *kgen_result_svg(Kgen *k, const KgenResult *r);
/* The offset of an element, in elements. -1 outside the tile, or if kgen_judge rejects a stride,
 * mask, shift or period. coord has tile->rank entries. */
KGEN_API int64_t kgen_offset(const KgenTile *tile, const KgenPlacement *p, const int *coord);

/* The operation of one warp-wide instruction. */
typedef enum {
  KGEN_LOAD,
  KGEN_STORE,
  KGEN_ATOMIC,
  KGEN_LDMATRIX, /* bytes_per_lane 16; active lanes hold the row addresses */
  KGEN_STMATRIX
} KgenOp;

/* Wavefronts of one warp-wide shared-memory instruction on 32 banks of 4 bytes. Lane i takes part
 * if bit i of `active` is set. It accesses bytes_per_lane bytes (1, 2, 4, 8 or 16) at byte
 * address[i] >= 0, a multiple of bytes_per_lane. *ideal, if not NULL, is the minimum over all
 * placements. -1 if an argument is out of range. */
KGEN_API int kgen_wavefronts(KgenOp op, int bytes_per_lane, uint32_t active,
                             const int64_t address[32], int *ideal);

/* --- lint: any kernel, executed on the emulator --- */

typedef struct {
  int count;
  const char *const *item;
} KgenWords;

/* The members have the names of the options of `kgen --lint` (docs/howto/lint-a-kernel.md). */
typedef struct {
  /* PTX if the name ends in .ptx. A lint.yaml with its launches if it ends in .yaml or .yml, or is
   * a directory that contains one. Otherwise CUDA C++, which NVRTC or nvcc compiles. */
  const char *file;
  const char *text;                /* the file's contents; NULL: the file is read */
  const char *kernel;              /* NULL: the only one, or all launches of a lint.yaml */
  uint32_t grid[3], block[3];      /* 0: 1 */
  uint32_t smem;                   /* bytes of dynamic shared memory */
  KgenWords arg;                   /* one per parameter: i32:64, buf:4096, ... */
  KgenWords variable;              /* NAME=VALUE, of __constant__ and __device__ variables */
  KgenWords include, define, flag; /* for the compiler */
  const char *std;                 /* NULL: c++17 */
  const char *arch;                /* NULL: the .target of PTX, else sm_90 */
  uint64_t seed;                   /* seed of random input data; 0: 1 */
  uint64_t max_steps; /* maximum number of instructions per warp; 0: the command's default */
  int64_t time_limit; /* seconds; 0: none */
} KgenLint;

/* Shared-memory instructions of one source line, one operation and one width. */
typedef struct {
  const char *file;
  int line;
  const char *op;
  int bytes_per_lane;
  int64_t instructions, wavefronts, ideal;
  const char *fix; /* a cheaper layout, in C; NULL: nothing to fix, or none known */
} KgenSharedLine;

/* Like KgenSharedLine, for global memory. */
typedef struct {
  const char *file;
  int line;
  const char *op;
  int bytes_per_lane;
  int64_t requests, sectors, ideal_sectors; /* sectors have 32 bytes */
  double used_share;                        /* share of the sectors' bytes that lanes use: 0 to 1 */
} KgenGlobalLine;

/* A bug of the kernel: a race, an access out of bounds, a barrier that not all threads reach. */
typedef struct {
  const char *kind;
  const char *file;
  int line;
  const char *message;
  uint32_t thread[3], block[3]; /* position of the first occurrence */
  int64_t count;
} KgenFinding;

typedef struct KgenLintReport {
  const char *kernel; /* its name in C++ */
  int64_t conflicts;  /* total number of wavefronts above the ideal */
  int64_t blocks;     /* number of blocks executed */
  int shared_lines, global_lines, findings, notes;
  const KgenSharedLine *shared_line;
  const KgenGlobalLine *global_line;
  const KgenFinding *finding;
  const KgenFinding *note;           /* legal, but probably unintended */
  const char *printed;               /* output of the kernel's printf; "" if none */
  const char *text;                  /* output of `kgen --lint` */
  const char *json;                  /* output of `kgen --lint --json` */
  const char *name;                  /* name of the launch in a lint.yaml; else NULL */
  const struct KgenLintReport *next; /* report of the file's next launch; NULL: the last */
} KgenLintReport;

/* Compiles the kernel, unless it is PTX, and launches it. For a lint.yaml it runs all launches, or
 * those that `kernel` names, and returns the report of the first. NULL on an error in any of them
 * (see kgen_errors); findings are not errors. Compiled kernels are not cached. */
KGEN_API const KgenLintReport *kgen_lint(Kgen *k, const KgenLint *lint);

#ifdef __cplusplus
}
#endif

#endif
