/* SPDX-License-Identifier: MIT */
/* handle.h: finds the texels of a texture or surface from its handle. */
#ifndef KGEN_EMU_RUN_TEXTURE_HANDLE_H
#define KGEN_EMU_RUN_TEXTURE_HANDLE_H

#include "emu/memory/texture.h"
#include "emu/run/state/block.h"

/* A texture or surface, and the host address of its texels. */
typedef struct {
  uint64_t handle;
  const Texture *texture; /* NULL: none */
  uint8_t *host;
} Handle;

/* Looks up a lane's handle, or the address of a .texref or .surfref variable, unless *h already
 * holds it. False, with a finding, if there is no such texture or surface. */
bool texture_handle_open(Warp *w, const Insn *insn, unsigned lane, uint64_t handle, bool surface,
                         Handle *h);

#endif
