#include "tune/tuning.h"

bool tuning_stops(Tuning *t) {
  if (!t->signal) t->signal = signals_wait(0);
  return t->signal != 0;
}
