/* lint_value.h: what the command line gives a parameter, or a variable of the module.
 *
 *   VALUE = i32:V | i64:V | f32:V | f64:V | {VALUE,...}   the bytes; a structure by value
 *         | [NAME=]buf:BYTES[:zero | :FILE]               a pointer to a new buffer, random bytes
 *         | [NAME=]buf:{VALUE,...}                        that holds these, laid out as a structure
 *         | tmap:DTYPE:KEY=...                            a CUtensorMap: see lint_map.h
 *         | at:NAME[+OFFSET] | at:N[+OFFSET]              into a buffer, of that name or of
 * argument N
 */
#ifndef KGEN_LINT_VALUE_H
#define KGEN_LINT_VALUE_H

#include "base/text.h"
#include "model/tensor_map.h"

typedef enum {
  LINT_BUF,
  LINT_AT,
  LINT_I32,
  LINT_I64,
  LINT_F32,
  LINT_F64,
  LINT_TMAP,
  LINT_STRUCT,
  LINT_VALUE_KINDS
} LintValueKind;

typedef struct LintValue LintValue;
struct LintValue {
  LintValueKind kind;
  const char *text;     /* as given */
  const char *name;     /* BUF: NAME; AT: of the buffer, a number included; or NULL */
  uint64_t value;       /* a number's bytes, a buffer's size, or AT's offset */
  bool zero;            /* BUF: zeros */
  const char *file;     /* BUF: what it holds; NULL with zero unset and no members: random bytes */
  const TensorMap *map; /* TMAP: without its address, which a member AT is of, or a new buffer */
  int members;          /* of a STRUCT, or of what a BUF holds */
  LintValue *member;
};

/* Reads a value; the mistake, a line, is told in *why as one of `option`'s, and false returned. */
bool lint_value_read(Arena *a, const char *option, const char *text, LintValue *out, Text *why);

/* Bytes and alignment of a value within a structure: numbers are aligned to their size. */
typedef struct {
  uint32_t bytes, align;
} LintSize;
LintSize lint_value_size(const LintValue *v);
/* Where the members of `v` lie, a number each; returns the size of all. */
uint32_t lint_value_offsets(const LintValue *v, uint32_t *offset);

#endif
