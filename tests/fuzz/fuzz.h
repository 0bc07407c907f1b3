/* SPDX-License-Identifier: MIT */
/* fuzz.h: shared code of the libFuzzer targets. A target is tests/fuzz/NAME.c and states in its
 * first lines, for scripts/fuzz, which files it covers and where its seeds are. It runs in the
 * source directory. */
#ifndef KGEN_TESTS_FUZZ_FUZZ_H
#define KGEN_TESTS_FUZZ_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts unless the condition holds; the fuzzer then keeps the input. */
#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Writes the input to a file in memory, which has a path. */
static inline int fuzz_file(const uint8_t *data, size_t size) {
  const int fd = memfd_create("input", 0);
  MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  return fd;
}

static inline const char *fuzz_path(Arena *a, int fd) {
  return arena_printf(a, "/proc/self/fd/%d", fd);
}

/* The scratch directory of this process, created once. */
static inline const char *fuzz_folder(void) {
  static char folder[] = "/tmp/kgen-fuzz-XXXXXX";
  static bool made;
  if (!made) MUST(mkdtemp(folder));
  made = true;
  return folder;
}

static inline void fuzz_write(const char *path, const void *data, size_t size) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

/* Errors are printed as a user would see them, and are there if and only if something failed. */
static inline void fuzz_errors(Arena *a, const Diag *d, bool ok) {
  MUST(ok == (diag_count(d) == 0));
  Text out = text_new(a);
  diag_print(d, &out, true);
  MUST(ok == (out.len == 0));
}

/* --- JSON, as RFC 8259 has it --- */

static inline const char *fuzz_json_value(const char *s, int depth);

static inline const char *fuzz_json_space(const char *s) { return s + strspn(s, " \n\r\t"); }

/* One character of UTF-8 after its first byte; overlong forms and surrogates are none. */
static inline const char *fuzz_json_utf8(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  const int more = u[0] < 0x80 ? 0 : u[0] < 0xc2 ? -1 : u[0] < 0xe0 ? 1 : u[0] < 0xf0 ? 2 : 3;
  MUST(more >= 0 && u[0] < 0xf5);
  for (int i = 1; i <= more; i++) MUST((u[i] & 0xc0) == 0x80);
  MUST(!(u[0] == 0xe0 && u[1] < 0xa0) && !(u[0] == 0xed && u[1] > 0x9f));
  MUST(!(u[0] == 0xf0 && u[1] < 0x90) && !(u[0] == 0xf4 && u[1] > 0x8f));
  return s + more + 1;
}

static inline const char *fuzz_json_string(const char *s) {
  MUST(*s == '"');
  for (s++; *s != '"';) {
    MUST((unsigned char)*s >= 0x20);
    if (*s != '\\') {
      s = fuzz_json_utf8(s);
      continue;
    }
    MUST(s[1] && strchr("\"\\/bfnrtu", s[1]));
    if (s[1] == 'u') MUST(strspn(s + 2, "0123456789abcdefABCDEF") >= 4);
    s += s[1] == 'u' ? 6 : 2;
  }
  return s + 1;
}

static inline const char *fuzz_json_number(const char *s) {
  if (*s == '-') s++;
  MUST(*s >= '0' && *s <= '9' && !(s[0] == '0' && s[1] >= '0' && s[1] <= '9'));
  s += strspn(s, "0123456789");
  if (*s == '.') MUST(s[1] >= '0' && s[1] <= '9');
  if (*s == '.') s += 1 + strspn(s + 1, "0123456789");
  if (*s != 'e' && *s != 'E') return s;
  s += s[1] == '+' || s[1] == '-' ? 2 : 1;
  MUST(*s >= '0' && *s <= '9');
  return s + strspn(s, "0123456789");
}

static inline const char *fuzz_json_items(const char *s, char end, int depth) {
  s = fuzz_json_space(s + 1);
  for (bool first = true; *s != end; first = false) {
    if (!first) MUST(*s++ == ',');
    s = fuzz_json_space(s);
    if (end == '}') s = fuzz_json_space(fuzz_json_string(s));
    if (end == '}') MUST(*s++ == ':');
    s = fuzz_json_value(s, depth + 1);
  }
  return s + 1;
}

static inline const char *fuzz_json_value(const char *s, int depth) {
  static const char *const word[] = {"true", "false", "null"};
  MUST(depth < 64);
  s = fuzz_json_space(s);
  for (int i = 0; i < 3; i++)
    if (strncmp(s, word[i], strlen(word[i])) == 0) return fuzz_json_space(s + strlen(word[i]));
  if (*s == '{' || *s == '[')
    return fuzz_json_space(fuzz_json_items(s, *s == '{' ? '}' : ']', depth));
  return fuzz_json_space(*s == '"' ? fuzz_json_string(s) : fuzz_json_number(s));
}

/* The whole text must be one object. */
static inline void fuzz_json(const Text *json) {
  MUST(json->s[0] == '{' && strlen(json->s) == json->len);
  MUST(*fuzz_json_value(json->s, 0) == '\0');
}

#endif
