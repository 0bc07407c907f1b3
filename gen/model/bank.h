/* SPDX-License-Identifier: MIT */
/* bank.h: exact cost of one warp-wide shared-memory instruction in wavefronts, as measured on an
 * H200. The rules are in docs/explanation/layouts-and-banks.md, "Bank rules"; the measured rows are
 * in tests/model/data/h200_wavefronts.csv. */
#ifndef KGEN_MODEL_BANK_H
#define KGEN_MODEL_BANK_H

#include "model/tile.h"

typedef struct {
  int wavefronts;  /* passes over the banks */
  int ideal;       /* minimum over all layouts: words spread evenly; lanes of an atomic with equal
                      addresses are serialized */
  int worst;       /* wavefronts of the costliest group */
  int worst_group; /* its index; -1 if no lane is active */
  int worst_bank;  /* its fullest bank */
} BankCost;

/* Cost of one instruction: `active` lanes access bytes_per_lane bytes at byte address[lane].
 * bytes_per_lane is 1, 2, 4, 8 or 16; for the matrix operations it is 16 and active lanes hold row
 * addresses. Only inactive lanes may have a negative address. */
BankCost bank_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t active,
                   const int64_t address[WARP]);

/* Splits the lanes of one instruction into the groups that the hardware serves one after another.
 * Fills mask[] (at most 4) and returns the number of groups. Loads whose lane pairs share an
 * address are merged; groups without an active lane are left out. */
int bank_groups(Op op, int bytes_per_lane, uint32_t active, const int64_t address[WARP],
                uint32_t mask[4]);

/* Cost of one group: the number of words that its fullest bank serves, or of lanes for an atomic.
 * Stores that bank in *bank unless bank is NULL. */
int bank_group_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t lanes,
                    const int64_t address[WARP], int *bank);

#endif
