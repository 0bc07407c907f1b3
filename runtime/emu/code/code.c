/* SPDX-License-Identifier: MIT */
#include "emu/code/code.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

SourceLoc insn_source(const Program *program, const Insn *insn) {
  int root = program->function[insn->function].source->root_file;
  return ast_source(program->ast, insn->statement->loc, root);
}

bool insn_same_source(const Program *program, const Insn *a, const Insn *b) {
  const SourceLoc *loc = program->ast->loc;
  int i = a->statement->loc, k = b->statement->loc;
  if (a == b) return true;
  if (!insn_source(program, a).line || !insn_source(program, b).line) return false;
  for (; i >= 0 && k >= 0 && i != k; i = loc[i].parent, k = loc[k].parent)
    if (loc[i].file != loc[k].file || loc[i].line != loc[k].line) return false;
  return i == k || (i < 0 && k < 0);
}

InsnLine insn_line(const Program *program, const Insn *insn) {
  InsnLine out;
  const int line = insn_source(program, insn).line;
  if (line)
    snprintf(out.text, sizeof out.text, "line %d", line);
  else
    snprintf(out.text, sizeof out.text, "PTX line %d", insn->statement->line);
  return out;
}

InsnLine insn_line_called(const Program *program, const Insn *insn) {
  const SourceLoc *loc = program->ast->loc;
  InsnLine out = insn_line(program, insn);
  int at = insn->statement->loc;
  if (at < 0 || !insn_source(program, insn).line) return out;
  while (loc[at].parent >= 0 && loc[at].line != insn_source(program, insn).line)
    at = loc[at].parent;
  if (loc[at].parent < 0 || !loc[loc[at].parent].line) return out;
  const size_t n = strlen(out.text);
  snprintf(out.text + n, sizeof out.text - n, ", called at line %d", loc[loc[at].parent].line);
  return out;
}

InsnLine insn_line_from(const Program *program, const Insn *insn, const Insn *from) {
  const SourceLoc at = insn_source(program, insn);
  const char *file = ast_file(program->ast, at.file);
  if (!at.line || !file || at.file == insn_source(program, from).file)
    return insn_line(program, insn);
  InsnLine out;
  snprintf(out.text, sizeof out.text, "%.48s:%d", path_name(file), at.line);
  return out;
}
