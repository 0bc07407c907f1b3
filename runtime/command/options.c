#include "command/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void option_list_add(Arena *a, OptionList *list, const char *item) {
  list->item = arena_grow(a, list->item, list->count, &list->capacity, sizeof *list->item);
  list->item[list->count++] = item;
}

bool options_color(const Options *o, int fd) {
  if (o->color != COLOR_AUTO) return o->color == COLOR_ALWAYS;
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}
