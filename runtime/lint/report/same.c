/* SPDX-License-Identifier: MIT */
#include "lint/report/same.h"

#include <inttypes.h>
#include <string.h>

#include "base/cells.h"
#include "base/json.h"
#include "lint/input/name.h"

static const char *const side_name[SAME_SIDES] = {"a", "b"};

/* The rows of the table, and the keys of JSON. */
static const struct {
  const char *key, *title;
  size_t offset;
} row[] = {
    {"wavefronts", "shared wavefronts", offsetof(SameCounts, wavefronts)},
    {"conflicts", "of them conflicts", offsetof(SameCounts, conflicts)},
    {"bulk_wavefronts", "wavefronts of bulk copies", offsetof(SameCounts, bulk_wavefronts)},
    {"sectors", "global sectors", offsetof(SameCounts, sectors)},
    {"ideal_sectors", "ideal sectors", offsetof(SameCounts, ideal_sectors)},
    {"warp_instructions", "warp instructions", offsetof(SameCounts, warp_instructions)},
    {"shared_bytes", "shared bytes per block", offsetof(SameCounts, shared_bytes)},
    {"findings", "findings", offsetof(SameCounts, findings)},
};
enum { ROWS = sizeof row / sizeof *row };

static uint64_t count_of(const SameSide *s, int i) {
  return *(const uint64_t *)(const void *)((const char *)&s->counts + row[i].offset);
}

/* --- for people --- */

static void put_counts(Text *out, const SamePair *p) {
  static const CellsColumn column[] = {{"", "", true}, {"", "A", false}, {"", "B", false}};
  Cells g = cells_new(out->arena, column, 3);
  for (int i = 0; i < ROWS; i++) {
    if (!count_of(&p->side[0], i) && !count_of(&p->side[1], i) && i != ROWS - 1) continue;
    const char **cell = cells_add(&g);
    cell[0] = row[i].title;
    for (int s = 0; s < SAME_SIDES; s++)
      cell[1 + s] = arena_printf(out->arena, "%" PRIu64, count_of(&p->side[s], i));
  }
  cells_print(&g, out);
}

static void put_outputs(Text *out, const SamePair *p) {
  for (int i = 0; i < p->inputs; i++)
    text_printf(out, "%s: holds something else in A and in B before the launch\n", p->input[i]);
  for (int i = 0; i < p->outputs; i++)
    text_printf(out, "%s: %s\n", p->output[i].name,
                lint_output_text(out->arena, &p->output[i], "in B"));
  if (p->idle)
    text_puts(out, "both write what was there before: every buffer is as it was\n");
  else if (!p->outputs)
    text_puts(out, "neither changes a buffer or a variable: nothing is shown\n");
}

static void put_pair(Text *out, const SamePair *p) {
  if (p->name && strcmp(lint_name_plain(out->arena, p->name), p->side[0].kernel) != 0)
    text_printf(out, "launch %s\n", p->name);
  for (int s = 0; s < SAME_SIDES; s++)
    text_printf(out, "%c: %s: %s\n", 'A' + s, p->side[s].file, p->side[s].kernel);
  text_puts(out, "\n");
  put_counts(out, p);
  text_puts(out, "\n");
  put_outputs(out, p);
  for (int s = 0; s < SAME_SIDES; s++)
    if (p->side[s].finding) text_printf(out, "%c: %s\n", 'A' + s, p->side[s].finding);
  text_puts(out, p->equal ? "the same\n" : "not the same\n");
}

void lint_same_text(Text *out, const SamePair *pair, int pairs) {
  for (int i = 0; i < pairs; i++) {
    if (i) text_puts(out, "\n");
    put_pair(out, &pair[i]);
  }
}

/* --- for programs --- */

static void put_side(Json *j, const char *key, const SameSide *s) {
  json_object(j, key);
  json_string(j, "file", s->file);
  json_string(j, "kernel", s->kernel);
  for (int i = 0; i < ROWS; i++) json_int(j, row[i].key, (int64_t)count_of(s, i));
  json_end(j);
}

void lint_same_json(Text *out, const SamePair *pair, int pairs) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_int(j, "version", 1);
  json_array(j, "same");
  for (int i = 0; i < pairs; i++) {
    json_object(j, NULL);
    json_string(j, "name", pair[i].name);
    json_bool(j, "equal", pair[i].equal);
    for (int s = 0; s < SAME_SIDES; s++) put_side(j, side_name[s], &pair[i].side[s]);
    json_row(j, "inputs_differ");
    for (int k = 0; k < pair[i].inputs; k++) json_string(j, NULL, pair[i].input[k]);
    json_end(j);
    json_array(j, "outputs");
    for (int k = 0; k < pair[i].outputs; k++) lint_output_json(j, &pair[i].output[k], "a", "b");
    json_ends(j, 2);
  }
  json_ends(j, 2);
}
