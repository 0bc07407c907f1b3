/* spec_reader.h: what the parts of the spec reader share. Private to gen/spec/spec*.c.
 *
 * A family's params, extents and block may depend on each other in any order that ends: they are
 * collected as Items and worked out together (scope_settle). Every read_* function reports its
 * mistakes and goes on, so that one call finds all of them. */
#ifndef KGEN_SPEC_READER_H
#define KGEN_SPEC_READER_H

#include "base/yaml_tree.h"
#include "spec/spec.h"

/* Names and what is known of their values. */
typedef struct {
  Names names;
  int64_t value[EXPR_MAX_VARS];
  bool known[EXPR_MAX_VARS];
} Scope;

/* A value that other values may depend on. */
typedef struct {
  const Expr *expr;
  const char *what; /* for messages: "param 'vector'" */
  Loc loc;
  int slot;      /* in the global scope */
  int64_t esize; /* what `esize` means in it */
  int64_t min, max;
  const Yaml *values; /* the only ones allowed, or NULL */
  bool done;
} Item;

typedef struct {
  const char *name;                           /* NULL in the one-tile form */
  const Yaml *extents, *want, *access, *dims; /* values of its keys, or NULL */
  const Dtype *dtype;
  int rank;
  int slot[KGEN_MAX_RANK]; /* of its extents in the global scope */
  Loc loc;
} TileNodes;

/* A named expression, of the family or the spec. */
typedef struct {
  const char *name;
  const Yaml *value;
  bool open;        /* worked out where it is used: it reads what not every place has */
  int slot;         /* else, in the global scope */
  const Expr *expr; /* else, or NULL if it is wrong */
} LetNode;

/* Of a tile, in elements: above what any block has room for, so that it is the bytes that are
 * named. */
enum { MAX_EXTENT = 1 << 20 };

enum { MAX_ITEMS = MAX_PARAMS + MAX_TILES * KGEN_MAX_RANK + 5 + EXPR_MAX_LETS };

typedef struct {
  Arena *arena;
  Diag *diag;
  const SpecOptions *options;
  int errors_before; /* in diag, when this spec was begun */
  const char *path;
  const Yaml *spec, *family; /* the two files' roots; no family for `none` */
  bool blind;                /* the family could not be read: nothing can be said to be missing */
  bool unfit;                /* a requirement of the family failed: its accesses are not judged */
  Scope global;              /* all but lanes, loops and problem extents */
  int esize_slot, block_slot;
  int items;
  Item item[MAX_ITEMS];
  const Yaml *params, *own_params; /* as the family declares them (for `none`, the spec), and the
                                      spec's; maps or NULL */
  int param_slot[MAX_PARAMS];      /* -1: unusable */
  int let_count;
  LetNode let[EXPR_MAX_LETS];
  int tiles;
  TileNodes tile[MAX_TILES];
  Spec *out;
} SpecReader;

/* --- names.c: words that are taken --- */
enum { NAME_LIMIT = 64 };
bool is_identifier(const char *s);
/* A word of C or C++, or what every CUDA kernel sees. */
bool is_reserved(const char *s);
/* Declared in every CUDA source: no kernel can have such a name. */
bool is_library_name(const char *s);
/* One name a dimension, for the header's function and whatever spells an offset; by default c0, c1,
 * ..., of one dimension i. node: the list, or NULL. */
void read_dims(SpecReader *r, const Yaml *node, int rank, const char *out[KGEN_MAX_RANK]);

/* --- spec_value.c: single values --- */
/* Reports keys that are not among these. The map, with such a key in the place of the one that it
 * is nearly, so that what is missing and what is wrong is told of what was meant. */
const Yaml *check_keys(SpecReader *r, const Yaml *map, const char *const *keys, int count);
/* The map with its i-th key named anew, unless `name` is NULL or a key that it has. */
const Yaml *map_rename(SpecReader *r, const Yaml *map, int i, const char *name);
bool expect_kind(SpecReader *r, const Yaml *node, const char *what, YamlKind kind);
/* The spec's value of a key, else the family's, else NULL. */
const Yaml *pick(const SpecReader *r, const char *key);
/* An expression, or NULL with an error. */
const Expr *read_expr(SpecReader *r, const Yaml *node, const char *what, const Names *names);
/* Its value in a scope, checked against a range. False if it has none, e.g. because it depends on
 * one that had an error. */
bool read_value(SpecReader *r, const Yaml *node, const char *what, const Scope *scope, int64_t min,
                int64_t max, int64_t *out);
/* The same without any names. */
bool read_plain(SpecReader *r, const Yaml *node, const char *what, int min, int max, int *out);
bool read_bool(SpecReader *r, const Yaml *node, const char *what, bool *out);
/* The index of a word in a table, or -1 with an error and a hint. */
int read_choice(SpecReader *r, const Yaml *node, const char *what, const char *const *words,
                int count);
/* An identifier for C and CUDA, or NULL with an error. */
const char *read_name(SpecReader *r, const Yaml *node, const char *what);
const Dtype *read_dtype(SpecReader *r, const Yaml *node);
/* Reports a value outside its range; true if it is inside. */
bool check_range(SpecReader *r, Loc loc, const char *what, int64_t v, int64_t min, int64_t max);

/* --- spec_scope.c: values that depend on each other --- */
/* The slot of a new name, whose value is unknown. */
int scope_declare(Scope *s, const char *name);
/* A name of ours; where a spec of `none` has a param of that name, one that nobody can write. */
int scope_declare_ours(SpecReader *r, const char *name);
/* What expressions have beyond lanes, loops, params and extents: esize, bx, ..., warps. */
bool slot_is_ours(const SpecReader *r, int slot);
bool block_is_known(const SpecReader *r);
/* False if the expression reads an unknown value, or with an error if it cannot be evaluated. */
bool scope_eval(const Scope *s, const Expr *e, Diag *d, int64_t *out);
/* Keeps a value to be worked out by scope_settle; one without an expression is dropped. */
void scope_defer(SpecReader *r, Item item);
/* Works out what was kept, in the order that it needs; an error for what goes in a circle. */
void scope_settle(SpecReader *r);

/* --- the parts, in the order of spec_read --- */
void read_family(SpecReader *r, const Yaml *kernel);
/* First every name is declared, then every expression parsed, then the values worked out. */
void name_block(SpecReader *r);
void name_tiles(SpecReader *r);
void name_params(SpecReader *r);
void name_lets(SpecReader *r);
void defer_block(SpecReader *r);
void defer_tiles(SpecReader *r);
void defer_params(SpecReader *r);
void defer_lets(SpecReader *r);
void finish_block(SpecReader *r);
void finish_params(SpecReader *r);
void check_requirements(SpecReader *r);
/* Expressions have that name already, or would in some place. */
bool name_is_taken(const SpecReader *r, const char *name);
bool is_lane_name(const char *name);
/* The expression reads that slot, by itself or through a let. */
bool value_reads(const SpecReader *r, const Expr *e, int slot);
void finish_tiles(SpecReader *r);
/* The names that a tile's own expressions see: its extents are d0..., its element is esize. */
const Scope *tile_scope(SpecReader *r, const TileNodes *nodes);
void read_want(SpecReader *r, const TileNodes *nodes, LayoutRequest *out);
/* 0 if unknown. */
int64_t tile_bytes(const SpecReader *r, const TileNodes *t);
void read_accesses(SpecReader *r, const TileNodes *nodes, TileSpec *tile);
void read_problem(SpecReader *r);
void read_constants(SpecReader *r);

#endif
