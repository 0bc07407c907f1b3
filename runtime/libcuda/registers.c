#include "libcuda/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 16, MOST = 255, OF_A_CALL = 24 };

/* %r<8> declares eight registers, tmp one. */
typedef struct {
  const char *name;
  size_t bytes;
  int count; /* 0: the name as it stands, without a number */
  int first; /* index of the first of them */
  int width; /* in registers of 32 bits */
} Declared;

typedef struct {
  int first, last, width; /* statements; first -1: it does not occur */
} Life;

/* A label, or a branch back to one. */
typedef struct {
  const char *name;
  size_t bytes;
  int at;
} Label;

typedef struct {
  int from, to;
} Loop;

typedef struct {
  Arena *arena;
  int statement;
  bool calls;
  Declared *declared;
  Life *life;
  Label *label;
  Loop *loop;
  int declarations, lives, labels, loops;
  int declared_room, life_room, label_room, loop_room;
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
  r->declared[r->declarations++] = (Declared){name, bytes, count, r->lives, width};
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
    s += n ? n : 1;
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

static Life *find(const Reader *r, const char *word, size_t n) {
  size_t prefix = n;
  while (prefix && isdigit((unsigned char)word[prefix - 1])) prefix--;
  const long number = prefix < n ? strtol(word + prefix, NULL, 10) : -1;
  for (int i = r->declarations - 1; i >= 0; i--) {
    const Declared *d = &r->declared[i];
    const bool numbered = d->count && d->bytes == prefix && number >= 0 && number < d->count;
    if (!numbered && (d->count || d->bytes != n)) continue;
    if (memcmp(d->name, word, d->bytes) == 0) return &r->life[d->first + (numbered ? number : 0)];
  }
  return NULL;
}

static void note_label(Reader *r, const char *name, size_t bytes) {
  r->label = arena_grow(r->arena, r->label, r->labels, &r->label_room, sizeof *r->label);
  r->label[r->labels++] = (Label){name, bytes, r->statement};
}

/* A word that names an earlier label closes a loop. */
static void note_loop(Reader *r, const char *word, size_t n) {
  for (int i = 0; i < r->labels; i++) {
    const Label *l = &r->label[i];
    if (l->bytes != n || memcmp(l->name, word, n) != 0) continue;
    r->loop = arena_grow(r->arena, r->loop, r->loops, &r->loop_room, sizeof *r->loop);
    r->loop[r->loops++] = (Loop){l->at, r->statement};
  }
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

/* Reads the kernel's body, from behind its opening bracket to the closing one. */
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

/* A register that is defined before a loop and used in it is live to the loop's end. */
static void live_through_loops(Reader *r) {
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < r->loops; k++)
      for (int i = 0; i < r->lives; i++) {
        Life *l = &r->life[i];
        const bool enters =
            l->first >= 0 && l->first < r->loop[k].from && l->last >= r->loop[k].from;
        if (!enters || l->last >= r->loop[k].to) continue;
        l->last = r->loop[k].to;
        again = true;
      }
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

/* Returns the limit that .maxnreg sets, which stands between parameters and body. */
static int limit_of(const char *head, const char *body) {
  static const char word[] = ".maxnreg";
  const char *at = strstr(head, word);
  const long limit = at && at < body ? strtol(at + sizeof word - 1, NULL, 10) : 0;
  return limit > 0 && limit < MOST ? (int)limit : MOST;
}

int registers_guess(Arena *scratch, const char *ptx, const char *kernel) {
  const char *head = find_kernel(ptx, kernel), *body = head ? strchr(head, '{') : NULL;
  if (!body) return 0;
  Reader r = {.arena = scratch};
  read_body(&r, body + 1);
  live_through_loops(&r);
  int most = most_at_once(&r);
  const int least = r.calls ? OF_A_CALL : LEAST, limit = limit_of(head, body);
  if (most < least) most = least;
  return most < limit ? most : limit;
}
