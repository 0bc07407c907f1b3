/* SPDX-License-Identifier: MIT */
#include "device/cuda_driver.h"

#include "device/library.h"

#define SYMBOL(member, symbol, parameters) {#symbol, offsetof(Driver, member)},
static const Symbol symbols[] = {DRIVER_CALLS(SYMBOL)};
#undef SYMBOL

bool driver_open(Arena *a, Driver *out, Text *why) {
  void *library = library_open(a, library_driver, why);
  return library && library_symbols(library, symbols, sizeof symbols / sizeof *symbols, out, why);
}
