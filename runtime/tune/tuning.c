/* SPDX-License-Identifier: MIT */
#include "tune/tuning.h"

bool tuning_stops(Tuning *t) {
  if (!t->signal) t->signal = signals_wait(0);
  return t->signal != 0;
}

void tuning_break(Tuning *t, const char *label, const char *why) {
  t->broken = true;
  text_printf(t->runner->messages,
              "%skgen: after %s the device accepts no more calls: start again to go on with the "
              "others\n",
              why, label);
}

bool tuning_has_failed(const Tuning *t) { return t->unusable || t->broken || t->unkept; }
