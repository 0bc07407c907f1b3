/* SPDX-License-Identifier: MIT */
#include "lint/input/file_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "spec/expr_eval.h"

/* The kinds of maps for a value. Buffers have a size or members, variables and expectations
 * neither. */
enum {
  FORM_SIZED = 1,
  FORM_COUNTED = 2,
  FORM_HOLDING = 4,
  FORM_AT = 8,
  FORM_RAW = 16,
  FORM_STRUCT = 32
};
enum {
  FORM_BUFFER = FORM_SIZED | FORM_COUNTED | FORM_HOLDING,
  FORM_FILLED = FORM_SIZED | FORM_COUNTED,
  FORM_ALL = FORM_BUFFER | FORM_AT | FORM_RAW | FORM_STRUCT
};

/* A map while it is read. */
typedef struct {
  const FileReader *r;
  LintValue *out;
  const Yaml *map;
  double *tolerance; /* tolerance of an expectation; else NULL */
  bool ok;
} MapReader;

#define MOST_BYTES (INT64_C(1) << 40)
enum { MOST_TOLERANCE = 1000 };

/* --- words and numbers --- */

bool lint_file_count(const FileReader *r, const Yaml *node, const char *what, int64_t min,
                     int64_t max, uint64_t *out) {
  int64_t v;
  const Expr *e = read_expr(&r->in, node, what, &no_names);
  if (!e || !expr_eval(e, NULL, r->in.diag, &v)) return false;
  if (!check_range(&r->in, node->loc, what, v, min, max)) return false;
  *out = (uint64_t)v;
  return true;
}

static bool read_real(const FileReader *r, const Yaml *node, const char *what, double *out) {
  char *end = NULL;
  if (node->kind == YAML_TEXT && *node->text && !strchr(" \t\n", *node->text))
    *out = strtod(node->text, &end);
  if (end && end != node->text && !*end) return true;
  diag_error(r->in.diag, node->loc, "%s must be a number", what);
  return false;
}

static void take_count(MapReader *m, const Key *key, const Yaml *value, uint64_t *out) {
  if (value && !lint_file_count(m->r, value, key_what(key), key->min, key->max, out)) m->ok = false;
}

static void take_real(MapReader *m, const Key *key, const Yaml *value, double *out) {
  if (value && !read_real(m->r, value, key_what(key), out)) m->ok = false;
}

static void take_number(MapReader *m, const Key *key, const Yaml *value, LintNumber *out) {
  const char *end;
  if (!value || (value->kind == YAML_TEXT && lint_number_read(value->text, &end, out) && !*end))
    return;
  diag_error(m->r->in.diag, value->loc, "%s must be a number", key_what(key));
  m->ok = false;
}

/* --- the keys of a map --- */

static void read_name_key(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  (void)key;
  if (!value) return;
  m->out->name = read_name(&m->r->in, value, "name");
  m->out->name_loc = value->loc;
  if (!m->out->name) m->ok = false;
}

static void read_dtype_key(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  (void)key;
  if (!value) return;
  m->out->fill.dtype = read_dtype(&m->r->in, value);
  if (!m->out->fill.dtype) m->ok = false;
}

static void read_bytes(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((MapReader *)to)->out->value);
}

/* `dtype` has been read already. */
static void read_count_key(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  take_count(m, key, value, &m->out->value);
  if (!value || !m->ok) return;
  if (m->out->fill.dtype) {
    m->out->value *= (uint64_t)m->out->fill.dtype->bytes;
    return;
  }
  if (!yaml_get(m->map, "dtype"))
    diag_error(m->r->in.diag, value->loc, "'count' is of elements: it needs a 'dtype'");
  m->ok = false;
}

static void read_fill(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  const int kind = key_word(&m->r->in, key, value);
  if (kind >= 0) m->out->fill.kind = (LintFillKind)kind;
  if (value && kind < 0) m->ok = false;
}

static void read_value(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  if (value) m->out->fill.kind = FILL_CONSTANT;
  take_number(m, key, value, &m->out->fill.start);
}

static void read_start(void *to, const Key *key, const Yaml *value) {
  take_number(to, key, value, &((MapReader *)to)->out->fill.start);
}

static void read_step(void *to, const Key *key, const Yaml *value) {
  take_number(to, key, value, &((MapReader *)to)->out->fill.step);
}

static void read_range(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  if (!value) return;
  if (value->count != 2) {
    diag_error(m->r->in.diag, value->loc, "range is [FROM, UP TO]: %d entries", value->count);
    m->ok = false;
    return;
  }
  m->out->fill.ranged = true;
  take_number(m, key, value->item[0], &m->out->fill.low);
  take_number(m, key, value->item[1], &m->out->fill.high);
}

static void read_seed(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  m->out->fill.seeded = value != NULL;
  take_count(m, key, value, &m->out->fill.seed);
}

static void read_file(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  (void)key;
  if (!value) return;
  m->out->fill.kind = FILL_FILE;
  m->out->fill.file = path_beside(m->r->in.arena, m->r->path, value->text);
}

/* With `at`: an offset in that buffer; else an offset in the file. */
static void read_offset(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  const bool at = m->out->kind == LINT_AT;
  take_count(m, key, value, at ? &m->out->value : &m->out->fill.offset);
}

static void read_nonzeros(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((MapReader *)to)->out->fill.nonzeros);
}

static void read_columns(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((MapReader *)to)->out->fill.columns);
}

static void read_rows(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  (void)key;
  if (value) m->out->fill.rows = value->text;
}

/* The name or number of a buffer; for a buffer itself, its fixed address. */
static void read_at(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  if (!value) return;
  if (m->out->kind == LINT_BUF)
    take_count(m, key, value, &m->out->address);
  else if (expect_kind(&m->r->in, value, "at", YAML_TEXT))
    m->out->name = value->text;
  else
    m->ok = false;
}

/* Address of a variable. */
static void read_address(void *to, const Key *key, const Yaml *value) {
  take_count(to, key, value, &((MapReader *)to)->out->address);
}

static void read_members(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  if (!value) return;
  m->ok = lint_file_values(m->r, value, key->name, &m->out->members, &m->out->member) && m->ok;
  if (m->ok && m->out->kind == LINT_BUF && !m->out->members) {
    diag_error(m->r->in.diag, value->loc, "a buffer that holds nothing");
    m->ok = false;
  }
  if (m->ok && m->out->kind == LINT_BUF) m->out->value = lint_value_offsets(m->out, NULL);
}

static void read_tolerance(void *to, const Key *key, const Yaml *value) {
  MapReader *m = to;
  take_real(m, key, value, m->tolerance);
  if (!value || !m->ok || (*m->tolerance >= 0 && *m->tolerance <= MOST_TOLERANCE)) return;
  diag_error(m->r->in.diag, value->loc, "tolerance must be from 0 to %d", MOST_TOLERANCE);
  m->ok = false;
}

/* --- the tables --- */

// clang-format off
#define FILL_KEYS(filled)                                                                          \
    {.name = "dtype", .read = read_dtype_key, .about = "of its elements: f32, i32, bf16, ...",     \
     .shape = {.kinds = 1 << VALUE_TEXT}, .forms = filled, .elsewhere = "%s has no dtype"},        \
    {.name = "fill", .kind = VALUE_WORD, .word = lint_fill_name, .max = FILL_KINDS,                \
     .read = read_fill, .about = "what it holds; default random, or the file",                     \
     .forms = filled, .elsewhere = "%s has no fill"},                                              \
    {.name = "value", .read = read_value, .about = "of constant: everywhere",                      \
     .shape = {.kinds = 1 << VALUE_REAL}, .forms = filled, .elsewhere = "%s has no fill"},         \
    {.name = "start", .read = read_start, .about = "of iota: the first; default 0",                \
     .shape = {.kinds = 1 << VALUE_REAL}, .forms = filled, .elsewhere = "%s has no fill"},         \
    {.name = "step", .read = read_step, .about = "of iota: from one to the next; default 1",       \
     .shape = {.kinds = 1 << VALUE_REAL}, .forms = filled, .elsewhere = "%s has no fill"},         \
    {.name = "range", .kind = VALUE_LIST, .read = read_range,                                      \
     .about = "of random: from the first number up to, but without, the second",                   \
     .shape = {.fewest = 2, .most = 2}, .forms = filled, .elsewhere = "%s has no fill"},           \
    {.name = "seed", .kind = VALUE_EXPR, .max = INT64_MAX, .read = read_seed,                      \
     .about = "of what is random; default: by the launch's, and its place there",                  \
     .forms = filled, .elsewhere = "%s has no fill"},                                              \
    {.name = "nonzeros", .kind = VALUE_EXPR, .max = MOST_BYTES, .read = read_nonzeros,             \
     .about = "of csr_rows: the last row pointer", .forms = filled, .elsewhere = "%s has no fill"},\
    {.name = "columns", .kind = VALUE_EXPR, .min = 1, .max = MOST_BYTES, .read = read_columns,     \
     .about = "of csr_columns: how many there are; of csr_rows: the most of a row",                \
     .forms = filled, .elsewhere = "%s has no fill"},                                              \
    {.name = "rows", .kind = VALUE_TEXT, .read = read_rows,                                        \
     .about = "of csr_columns: the buffer of row pointers", .forms = filled,                       \
     .elsewhere = "%s has no fill"}

static const Key value_keys[] = {
    {.name = "name", .read = read_name_key, .about = "what others call the buffer",
     .shape = {.kinds = 1 << VALUE_NAME}, .forms = FORM_BUFFER,
     .elsewhere = "%s is not a buffer: it has no name"},
    FILL_KEYS(FORM_FILLED),
    {.name = "bytes", .kind = VALUE_EXPR, .min = 1, .max = MOST_BYTES, .read = read_bytes,
     .about = "the buffer's size", .forms = FORM_SIZED, .elsewhere = "'bytes' beside '%s'"},
    {.name = "count", .kind = VALUE_EXPR, .min = 1, .max = MOST_BYTES / 16, .read = read_count_key,
     .about = "its size in elements of the dtype", .forms = FORM_COUNTED,
     .elsewhere = "'count' beside '%s'"},
    {.name = "hold", .kind = VALUE_LIST, .read = read_members,
     .about = "the values that the buffer holds, laid out as a structure", .forms = FORM_HOLDING,
     .elsewhere = "'hold' beside '%s'"},
    {.name = "at", .read = read_at,
     .about = "into the buffer of that name, or of that argument; of a buffer: its address",
     .shape = {.kinds = 1 << VALUE_TEXT | 1 << VALUE_EXPR}, .min = INT64_C(1) << 46,
     .max = INT64_C(1) << 61, .forms = FORM_BUFFER | FORM_AT, .elsewhere = "'at' beside '%s'"},
    {.name = "raw", .kind = VALUE_EXPR, .min = 1, .max = 1 << 30, .read = read_bytes,
     .about = "so many bytes by value: zeros, or of a file", .forms = FORM_RAW,
     .elsewhere = "'raw' beside '%s'"},
    {.name = "struct", .kind = VALUE_LIST, .read = read_members,
     .about = "members by value; none: an empty structure", .forms = FORM_STRUCT,
     .elsewhere = "'struct' beside '%s'"},
    {.name = "file", .kind = VALUE_TEXT, .read = read_file, .about = "of bytes that it holds",
     .forms = FORM_FILLED | FORM_RAW, .elsewhere = "%s has no file"},
    {.name = "offset", .kind = VALUE_EXPR, .max = MOST_BYTES, .read = read_offset,
     .about = "bytes into the file, or into the buffer that `at` names",
     .forms = FORM_FILLED | FORM_RAW | FORM_AT, .elsewhere = "%s has no offset"},
};
static const Key expect_keys[] = {
    FILL_KEYS(0),
    {.name = "file", .kind = VALUE_TEXT, .read = read_file, .about = "of bytes that it must hold"},
    {.name = "offset", .kind = VALUE_EXPR, .max = MOST_BYTES, .read = read_offset,
     .about = "bytes into the file"},
    {.name = "tolerance", .read = read_tolerance, .shape = {.kinds = 1 << VALUE_REAL},
     .about = "how far elements may be off, times the larger of 1 and their size; default: no bit"},
};
static const Key variable_keys[] = {
    FILL_KEYS(0),
    {.name = "file", .kind = VALUE_TEXT, .read = read_file, .about = "of bytes that it holds"},
    {.name = "offset", .kind = VALUE_EXPR, .max = MOST_BYTES, .read = read_offset,
     .about = "bytes into the file"},
    {.name = "address", .kind = VALUE_EXPR, .min = INT64_C(1) << 46, .max = INT64_C(1) << 61,
     .read = read_address, .about = "where it must lie, as pointers to it say; default: anywhere"},
};
// clang-format on

static const char *const form_key[] = {"bytes", "count", "hold", "at", "raw", "struct"};
enum { FORM_KEYS = sizeof form_key / sizeof *form_key };
static const KeyForms value_forms[] = {{.forms = FORM_ALL, .by_key = form_key}};
const KeyTable lint_value_table = {value_keys, sizeof value_keys / sizeof *value_keys, value_forms,
                                   1};
static const KeyTable expect_table = {expect_keys, sizeof expect_keys / sizeof *expect_keys, NULL,
                                      0};
static const KeyTable variable_table = {variable_keys, sizeof variable_keys / sizeof *variable_keys,
                                        NULL, 0};

/* --- values --- */

/* A buffer with a fixed address has both `at` and a size. */
static unsigned form_of(const Yaml *map, const char **word) {
  unsigned form = 0;
  for (int i = 0; i < FORM_KEYS; i++) {
    if (!yaml_get(map, form_key[i]) || (1u << i == FORM_AT && form)) continue;
    if (!form) *word = form_key[i];
    form |= form ? 0 : 1u << i;
  }
  return form;
}

static bool check_fill(const FileReader *r, const Yaml *node, const LintFill *f, uint64_t bytes) {
  const char *why = lint_fill_refusal(r->in.arena, f, bytes);
  if (!why && f->kind == FILL_CSR_COLUMNS && (!f->rows || !f->columns))
    why = "'csr_columns' needs 'rows', a buffer's name, and 'columns', how many there are";
  if (!why && f->kind == FILL_FILE && !f->file) why = "'file' needs the name of one";
  if (why) diag_error(r->in.diag, node->loc, "%s", why);
  return !why;
}

static const LintValueKind kind_of_form[] = {LINT_BUF, LINT_BUF, LINT_BUF,
                                             LINT_AT,  LINT_RAW, LINT_STRUCT};

static bool read_map(const FileReader *r, const Yaml *node, LintValue *out) {
  const char *word = NULL;
  MapReader m = {.r = r, .out = out, .ok = true};
  const int before = diag_met(r->in.diag);
  m.map = keys_known(&r->in, node, &lint_value_table);
  const unsigned form = form_of(m.map, &word);
  if (!form) {
    if (diag_met(r->in.diag) == before)
      diag_error(r->in.diag, node->loc,
                 "a value has one of 'bytes', 'count', 'hold', 'at', 'raw', 'struct', or is a "
                 "number: {i32: 1}");
    return false;
  }
  out->kind = kind_of_form[__builtin_ctz(form)];
  out->fill = (LintFill){.start = lint_number_of(0), .step = lint_number_of(1)};
  if (out->kind == LINT_RAW) out->fill.kind = FILL_ZERO;
  keys_fit(&r->in, m.map, &lint_value_table, FORM_ALL, form, word);
  keys_read(&r->in, m.map, &lint_value_table, form, &m);
  if (!m.ok || diag_met(r->in.diag) != before) return false;
  return !(form & FORM_FILLED) || check_fill(r, node, &out->fill, out->value);
}

/* {DTYPE: V}: YAML reads it as text if the blank is missing. */
static const Dtype *number_of(const Yaml *node) {
  if (node->kind != YAML_MAP || node->count != 1) return NULL;
  const Dtype *t = dtype_find(node->pair[0].key->text);
  return t && lint_fill_counts(t) ? t : NULL;
}

static bool read_number(const FileReader *r, const Dtype *dtype, const Yaml *v, LintValue *out) {
  if (v->kind == YAML_TEXT && lint_value_number(dtype, v->text, out)) return true;
  diag_error(r->in.diag, v->loc, "not a number of type %s", dtype->name);
  return false;
}

/* File names are relative to lint.yaml, not to the current directory. */
static void resolve(const FileReader *r, LintValue *v, Loc loc) {
  if (v->fill.file) v->fill.file = path_beside(r->in.arena, r->path, v->fill.file);
  v->loc = loc;
  for (int i = 0; i < v->members; i++) resolve(r, &v->member[i], loc);
}

static bool read_text(const FileReader *r, const Yaml *node, LintValue *out) {
  const bool ok = lint_value_read_at(r->in.arena, node->inner, node->text, out, r->in.diag);
  if (ok) resolve(r, out, node->loc);
  return ok;
}

bool lint_file_value(const FileReader *r, const Yaml *node, LintValue *out) {
  *out = (LintValue){.loc = node->loc, .text = node->text ? node->text : ""};
  const Dtype *number = number_of(node);
  if (number) return read_number(r, number, node->pair[0].value, out);
  if (node->kind == YAML_TEXT && !yaml_is_null(node)) return read_text(r, node, out);
  return expect_kind(&r->in, node, "a value", YAML_MAP) && read_map(r, node, out);
}

bool lint_file_values(const FileReader *r, const Yaml *node, const char *what, int *count,
                      LintValue **out) {
  if (!expect_kind(&r->in, node, what, YAML_LIST)) return false;
  bool ok = true;
  *out = ARENA_ARRAY(r->in.arena, LintValue, (size_t)node->count + 1);
  *count = node->count;
  for (int i = 0; i < node->count; i++) ok = lint_file_value(r, node->item[i], &(*out)[i]) && ok;
  return ok;
}

/* --- values whose size is known otherwise --- */

static bool read_filled(const FileReader *r, const Yaml *node, const KeyTable *table,
                        LintValue *out, double *tolerance) {
  MapReader m = {.r = r, .out = out, .ok = true, .tolerance = tolerance};
  const int before = diag_met(r->in.diag);
  out->fill = (LintFill){.start = lint_number_of(0), .step = lint_number_of(1)};
  m.map = keys_known(&r->in, node, table);
  keys_read(&r->in, m.map, table, 0, &m);
  return m.ok && diag_met(r->in.diag) == before;
}

bool lint_file_variable(const FileReader *r, const Yaml *node, LintValue *out, bool *filled) {
  const char *word;
  *filled = node->kind == YAML_MAP && !number_of(node) && !form_of(node, &word);
  if (!*filled) return lint_file_value(r, node, out);
  *out = (LintValue){.loc = node->loc, .text = ""};
  return read_filled(r, node, &variable_table, out, NULL);
}

bool lint_file_expect(const FileReader *r, const Yaml *node, LintExpect *out) {
  *out = (LintExpect){.want = {.loc = node->loc, .text = ""}};
  if (node->kind != YAML_TEXT || yaml_is_null(node))
    return expect_kind(&r->in, node, "what is expected", YAML_MAP) &&
           read_filled(r, node, &expect_table, &out->want, &out->tolerance);
  if (!lint_fill_read(r->in.arena, node->text, &out->want.fill)) {
    diag_error(r->in.diag, node->loc, "not a file, zero, constant=V or iota");
    return false;
  }
  resolve(r, &out->want, node->loc);
  return true;
}
