/* SPDX-License-Identifier: MIT */
/* hopper_probes.h: all probes, in the order of data/hopper.txt. */
#ifndef KGEN_TESTS_EMU_HOPPER_PROBES_H
#define KGEN_TESTS_EMU_HOPPER_PROBES_H

#include "emu/hopper_cluster.h"
#include "emu/hopper_mbarrier.h"
#include "emu/hopper_tensormap.h"
#include "emu/hopper_wgmma.h"

static inline void probes_visit(ProbeVisit *visit, void *context) {
  wg_visit_all(visit, context);
  tn_visit_all(visit, context);
  cl_visit_all(visit, context);
  mb_visit_all(visit, context);
  tm_visit_all(visit, context);
  tm_visit_replaced(visit, context);
}

#endif
