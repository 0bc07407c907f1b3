/* parse_loc.h: .file and .loc, which tie instructions to source lines. */
#ifndef KGEN_EMU_PARSE_LOC_H
#define KGEN_EMU_PARSE_LOC_H

#include "emu/ptx/parser.h"

/* .file, behind the directive. */
void ptx_file(Parser *p);
/* .loc, behind the directive. */
void ptx_loc(Parser *p);

#endif
