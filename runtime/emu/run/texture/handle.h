/* handle.h: from the handle of a texture or surface, as a lane holds it, to its texels. */
#ifndef KGEN_EMU_RUN_TEXTURE_HANDLE_H
#define KGEN_EMU_RUN_TEXTURE_HANDLE_H

#include "emu/memory/texture.h"
#include "emu/run/state/block.h"

/* A texture or surface, and where its texels are in the host's memory. */
typedef struct {
  uint64_t handle;
  const Texture *texture; /* NULL: there is none */
  uint8_t *host;
} Handle;

/* Finds the texture or surface of a lane's handle, or of the .texref or .surfref variable whose
 * address it is, unless *h has it already. False with a finding if there is none. */
bool texture_handle_open(Warp *w, const Insn *insn, unsigned lane, uint64_t handle, bool surface,
                         Handle *h);

#endif
