/* SPDX-License-Identifier: MIT */
/*
 * value.h: the values of a kernel's parameters and of its module's variables.
 *
 *   VALUE = DTYPE:V | {VALUE,...} | raw:BYTES[:FILE]      the bytes; a structure by value
 *         | [NAME=]buf:SIZE[:FILL]                        a pointer to a new buffer: fill.h
 *         | [NAME=]buf:{VALUE,...}                        that holds these, laid out as a structure
 *         | tmap:DTYPE:KEY=...                            a CUtensorMap: map.h
 *         | tex:TYPE:KEY=... | surf:TYPE:KEY=...          a texture or surface: image.h
 *         | at:NAME[+OFFSET] | at:N[+OFFSET]              into the buffer NAME, or of argument N
 *
 *   SIZE = BYTES | COUNTxDTYPE
 */
#ifndef KGEN_LINT_INPUT_VALUE_H
#define KGEN_LINT_INPUT_VALUE_H

#include "lint/input/fill.h"
#include "lint/input/image.h"
#include "model/tensor_map.h"

typedef enum {
  LINT_NUMBER,
  LINT_BUF,
  LINT_AT,
  LINT_TMAP,
  LINT_IMAGE,
  LINT_RAW,
  LINT_STRUCT,
  LINT_VALUE_KINDS
} LintValueKind;

typedef struct LintValue LintValue;
struct LintValue {
  LintValueKind kind;
  const char *text;       /* as the user wrote it */
  Loc loc;                /* location in a file; without a source: from the command line */
  const char *name;       /* BUF: its NAME; AT: the name or number of the buffer; or NULL */
  Loc name_loc;           /* location of `name`, if a file gives it separately */
  uint64_t value;         /* bytes of a number, size of a buffer or RAW, or AT's offset */
  uint64_t address;       /* BUF, and a variable's: its fixed address; 0: any */
  const Dtype *dtype;     /* NUMBER; NULL: the type of the parameter, see lint_args_type() */
  LintFill fill;          /* BUF and RAW without members */
  const TensorMap *map;   /* TMAP: without its address, which is given by a member AT, or is a new
                             buffer */
  const LintImage *image; /* IMAGE, as for `map` */
  int members;            /* members of a STRUCT or a BUF */
  LintValue *member;
};

/* Reads a value; false with an error in *why. The message names `option` and `whole`, which is the
 * complete text of the option and ends with `text`. */
bool lint_value_read(Arena *a, const char *option, const char *whole, const char *text,
                     LintValue *out, Diag *why);
/* Like lint_value_read(), for a file: the error is at `loc`, and does not repeat the text. */
bool lint_value_read_at(Arena *a, Loc loc, const char *text, LintValue *out, Diag *why);
/* Reads the V of a number of type `dtype`. */
bool lint_value_number(const Dtype *dtype, const char *text, LintValue *out);

/* Reports an error in a value: at its location in a file, else naming `option`. */
void lint_value_fail(Arena *a, Diag *why, const char *option, const LintValue *v, const char *fmt,
                     ...) PRINTF_LIKE(5, 6);

/* Size and alignment of a value within a structure: numbers are aligned to their size, raw bytes
 * are not aligned, and an empty structure takes one byte. */
typedef struct {
  uint32_t bytes, align;
} LintSize;
LintSize lint_value_size(const LintValue *v);
/* The offset of each member of `v`; returns the total size. */
uint32_t lint_value_offsets(const LintValue *v, uint32_t *offset);

#endif
