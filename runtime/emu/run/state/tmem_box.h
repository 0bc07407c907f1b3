/* SPDX-License-Identifier: MIT */
/* tmem_box.h: rectangles of words of tensor memory (run/tmem/tmem.h). */
#ifndef KGEN_EMU_RUN_STATE_TMEM_BOX_H
#define KGEN_EMU_RUN_STATE_TMEM_BOX_H

#include <stdint.h>

enum { TMEM_LANES = 128, TMEM_COLUMNS = 512 };

typedef struct {
  uint32_t lane, lanes, column, columns;
} TmemBox;

#endif
