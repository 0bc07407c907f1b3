/* SPDX-License-Identifier: MIT */
/* prelude.h: the text with which every translation starts, embedded by the build. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_H
#define KGEN_EMU_TRANSLATE_PRELUDE_H

#include "base/text.h"

void prelude_write(Text *out);

#endif
