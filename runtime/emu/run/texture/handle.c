/* SPDX-License-Identifier: MIT */
#include "emu/run/texture/handle.h"

#include "emu/memory/element.h"
#include "emu/memory/heap.h"
#include "emu/run/state/finding.h"

/* Each .texref or .surfref variable is a buffer of its own. */
static uint64_t held_by_variable(const EmuMemory *memory, uint64_t address) {
  const Buffer *b = memory_find(memory, address);
  const bool holds = b && b->owner && b->base == address && b->bytes == sizeof(uint64_t);
  return holds ? element_load(b->host, sizeof(uint64_t)) : 0;
}

static const Texture *find(const EmuMemory *memory, uint64_t handle) {
  const Texture *t = texture_find(memory, handle);
  return t ? t : texture_find(memory, held_by_variable(memory, handle));
}

static bool refuse(Warp *w, const Insn *insn, unsigned lane, uint64_t handle, const char *why,
                   const char *kind) {
  Block *block = w->block;
  if (finding_add(block, EMU_OUT_OF_BOUNDS, insn, warp_thread(w, lane), 1))
    finding_describe(block, "access through the handle 0x%llx, %s %s", (unsigned long long)handle,
                     why, kind);
  return false;
}

bool texture_handle_open(Warp *w, const Insn *insn, unsigned lane, uint64_t handle, bool surface,
                         Handle *h) {
  if (h->texture && h->handle == handle) return true;
  const EmuMemory *memory = w->block->launch->memory;
  const char *kind = surface ? "surface" : "texture";
  const Texture *t = find(memory, handle);
  if (!t || t->is_surface != surface) return refuse(w, insn, lane, handle, "which is no", kind);
  const Buffer *b = memory_find(memory, t->image.address);
  if (!b || b->bytes - (t->image.address - b->base) < t->bytes)
    return refuse(w, insn, lane, handle, "whose memory has been freed: a", kind);
  Heap *heap = memory->heap;
  if (heap && !w->block->unchecked && heap_outside(heap, &t->image.address, 1, t->bytes))
    refuse(w, insn, lane, handle, "whose memory is in the device's heap, but in no one block: a",
           kind);
  *h = (Handle){handle, t, b->host + (t->image.address - b->base)};
  return true;
}
