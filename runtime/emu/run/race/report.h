/* report.h: the words of a race in shared memory. */
#ifndef KGEN_EMU_RUN_RACE_REPORT_H
#define KGEN_EMU_RUN_RACE_REPORT_H

#include "emu/run/race/cells.h"

/* Adds a finding: the access touches a byte that `old` touched, and nothing orders the two.
 * other_did: what `old` did, as "writes". */
void race_report(const SharedAccess *touch, const RaceStamp *old, const char *other_did,
                 uint64_t at);
/* The same of a cp.async that its thread has not waited for. */
void race_report_flying(const SharedAccess *touch, const CpAsyncPending *flying, uint64_t at);
/* The same of a bulk copy that is in flight. */
void race_report_busy(const SharedAccess *touch, const BulkPending *busy, uint64_t at);

#endif
