/* SPDX-License-Identifier: MIT */
#include "emu/op/modifiers.h"

#include <string.h>

#include "base/text.h"

/* A part of a form: alternatives of `length` characters, separated by `|`. */
typedef struct {
  const char *words;
  size_t length;
  bool optional, chosen; /* chosen: it has alternatives or may be absent, so it has a choice */
} Part;

static bool next_part(const char **form, Part *part) {
  const char *at = *form + strspn(*form, " ");
  const size_t length = strcspn(at, " ");
  *form = at + length;
  if (!length) return false;
  part->optional = *at == '[';
  part->words = at + part->optional;
  part->length = length - (part->optional ? 2 : 0);
  part->chosen = part->optional || memchr(part->words, '|', part->length);
  return true;
}

/* The number of the word among the part's alternatives; -1: it is none of them. */
static int word_of(const Part *part, const char *word) {
  const size_t length = strlen(word);
  int number = 0;
  for (const char *at = part->words, *end = at + part->length; at < end; number++) {
    const char *bar = memchr(at, '|', (size_t)(end - at));
    const size_t size = (size_t)((bar ? bar : end) - at);
    if (size == length && memcmp(at, word, length) == 0) return number;
    at += size + 1;
  }
  return -1;
}

/* The alternative that the first modifier not yet taken names. */
static int take_part(const Decoder *d, const Part *part, uint32_t *taken) {
  for (int i = 1; i < d->modifiers; i++) {
    const int word = *taken >> i & 1 ? -1 : word_of(part, d->modifier[i]);
    if (word < 0) continue;
    *taken |= 1u << i;
    return word;
  }
  return -1;
}

bool modifiers_match(Decoder *d, const char *form, int *fit) {
  uint32_t taken = 1;
  int choices = 0, missing = 0;
  Part part;
  while (next_part(&form, &part)) {
    const int word = take_part(d, &part, &taken);
    missing += word < 0 && !part.optional;
    if (part.chosen && choices < MAX_CHOICES) d->choice[choices++] = (int8_t)word;
  }
  const int understood = __builtin_popcount(taken) - 1;
  *fit = understood - missing;
  return !missing && understood == d->modifiers - 1;
}

static void put_expected(Text *text, const Part *part) {
  const char *end = part->words + part->length;
  text_puts(text, "expected .");
  for (const char *at = part->words; at < end; at++) {
    const bool last = !memchr(at + 1, '|', (size_t)(end - at - 1));
    if (*at == '|')
      text_puts(text, last ? " or ." : ", .");
    else
      text_printf(text, "%c", *at);
  }
}

void modifiers_explain(Decoder *d, const char *form) {
  uint32_t taken = 1;
  Part part;
  Text expected = text_new(d->arena);
  while (next_part(&form, &part))
    if (take_part(d, &part, &taken) < 0 && !part.optional && !expected.len)
      put_expected(&expected, &part);
  int i = 1;
  while (i < d->modifiers && taken >> i & 1) i++;
  if (i < d->modifiers)
    decode_fail(d, "modifier .%.40s is not supported%s%s", d->modifier[i], expected.len ? ", " : "",
                expected.len ? expected.s : "");
  else
    decode_fail(d, "%s", expected.s);
}
