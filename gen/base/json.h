/* SPDX-License-Identifier: MIT */
/* json.h: a writer of JSON text that keeps track of commas, nesting and escapes. */
#ifndef KGEN_BASE_JSON_H
#define KGEN_BASE_JSON_H

#include "base/text.h"

enum { JSON_MAX_DEPTH = 32 };

typedef struct {
  Text *out;
  int most; /* entries of a list that may have thousands: others are only counted; 0: all */
  int depth;
  bool first[JSON_MAX_DEPTH];        /* nothing written yet at that level */
  bool inline_array[JSON_MAX_DEPTH]; /* everything at that level stays on one line */
  char close[JSON_MAX_DEPTH];        /* its closing bracket */
} Json;

Json json_new(Text *out);
/* key is NULL inside arrays and at the top. */
void json_object(Json *j, const char *key);
void json_array(Json *j, const char *key);
void json_row(Json *j, const char *key);  /* an array written on one line */
void json_line(Json *j, const char *key); /* an object written on one line */
void json_end(Json *j);
void json_ends(Json *j, int count); /* closes `count` levels, innermost first */
void json_string(Json *j, const char *key, const char *value); /* NULL writes null */
void json_int(Json *j, const char *key, int64_t value);
/* a value that is not finite is written as null */
void json_real(Json *j, const char *key, double value);
void json_bool(Json *j, const char *key, bool value);
void json_null(Json *j, const char *key);
void json_raw(Json *j, const char *key, const char *value); /* JSON text, verbatim */

#endif
