/* SPDX-License-Identifier: MIT */
/* kind.h: kinds of accesses and of proxy fences, for both race detectors. */
#ifndef KGEN_EMU_RUN_RACE_KIND_H
#define KGEN_EMU_RUN_RACE_KIND_H

#include "emu/run/state/block.h"

typedef enum { RACE_READ, RACE_WRITE, RACE_ATOMIC } RaceKind;

/* A proxy fence is for memory, or for the initialisation of mbarriers alone. */
typedef enum { PROXY_SHARED, PROXY_GLOBAL, PROXY_INIT, PROXY_SPACES } ProxySpace;

/* Called before threads of a block become ordered. */
typedef void OrderBefore(Race *race);

#endif
