#include "emu/code/code.h"

SourceLoc insn_source(const Program *program, const Insn *insn) {
  int root = program->function[insn->function].source->root_file;
  return ast_source(program->ast, insn->statement->loc, root);
}
