/* SPDX-License-Identifier: MIT */
#include "emu/ptx/parse.h"

#include <string.h>

#include "emu/ptx/param_address.h"
#include "emu/ptx/parse_body.h"
#include "emu/ptx/parse_decl.h"
#include "emu/ptx/parse_loc.h"

/* Skips a balanced { ... }, such as a .section's contents. */
static void skip_braces(Parser *p) {
  if (!ptx_expect(p, '{')) return;
  for (int depth = 1; depth > 0 && p->token.kind != TOKEN_END; ptx_advance(p)) {
    depth += ptx_token_is_punct(&p->token, '{') - ptx_token_is_punct(&p->token, '}');
  }
}

static int parse_formals(Parser *p, Symbol ***list) {
  int count = 0, capacity = 0;
  if (!ptx_take(p, '(')) return 0;
  while (!p->failed && !ptx_take(p, ')')) {
    if (count && !ptx_expect(p, ',')) break;
    Symbol *formal = ptx_formal(p);
    *list = ptx_array_grow(p->arena, *list, count, &capacity, sizeof **list);
    (*list)[count++] = formal;
  }
  return count;
}

static void parse_dimensions(Parser *p, uint32_t out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = 1;
    if (i == 0 || ptx_take(p, ',')) out[i] = (uint32_t)ptx_int(p);
  }
}

/* Reads the directives between a function's parameters and its body. Skips those that only tune
 * ptxas. */
static void parse_attributes(Parser *p, Function *f) {
  while (!p->failed && p->token.kind == TOKEN_WORD && p->token.text[0] == '.') {
    if (ptx_take_word(p, ".maxntid")) {
      parse_dimensions(p, f->max_block);
    } else if (ptx_take_word(p, ".reqntid")) {
      parse_dimensions(p, f->required_block);
    } else if (ptx_take_word(p, ".maxnreg")) {
      f->max_registers = (uint32_t)ptx_int(p);
    } else if (ptx_take_word(p, ".minnctapersm")) {
      f->min_blocks = (uint32_t)ptx_int(p);
    } else if (ptx_take_word(p, ".reqnctapercluster")) {
      parse_dimensions(p, f->cluster);
    } else if (ptx_take_word(p, ".explicitcluster")) {
      f->explicit_cluster = true;
    } else {
      ptx_advance(p);
      while (p->token.kind == TOKEN_INT || p->token.kind == TOKEN_STRING ||
             ptx_token_is_punct(&p->token, ',')) {
        ptx_advance(p);
      }
    }
  }
}

enum { MAX_FUNCTIONS = 4096 };

static Function *function_named(Parser *p, const char *name, bool is_entry) {
  bool existed;
  Symbol *symbol = ptx_scope_add(p->arena, p->ast->scope, name, SYMBOL_FUNCTION, &existed);
  if (existed && symbol->kind != SYMBOL_FUNCTION) ptx_fail(p, "'%s' declared twice", name);
  if (!symbol->function && p->ast->function_count == MAX_FUNCTIONS) {
    ptx_fail(p, "more than %d functions", MAX_FUNCTIONS);
    return NULL;
  }
  if (!symbol->function) {
    Function *f = ARENA_NEW(p->arena, Function);
    *f = (Function){.name = name, .is_entry = is_entry, .index = p->ast->function_count++};
    symbol->function = f;
    if (p->ast->last_function)
      p->ast->last_function->next = f;
    else
      p->ast->functions = f;
    p->ast->last_function = f;
  }
  return symbol->function;
}

/* Parses a function up to its body into `fresh`. Returns the function with that name: an existing
 * definition, or else one set to `fresh`. NULL after an error. */
static Function *parse_heading(Parser *p, Function *fresh) {
  p->function = fresh;
  p->scope = fresh->scope;
  p->loc = -1;
  if (!fresh->is_entry) fresh->returns = parse_formals(p, &fresh->result);
  fresh->name = ptx_name(p);
  fresh->params = parse_formals(p, &fresh->param);
  parse_attributes(p, fresh);
  fresh->defined = ptx_token_is_punct(&p->token, '{');
  Function *f = p->failed ? NULL : function_named(p, fresh->name, fresh->is_entry);
  if (f && f->defined && fresh->defined) ptx_fail(p, "function '%s' defined twice", f->name);
  if (p->failed) return NULL;
  if (f->defined) return f;
  fresh->index = f->index;
  fresh->next = f->next;
  fresh->address_taken = f->address_taken;
  *f = *fresh;
  return f;
}

/* The function for a heading with an error: it has a name but cannot run. NULL if not even the name
 * was read. */
static Function *broken_function(Parser *p, const Function *fresh) {
  if (!fresh->name || !*fresh->name) return NULL;
  p->failed = false;
  Function *f = function_named(p, fresh->name, fresh->is_entry);
  while (p->token.kind != TOKEN_END && !ptx_token_is_punct(&p->token, '{') &&
         !ptx_token_is_punct(&p->token, ';'))
    ptx_advance(p);
  if (!ptx_take(p, ';')) skip_braces(p);
  if (!f || f->defined) return f;
  f->defined = true;
  f->line = fresh->line;
  f->scope = fresh->scope;
  return f;
}

static Function *parse_heading_and_body(Parser *p, bool is_entry) {
  Function fresh = {.is_entry = is_entry, .line = p->token.line};
  fresh.scope = ptx_scope_new(p->arena, p->ast->scope, 256);
  Function *f = parse_heading(p, &fresh);
  p->function = f;
  if (f && fresh.defined) {
    ptx_advance(p);
    ptx_body(p, f);
    ptx_settle_param_addresses(f);
    ptx_locate(p->ast, f);
  } else if (f) {
    ptx_expect(p, ';');
  } else {
    f = broken_function(p, &fresh);
  }
  return f;
}

/* A function keeps its own errors: errors in functions that never run do no harm. */
static void parse_function(Parser *p, bool is_entry) {
  Ast *ast = p->ast;
  const int first = ast_error_scope(ast), mistakes = ast->mistakes;
  Function *f = parse_heading_and_body(p, is_entry);
  if (f && ast->mistakes > mistakes) {
    f->first_error = first;
    f->errors = ast->errors - first;
    f->mistakes = ast->mistakes - mistakes;
    ast->contained += f->mistakes;
  }
  ast_error_scope(ast);
  p->function = NULL;
  p->scope = ast->scope;
  p->loc = -1;
}

static bool take_linkage(Parser *p, bool *is_extern) {
  *is_extern |= ptx_token_is(&p->token, ".extern");
  return ptx_take_word(p, ".visible") || ptx_take_word(p, ".extern") || ptx_take_word(p, ".weak") ||
         ptx_take_word(p, ".common");
}

/* Reads .version 9.0. */
static void parse_version(Parser *p) {
  ptx_advance(p);
  double version = 0;
  if (p->token.kind == TOKEN_F64) memcpy(&version, &p->token.value, sizeof version);
  if (version >= 1 && version < 100)
    p->ast->version = (int)(10 * version + 0.5);
  else
    ptx_fail(p, "malformed header directive");
  ptx_advance(p);
}

/* Reads .target sm_90a, with options after it. */
static void parse_target(Parser *p) {
  ptx_advance(p);
  p->ast->target = ptx_name(p);
  while (!p->failed && ptx_take(p, ',')) ptx_name(p);
}

/* Reads .address_size 64. */
static void parse_address_size(Parser *p) {
  ptx_advance(p);
  if (p->token.value != 64) ptx_fail(p, "only 64-bit addresses are supported");
  ptx_int(p);
}

static bool parse_module_level_variable(Parser *p, bool is_extern) {
  static const struct {
    const char *directive;
    EmuSpace space;
  } spaces[] = {{".global", EMU_GLOBAL}, {".const", EMU_CONST}, {".shared", EMU_SHARED}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    if (!ptx_token_is(&p->token, spaces[i].directive)) continue;
    ptx_advance(p);
    ptx_variables(p, spaces[i].space, is_extern);
    return true;
  }
  return false;
}

static void parse_section(Parser *p) {
  ptx_advance(p);
  skip_braces(p);
}

static void parse_item(Parser *p) {
  bool is_extern = false;
  while (take_linkage(p, &is_extern)) {}
  if (parse_module_level_variable(p, is_extern)) return;
  if (ptx_take_word(p, ".entry"))
    parse_function(p, true);
  else if (ptx_take_word(p, ".func"))
    parse_function(p, false);
  else if (ptx_token_is(&p->token, ".version"))
    parse_version(p);
  else if (ptx_token_is(&p->token, ".target"))
    parse_target(p);
  else if (ptx_token_is(&p->token, ".address_size"))
    parse_address_size(p);
  else if (ptx_take_word(p, ".file"))
    ptx_file(p);
  else if (ptx_take_word(p, ".loc"))
    ptx_loc(p);
  else if (ptx_token_is(&p->token, ".pragma"))
    ptx_skip_statement(p);
  else if (ptx_take_word(p, ".section"))
    parse_section(p);
  else if (!ptx_take(p, ';'))
    ptx_fail(p, "unknown directive");
}

static void recover_item(Parser *p) {
  if (!p->failed) return;
  if (p->token.kind != TOKEN_END && !ptx_token_is_punct(&p->token, ';')) ptx_advance(p);
  ptx_recover(p);
  if (ptx_token_is_punct(&p->token, '}')) ptx_advance(p);
}

/* True if the comment at the top of the text says "Generated by NVIDIA NVVM Compiler". */
static bool is_by_nvidia(const char *text, size_t length) {
  enum { HEAD = 256 };
  static const char mark[] = "NVIDIA NVVM Compiler";
  const size_t n = sizeof mark - 1, end = length < HEAD ? length : HEAD;
  for (size_t i = 0; i + n <= end; i++)
    if (memcmp(text + i, mark, n) == 0) return true;
  return false;
}

Ast *ptx_module(Arena *arena, const char *text, size_t length) {
  Ast *ast = ARENA_NEW(arena, Ast);
  ast->arena = arena;
  ast->target = "";
  ast->version = 90;
  ast->by_nvidia = is_by_nvidia(text, length);
  ast->scope = ptx_scope_new(arena, NULL, 256);
  Parser parser = {.ast = ast, .arena = arena, .scope = ast->scope, .loc = -1};
  parser.lexer = ptx_lex_open(text, length);
  ptx_advance(&parser);
  ptx_advance(&parser);
  while (parser.token.kind != TOKEN_END) {
    parse_item(&parser);
    recover_item(&parser);
  }
  return ast;
}
