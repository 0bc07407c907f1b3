#include "libcuda/image/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda/image/name_table.h"

enum { LEAST = 16, MOST = 255, OF_A_CALL = 24 };

/* A declaration: %r<8> declares eight registers, tmp one. */
typedef struct {
  const char *name;
  size_t bytes;
  int count; /* number of registers; 0: the name is used without a number */
  int first; /* index of its first register */
  int width; /* number of 32-bit registers for each */
  int older; /* an earlier declaration of the same name with more registers; -1: none */
} Declared;

typedef struct {
  int first, last, width; /* statement numbers; first is -1 if the register does not occur */
} Life;

/* A label, in text order. */
typedef struct {
  int at;  /* its statement number */
  int to;  /* last statement that branches back to the label; -1: none */
  int end; /* last statement up to which a register that enters this loop is live, including loops
              that begin inside this one */
} Label;

typedef struct {
  Arena *arena;
  int statement;
  bool calls;
  Declared *declared;
  Life *life;
  Label *label;
  int declarations, lives, labels;
  int declared_room, life_room, label_room;
  NameTable plain, numbered, label_names;
  uint64_t steps;
} Reader;

/* --- words --- */

static bool is_word(char c) { return isalnum((unsigned char)c) || strchr("_$%", c); }

static size_t word_at(const char *s) {
  size_t n = 0;
  while (s[n] && is_word(s[n])) n++;
  return n;
}

static bool is(const char *word, size_t n, const char *want) {
  return n == strlen(want) && memcmp(word, want, n) == 0;
}

static const char *skip_space(const char *s) {
  for (;;) {
    while (isspace((unsigned char)*s)) s++;
    if (s[0] != '/' || s[1] != '/') return s;
    while (*s && *s != '\n') s++;
  }
}

/* --- declarations --- */

static int width_of(const char *type, size_t n) {
  if (is(type, n, "pred")) return 0;
  if (n == 4 && memcmp(type + 1, "128", 3) == 0) return 4;
  return n == 3 && memcmp(type + 1, "64", 2) == 0 ? 2 : 1;
}

static void declare(Reader *r, const char *name, size_t bytes, int count, int width) {
  const int lives = count ? count : 1;
  r->declared =
      arena_grow(r->arena, r->declared, r->declarations, &r->declared_room, sizeof *r->declared);
  NameTable *names = count ? &r->numbered : &r->plain;
  int older = name_table_get(names, name, bytes);
  for (; older >= 0 && r->declared[older].count <= count; older = r->declared[older].older)
    r->steps++;
  name_table_set(names, name, bytes, r->declarations);
  r->declared[r->declarations++] = (Declared){name, bytes, count, r->lives, width, older};
  r->steps += (uint64_t)lives;
  for (int i = 0; i < lives; i++) {
    r->life = arena_grow(r->arena, r->life, r->lives, &r->life_room, sizeof *r->life);
    r->life[r->lives++] = (Life){-1, -1, width};
  }
}

/* Reads a declaration that follows .reg, up to its semicolon. */
static const char *read_registers(Reader *r, const char *s) {
  enum { MOST_OF_ONE = 1 << 20 };
  int width = 1;
  for (s = skip_space(s); *s && *s != ';'; s = skip_space(s)) {
    const bool type = *s == '.';
    if (type || *s == ',') s = skip_space(s + 1);
    const size_t n = word_at(s);
    const char *name = s;
    s += n ? n : *s != 0;
    if (type && *name != 'v') width = width_of(name, n);
    if (type || !n) continue;
    const long count = *s == '<' ? strtol(s + 1, NULL, 10) : 0;
    if (*s == '<') s += strcspn(s, ">;");
    if (*s == '>') s++;
    if (count >= 0 && count < MOST_OF_ONE) declare(r, name, n, (int)count, width);
  }
  return s;
}

/* --- lives --- */

/* Finds the register of a word; the latest declaration is valid. */
static Life *find(Reader *r, const char *word, size_t n) {
  size_t prefix = n;
  while (prefix && isdigit((unsigned char)word[prefix - 1])) prefix--;
  const long number = prefix < n ? strtol(word + prefix, NULL, 10) : -1;
  const int plain = name_table_get(&r->plain, word, n);
  int numbered = number >= 0 ? name_table_get(&r->numbered, word, prefix) : -1;
  for (; numbered >= 0 && r->declared[numbered].count <= number;
       numbered = r->declared[numbered].older)
    r->steps++;
  if (plain < 0 && numbered < 0) return NULL;
  return numbered > plain ? &r->life[r->declared[numbered].first + number]
                          : &r->life[r->declared[plain].first];
}

static void note_label(Reader *r, const char *name, size_t bytes) {
  r->label = arena_grow(r->arena, r->label, r->labels, &r->label_room, sizeof *r->label);
  name_table_set(&r->label_names, name, bytes, r->labels);
  r->label[r->labels++] = (Label){r->statement, -1, -1};
}

/* A word that names an earlier label is a back edge of its loop. */
static void note_loop(Reader *r, const char *word, size_t n) {
  const int label = name_table_get(&r->label_names, word, n);
  if (label >= 0) r->label[label].to = r->statement;
}

static void note_word(Reader *r, const char *word, size_t n) {
  Life *l = find(r, word, n);
  if (is(word, n, "call")) r->calls = true;
  if (!l) {
    if (*word == '$' || isalpha((unsigned char)*word)) note_loop(r, word, n);
    return;
  }
  if (l->first < 0) l->first = r->statement;
  l->last = r->statement;
}

/* Reads the kernel's body, from its opening bracket to the closing one. */
static void read_body(Reader *r, const char *s) {
  int depth = 1;
  for (s = skip_space(s); *s && depth; s = skip_space(s)) {
    const size_t n = word_at(s);
    if (strncmp(s, ".reg", 4) == 0 && isspace((unsigned char)s[4])) {
      s = read_registers(r, s + 4);
    } else if (n && s[n] == ':' && s[n + 1] != ':') {
      note_label(r, s, n);
      s += n;
    } else if (n) {
      note_word(r, s, n);
      s += n;
    } else {
      depth += (*s == '{') - (*s == '}');
      r->statement += *s++ == ';';
    }
  }
}

/* --- loops --- */

/* A register that is live at the end of a loop also enters the loops that begin inside it and end
 * after it. Of the loops that begin later, `open` keeps those that no earlier loop is known to
 * enter. */
static void find_ends(Reader *r) {
  int *open = ARENA_ARRAY(r->arena, int, (size_t)r->labels + 1), opens = 0;
  for (int i = r->labels - 1; i >= 0; i--) {
    Label *l = &r->label[i];
    r->steps++;
    l->end = l->to;
    if (l->to < 0) continue;
    for (; opens && r->label[open[opens - 1]].at <= l->end; opens--, r->steps++)
      if (r->label[open[opens - 1]].end > l->end) l->end = r->label[open[opens - 1]].end;
    open[opens++] = i;
  }
}

/* The maximum `end` over runs of 1, 2, 4, ... labels. */
typedef struct {
  int *of[32];
} Ends;

static Ends most_ends(Reader *r) {
  Ends most = {{0}};
  most.of[0] = ARENA_ARRAY(r->arena, int, (size_t)r->labels + 1);
  for (int i = 0; i < r->labels; i++) most.of[0][i] = r->label[i].end;
  for (int k = 1; 1 << k <= r->labels; k++) {
    const int *half = most.of[k - 1], step = 1 << (k - 1), runs = r->labels - 2 * step + 1;
    most.of[k] = ARENA_ARRAY(r->arena, int, (size_t)runs);
    for (int i = 0; i < runs; i++, r->steps++)
      most.of[k][i] = half[i] > half[i + step] ? half[i] : half[i + step];
  }
  return most;
}

/* Returns the number of labels at statements up to that one. */
static int labels_until(Reader *r, int statement) {
  int low = 0, high = r->labels;
  for (; low < high; r->steps++) {
    const int middle = (low + high) / 2;
    if (r->label[middle].at <= statement)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Extends lives: a register that is defined before a loop and used in it is live to the loop's
 * end. */
static void live_through_loops(Reader *r) {
  find_ends(r);
  const Ends most = most_ends(r);
  for (int i = 0; i < r->lives; i++) {
    Life *l = &r->life[i];
    const int from = labels_until(r, l->first), until = labels_until(r, l->last);
    if (l->first < 0 || from == until) continue;
    int k = 0;
    while (2 << k <= until - from) k++;
    const int a = most.of[k][from], b = most.of[k][until - (1 << k)], end = a > b ? a : b;
    if (end > l->last) l->last = end;
  }
}

static int most_at_once(const Reader *r) {
  int *change = ARENA_ARRAY(r->arena, int, (size_t)r->statement + 1), live = 0, most = 0;
  for (int i = 0; i < r->lives; i++) {
    if (r->life[i].first < 0) continue;
    change[r->life[i].first] += r->life[i].width;
    change[r->life[i].last] -= r->life[i].width;
  }
  for (int i = 0; i <= r->statement; i++) {
    live += change[i];
    if (live > most) most = live;
  }
  return most;
}

/* --- the kernel --- */

static const char *find_kernel(const char *ptx, const char *kernel) {
  static const char entry[] = ".entry";
  for (const char *s = ptx; (s = strstr(s, entry));) {
    s = skip_space(s + sizeof entry - 1);
    const size_t n = word_at(s);
    if (is(s, n, kernel)) return s + n;
  }
  return NULL;
}

/* Returns the limit that .maxnreg sets, between the parameters and the body. */
static int limit_of(const char *head, const char *body) {
  static const char word[] = ".maxnreg";
  const char *at = strstr(head, word);
  const long limit = at && at < body ? strtol(at + sizeof word - 1, NULL, 10) : 0;
  return limit > 0 && limit < MOST ? (int)limit : MOST;
}

int registers_guess(Arena *scratch, const char *ptx, const char *kernel, uint64_t *steps) {
  const char *head = find_kernel(ptx, kernel), *body = head ? strchr(head, '{') : NULL;
  if (!body) return 0;
  Reader r = {.arena = scratch,
              .plain = {.arena = scratch},
              .numbered = {.arena = scratch},
              .label_names = {.arena = scratch}};
  read_body(&r, body + 1);
  live_through_loops(&r);
  int most = most_at_once(&r);
  if (steps) *steps = r.steps + r.plain.steps + r.numbered.steps + r.label_names.steps;
  const int least = r.calls ? OF_A_CALL : LEAST, limit = limit_of(head, body);
  if (most < least) most = least;
  return most < limit ? most : limit;
}
