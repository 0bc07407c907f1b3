/* SPDX-License-Identifier: MIT */
/* report.h: reports of accesses to shared memory that a copy in flight uses. */
#ifndef KGEN_EMU_RUN_RACE_REPORT_H
#define KGEN_EMU_RUN_RACE_REPORT_H

#include "emu/run/race/cells.h"

/* Adds a finding: the access is of a byte that a cp.async writes, for which its thread has not
 * waited. */
void race_report_flying(const SharedAccess *touch, const CpAsyncPending *flying, uint64_t at);
/* The same of a bulk copy that is in flight. */
void race_report_busy(const SharedAccess *touch, const BulkPending *busy, uint64_t at);

#endif
