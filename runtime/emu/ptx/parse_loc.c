/* SPDX-License-Identifier: MIT */
#include "emu/ptx/parse_loc.h"

#include <string.h>

static bool is_octal(const char *s) {
  for (int i = 0; i < 3; i++)
    if (s[i] < '0' || s[i] > '7') return false;
  return true;
}

/* Decodes an escape of nvcc or NVRTC into a byte, and sets its length: a backslash before quotes
 * and backslashes, \n for line breaks, \303 for bytes that are not ASCII. */
static char file_byte(const char *s, int *length) {
  *length = 1;
  if (*s != '\\' || !s[1]) return *s;
  if (is_octal(s + 1)) {
    *length = 4;
    return (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0');
  }
  if (!strchr("\"\\n", s[1])) return *s;
  *length = 2;
  return s[1] == 'n' ? '\n' : s[1];
}

static const char *file_name(Arena *a, const Token *t) {
  char *name = arena_strndup(a, t->text, (size_t)t->length), *to = name;
  for (int length, from = 0; name[from]; from += length) *to++ = file_byte(name + from, &length);
  *to = '\0';
  return name;
}

/* NVRTC's name for a source to which the program gave none. */
static bool is_nameless(const char *name) {
  static const char nameless[] = "default_program";
  const size_t n = strlen(name), m = sizeof nameless - 1;
  if (n < m || strcmp(name + n - m, nameless) != 0) return false;
  return n == m || name[n - m - 1] == '/';
}

void ptx_file(Parser *p) {
  int number = (int)(ptx_int(p) & 0xffffff);
  if (p->token.kind != TOKEN_STRING) ptx_fail(p, "expected a file name");
  if (p->failed) return;
  Ast *ast = p->ast;
  ast->file =
      ptx_array_grow(p->arena, ast->file, ast->files, &ast->file_capacity, sizeof *ast->file);
  const char *name = file_name(p->arena, &p->token);
  ast->file[ast->files++] = (SourceFile){number, name};
  if (is_nameless(name)) ast->nameless = number;
  ptx_advance(p);
  while (ptx_take(p, ',')) ptx_int(p);
}

/* An inlined position names its parent, which is at most this many .loc directives earlier. */
enum { LOC_REACH = 4096 };

static int loc_find(const Ast *ast, SourceLoc loc) {
  int first = ast->locs > LOC_REACH ? ast->locs - LOC_REACH : 0;
  for (int i = ast->locs - 1; i >= first; i--) {
    const SourceLoc *old = &ast->loc[i];
    if (old->file == loc.file && old->line == loc.line && old->column == loc.column) return i;
  }
  return -1;
}

static SourceLoc parse_position(Parser *p) {
  SourceLoc loc = {.parent = -1};
  loc.file = (int)(ptx_int(p) & 0xffffff);
  loc.line = (int)(ptx_int(p) & 0xffffff);
  loc.column = (int)(ptx_int(p) & 0xffffff);
  return loc;
}

static int loc_add(Parser *p, SourceLoc loc) {
  Ast *ast = p->ast;
  ast->loc = ptx_array_grow(p->arena, ast->loc, ast->locs, &ast->loc_capacity, sizeof *ast->loc);
  ast->loc[ast->locs] = loc;
  return ast->locs++;
}

void ptx_loc(Parser *p) {
  SourceLoc loc = parse_position(p);
  if (ptx_take(p, ',')) {
    ptx_take_word(p, "function_name");
    ptx_name(p);
    if (ptx_take(p, '+')) ptx_int(p);
    ptx_expect(p, ',');
    if (!ptx_take_word(p, "inlined_at")) ptx_fail(p, "expected inlined_at");
    SourceLoc parent = parse_position(p);
    loc.parent = loc_find(p->ast, parent);
    if (loc.parent < 0) loc.parent = loc_add(p, parent);
  }
  if (p->failed) return;
  p->loc = loc_add(p, loc);
  if (p->function && p->function->root_line == 0) {
    SourceLoc root = ast_source(p->ast, p->loc, -1);
    p->function->root_file = root.file;
    p->function->root_line = root.line;
  }
}

/* --- code without a line --- */

static bool has_line(const Ast *ast, const Statement *s) {
  for (int i = s->loc; i >= 0; i = ast->loc[i].parent)
    if (ast->loc[i].line) return true;
  return false;
}

/* True for statements whose line is the closing brace. */
static bool is_end(const Statement *s) {
  return strcmp(s->opcode, "ret") == 0 || strcmp(s->opcode, "exit") == 0;
}

static bool is_store(const Statement *s) { return strncmp(s->opcode, "st.", 3) == 0; }

void ptx_locate(const Ast *ast, Function *f) {
  int loc = -1;
  for (int i = f->statements - 1; i >= 0; i--) {
    Statement *s = &f->statement[i];
    if (has_line(ast, s))
      loc = is_end(s) ? loc : s->loc;
    else if (s->loc >= 0 && loc >= 0 && !is_store(s))
      s->loc = loc;
  }
  loc = -1;
  for (int i = 0; i < f->statements; i++) {
    Statement *s = &f->statement[i];
    if (has_line(ast, s))
      loc = s->loc;
    else if (s->loc >= 0 && loc >= 0)
      s->loc = loc;
  }
}
