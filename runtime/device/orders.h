/* orders.h: a folder in which processes leave the C that the emulator has written for kgen to
 * compile. They are the user's programs, which nothing may disturb: they have no compiler as a
 * child and keep no file open, but write an order and look for the answer now and then. */
#ifndef KGEN_DEVICE_ORDERS_H
#define KGEN_DEVICE_ORDERS_H

#include <stdint.h>

#include "base/arena.h"
#include "emu/emu.h"

/* By the number of an order: its C, and then either the shared object or that there will be none.
 * What is being written has another name. */
typedef enum { ORDER_TEXT, ORDER_OBJECT, ORDER_NONE } OrderFile;
const char *orders_path(Arena *a, const char *folder, uint64_t number, OrderFile which);
/* The number of a file's name, if it is an order's C; else 0. */
uint64_t orders_number(const char *name);

/* EmuTranslator's functions; their context is the folder's path. */
EmuTranslator orders_translator(const char *folder);

#endif
