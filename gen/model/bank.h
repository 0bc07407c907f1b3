/* bank.h: the exact cost of one warp-wide shared-memory instruction, in wavefronts, as measured on
 * an H200: docs/explanation/layouts-and-banks.md, "Bank rules";
 * tests/model/data/h200_wavefronts.csv holds the measured rows. */
#ifndef KGEN_MODEL_BANK_H
#define KGEN_MODEL_BANK_H

#include "model/tile.h"

typedef struct {
  int wavefronts;  /* passes over the banks */
  int ideal;       /* the fewest that any placement could cost: words spread evenly, and lanes of an
                      atomic that have one address one after another */
  int worst;       /* wavefronts of the costliest group */
  int worst_group; /* its index; -1 if no lane is active */
  int worst_bank;  /* its fullest bank */
} BankCost;

/* One instruction: `active` lanes access bytes_per_lane bytes (1, 2, 4, 8 or 16; 16 for the matrix
 * operations, whose active lanes hold row addresses) at byte address[lane]. Addresses may be
 * negative only in unused lanes. */
BankCost bank_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t active,
                   const int64_t address[WARP]);

/* The lane groups that one such instruction is served in: fills mask[] (at most 4) and returns
 * their number. Merging (loads whose lane pairs share an address) is applied; groups without an
 * active lane are left out. */
int bank_groups(Op op, int bytes_per_lane, uint32_t active, const int64_t address[WARP],
                uint32_t mask[4]);

/* The cost of one group: its fullest bank (*bank, if not NULL) and the words, or lanes of an
 * atomic, that bank serves. */
int bank_group_cost(BankGeometry banks, Op op, int bytes_per_lane, uint32_t lanes,
                    const int64_t address[WARP], int *bank);

#endif
