/* kgen.h: the library's public interface. Specs in; proven layouts, CUDA sources and JSON out.
 *
 *   Kgen *k = kgen_open("/usr/share/kgen/templates");
 *   if (!kgen_add(k, "transpose.yaml")) fputs(kgen_errors(k), stderr);
 *   else if (!kgen_write(k, "out")) fputs(kgen_errors(k), stderr);
 *   kgen_free(k);
 *
 * Every returned string belongs to the Kgen and lives until kgen_free. A Kgen is used by one thread
 * at a time; different ones are independent. */
#ifndef KGEN_H
#define KGEN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Kgen Kgen;

/* template_dir: the folder with layout.h and the families; kgen_add tells if it lacks one. Never
 * NULL. This and all other calls abort when memory is exhausted. */
Kgen *kgen_open(const char *template_dir);
void kgen_free(Kgen *k); /* NULL is fine */

/* Reads, solves and renders a spec file. False on a mistake, which kgen_errors then tells; the
 * specs added before remain. */
bool kgen_add(Kgen *k, const char *spec_path);
/* All errors so far, as file:line:col: error: ..., each with its line and a caret; "" if none. */
const char *kgen_errors(Kgen *k);

/* Specs that were added without a mistake. */
int kgen_count(const Kgen *k);
/* Of spec i, in the order added, 0 <= i < kgen_count (aborts otherwise): its name, the generated
 * file's name (NAME.cu, or NAME.h for `kernel: none`), that file's text, and whether its layout has
 * no bank conflict. */
const char *kgen_name(const Kgen *k, int i);
const char *kgen_file(const Kgen *k, int i);
const char *kgen_source(const Kgen *k, int i);
bool kgen_conflict_free(const Kgen *k, int i);

/* All specs as the object that `kgen --json --dry-run` prints. */
const char *kgen_json(Kgen *k);
/* Writes every spec's file and NAME.json into `folder`. False, with the reason in kgen_errors, and
 * no file changed, if it cannot or if a spec had errors. */
bool kgen_write(Kgen *k, const char *folder);

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
int kgen_wavefronts(KgenOp op, int bytes_per_lane, uint32_t active, const int64_t address[32],
                    int *ideal);

#ifdef __cplusplus
}
#endif

#endif
