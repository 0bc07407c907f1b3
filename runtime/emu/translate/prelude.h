/* prelude.h: what the text of every translation begins with, as the build put it in. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_H
#define KGEN_EMU_TRANSLATE_PRELUDE_H

#include "base/text.h"

void prelude_write(Text *out);

#endif
