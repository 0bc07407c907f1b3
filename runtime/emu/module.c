/* SPDX-License-Identifier: MIT */
/* Loading: parses, allocates the module's variables, builds every kernel's program. */
#include "emu/module.h"

#include <stdlib.h>
#include <string.h>

#include "emu/code/program.h"
#include "emu/op/opcode.h"
#include "emu/ptx/parse.h"
#include "emu/run/sched/block_pool.h"
#include "emu/translate/translate.h"

enum { MAX_TEXT = 64 << 20 };

static void place_const(EmuModule *m, Symbol *var) {
  uint64_t at = ((uint64_t)m->const_bytes + var->align - 1) & ~(uint64_t)(var->align - 1);
  if (at + var->bytes > CONST_BANK_BYTES) {
    ast_error(m->ast, var->line, -1, "%.60s: more than 64 KiB of .const variables", var->name);
    return;
  }
  var->address = at;
  m->const_bytes = (uint32_t)(at + var->bytes);
  if (var->init) memcpy(m->const_bank + at, var->init, (size_t)var->bytes);
}

static void place_global(EmuModule *m, Symbol *var) {
  if (!var->bytes) return;
  var->address = var->managed && !m->memory->places
                     ? memory_alloc_managed(m->memory, var->bytes, var->name, m)
                     : memory_alloc_variable(m->memory, var->bytes, var->name, m);
  if (!var->address) {
    ast_error(m->ast, var->line, -1, "%.60s: no room, or no memory, for %llu bytes", var->name,
              (unsigned long long)var->bytes);
  } else if (var->init) {
    emu_copy_in(m->memory, var->address, var->init, var->bytes);
  }
}

static bool relocation_address(const Symbol *var, const Relocation *r, uint64_t *value) {
  Symbol *symbol = ptx_scope_find(var->scope, r->name);
  if (!symbol) return false;
  if (symbol->kind == SYMBOL_FUNCTION) {
    symbol->function->address_taken = true;
    *value = (uint64_t)symbol->function->index + 1;
    return true;
  }
  if (symbol->kind != SYMBOL_VAR || symbol->space == EMU_SHARED) return false;
  bool window = r->generic && symbol->space == EMU_CONST;
  *value = symbol->address + (uint64_t)r->addend + (window ? WINDOW_BASE(EMU_CONST) : 0);
  return true;
}

static bool relocation_value(const Symbol *var, const Relocation *r, uint64_t *value) {
  if (!relocation_address(var, r, value)) return false;
  if (r->mask) *value = (*value & r->mask) / (r->mask & -r->mask);
  return true;
}

static void relocate(EmuModule *m, const Symbol *var) {
  for (const Relocation *r = var->relocations; r; r = r->next) {
    uint64_t value;
    if (!relocation_value(var, r, &value)) {
      ast_error(m->ast, r->line, -1, "unknown name '%.60s' in an initialiser", r->name);
    } else if (var->space == EMU_CONST) {
      memcpy(m->const_bank + var->address + r->offset, &value, (size_t)r->width);
    } else {
      emu_copy_in(m->memory, var->address + r->offset, &value, (uint64_t)r->width);
    }
  }
}

/* True if there are errors outside of functions; those within a function concern only the kernels
 * that call it. */
static bool is_broken(const Ast *ast) { return ast->mistakes > ast->contained; }

/* The second address of constant memory, derived from a fixed address of one of its variables. */
static void place_alias(EmuModule *m) {
  for (const Symbol *var = m->ast->vars; var && !m->const_alias; var = var->next_var) {
    const uint64_t place =
        var->space == EMU_CONST ? memory_variable_address(m->memory, var->name) : 0;
    if (place)
      m->const_alias = memory_alias(m->memory, place - var->address, m->const_bank, m->const_bytes,
                                    "constant memory", m);
  }
}

static void place_variables(EmuModule *m) {
  for (Symbol *var = m->ast->vars; var; var = var->next_var) {
    if (var->space == EMU_CONST) place_const(m, var);
    if (var->space == EMU_GLOBAL) place_global(m, var);
  }
  place_alias(m);
  for (const Symbol *var = m->ast->vars; var && !is_broken(m->ast); var = var->next_var) {
    relocate(m, var);
  }
}

/* True if the host can find the variable by its name, that is, if it is not local to a function. */
static bool is_variable(const EmuModule *m, const Symbol *var) {
  return var->bytes && var->scope == m->ast->scope &&
         (var->space == EMU_CONST || var->space == EMU_GLOBAL);
}

static void list_variables(EmuModule *m) {
  int count = 0;
  for (const Symbol *var = m->ast->vars; var; var = var->next_var) count += is_variable(m, var);
  m->variable = ARENA_ARRAY(m->arena, EmuVariable, (size_t)count + 1);
  for (const Symbol *var = m->ast->vars; var; var = var->next_var)
    if (is_variable(m, var)) m->variable[m->variables++] = (EmuVariable){var->name, var->bytes};
}

static void build_kernels(EmuModule *m) {
  int count = 0;
  for (const Function *f = m->ast->functions; f; f = f->next) count += f->is_entry && f->defined;
  m->program = ARENA_ARRAY(m->arena, Program *, (size_t)count + 1);
  m->kernel = ARENA_ARRAY(m->arena, EmuKernel, (size_t)count + 1);
  for (const Function *f = m->ast->functions; f; f = f->next) {
    if (!f->is_entry || !f->defined) continue;
    m->program[m->kernels] = program_build(m->ast, f, opcode_decode);
    m->program[m->kernels]->translation = translation_new();
    m->kernel[m->kernels] = m->program[m->kernels]->info;
    m->kernels++;
  }
}

EmuModule *emu_load(EmuMemory *memory, const char *text, size_t length) {
  EmuModule *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->arena = arena_new();
  m->memory = memory;
  m->pool = block_pool_new();
  m->const_bank = arena_alloc(m->arena, CONST_BANK_BYTES);
  if (length > MAX_TEXT) {
    m->ast = ptx_module(m->arena, "", 0);
    ast_error(m->ast, 1, -1, "PTX text larger than 64 MiB");
    return m;
  }
  m->ast = ptx_module(m->arena, text, length);
  if (is_broken(m->ast)) return m;
  place_variables(m);
  if (is_broken(m->ast)) return m;
  list_variables(m);
  build_kernels(m);
  return m;
}

void emu_unload(EmuModule *m) {
  if (!m) return;
  for (int i = 0; i < m->kernels; i++) translation_free(m->program[i]->translation);
  block_pool_free(m->pool);
  memory_free_owned(m->memory, m);
  arena_free(m->arena);
  free(m);
}

const EmuError *emu_errors(const EmuModule *m, int *count) {
  *count = m->ast->errors;
  return m->ast->error;
}

const EmuKernel *emu_kernels(const EmuModule *m, int *count) {
  *count = m->kernels;
  return m->kernel;
}

const EmuKernel *emu_kernel(const EmuModule *m, const char *name) {
  for (int i = 0; i < m->kernels; i++) {
    if (strcmp(m->kernel[i].name, name) == 0) return &m->kernel[i];
  }
  return NULL;
}

const EmuVariable *emu_variables(const EmuModule *m, int *count) {
  *count = m->variables;
  return m->variable;
}

/* All modules share the const window, so that an address in it means nothing without a module. */
static uint64_t const_address(EmuModule *m, uint64_t offset) {
  if (!m->const_alias)
    m->const_alias =
        memory_alias(m->memory, 0, m->const_bank, m->const_bytes, "constant memory", m);
  return m->const_alias ? m->const_alias + offset : 0;
}

bool emu_variable(EmuModule *m, const char *name, EmuVariable *out, uint64_t *address) {
  const Symbol *var = ptx_scope_find(m->ast->scope, name);
  if (!var || var->kind != SYMBOL_VAR || !is_variable(m, var)) return false;
  *out = (EmuVariable){var->name, var->bytes};
  *address = var->space == EMU_CONST ? const_address(m, var->address) : var->address;
  return *address != 0;
}

bool emu_set_variable(EmuModule *m, const char *name, const void *data, uint64_t bytes) {
  const Symbol *var = ptx_scope_find(m->ast->scope, name);
  if (!var || var->kind != SYMBOL_VAR || !is_variable(m, var) || bytes > var->bytes) return false;
  if (var->space == EMU_GLOBAL) return emu_copy_in(m->memory, var->address, data, bytes);
  memcpy(m->const_bank + var->address, data, (size_t)bytes);
  return true;
}

/* The last statement at or before a line of the PTX text. */
static const Statement *statement_at(const Function *f, int ptx_line) {
  int low = 0, high = f->statements;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (f->statement[middle].line <= ptx_line)
      low = middle + 1;
    else
      high = middle;
  }
  return low && f->statement[low - 1].line == ptx_line ? &f->statement[low - 1] : NULL;
}

int emu_inlined(const EmuModule *m, int ptx_line, EmuLocation *out, int max) {
  const Statement *s = NULL;
  for (const Function *f = m->ast->functions; f && !s; f = f->next)
    if (f->line <= ptx_line) s = statement_at(f, ptx_line);
  int count = 0;
  for (int i = s ? s->loc : -1; i >= 0 && count < max; i = m->ast->loc[i].parent)
    if (m->ast->loc[i].line > 0)
      out[count++] = (EmuLocation){ast_file(m->ast, m->ast->loc[i].file), m->ast->loc[i].line};
  return count;
}
