/* SPDX-License-Identifier: MIT */
#include "tune/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const form =
    "not NAME=VALUES, where VALUES are numbers and ranges with commas: 'm=1024..8192 times 2 "
    "n=512,4096'";

/* The values of one name. */
typedef struct {
  const char *name;
  int count;
  int64_t value[SIZES_MAX];
} SizeAxis;

static bool parse_size(const char **at, int64_t *out) {
  char *end;
  errno = 0;
  *out = isdigit((unsigned char)**at) ? strtoll(*at, &end, 10) : 0;
  if (*out < 1 || *out > INT32_MAX || errno) return false;
  *at = end;
  return true;
}

static bool skip_word(const char **at, const char *word) {
  const size_t n = strlen(word);
  if (strncmp(*at, word, n) != 0) return false;
  *at += n;
  return true;
}

/* A, A..B, A..B by STEP or A..B times FACTOR. Returns the error, or NULL. */
static const char *parse_range(const char **at, SizeAxis *x) {
  int64_t first, last, step = 1;
  if (!parse_size(at, &first)) return form;
  last = first;
  if (skip_word(at, "..") && !parse_size(at, &last)) return form;
  const bool times = skip_word(at, " times ");
  if ((times || skip_word(at, " by ")) && !parse_size(at, &step)) return form;
  if (last < first || (times && step < 2)) return "a range goes upwards";
  for (int64_t v = first; v <= last; v = times ? v * step : v + step) {
    if (x->count == SIZES_MAX) return "more than 256 values";
    x->value[x->count++] = v;
  }
  return NULL;
}

static const char *parse_axis(Arena *a, const char **at, SizeAxis *x) {
  const size_t n = strcspn(*at, "= ");
  if (!n || (*at)[n] != '=') return form;
  *x = (SizeAxis){.name = arena_strndup(a, *at, n)};
  *at += n + 1;
  const char *wrong = parse_range(at, x);
  while (!wrong && skip_word(at, ",")) wrong = parse_range(at, x);
  if (!wrong && **at && **at != ' ') wrong = form;
  *at += strspn(*at, " ");
  return wrong;
}

/* Adds all combinations of the axes. */
static const char *add_products(Arena *a, const SizeAxis *axis, int axes, SizeList *out) {
  int64_t products = 1;
  for (int x = 0; x < axes; x++) products *= axis[x].count;
  if (out->count + products > SIZES_MAX) return "more than 256 problems";
  for (int64_t i = 0; i < products; i++) {
    Param *param = ARENA_ARRAY(a, Param, (size_t)axes);
    int64_t left = i;
    for (int x = axes - 1; x >= 0; x--) {
      param[x] = (Param){axis[x].name, axis[x].value[left % axis[x].count]};
      left /= axis[x].count;
    }
    out->problem[out->count++] = (Values){axes, param};
  }
  return NULL;
}

static const char *parse_item(Arena *a, const char *at, SizeList *out) {
  SizeAxis *axis = ARENA_ARRAY(a, SizeAxis, MAX_SIZES);
  int axes = 0;
  at += strspn(at, " ");
  do {
    if (axes == MAX_SIZES) return "more than 8 sizes";
    const char *wrong = parse_axis(a, &at, &axis[axes]);
    if (wrong) return wrong;
    for (int x = 0; x < axes; x++)
      if (strcmp(axis[x].name, axis[axes].name) == 0) return "a size is given twice";
    axes++;
  } while (*at);
  return add_products(a, axis, axes, out);
}

bool sizes_parse(Arena *a, const OptionList *items, SizeList *out, Diag *diag) {
  *out = (SizeList){.count = 0};
  for (int i = 0; i < items->count; i++) {
    const char *wrong = parse_item(a, items->item[i], out);
    if (!wrong) continue;
    diag_say(diag, DIAG_ARGUMENT, "--sizes '%s': %s", items->item[i], wrong);
    return false;
  }
  return true;
}

bool sizes_fit(Arena *a, const Values *problem, const Spec *spec, Diag *diag) {
  for (int i = 0; i < problem->count; i++) {
    int size = 0;
    while (size < spec->sizes && strcmp(spec->size[size].name, problem->param[i].name) != 0) size++;
    if (size < spec->sizes) continue;
    Text names = text_new(a);
    for (int s = 0; s < spec->sizes; s++)
      text_printf(&names, "%s%s", s ? ", " : "", spec->size[s].name);
    diag_say(diag, DIAG_ARGUMENT, "--sizes: %s has no size '%s'; its sizes are %s", spec->name,
             problem->param[i].name, spec->sizes ? names.s : "none");
    return false;
  }
  return true;
}
