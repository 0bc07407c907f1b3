/* kind.h: what an access does, for both race detectors. */
#ifndef KGEN_EMU_RUN_RACE_KIND_H
#define KGEN_EMU_RUN_RACE_KIND_H

typedef enum { RACE_READ, RACE_WRITE, RACE_ATOMIC } RaceKind;

#endif
