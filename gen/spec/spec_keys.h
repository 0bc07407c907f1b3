/* SPDX-License-Identifier: MIT */
/* spec_keys.h: the keys that a mapping of a spec may have, as a table with one row per key. Hints,
 * missing keys, meaningless keys and the first check of each value are derived from it. */
#ifndef KGEN_SPEC_SPEC_KEYS_H
#define KGEN_SPEC_SPEC_KEYS_H

#include "spec/spec_value.h"

typedef enum {
  VALUE_ANY,   /* its reader checks it */
  VALUE_EXPR,  /* an expression: its reader checks it, against min and max if they differ */
  VALUE_NAME,  /* its reader checks it */
  VALUE_PROSE, /* for readers of the file only: ignored */
  VALUE_TEXT,
  VALUE_LIST,   /* at most `max` entries, unless that is 0 */
  VALUE_MAP,    /* likewise */
  VALUE_NUMBER, /* min to max: see key_number */
  VALUE_BOOL,
  VALUE_WORD, /* one of `word`: see key_word */
  VALUE_REAL  /* for Shape only: a number above 0 with decimals, or an expression */
} ValueKind;

typedef struct Key Key;
typedef struct KeyTable KeyTable;
/* Reads a key's value into the struct of the mapping. value: NULL if the key is missing, or its
 * value has another kind, which was reported. */
typedef void (*KeyReader)(void *to, const Key *key, const Yaml *value);

/* Values that readers accept in addition to the row's kind, for the JSON Schema: spec_schema.h. */
typedef struct {
  unsigned kinds;        /* the kinds that the reader of a VALUE_ANY accepts, 1 << ValueKind each */
  const KeyTable *table; /* keys of a map, or of the maps in a list */
  ValueKind item;   /* without a table: kind of the values of a map, or of the entries of a list */
  int fewest, most; /* number of entries; most 0: unlimited */
  int64_t least;    /* minimum of an entry that is a plain number; 0: none */
  bool gaps;        /* entries may be null */
  bool values;      /* also accepts text, or {DTYPE: NUMBER}, instead of maps of the table */
  const char *(*choice)(int i);   /* the words that a text may be; NULL after the last */
  const char *(*regex)(Arena *a); /* or a regular expression for it, for ECMAScript */
} Shape;

struct Key {
  const char *name;
  const char *what; /* name in messages; NULL: the key's name */
  ValueKind kind;
  int64_t min, max;
  const char *const *word; /* VALUE_WORD */
  unsigned forms;          /* forms of the mapping in which the key has a meaning; 0: all */
  /* the error in other forms; %s is the owner of the mapping in that form */
  const char *elsewhere;
  const char *instead; /* the hint for that error, or NULL */
  bool required;       /* in the forms in which it has a meaning */
  const char *hint;    /* hint if it is missing, or NULL */
  KeyReader read;      /* NULL: read with other keys, or for people only */
  const char *about;   /* description for authors of specs */
  Shape shape;
};

/* How the form of a mapping is determined. */
typedef struct {
  unsigned forms; /* one of these: */
  /* by which of these keys it has, the lowest form's first. `lacking` lists the words of `op` that
   * need none of them, "" for the others, NULL after the last; */
  const char *const *by_key;
  const char *(*lacking)(int word);
  /* or by the word of this key, or its first word if the key is missing; */
  const char *by_word;
  unsigned (*of_word)(int word);
  unsigned alone; /* or always this form in a spec of `none` */
} KeyForms;

struct KeyTable {
  const Key *key; /* in reading order */
  int count;
  const KeyForms *forms;
  int choices; /* number of forms */
};

#define KEY_TABLE(name, keys)                                                                      \
  static const KeyTable name = {keys, (int)(sizeof(keys) / sizeof(*(keys))), NULL, 0}

/* Reports keys that the table lacks. Returns the map with misspelled keys renamed to the nearest
 * known key, so that later errors refer to the intended key. */
const Yaml *keys_known(const Reader *in, const Yaml *map, const KeyTable *t);
/* Like keys_known(), for a mapping that has none of the forms `without`: hints omit keys that have
 * a meaning in these forms only. */
const Yaml *keys_known_without(const Reader *in, const Yaml *map, const KeyTable *t,
                               unsigned without);
/* Like keys_known(), for a mapping whose keys are a list of names. */
const Yaml *map_known(const Reader *in, const Yaml *map, const char *const *keys, int count,
                      const char *what);
/* Reports the keys of `forms` that have no meaning in `form`. word: for %s. */
void keys_fit(const Reader *in, const Yaml *map, const KeyTable *t, unsigned forms, unsigned form,
              const char *word);
/* Reports, at loc, required keys that are missing. owner: the construct that lacks them, or
 * NULL. */
void keys_given(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, Loc loc,
                const char *owner);
/* Calls the reader of every key that has a meaning in `form`. */
void keys_read(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, void *to);
/* Checks and reads a mapping that has one form: keys_known(), keys_given() and keys_read(). */
void keys_take(const Reader *in, const Yaml *map, const KeyTable *t, Loc loc, const char *owner,
               void *to);

/* The name of the key's value in messages. */
const char *key_what(const Key *key);
/* Readers of single values by their row; false if the value is missing or has an error. */
bool key_number(const Reader *in, const Key *key, const Yaml *value, int *out);
bool key_bool(const Reader *in, const Key *key, const Yaml *value, bool *out);
/* The word's index, or -1. */
int key_word(const Reader *in, const Key *key, const Yaml *value);

/* The map with only that key; NULL if it has none. */
const Yaml *map_only(const Reader *in, const Yaml *map, const char *key);
/* All keys of the maps (each may be NULL); a key's value is taken from the first map that has
 * it. */
const Yaml *map_merge(const Reader *in, const Yaml *const *maps, int count);

#endif
