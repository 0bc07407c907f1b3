#include "emu/code/code.h"

#include <stdio.h>

SourceLoc insn_source(const Program *program, const Insn *insn) {
  int root = program->function[insn->function].source->root_file;
  return ast_source(program->ast, insn->statement->loc, root);
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
