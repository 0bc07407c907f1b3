/* parse_loc.h: .file and .loc, which tie instructions to source lines. */
#ifndef KGEN_EMU_PTX_PARSE_LOC_H
#define KGEN_EMU_PTX_PARSE_LOC_H

#include "emu/ptx/parser.h"

/* Parses .file, after the directive. */
void ptx_file(Parser *p);
/* Parses .loc, after the directive. */
void ptx_loc(Parser *p);

#endif
