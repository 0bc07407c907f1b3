/* SPDX-License-Identifier: MIT */
/* language.h: spells a plan's layout in the languages in which people write tiles. */
#ifndef KGEN_EMIT_LANGUAGE_H
#define KGEN_EMIT_LANGUAGE_H

#include "base/json.h"
#include "emit/plan.h"
#include "model/swizzle.h"

typedef enum {
  LANGUAGE_C,
  LANGUAGE_CUTE,
  LANGUAGE_CUTEDSL,
  LANGUAGE_GLUON,
  LANGUAGE_TILELANG,
  LANGUAGE_MOJO,
  LANGUAGE_CUTILE,
  LANGUAGES
} Language;

/* The names that --as takes: c, cute, cutedsl, ...; and the names that reports show. */
extern const char *const language_name[LANGUAGES];
extern const char *const language_title[LANGUAGES];

/* One of the two is NULL. */
typedef struct {
  const char *text; /* an expression of that language */
  const char *none; /* why the language has no such layout */
} LanguageText;

LanguageText language_spell(Arena *a, const PlanTile *t, Language language);

/* "as": an object of all languages, each a text, or an object with the reason: {"none": ...}.
 * swizzle: what forms_cute() finds, which takes passes over all elements; NULL: it finds none. */
void language_json(Json *j, const PlanTile *t, const CuteSwizzle *swizzle);

#endif
