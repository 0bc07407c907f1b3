/* word_list.h: a growing list of words, NULL after the last: a command line, options, an
 * environment. */
#ifndef KGEN_BASE_WORD_LIST_H
#define KGEN_BASE_WORD_LIST_H

#include "base/arena.h"

typedef struct {
  Arena *arena;
  int count, capacity;
  const char **word; /* NULL: there are none */
} WordList;

/* Adds the word itself, which must live as long as the list. */
void word_list_add(WordList *list, const char *word);
void word_list_printf(WordList *list, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The words as exec and its like take them, which do not write them. */
char **word_list_argv(const WordList *list);

#endif
