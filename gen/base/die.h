/* SPDX-License-Identifier: MIT */
/* die.h: reports internal errors. User errors go through diag.h. */
#ifndef KGEN_BASE_DIE_H
#define KGEN_BASE_DIE_H

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN               __attribute__((noreturn))
#else
#define PRINTF_LIKE(fmt, args)
#define NORETURN
#endif

/* Prints "kgen: internal error: ..." and aborts. Never for a user error. */
NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
