/* SPDX-License-Identifier: MIT */
/* word_list.h: a growing, NULL-terminated list of words, such as a command line or an
 * environment. */
#ifndef KGEN_BASE_WORD_LIST_H
#define KGEN_BASE_WORD_LIST_H

#include "base/arena.h"

typedef struct {
  Arena *arena;
  int count, capacity;
  const char **word; /* NULL if the list is empty */
} WordList;

/* Adds the word without copying it; it must live as long as the list. */
void word_list_add(WordList *list, const char *word);
void word_list_printf(WordList *list, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The words in the type that exec() takes; exec() does not modify them. */
char **word_list_argv(const WordList *list);

#endif
