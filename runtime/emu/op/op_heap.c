/* SPDX-License-Identifier: MIT */
/* malloc and free of kernels. */
#include "emu/op/op_heap.h"

#include "emu/memory/heap.h"
#include "emu/run/state/finding.h"

HeapPlace heap_place(const Warp *w, const Insn *insn) {
  const Program *p = w->block->program;
  const SourceLoc at = insn_source(p, insn);
  return (HeapPlace){.kernel = p->kernel->name,
                     .file = at.line ? ast_file(p->ast, at.file) : NULL,
                     .line = at.line,
                     .ptx_line = insn->statement->line};
}

Flow exec_malloc(Warp *w, const Insn *insn, uint32_t active) {
  Heap *heap = w->block->launch->heap;
  const HeapPlace place = heap_place(w, insn);
  const uint64_t *bytes = warp_param(w, insn->call.arg[0]);
  uint64_t address[LANES];
  FOR_LANES(lane, active) address[lane] = heap_take(heap, bytes[lane], &place);
  for (int i = 0; i < insn->call.results; i++) {
    uint64_t *d = warp_param(w, insn->call.result[i]);
    FOR_LANES(lane, active) d[lane] = address[lane];
  }
  return FLOW_NEXT;
}

Flow exec_free(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *address = warp_param(w, insn->call.arg[0]);
  FOR_LANES(lane, active) {
    if (!address[lane] || heap_give_back(w->block->launch->heap, address[lane])) continue;
    finding_report(w, insn, EMU_OUT_OF_BOUNDS, lane,
                   "free of 0x%llx, where no block of malloc begins or it was freed",
                   (unsigned long long)address[lane]);
  }
  return FLOW_NEXT;
}
