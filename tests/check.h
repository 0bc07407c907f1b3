/* SPDX-License-Identifier: MIT */
/* check.h: the whole test framework. A test program runs CHECKs and returns check_report(). */
#ifndef KGEN_TESTS_CHECK_H
#define KGEN_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_count, check_failures;

/* In a build with sanitizers, which check code and not numbers, a test may omit cases that run the
 * same code again with other data: the build without sanitizers runs them. */
#if defined(__has_feature) /* clang's */
#if __has_feature(address_sanitizer)
#define CHECK_HAS_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(CHECK_HAS_ASAN)
enum { CHECK_SANITIZED = 1 };
#else
enum { CHECK_SANITIZED = 0 };
#endif

/* Counts the condition; on failure prints where and why, and continues. */
#define CHECK(cond, ...)                                                                           \
  do {                                                                                             \
    check_count++;                                                                                 \
    if (!(cond)) {                                                                                 \
      check_failures++;                                                                            \
      fprintf(stderr, "%s:%d: CHECK(%s) failed: ", __FILE__, __LINE__, #cond);                     \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
    }                                                                                              \
  } while (0)

#define CHECK_STR(got, want) CHECK(strcmp((got), (want)) == 0, "got \"%s\", want \"%s\"", got, want)

/* A program that checked nothing has failed: a test that cannot fail is worse than none. */
static inline int check_report(const char *name) {
  printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
  return check_failures > 0 || check_count == 0;
}

/* ctest reads exit status 77 as "skipped" (SKIP_RETURN_CODE). */
static inline int check_skip(const char *name, const char *why) {
  printf("%s: skipped: %s\n", name, why);
  return 77;
}

#endif
