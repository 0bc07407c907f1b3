#include "tune/devices.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "device/backend.h"
#include "tune/self.h"

enum { MAX_DEVICES = 256 };

/* Words between commas. */
static int split(Arena *a, const char *text, const char **out) {
  int count = 0;
  while (*text && count < MAX_DEVICES) {
    const size_t n = strcspn(text, ",");
    if (n) out[count++] = arena_strndup(a, text, n);
    text += n + (text[n] == ',');
  }
  return count;
}

/* GPU number i is, where some are made visible already, the i-th of these. */
static const char *visible_name(Arena *a, int i) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  const char *name[MAX_DEVICES];
  const int count = visible ? split(a, visible, name) : 0;
  return i < count ? name[i] : arena_printf(a, "%d", i);
}

static bool is_number(const char *text) {
  const char *at = text;
  while (isdigit((unsigned char)*at)) at++;
  return at > text && !*at && at - text < 4;
}

int devices_list(Arena *a, const char *text, const char ***out, Text *why) {
  const bool all = strcmp(text, "all") == 0;
  const char **name = ARENA_ARRAY(a, const char *, MAX_DEVICES);
  const int gpus = all ? backend_gpus(a) : 0;
  const int count = all ? number_least(gpus, MAX_DEVICES) : split(a, text, name);
  *out = name;
  for (int i = 0; i < count; i++) {
    if (!all && !is_number(name[i])) {
      text_printf(why, "--devices %s: want all, or numbers with commas", text);
      return 0;
    }
    name[i] = visible_name(a, all ? i : atoi(name[i]));
  }
  if (count == 0) text_printf(why, "--devices %s: there is no GPU here", text);
  return count;
}

/* Of a part that this call has already, the parts of its processes are parts. */
static const char *part_of(Arena *a, const Tuning *t, int i, int count) {
  return arena_printf(a, "%d/%d", t->shard + t->shards * i, t->shards * count);
}

void devices_search(Tuning *t, Arena *a, const Paths *paths, double seconds, int count,
                    const char *const *device) {
  pid_t *child = ARENA_ARRAY(a, pid_t, (size_t)count);
  for (int i = 0; i < count; i++) {
    WordList w = self_command(a, t);
    self_add_option(&w, "--shard", part_of(a, t, i, count));
    self_add_option(&w, "--budget", arena_printf(a, "%.0f", seconds < 1 ? 1 : seconds));
    if (t->options->until == UNTIL_COMPILED) word_list_add(&w, "--jit");
    word_list_add(&w, "--");
    for (int p = 0; p < paths->count; p++) word_list_add(&w, paths->path[p]);
    if (self_start(t, &w, t->file, device[i], &child[i])) continue;
    child[i] = 0;
    text_printf(t->runner->messages, "kgen: no process for GPU %s: %s\n", device[i],
                strerror(errno));
  }
  for (int i = 0; i < count; i++)
    if (child[i] && !self_finish(t, child[i]) && !t->signal)
      text_printf(t->runner->messages, "kgen: the search on GPU %s failed\n", device[i]);
}
