/* SPDX-License-Identifier: MIT */
/* pads_print.h: prints the tables of --pads: as text of at most 100 columns, as one CSV table, or
 * as {"version": 1, "pads": ...}. */
#ifndef KGEN_PADS_PADS_PRINT_H
#define KGEN_PADS_PADS_PRINT_H

#include "base/text.h"
#include "pads/pads.h"

void pads_print(const Pads *p, Text *out);
void pads_csv(const Pads *p, Text *out);
void pads_json(const Pads *p, Text *out);

#endif
