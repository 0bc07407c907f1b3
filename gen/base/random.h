/* SPDX-License-Identifier: MIT */
/* random.h: names that are unique across processes, users and machines. */
#ifndef KGEN_BASE_RANDOM_H
#define KGEN_BASE_RANDOM_H

#include <stdbool.h>

enum { RANDOM_NAME = 16 }; /* hexadecimal digits */

/* Fills in RANDOM_NAME digits from the system's random source, and a NUL. */
void random_name(char name[RANDOM_NAME + 1]);
/* True if the text has that form. */
bool random_is_name(const char *text);

#endif
