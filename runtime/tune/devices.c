/* SPDX-License-Identifier: MIT */
#include "tune/devices.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "device/backend.h"
#include "tune/self.h"

enum { MAX_DEVICES = 256 };

/* Words separated by commas. */
static int split(Arena *a, const char *text, const char **out) {
  int count = 0;
  while (*text && count < MAX_DEVICES) {
    const size_t n = strcspn(text, ",");
    if (n) out[count++] = arena_strndup(a, text, n);
    text += n + (text[n] == ',');
  }
  return count;
}

/* If some GPUs are made visible by the environment, GPU number i is the i-th of these. */
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

static bool is_twice(const char *const *name, int i) {
  for (int k = 0; k < i; k++)
    if (atoi(name[k]) == atoi(name[i])) return true;
  return false;
}

static int list_all(Arena *a, DeviceList *out, Diag *diag) {
  out->count = number_least(backend_gpus(a), MAX_DEVICES);
  for (int i = 0; i < out->count; i++) out->name[i] = visible_name(a, i);
  if (!out->count) diag_say(diag, DIAG_ARGUMENT, "--devices all: there is no GPU here");
  return out->count ? 0 : EXIT_NO_GPU;
}

/* Two searches on one GPU would disturb each other's times. */
static int list_some(Arena *a, const char *text, DeviceList *out, Diag *diag) {
  const char **number = ARENA_ARRAY(a, const char *, MAX_DEVICES);
  out->count = split(a, text, number);
  const char *wrong = out->count ? NULL : "want all, or numbers with commas";
  for (int i = 0; i < out->count && !wrong; i++) {
    if (!is_number(number[i]))
      wrong = "want all, or numbers with commas";
    else if (is_twice(number, i))
      wrong = arena_printf(a, "GPU %s is named twice", number[i]);
    else
      out->name[i] = visible_name(a, atoi(number[i]));
  }
  if (wrong) diag_say(diag, DIAG_ARGUMENT, "--devices %s: %s", text, wrong);
  return wrong ? EXIT_USAGE : 0;
}

int devices_list(Arena *a, const char *text, DeviceList *out, Diag *diag) {
  *out = (DeviceList){.name = ARENA_ARRAY(a, const char *, MAX_DEVICES)};
  return strcmp(text, "all") == 0 ? list_all(a, out, diag) : list_some(a, text, out, diag);
}

/* If this call already has a shard, its processes get shards of it. */
static const char *part_of(Arena *a, const Tuning *t, int i, int count) {
  return arena_printf(a, "%d/%d", t->shard + t->shards * i, t->shards * count);
}

void devices_search(Tuning *t, Arena *a, const Paths *paths, double seconds, const DeviceList *on) {
  const int count = on->count;
  pid_t *child = ARENA_ARRAY(a, pid_t, (size_t)count);
  for (int i = 0; i < count; i++) {
    WordList w = self_command(a, t);
    self_add_option(&w, "--shard", part_of(a, t, i, count));
    self_add_option(&w, "--budget", arena_printf(a, "%.0f", seconds < 1 ? 1 : seconds));
    if (t->options->stage == STAGE_COMPILED) word_list_add(&w, "--jit");
    word_list_add(&w, "--");
    for (int p = 0; p < paths->count; p++) word_list_add(&w, paths->path[p]);
    if (self_start(t, &w, t->file, on->name[i], &child[i])) continue;
    child[i] = 0;
    text_printf(t->runner->messages, "kgen: no process for GPU %s: %s\n", on->name[i],
                strerror(errno));
  }
  for (int i = 0; i < count; i++)
    if (child[i] && !self_finish(t, child[i]) && !t->signal)
      text_printf(t->runner->messages, "kgen: the search on GPU %s failed\n", on->name[i]);
}
