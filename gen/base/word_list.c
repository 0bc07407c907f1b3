/* SPDX-License-Identifier: MIT */
#include "base/word_list.h"

/* Arena memory is zeroed, so there is a NULL after the last word. */
void word_list_add(WordList *list, const char *word) {
  const int used = list->count ? list->count + 1 : 0;
  list->word = arena_grow(list->arena, list->word, used, &list->capacity, sizeof *list->word);
  list->word[list->count++] = word;
}

void word_list_printf(WordList *list, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  word_list_add(list, arena_vprintf(list->arena, fmt, args));
  va_end(args);
}

char **word_list_argv(const WordList *list) { return (char **)(uintptr_t)list->word; }
