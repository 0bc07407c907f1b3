/* kgen.h: the library's public interface. Specs, tiles and kernels in; proven layouts, CUDA sources
 * and what a kernel does wrong out.
 *
 *   Kgen *k = kgen_open(NULL);
 *   if (!kgen_add(k, "transpose.yaml") || !kgen_write(k, "out")) fputs(kgen_errors(k), stderr);
 *   kgen_free(k);
 *
 * Everything returned belongs to the Kgen that it came from and lives until kgen_free: use one
 * handle per task rather than one per program. A Kgen is used by one thread at a time; different
 * ones are independent. The library reads no input and writes to neither stdout nor stderr, never
 * ends the process for an error of the caller's, and keeps no state outside its handles. Only when
 * memory is exhausted, or on an internal error, does it say so on stderr and abort.
 *
 * Words such as "f32", "ldmatrix" or "xor" are those of the spec language (docs/reference/spec.md).
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

/* template_dir: the folder with layout.h and the families; kgen_add reports what it lacks. NULL:
 * $KGEN_TEMPLATES, else ../share/kgen/templates beside the library. Never NULL. */
KGEN_API Kgen *kgen_open(const char *template_dir);
KGEN_API void kgen_free(Kgen *k); /* k may be NULL */

/* --- what went wrong --- */

typedef enum {
  KGEN_BAD_ARGUMENT, /* a parameter, or a member of a struct; no file */
  KGEN_BAD_SPEC,     /* a spec, or a family that it names */
  KGEN_REJECTED,     /* a kernel that does not compile, or that the emulator does not execute */
  KGEN_NOT_WRITTEN   /* a file or folder that cannot be written */
} KgenErrorKind;

typedef struct {
  KgenErrorKind kind;
  const char *file; /* as it was named; NULL: none */
  int line, col;    /* from 1, col in characters; line 0: the whole file, col 0: the whole line */
  int width;        /* characters from col on; 0: not known */
  const char *message; /* one sentence, without the place */
  const char *hint;    /* what may help; NULL: none */
} KgenError;

/* All errors of all calls so far, those of one call by file and place. */
KGEN_API int kgen_error_count(const Kgen *k);
KGEN_API const KgenError *kgen_error(const Kgen *k, int i); /* NULL beyond the last */
/* The same as text, file:line:col: error: ..., each with its line and a caret; "" if none. */
KGEN_API const char *kgen_errors(Kgen *k);

/* --- specs --- */

/* Reads, solves and renders a spec file, or a spec's text. `name` is what errors call it; without
 * folder and extension it names a spec that has no `name:`. False on an error (see kgen_errors);
 * the specs added before remain. */
KGEN_API bool kgen_add(Kgen *k, const char *spec_path);
KGEN_API bool kgen_add_text(Kgen *k, const char *name, const char *text);

/* The number of specs that were added without an error. */
KGEN_API int kgen_count(const Kgen *k);
/* Of spec i, in the order added: its name, the generated file's name (NAME.cu, or NAME.h for
 * `kernel: none`), that file's text, what `kgen --explain` prints, and whether no access has a bank
 * conflict. NULL, or false, unless 0 <= i < kgen_count. */
KGEN_API const char *kgen_name(const Kgen *k, int i);
KGEN_API const char *kgen_file(const Kgen *k, int i);
KGEN_API const char *kgen_source(const Kgen *k, int i);
KGEN_API const char *kgen_explain(Kgen *k, int i);
KGEN_API bool kgen_conflict_free(const Kgen *k, int i);
/* Its picture, an SVG document: the tile with the most conflicts, plain and as chosen, one colour
 * per bank. NULL if there is none, or on an error: the templates lack the picture's (see
 * kgen_errors). */
KGEN_API const char *kgen_svg(Kgen *k, int i);

/* All specs as the object that `kgen --json --dry-run` prints. */
KGEN_API const char *kgen_json(Kgen *k);
/* Writes every spec's file and NAME.json into `folder`; a file that would not change keeps its
 * times. False, and no file changed, if that fails or if a spec had errors (see kgen_errors). */
KGEN_API bool kgen_write(Kgen *k, const char *folder);

/* --- tiles, without a spec --- */

enum { KGEN_LANES = 32, KGEN_RANKS = 4, KGEN_XORS = 24 };

/* One access: the warp-wide instructions that a kernel executes for it. */
typedef struct {
  const char *name;      /* NULL: access0, access1, ... */
  const char *op;        /* load, store, atomic, ldmatrix, stmatrix or cp_async */
  int vector;            /* elements per lane, contiguous in the last dimension; 0: 1. Ignored for
                            ldmatrix and stmatrix, whose lanes each name a row of 16 bytes */
  double weight;         /* relative frequency; 0: 1 */
  int instructions;      /* at least 1 */
  const int32_t *index;  /* [instructions][32]: row-major index in the unpadded tile of the lane's
                            first element; negative: the lane is inactive */
  const char *cache;     /* of cp_async: ca or cg; NULL: ca */
  const int64_t *source; /* of cp_async, [instructions][32]: byte of device memory that the lane
                            copies from, a multiple of its width; NULL: as in the tile, with rows
                            so far apart that no two share a cache line */
} KgenAccess;

typedef struct {
  const char *name;       /* NULL: tile */
  const char *dtype;      /* f32, ...; b8 to b128 for any other type of that many bits */
  int rank;               /* 1 to 4 */
  int extent[KGEN_RANKS]; /* elements; the last dimension is the contiguous one */
  const char *layout;     /* what kgen_solve may choose from: auto, none, pad, xor; NULL: auto */
  int align;              /* alignment in bytes that rows and XORed pieces keep; 0: 1 */
  int max_bytes;          /* of the tile with its padding; 0: all that `arch` gives a block */
  const char *arch;       /* sm_90, ...; NULL: sm_90 */
  int accesses;           /* 1 to 64 */
  const KgenAccess *access;
} KgenTile;

/* What a term reads: the row, which is all dimensions but the last, flattened; the row-major index
 * of the unpadded tile; or (KGEN_COORDINATE + d) coordinate d. */
enum { KGEN_OF_ROW, KGEN_OF_INDEX, KGEN_COORDINATE };

/* The offset of an element: the sum of coordinates times strides. Each term first XORs
 * (source >> shift) & mask into its target; a negative shift shifts left. A padded tile of rank 1
 * has a period P > 0: row = i / P at stride[0] and col = i % P at stride[1]. */
typedef struct {
  int period;             /* of rank 1; else 0 */
  int stride[KGEN_RANKS]; /* elements */
  int xors;
  struct {
    int shift, mask;
    int source; /* KGEN_OF_ROW, which is 0, and so on */
    int target; /* 0: the last coordinate; 1 + d: coordinate d */
  } xor_term[KGEN_XORS];
  int linear; /* 1: no stride takes part: the XOR of all terms is the offset */
} KgenPlacement;

typedef struct {
  const char *name;
  int bytes_per_lane;
  int64_t instructions; /* with an active lane */
  int64_t wavefronts, ideal;
  int64_t plain; /* wavefronts of the unpadded row-major tile; -1: it splits or misaligns vectors */
  int worst;     /* wavefronts of the costliest lane group */
} KgenCost;

typedef struct KgenResult KgenResult;
struct KgenResult {
  KgenPlacement placement;
  const char *kind; /* none, pad, xor, pad+xor, linear; by kgen_judge also expr: none of these */
  const char *expression; /* the offset in C over c0, c1, ...: c0 * 33 + c1 */
  const char *cute;       /* the layout in CuTe; NULL: CuTe has none */
  int tma;                /* 32, 64, 128: the TMA swizzle mode with this layout; 0: none */
  int64_t bytes, pad_bytes;
  bool conflict_free; /* every access costs its ideal */
  bool minimal;       /* proven: no layout of the family costs less */
  int accesses;
  const KgenCost *cost;     /* one an access */
  const char *claim;        /* the certificate in one sentence */
  const KgenResult *better; /* by kgen_judge: what costs less; NULL: nothing known */
};

/* The cheapest layout for all accesses at once: fewest weighted wavefronts, then fewest bytes, then
 * the cheapest address. NULL on an error (see kgen_errors). */
KGEN_API const KgenResult *kgen_solve(Kgen *k, const KgenTile *tile);
/* The same accesses under a given placement; tile->layout says what it is compared with. NULL on an
 * error, among them a placement that maps two elements to one address, exceeds max_bytes, or splits
 * or misaligns a lane's vector. */
KGEN_API const KgenResult *kgen_judge(Kgen *k, const KgenTile *tile, const KgenPlacement *p);
/* What `kgen --explain` and `kgen --json` print for it, and its picture as by kgen_svg. */
KGEN_API const char *kgen_result_explain(Kgen *k, const KgenResult *r);
KGEN_API const char *kgen_result_json(Kgen *k, const KgenResult *r);
KGEN_API const char *kgen_result_svg(Kgen *k, const KgenResult *r);
/* The offset of an element, in elements; -1 outside the tile, or for a stride, mask, shift or
 * period that kgen_judge refuses. coord has tile->rank entries. */
KGEN_API int64_t kgen_offset(const KgenTile *tile, const KgenPlacement *p, const int *coord);

/* What one warp-wide instruction does. */
typedef enum {
  KGEN_LOAD,
  KGEN_STORE,
  KGEN_ATOMIC,
  KGEN_LDMATRIX, /* bytes_per_lane 16; active lanes hold the row addresses */
  KGEN_STMATRIX
} KgenOp;

/* Wavefronts of one warp-wide shared-memory instruction on 32 banks of 4 bytes: lane i, if bit i of
 * active is set, accesses bytes_per_lane bytes (1, 2, 4, 8 or 16) at byte address[i] >= 0, a
 * multiple of bytes_per_lane. *ideal, if not NULL, is the fewest that any placement could cost. -1
 * if an argument is out of range. */
KGEN_API int kgen_wavefronts(KgenOp op, int bytes_per_lane, uint32_t active,
                             const int64_t address[32], int *ideal);

/* --- lint: any kernel, executed on the emulator --- */

typedef struct {
  int count;
  const char *const *item;
} KgenWords;

/* The members are named for the options of `kgen --lint` (docs/howto/lint-a-kernel.md). */
typedef struct {
  /* PTX if its name ends in .ptx; with .yaml or .yml, or of a folder that holds one, a lint.yaml,
   * whose launches stand in it; else CUDA C++, which NVRTC or nvcc compiles. */
  const char *file;
  const char *text;                /* the file's contents; NULL: the file is read */
  const char *kernel;              /* NULL: the only one; of a lint.yaml all */
  uint32_t grid[3], block[3];      /* 0: 1 */
  uint32_t smem;                   /* bytes of dynamic shared memory */
  KgenWords arg;                   /* one per parameter: i32:64, buf:4096, ... */
  KgenWords variable;              /* NAME=VALUE, of __constant__ and __device__ variables */
  KgenWords include, define, flag; /* the compiler's */
  const char *std;                 /* NULL: c++17 */
  const char *arch;                /* NULL: the .target of PTX, else sm_90 */
  uint64_t seed;                   /* of random data; 0: 1 */
  uint64_t max_steps;              /* limit of instructions per warp; 0: the command's */
  int64_t time_limit;              /* seconds; 0: none */
} KgenLint;

/* Shared-memory instructions of one line, one operation and one width. */
typedef struct {
  const char *file;
  int line;
  const char *op;
  int bytes_per_lane;
  int64_t instructions, wavefronts, ideal;
  const char *fix; /* a layout that costs less, in C; NULL: nothing to fix, or none known */
} KgenSharedLine;

/* The same of global memory. */
typedef struct {
  const char *file;
  int line;
  const char *op;
  int bytes_per_lane;
  int64_t requests, sectors, ideal_sectors; /* of 32 bytes */
  double used_share;                        /* of the sectors' bytes: 0 to 1 */
} KgenGlobalLine;

/* A bug of the kernel: a race, an access out of bounds, a barrier that not all threads reach. */
typedef struct {
  const char *kind;
  const char *file;
  int line;
  const char *message;
  uint32_t thread[3], block[3]; /* of the first */
  int64_t count;
} KgenFinding;

typedef struct KgenLintReport {
  const char *kernel; /* in C++ */
  int64_t conflicts;  /* wavefronts above the ideal, in all */
  int64_t blocks;     /* that were executed */
  int shared_lines, global_lines, findings, notes;
  const KgenSharedLine *shared_line;
  const KgenGlobalLine *global_line;
  const KgenFinding *finding;
  const KgenFinding *note;           /* legal, but probably unintended */
  const char *printed;               /* what the kernel printed; "" */
  const char *text;                  /* what `kgen --lint` prints */
  const char *json;                  /* what `kgen --lint --json` prints */
  const char *name;                  /* of the launch in a lint.yaml; else NULL */
  const struct KgenLintReport *next; /* of the file's next launch; NULL: the last */
} KgenLintReport;

/* Compiles the kernel, if it is not PTX, and launches it; of a lint.yaml all its launches, or those
 * that `kernel` names, of which the first is returned. NULL on an error (see kgen_errors) in any of
 * them; findings are none. Compiled kernels are not cached. */
KGEN_API const KgenLintReport *kgen_lint(Kgen *k, const KgenLint *lint);

#ifdef __cplusplus
}
#endif

#endif
