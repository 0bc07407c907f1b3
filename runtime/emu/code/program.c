/* SPDX-License-Identifier: MIT */
#include "emu/code/program.h"

#include <string.h>

#include "emu/code/arrays.h"
#include "emu/code/bases.h"
#include "emu/code/cfg.h"
#include "emu/code/constants.h"
#include "emu/code/loads.h"
#include "emu/code/unset.h"

/* --- reachability --- */

typedef struct {
  Program *program;
  const Function **list;
  int count;
  Symbol **shared;
  int shareds, capacity;
  bool indirect;
  Decoder *decoder;
} Reach;

static void reach_function(Reach *r, const Function *f) {
  if (!f->defined || r->program->function_of_index[f->index] >= 0) return;
  r->program->function_of_index[f->index] = r->count;
  r->list[r->count++] = f;
}

static void reach_shared(Reach *r, Symbol *var) {
  enum { MAX_SHARED_VARS = 4096 };
  if (var->reached_by == r->program) return;
  var->reached_by = r->program;
  if (r->shareds == MAX_SHARED_VARS) {
    ast_error(r->decoder->ast, var->line, -1, "more than %d shared variables", MAX_SHARED_VARS);
    return;
  }
  r->shared =
      ptx_array_grow(r->decoder->arena, r->shared, r->shareds, &r->capacity, sizeof *r->shared);
  r->shared[r->shareds++] = var;
}

static void reach_operand(Reach *r, const Operand *operand) {
  Symbol *symbol = operand->symbol;
  const bool function = symbol && symbol->kind == SYMBOL_FUNCTION;
  if (function && !symbol->function->is_entry) reach_function(r, symbol->function);
  if (symbol && symbol->kind == SYMBOL_VAR && symbol->space == EMU_SHARED) reach_shared(r, symbol);
  for (int i = 0; i < operand->items; i++) reach_operand(r, &operand->item[i]);
}

static void reach_statements(Reach *r, const Function *f) {
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    bool call = strncmp(s->opcode, "call", 4) == 0;
    for (int k = 0; k < s->operands; k++) {
      r->indirect |= call && s->operand[k].kind == OPERAND_REG;
      reach_operand(r, &s->operand[k]);
    }
  }
  for (Symbol *var = f->vars; var; var = var->next_var) {
    if (var->space == EMU_SHARED) reach_shared(r, var);
  }
}

static void reach_all(Reach *r, const Ast *ast, const Function *kernel) {
  reach_function(r, kernel);
  for (int done = 0; done < r->count; done++) {
    reach_statements(r, r->list[done]);
    if (!r->indirect || done + 1 < r->count) continue;
    for (const Function *f = ast->functions; f; f = f->next) {
      if (f->address_taken && !f->is_entry) reach_function(r, f);
    }
  }
}

/* --- layout --- */

static uint64_t align_up(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

/* A stable insertion sort: dynamic arrays last, the others by descending alignment. */
static void sort_shared(Symbol **var, int count) {
  for (int i = 1; i < count; i++) {
    Symbol *moved = var[i];
    int k = i;
    for (; k > 0; k--) {
      const Symbol *before = var[k - 1];
      if (before->dynamic < moved->dynamic) break;
      if (before->dynamic == moved->dynamic && before->align >= moved->align) break;
      var[k] = var[k - 1];
    }
    var[k] = moved;
  }
}

/* Static arrays start at 0; the dynamic ones follow, all at the same address. */
static uint64_t place_arrays(const Reach *r, uint64_t *static_end) {
  enum { DYNAMIC_ALIGN = 16 };
  uint64_t at = 0, align = DYNAMIC_ALIGN;
  for (int i = 0; i < r->shareds; i++) {
    Symbol *var = r->shared[i];
    if (var->dynamic) {
      align = var->align > align ? var->align : align;
      continue;
    }
    var->address = align_up(at, var->align);
    at = var->address + var->bytes;
  }
  *static_end = at;
  at = align_up(at, align);
  for (int i = 0; i < r->shareds; i++) {
    if (r->shared[i]->dynamic) r->shared[i]->address = at;
  }
  return at;
}

static void place_shared(Reach *r) {
  enum { MOST = 1 << 24 };
  Program *p = r->program;
  EmuSharedVar *info = ARENA_ARRAY(r->decoder->arena, EmuSharedVar, (size_t)r->shareds + 1);
  sort_shared(r->shared, r->shareds);
  uint64_t end, dynamic = place_arrays(r, &end);
  for (int i = 0; i < r->shareds; i++) {
    const Symbol *var = r->shared[i];
    info[i] = (EmuSharedVar){var->name, (uint32_t)var->address, (uint32_t)var->bytes, var->align};
  }
  if (dynamic > MOST) {
    ast_error(r->decoder->ast, p->kernel->line, -1, "%.60s: %llu bytes of static shared memory",
              p->kernel->name, (unsigned long long)end);
    dynamic = end = 0;
  }
  p->static_shared = (uint32_t)end;
  p->dynamic_offset = (uint32_t)dynamic;
  p->info.shared_vars = r->shareds;
  p->info.shared_var = info;
}

/* Allocates local variables from the start of the frame. Frames are aligned to 64 bytes, so their
 * sizes are multiples of 64. */
static void place_locals(Decoder *d, const Function *f, FunctionCode *code) {
  enum { FRAME_ALIGN = 64, MOST = 1 << 30 };
  uint64_t at = 0;
  for (Symbol *var = f->vars; var; var = var->next_var) {
    if (var->space != EMU_LOCAL) continue;
    at = align_up(at, var->align);
    var->address = at;
    at += var->bytes;
    if (at > MOST) at = MOST;
  }
  if (at > MAX_LOCAL_BYTES) {
    ast_error(d->ast, f->line, -1, "%.60s: more than 512 KiB of local memory", f->name);
    at = 0;
  }
  code->local_end = (uint32_t)at;
  code->local_bytes = (uint32_t)align_up(at, FRAME_ALIGN);
}

static void place_params(Decoder *d, const Function *f) {
  enum { MOST = 32764 }; /* [PTX ISA, kernel function parameters] */
  Program *p = d->program;
  EmuParam *info = ARENA_ARRAY(d->arena, EmuParam, (size_t)f->params + 1);
  uint64_t at = 0;
  for (int i = 0; i < f->params; i++) {
    Symbol *param = f->param[i];
    at = align_up(at, param->align);
    param->address = at;
    info[i] = (EmuParam){.name = param->name,
                         .type = arith_type_name(param->type),
                         .bytes = (uint32_t)param->bytes,
                         .align = param->align,
                         .offset = (uint32_t)at,
                         .pointer = param->pointer};
    at += param->bytes;
  }
  if (at > MOST)
    ast_error(d->ast, f->line, -1, "%.60s: more than 32,764 bytes of parameters", f->name);
  p->param_bytes = (uint32_t)at;
  p->info.params = f->params;
  p->info.param = info;
}

/* --- instructions --- */

static void split_opcode(Decoder *d) {
  char *text = arena_printf(d->arena, "%s", d->statement->opcode);
  d->modifiers = 0;
  d->taken = 1;
  for (char *at = text; at && d->modifiers < MAX_MODIFIERS;) {
    d->modifier[d->modifiers++] = at;
    at = strchr(at, '.');
    if (at) *at++ = '\0';
  }
}

static void decode_statement(Decoder *d, const Statement *s, Insn *insn) {
  d->statement = s;
  d->insn = insn;
  d->failed = false;
  *insn = (Insn){.statement = s, .function = d->function_index};
  insn->guard.slot = insn->p_in.slot = insn->p_out[0] = insn->p_out[1] = -1;
  if (s->guard) insn->guard = decode_pred(d, s->guard);
  split_opcode(d);
  d->decode(d);
}

/* Adds the function's only return after the last statement; all other returns branch to it. */
static const Statement *final_statement(Decoder *d, const Function *f) {
  Statement *s = ARENA_NEW(d->arena, Statement);
  s->opcode = "ret";
  s->line = f->statements ? f->statement[f->statements - 1].line : f->line;
  s->loc = f->statements ? f->statement[f->statements - 1].loc : -1;
  return s;
}

static void decode_function(Decoder *d, const Function *f, FunctionCode *code) {
  Program *p = d->program;
  d->function = f;
  d->function_index = (int)(code - p->function);
  d->scratch = f->slots;
  code->source = f;
  code->entry = p->count;
  code->end = p->count + f->statements + 1;
  code->slots = f->slots + 1;
  code->preds = f->preds + 1;
  place_locals(d, f, code);
  for (int i = 0; i < f->statements; i++) {
    decode_statement(d, &f->statement[i], &p->insn[code->entry + i]);
  }
  decode_statement(d, final_statement(d, f), &p->insn[code->end - 1]);
  p->count = code->end;
}

/* Allocates the code. Functions are decoded again for every kernel that reaches them; false if that
 * becomes too much. */
static bool allocate_code(Decoder *d, const Reach *r) {
  enum { MAX_DECODED = 1 << 22 };
  Program *p = d->program;
  size_t total = 0;
  for (int i = 0; i < r->count; i++) total += (size_t)r->list[i]->statements + 1;
  if (total > (size_t)(MAX_DECODED - d->ast->decoded)) {
    ast_error(d->ast, p->kernel->line, -1, "more than %d instructions in all kernels", MAX_DECODED);
    return false;
  }
  d->ast->decoded += (int)total;
  p->insn = ARENA_ARRAY(d->arena, Insn, total);
  p->functions = r->count;
  p->function = ARENA_ARRAY(d->arena, FunctionCode, (size_t)r->count);
  return true;
}

/* A kernel's branch to its unguarded `ret` is an exit of those lanes: ptxas predicates EXIT, so
 * lanes do not reconverge there. */
static void jumps_to_exit(Program *p, const FunctionCode *code) {
  for (int i = code->entry; i < code->end; i++) {
    Insn *insn = &p->insn[i];
    if (insn->kind != INSN_BRANCH || insn->branch.count != 1) continue;
    const Insn *target = &p->insn[insn->branch.targets[0]];
    if (target->kind != INSN_END || target->guard.slot >= 0 || target->end.traps) continue;
    insn->kind = INSN_END;
    insn->end = target->end;
    insn->fn = target->fn;
  }
}

/* True if the member mask is constant and names all lanes. */
static bool names_all(const Program *p, const Insn *insn) {
  const Ref member = insn->s[insn->n_s - 1];
  return insn_is_always(insn) && member >> REF_SHIFT == BANK_CONST &&
         (uint32_t)p->const_value[member & REF_INDEX] == UINT32_MAX;
}

/* Marks instructions that a warp may execute without checking for other splits: Insn.plain. */
static void mark_plain(Program *p) {
  for (int i = 0; i < p->count; i++) {
    Insn *insn = &p->insn[i];
    switch (insn->kind) {
    case INSN_ARITH:
    case INSN_MOVE:
    case INSN_PACK:
    case INSN_LOGIC:
    case INSN_SLOT:
    case INSN_ACCESS:
    case INSN_ATOMIC: insn->plain = true; break;
    case INSN_MEET: insn->whole = names_all(p, insn); break;
    case INSN_WHOLE:
    case INSN_MMA:
    case INSN_WMMA_PRODUCT:
    case INSN_MATRIX:
    case INSN_WMMA: insn->whole = insn_is_always(insn); break;
    default: break;
    }
  }
}

enum { SM_REGISTERS = 1 << 16 };

/* The threads of a block, capped at the number of registers, because launch bounds may be arbitrary
 * numbers. */
static uint32_t threads_of(const uint32_t block[3], uint32_t blocks) {
  const uint32_t factor[] = {block[0], block[1], block[2], blocks ? blocks : 1};
  uint64_t threads = 1;
  for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
    threads *= factor[i];
    if (threads > SM_REGISTERS) threads = SM_REGISTERS;
  }
  return (uint32_t)threads;
}

/* The number of registers per thread that ptxas assigns to a kernel with setmaxnreg: .maxnreg, or
 * the maximum, in steps of 8, with which .minnctapersm blocks fit; capped at the largest
 * setmaxnreg.inc (256 threads of a kernel that raises to 232 have 232). Returns 0 without launch
 * bounds: ptxas then ignores setmaxnreg. */
static uint32_t registers_at_entry(const Function *f, uint32_t raised) {
  enum { STEP = 8, MOST = 256 };
  const uint32_t most = raised ? raised : MOST;
  const uint32_t threads =
      threads_of(f->required_block[0] ? f->required_block : f->max_block, f->min_blocks);
  if (!f->max_registers && !threads) return 0;
  const uint32_t fits = f->max_registers ? f->max_registers : SM_REGISTERS / threads;
  return fits < most ? fits / STEP * STEP : most;
}

static void describe(Decoder *d, const Function *f) {
  Program *p = d->program;
  EmuKernel *info = &p->info;
  info->name = f->name;
  info->static_shared = p->static_shared;
  p->registers = registers_at_entry(f, p->raised);
  info->file = ast_file(d->ast, f->root_file);
  info->line = info->file ? f->root_line : 0;
  for (int i = 0; i < p->functions; i++) {
    info->registers += p->function[i].source->named_registers;
    info->local_bytes += p->function[i].local_bytes;
  }
  memcpy(info->max_block, f->max_block, sizeof f->max_block);
  memcpy(info->required_block, f->required_block, sizeof f->required_block);
  memcpy(info->cluster, f->cluster, sizeof f->cluster);
  info->explicit_cluster = f->explicit_cluster;
  info->grid_sync = p->uses_grid_space;
}

/* Analyses that need the whole program: reconvergence points, uses of loads and arrays. */
static void analyse(Arena *a, Program *p) {
  jumps_to_exit(p, &p->function[0]);
  for (int i = 0; i < p->functions; i++) {
    cfg_find_joins(a, p, &p->function[i]);
    loads_classify(a, p, &p->function[i]);
    arrays_find(a, p, &p->function[i]);
    constants_find(a, p, &p->function[i]);
  }
  for (int i = 0; i + 1 < p->count; i++)
    if (p->insn[i].kind == INSN_CALL) p->insn[i + 1].join = true;
  mark_plain(p);
  bases_find(p);
  unset_find(a, p);
}

static Program *program_new(Ast *ast, const Function *kernel) {
  Program *p = ARENA_NEW(ast->arena, Program);
  p->ast = ast;
  p->kernel = kernel;
  p->function_of_index = ARENA_ARRAY(ast->arena, int, (size_t)ast->function_count + 1);
  for (int i = 0; i < ast->function_count; i++) p->function_of_index[i] = -1;
  return p;
}

static Decoder *decoder_new(Ast *ast, Program *p, DecodeFn *decode) {
  Decoder *d = ARENA_NEW(ast->arena, Decoder);
  *d = (Decoder){.ast = ast, .arena = ast->arena, .program = p, .decode = decode};
  for (int i = 0; i < CONST_BUCKETS; i++) d->const_next[i] = -1;
  return d;
}

Program *program_build(Ast *ast, const Function *kernel, DecodeFn *decode) {
  Program *p = program_new(ast, kernel);
  Decoder *d = decoder_new(ast, p, decode);
  const int errors = ast_error_scope(ast), mistakes = ast->mistakes;
  Reach reach = {.program = p, .decoder = d};
  reach.list = ARENA_ARRAY(ast->arena, const Function *, (size_t)ast->function_count + 1);
  reach_all(&reach, ast, kernel);
  place_shared(&reach);
  place_params(d, kernel);
  for (int i = 1; i < reach.count; i++)
    if (reach.list[i]->mistakes) ast_repeat_errors(ast, reach.list[i]);
  const bool fits = !kernel->mistakes && ast->mistakes == mistakes && allocate_code(d, &reach);
  for (int i = 0; fits && i < reach.count; i++) decode_function(d, reach.list[i], &p->function[i]);
  describe(d, kernel);
  p->info.first_error = kernel->mistakes ? kernel->first_error : errors;
  p->info.errors = kernel->mistakes ? kernel->errors : ast->errors - errors;
  p->info.runnable = !kernel->mistakes && ast->mistakes == mistakes && !d->failures;
  if (p->info.runnable) analyse(ast->arena, p);
  return p;
}
