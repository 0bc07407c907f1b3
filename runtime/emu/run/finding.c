#include "emu/run/finding.h"

#include <stdarg.h>
#include <stdio.h>

static Found *find(Findings *list, EmuFindingKind kind, const Insn *insn) {
  for (int i = 0; i < list->count; i++) {
    Found *found = &list->found[i];
    if (found->insn == insn && found->finding.kind == kind) return found;
  }
  return NULL;
}

bool finding_add_at(Block *block, EmuFindingKind kind, const Insn *insn, uint64_t number,
                    uint32_t thread, uint64_t count) {
  Findings *list = block->findings;
  Found *found = find(list, kind, insn);
  if (found) {
    found->finding.count += count;
    return false;
  }
  if (list->count == MAX_FINDINGS) return false;
  found = &list->found[list->count++];
  SourceLoc source = insn_source(block->program, insn);
  *found = (Found){.insn = insn, .block = number};
  found->finding = (EmuFinding){.kind = kind,
                                .file = ast_file(block->program->ast, source.file),
                                .line = source.line,
                                .ptx_line = insn->statement->line,
                                .count = count};
  block_thread(block, thread, found->finding.thread);
  block_index(block->launch, number, found->finding.block);
  return true;
}

bool finding_add(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count) {
  return finding_add_at(block, kind, insn, block->number, thread, count);
}

void finding_meets(Block *block, const Insn *insn, int line) {
  Found *found = find(block->findings, EMU_RACE, insn);
  EmuFinding *f = found ? &found->finding : NULL;
  for (int i = 0; f && i < f->others; i++)
    if (f->other_line[i] == line) return;
  if (f && f->others < EMU_OTHERS) f->other_line[f->others++] = line;
}

void finding_describe(Block *block, const char *fmt, ...) {
  EmuFinding *finding = &block->findings->found[block->findings->count - 1].finding;
  va_list args;
  va_start(args, fmt);
  vsnprintf(finding->message, sizeof finding->message, fmt, args);
  va_end(args);
}
