/* SPDX-License-Identifier: MIT */
/* Each row of the tables of opcodes is executed. Arithmetic: with each of its types on an H200,
 * with the exceptions that row_coverage.h lists. Others: data/isa.txt has a form with each of their
 * words. */
#include "emu/row_coverage.h"

#include "emu/op/modifiers.h"
#include "emu/op/opcode.h"

/* Words that sm_90a does not have: v8, hints of the L2 cache and pairs of blocks are for sm_100a.
 * The last ones name the spaces of a kernel's parameters. */
static const char *const unlisted[] = {
    "v8",           "L2::evict_normal", "L2::evict_first", "L2::evict_last", "unified",
    "cta_group::1", "cta_group::2",     "param::entry",    "param::func",    NULL};

enum { MOST_ROWS = 256, MOST_WORDS = 64 };

static Decoder decoder;

static void split(Arena *a, const char *line) {
  char *text = arena_printf(a, "%.*s", (int)strcspn(line, " ;"), line);
  decoder.modifiers = 0;
  for (char *at = text; at && decoder.modifiers < MAX_MODIFIERS;) {
    char *dot = strchr(at, '.');
    if (dot) *dot = '\0';
    decoder.modifier[decoder.modifiers++] = at;
    at = dot ? dot + 1 : NULL;
  }
}

static bool has_word(const char *word, size_t length) {
  for (int i = 1; i < decoder.modifiers; i++)
    if (strlen(decoder.modifier[i]) == length && memcmp(decoder.modifier[i], word, length) == 0)
      return true;
  return false;
}

/* Bit k of the result: the statement has the form's k-th word. */
static uint64_t words_of(const char *form) {
  uint64_t words = 0;
  int k = 0;
  for (const char *at = form; *(at += strspn(at, " |[]")); k++) {
    const size_t length = strcspn(at, " |[]");
    words |= (uint64_t)has_word(at, length) << k;
    at += length;
  }
  return words;
}

static void check_row(const Opcode *row, uint64_t words) {
  int k = 0;
  for (const char *at = row->form; *(at += strspn(at, " |[]")); k++) {
    const int length = (int)strcspn(at, " |[]");
    const char *name = at;
    bool listed = words >> k & 1;
    for (size_t i = 0; unlisted[i]; i++)
      listed |=
          (int)strlen(unlisted[i]) == length && memcmp(unlisted[i], name, (size_t)length) == 0;
    CHECK(listed, "%s (%s): isa.txt has no form with .%.*s", row->name, row->what, length, name);
    at += length;
  }
}

/* Textures and surfaces, wgmma, and instructions of sm_100a: other tests execute them. */
static bool is_elsewhere(const char *name) {
  static const char *const begin[] = {"tex", "tld4", "txq", "su", "wgmma", "clusterlaunchcontrol"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (strncmp(name, begin[i], strlen(begin[i])) == 0) return true;
  return false;
}

static void check_opcodes(Arena *a, const IsaList *list) {
  static uint64_t words[MOST_ROWS];
  static bool found[MOST_ROWS];
  size_t rows;
  int fit;
  const Opcode *row = opcode_rows(&rows);
  for (int i = 0; i < list->count; i++) {
    if (list->mark[i][0] == '!') continue;
    const char *line = list->name[i];
    if (*line == '@') line = strchr(line, ' ') + 1;
    split(a, line);
    for (size_t r = 0; r < rows; r++) {
      if (strcmp(row[r].name, decoder.modifier[0]) != 0 || !row[r].form) continue;
      if (!modifiers_match(&decoder, row[r].form, &fit)) continue;
      words[r] |= words_of(row[r].form);
      found[r] = true;
      break;
    }
  }
  for (size_t r = 0; r < rows; r++) {
    if (!row[r].form || is_elsewhere(row[r].name)) continue;
    CHECK(found[r], "isa.txt has no form of %s: %s", row[r].name, row[r].what);
    check_row(&row[r], words[r]);
  }
}

int main(void) {
  static Coverage c;
  static IsaList list;
  Arena *a = arena_new();
  isa_list_read(a, "isa.txt", &list);
  coverage_count(&c, &list);
  CHECK(c.without[UNMEASURED] <= 12, "%d not measured", c.without[UNMEASURED]);
  printf(
      "%d rows with %d types: an H200 executed %d; %d of later processors, %d rejected by ptxas, "
      "%d not measured\n",
      c.rows, c.pairs, c.measured, c.without[LATER], c.without[REJECTED], c.without[UNMEASURED]);
  check_opcodes(a, &list);
  arena_free(a);
  return check_report("emu_row_coverage");
}
