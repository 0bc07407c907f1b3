/* special_name.h: special registers by their names in PTX. */
#ifndef KGEN_EMU_SPECIAL_NAME_H
#define KGEN_EMU_SPECIAL_NAME_H

/* Which one "%tid.x" is, of code.h's Special, or -1. */
int special_find(const char *name);

#endif
