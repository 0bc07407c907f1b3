/* SPDX-License-Identifier: MIT */
/* special_name.h: maps PTX names to special registers. */
#ifndef KGEN_EMU_CODE_SPECIAL_NAME_H
#define KGEN_EMU_CODE_SPECIAL_NAME_H

/* The Special (code.h) with a name such as "%tid.x", or -1. */
int special_find(const char *name);

#endif
