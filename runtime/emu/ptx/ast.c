/* SPDX-License-Identifier: MIT */
#include "emu/ptx/ast.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ERRORS = 200 };

void *ptx_array_grow(Arena *arena, void *array, int count, int *capacity, size_t size) {
  if (count < *capacity) return array;
  *capacity = *capacity ? *capacity * 2 : 16;
  void *grown = arena_array(arena, (size_t)*capacity, size);
  if (count) memcpy(grown, array, (size_t)count * size);
  return grown;
}

static void add_error(Ast *ast, EmuError error) {
  ast->error =
      ptx_array_grow(ast->arena, ast->error, ast->errors, &ast->error_capacity, sizeof *ast->error);
  ast->error[ast->errors++] = error;
}

void ast_error(Ast *ast, int ptx_line, int loc, const char *fmt, ...) {
  ast->mistakes++;
  if (ast->errors - ast->error_scope >= MAX_ERRORS) return;
  char text[480];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  for (int i = ast->error_scope; i < ast->errors; i++) {
    const EmuError *old = &ast->error[i];
    if (old->ptx_line == ptx_line && strcmp(old->message, text) == 0) return;
  }
  SourceLoc source = ast_source(ast, loc, 0);
  add_error(ast, (EmuError){.ptx_line = ptx_line,
                            .file = ast_file(ast, source.file),
                            .line = source.line,
                            .message = arena_printf(ast->arena, "%s", text)});
}

int ast_error_scope(Ast *ast) { return ast->error_scope = ast->errors; }

void ast_repeat_errors(Ast *ast, const Function *f) {
  ast->mistakes += f->mistakes;
  for (int i = 0; i < f->errors && ast->errors - ast->error_scope < MAX_ERRORS; i++)
    add_error(ast, ast->error[f->first_error + i]);
}

SourceLoc ast_source(const Ast *ast, int loc, int root_file) {
  SourceLoc found = {.parent = -1};
  for (int i = loc; i >= 0; i = ast->loc[i].parent) {
    if (!ast->loc[i].line) continue;
    found = ast->loc[i];
    if (found.file == root_file) break;
  }
  if (ast->nameless && found.file == ast->nameless) found.line = 0;
  return found;
}

const char *ast_file(const Ast *ast, int number) {
  if (ast->nameless && number == ast->nameless) return NULL;
  for (int i = 0; i < ast->files; i++) {
    if (ast->file[i].number == number) return ast->file[i].name;
  }
  return NULL;
}

uint64_t ptx_float_bits(uint64_t bits, bool is_f64, ArithType type) {
  uint32_t low = (uint32_t)bits;
  double wide;
  float narrow;
  if (!is_f64 && type == ARITH_F64) {
    memcpy(&narrow, &low, sizeof narrow);
    wide = (double)narrow;
    memcpy(&bits, &wide, sizeof wide);
  } else if (is_f64 && type == ARITH_F32) {
    memcpy(&wide, &bits, sizeof wide);
    narrow = (float)wide;
    memcpy(&low, &narrow, sizeof narrow);
    bits = low;
  }
  return bits;
}

static unsigned hash_name(const char *name) {
  unsigned hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

Scope *ptx_scope_new(Arena *arena, Scope *parent, unsigned buckets) {
  Scope *scope = ARENA_NEW(arena, Scope);
  scope->parent = parent;
  scope->depth = parent ? parent->depth + 1 : 0;
  scope->buckets = buckets;
  scope->bucket = ARENA_ARRAY(arena, Symbol *, buckets);
  return scope;
}

static Symbol *ptx_scope_own(const Scope *scope, const char *name, unsigned hash) {
  Symbol *symbol = scope->bucket[hash % scope->buckets];
  while (symbol && strcmp(symbol->name, name) != 0) symbol = symbol->next_in_bucket;
  return symbol;
}

Symbol *ptx_scope_find(const Scope *scope, const char *name) {
  unsigned hash = hash_name(name);
  for (; scope; scope = scope->parent) {
    Symbol *symbol = ptx_scope_own(scope, name, hash);
    if (symbol) return symbol;
  }
  return NULL;
}

Symbol *ptx_scope_add(Arena *arena, Scope *scope, const char *name, SymbolKind kind,
                      bool *existed) {
  unsigned hash = hash_name(name);
  Symbol *symbol = ptx_scope_own(scope, name, hash);
  *existed = symbol != NULL;
  if (symbol) return symbol;
  symbol = ARENA_NEW(arena, Symbol);
  symbol->name = name;
  symbol->kind = kind;
  symbol->scope = scope;
  symbol->next_in_bucket = scope->bucket[hash % scope->buckets];
  scope->bucket[hash % scope->buckets] = symbol;
  return symbol;
}
