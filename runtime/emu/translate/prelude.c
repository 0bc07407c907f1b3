/* SPDX-License-Identifier: MIT */
#include "emu/translate/prelude.h"

#include <string.h>

/* The assembler includes the files, followed by a NUL. */
#define INCLUDED(NAME, FILE)                                                                       \
  __asm__(".section .rodata,\"a\",@progbits\n" #NAME ":\n.incbin \"" KGEN_PRELUDE_FOLDER "/" FILE  \
          "\"\n.byte 0\n.text\n");                                                                 \
  extern const char NAME[]

INCLUDED(kgen_prelude_native, "native.h");
INCLUDED(kgen_prelude_vectors, "prelude_vectors.h");
INCLUDED(kgen_prelude_values, "prelude_values.h");
INCLUDED(kgen_prelude_halves, "prelude_halves.h");
INCLUDED(kgen_prelude_access, "prelude_access.h");

void prelude_write(Text *out) {
  text_puts(out, kgen_prelude_native);
  text_puts(out, kgen_prelude_vectors);
  text_puts(out, kgen_prelude_values);
  text_puts(out, kgen_prelude_halves);
  text_puts(out, kgen_prelude_access);
}
