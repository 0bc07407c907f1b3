/* spec_keys.h: the keys that a mapping of a spec may have, as a table with one row per key. Hints,
 * missing keys, keys without a meaning and the first check of each value come from it. */
#ifndef KGEN_SPEC_SPEC_KEYS_H
#define KGEN_SPEC_SPEC_KEYS_H

#include "spec/spec_value.h"

typedef enum {
  VALUE_ANY,   /* its reader checks it */
  VALUE_EXPR,  /* an expression: its reader checks it, against min and max if they differ */
  VALUE_NAME,  /* its reader checks it */
  VALUE_PROSE, /* for people: nothing is read */
  VALUE_TEXT,
  VALUE_LIST,   /* of at most `max` entries, unless that is 0 */
  VALUE_MAP,    /* the same */
  VALUE_NUMBER, /* min to max: see key_number */
  VALUE_BOOL,
  VALUE_WORD, /* one of `word`: see key_word */
  VALUE_REAL  /* of a Shape only: a number above 0 with decimals, or an expression */
} ValueKind;

typedef struct Key Key;
typedef struct KeyTable KeyTable;
/* Reads a key's value into what the mapping describes. value: NULL if the key is not given or its
 * value is of another kind, which was reported. */
typedef void (*KeyReader)(void *to, const Key *key, const Yaml *value);

/* What readers accept besides the row's kind, for the JSON Schema: spec_schema.h. */
typedef struct {
  unsigned kinds;               /* that the reader of a VALUE_ANY takes, 1 << ValueKind each */
  const KeyTable *table;        /* of a map, or of the maps of a list */
  ValueKind item;               /* without one: of the values of a map, of the entries of a list */
  int fewest, most;             /* entries; most 0: any number */
  int64_t least;                /* of an entry that is a plain number; 0: any */
  bool gaps;                    /* entries may be null */
  bool values;                  /* or text, or {DTYPE: NUMBER}, instead of maps of the table */
  const char *(*choice)(int i); /* the words that a text may be; NULL after the last */
  const char *(*regex)(Arena *a); /* or what it looks like, for ECMAScript */
} Shape;

struct Key {
  const char *name;
  const char *what; /* in messages; NULL: the name */
  ValueKind kind;
  int64_t min, max;
  const char *const *word; /* VALUE_WORD */
  unsigned forms;          /* of the mapping in which the key has a meaning; 0: in all */
  const char *elsewhere;   /* the error in others; %s is the owner of the mapping in that form */
  const char *instead;     /* a hint then, or NULL */
  bool required;           /* in the forms where it has a meaning */
  const char *hint;        /* where it is missing, or NULL */
  KeyReader read;          /* NULL: read with others, or for people only */
  const char *about;       /* for people who write it */
  Shape shape;
};

/* How a mapping says which of several forms it has. */
typedef struct {
  unsigned forms; /* one of these: */
  /* by which one of these keys it has, the lowest form's first; `lacking` lists the words of `op`
   * that need none of them, "" for the others, NULL after the last; */
  const char *const *by_key;
  const char *(*lacking)(int word);
  /* or by the form of the word that this key has, without it of the first word; */
  const char *by_word;
  unsigned (*of_word)(int word);
  unsigned alone; /* or always this one in a spec of `none` */
} KeyForms;

struct KeyTable {
  const Key *key; /* in the order that they are read in */
  int count;
  const KeyForms *forms;
  int choices; /* of forms */
};

#define KEY_TABLE(name, keys)                                                                      \
  static const KeyTable name = {keys, (int)(sizeof(keys) / sizeof(*(keys))), NULL, 0}

/* Reports keys that the table lacks. Returns the map with such keys renamed to what they nearly
 * are, so that later errors are about what was meant. */
const Yaml *keys_known(const Reader *in, const Yaml *map, const KeyTable *t);
/* Like keys_known(), for a mapping that has none of the forms `without`: hints leave out keys that
 * have a meaning in these forms alone. */
const Yaml *keys_known_without(const Reader *in, const Yaml *map, const KeyTable *t,
                               unsigned without);
/* Like keys_known(), for a mapping whose keys are a list of names. */
const Yaml *map_known(const Reader *in, const Yaml *map, const char *const *keys, int count,
                      const char *what);
/* Reports the keys of those forms that have no meaning in `form`. word: for %s. */
void keys_fit(const Reader *in, const Yaml *map, const KeyTable *t, unsigned forms, unsigned form,
              const char *word);
/* Reports, at loc, required keys that are missing. owner: who has none, or NULL. */
void keys_given(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, Loc loc,
                const char *owner);
/* Calls the reader of every key that has a meaning in `form`. */
void keys_read(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, void *to);
/* Checks and reads a mapping that has one form: keys_known, keys_given and keys_read. */
void keys_take(const Reader *in, const Yaml *map, const KeyTable *t, Loc loc, const char *owner,
               void *to);

/* What messages call the key's value. */
const char *key_what(const Key *key);
/* Readers of single values by their row; false if there is none, or with an error. */
bool key_number(const Reader *in, const Key *key, const Yaml *value, int *out);
bool key_bool(const Reader *in, const Key *key, const Yaml *value, bool *out);
/* The word's index, or -1. */
int key_word(const Reader *in, const Key *key, const Yaml *value);

/* The map with only that key; NULL if it has none. */
const Yaml *map_only(const Reader *in, const Yaml *map, const char *key);
/* All keys of the maps (each may be NULL), a key's value from the first that has it. */
const Yaml *map_merge(const Reader *in, const Yaml *const *maps, int count);

#endif
