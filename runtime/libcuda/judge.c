#include "libcuda/judge.h"

EmuResult *judge_launch(const Function *function, const EmuLaunch *launch) {
  return emu_launch(function->module->emu, launch);
}
