/* SPDX-License-Identifier: MIT */
/* Branches, calls, and the ends of threads. */
#include "emu/op/op_flow.h"

#include <stdio.h>
#include <string.h>

#include "emu/op/op_child.h"
#include "emu/op/op_heap.h"
#include "emu/op/op_printf.h"
#include "emu/op/op_stack.h"
#include "emu/run/sched/warp.h"
#include "emu/run/state/finding.h"
#include "emu/run/undef/set.h"

/* --- branches --- */

static Flow exec_branch(Warp *w, const Insn *insn, uint32_t active) {
  const BranchOp *op = &insn->branch;
  warp_diverge(w, active, op->targets[0], w->now->pc + 1, op->join);
  return FLOW_JUMP;
}

/* The lanes of each target are split off one target after the other. */
static Flow exec_branch_table(Warp *w, const Insn *insn, uint32_t active) {
  const BranchOp *op = &insn->branch;
  Split *split = w->now;
  uint32_t idle = split->mask & ~active;
  const uint64_t *index = warp_reg(w, insn->s[0]);
  int32_t here = split->pc;
  while (active) {
    const unsigned first = lane_first(active);
    const uint32_t which = (uint32_t)index[first];
    uint32_t same = 0;
    if (which >= (uint32_t)op->count)
      return finding_end(w, insn, EMU_OUT_OF_BOUNDS, 1u << first,
                         "brx.idx with index %u into %d targets", which, op->count);
    FOR_LANES(lane, active) same |= ((uint32_t)index[lane] == which ? 1u : 0) << lane;
    warp_diverge(w, same, op->targets[which], here, op->join);
    active &= ~same;
  }
  if (idle) split->pc = here + 1;
  return FLOW_JUMP;
}

static void branch_to(Decoder *d, int count) {
  BranchOp *op = &d->insn->branch;
  op->targets = ARENA_ARRAY(d->arena, int32_t, (size_t)count + 1);
  op->count = count;
  op->join = -1;
  d->insn->kind = INSN_BRANCH;
}

static int32_t entry_of(const Decoder *d) { return d->program->function[d->function_index].entry; }

void decode_branch(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  const Operand *label = decode_operand(d, 0);
  if (label->kind != OPERAND_SYMBOL) {
    decode_fail(d, "the target is not a label");
    return;
  }
  branch_to(d, 1);
  d->insn->branch.targets[0] = entry_of(d) + decode_label(d, label->scope, label->name);
  d->insn->fn = exec_branch;
}

void decode_branch_table(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  const Operand *list = decode_operand(d, 1);
  const Symbol *targets = list->scope ? ptx_scope_find(list->scope, list->name) : NULL;
  if (!targets || targets->kind != SYMBOL_TARGETS) {
    decode_fail(d, "the second operand is not a list of targets");
    return;
  }
  decode_sources(d, 0, 1, ARITH_U32);
  branch_to(d, targets->count);
  for (int i = 0; i < targets->count; i++) {
    d->insn->branch.targets[i] =
        entry_of(d) + decode_label(d, targets->scope, targets->target_name[i]);
  }
  d->insn->fn = exec_branch_table;
}

/* --- calls --- */

static int slots_of(const Symbol *symbol) { return (int)((symbol->bytes + 7) / 8); }

/* The bits of a slot that a variable fills: a register that receives it gets zeros above them. */
static uint64_t bits_held(const Symbol *from, int slot) {
  const uint64_t bytes = from->bytes - (uint64_t)slot * 8;
  return bytes < 8 ? (1ull << bytes * 8) - 1 : UINT64_MAX;
}

/* Copies one .param variable or register to one in another frame, up to the length of the
 * shorter. */
static void copy_param(Warp *w, uint64_t *to_frame, const Symbol *to, const uint64_t *from_frame,
                       const Symbol *from, uint32_t active) {
  int slots = slots_of(to) < slots_of(from) ? slots_of(to) : slots_of(from);
  for (int i = 0; i < slots; i++) {
    uint64_t *d = to_frame + (size_t)(to->slot + i) * LANES;
    const uint64_t *s = from_frame + (size_t)(from->slot + i) * LANES;
    const uint64_t held = to->kind == SYMBOL_REG ? bits_held(from, i) : UINT64_MAX;
    FOR_LANES(lane, active) d[lane] = s[lane] & held;
    if (w->undefined) undef_copy(w, d, s, active);
  }
}

/* The same for a constant. */
static void set_param(Warp *w, uint64_t *to_frame, const Symbol *to, const Symbol *constant,
                      uint32_t active) {
  uint64_t value, *d = to_frame + (size_t)to->slot * LANES;
  memcpy(&value, constant->init, sizeof value);
  FOR_LANES(lane, active) d[lane] = value;
  if (w->undefined) undef_set_reg(w, ref_make(BANK_FRAME, (unsigned)to->slot), active, NULL, NULL);
}

/* Copies the arguments of the current split's lanes from the caller's frame, `from`, to the new
 * one. */
static void pass_arguments(Warp *w, const Insn *insn, const FunctionCode *to,
                           const uint64_t *from) {
  for (int i = 0; i < insn->call.args && i < to->source->params; i++) {
    const Symbol *param = to->source->param[i], *arg = insn->call.arg[i];
    if (arg->init)
      set_param(w, w->base[BANK_FRAME], param, arg, w->now->mask);
    else
      copy_param(w, w->base[BANK_FRAME], param, from, arg, w->now->mask);
  }
}

/* All lanes of the current split enter a function. */
static Flow enter(Warp *w, const Insn *insn, int callee) {
  Split *split = w->now;
  const FunctionCode *f = &w->block->program->function[callee];
  const FunctionCode *caller = &w->block->program->function[split->frame.function];
  Frame old = split->frame;
  Frame new = {.slot = old.slot + (uint32_t)caller->slots,
               .pred = old.pred + (uint32_t)caller->preds,
               .local = old.local + caller->local_bytes,
               .function = callee};
  if (!warp_reserve(w, f, new, split->depth + 1))
    return finding_end(w, insn, EMU_STACK, 1u << lane_first(split->mask),
                       "call %d levels deep: no more registers or local memory", split->depth + 1);
  FOR_LANES(lane, split->mask) w->returns[split->depth][lane] = (Return){split->pc + 1, old};
  warp_set_frame(w, new);
  if (!w->block->unchecked) local_enter(&w->local, split->mask, new.local, f->local_bytes);
  stack_enter(w, f, split->mask);
  pass_arguments(w, insn, f, w->slots + (size_t)old.slot * LANES);
  split->depth++;
  split->pc = f->entry;
  return FLOW_JUMP;
}

/* Splits off the lanes that do not call, which wait after the call for those that do; false if
 * there are none. */
static bool split_callers(Warp *w, uint32_t active) {
  Split *split = w->now;
  if (active == split->mask) return false;
  int32_t here = split->pc;
  warp_diverge(w, active, here, here + 1, here + 1);
  return true;
}

static Flow exec_call(Warp *w, const Insn *insn, uint32_t active) {
  if (split_callers(w, active)) return FLOW_GONE;
  return enter(w, insn, insn->call.callee);
}

/* Lanes that call different functions are split, too. A function's address is its index plus 1. */
static Flow exec_call_indirect(Warp *w, const Insn *insn, uint32_t active) {
  const Program *p = w->block->program;
  const uint64_t *target = warp_reg(w, insn->s[0]);
  uint64_t first = target[lane_first(active)];
  uint32_t same = 0;
  FOR_LANES(lane, active) same |= (target[lane] == first ? 1u : 0) << lane;
  if (same != w->now->mask) {
    int32_t here = w->now->pc;
    warp_diverge(w, same, here, active == same ? here + 1 : here, here + 1);
    return FLOW_GONE;
  }
  int callee = first - 1 < (uint64_t)p->ast->function_count ? p->function_of_index[first - 1] : -1;
  if (callee >= 0) return enter(w, insn, callee);
  return finding_end(w, insn, EMU_OUT_OF_BOUNDS, 1u << lane_first(active),
                     "call of 0x%llx, which is not a function", (unsigned long long)first);
}

static Flow exec_return(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn;
  Split *split = w->now;
  const FunctionCode *f = &w->block->program->function[split->frame.function];
  const uint64_t *from = w->base[BANK_FRAME];
  Return back = w->returns[split->depth - 1][lane_first(active)];
  const CallOp *call = &w->code[back.pc - 1].call;
  warp_set_frame(w, back.frame);
  for (int i = 0; i < call->results && i < f->source->returns; i++) {
    copy_param(w, w->base[BANK_FRAME], call->result[i], from, f->source->result[i], split->mask);
  }
  split->depth--;
  split->pc = back.pc;
  return FLOW_JUMP;
}

/* Copies a C string from device memory, up to its end or the end of its buffer. */
static void read_text(const Launch *launch, uint64_t address, char *out, size_t size) {
  size_t i = 0;
  while (i + 1 < size && emu_copy_out(launch->memory, out + i, address + i, 1) && out[i]) i++;
  out[i] = '\0';
}

/* Where the assertion stands, by its own arguments: the code may have no lines. The function has
 * all its parameters and arguments in it. */
static void say_place(Warp *w, const Insn *insn, unsigned lane) {
  Findings *all = w->block->findings;
  char file[160], function[800];
  read_text(w->block->launch, warp_param(w, insn->call.arg[1])[lane], file, sizeof file);
  read_text(w->block->launch, warp_param(w, insn->call.arg[3])[lane], function, sizeof function);
  EmuFinding *f = &all->found[all->count - 1].finding;
  snprintf(f->said, sizeof f->said, "%s:%u: %s", file,
           (unsigned)warp_param(w, insn->call.arg[2])[lane], function);
}

/* __assertfail(message, file, line, function, char size) */
static Flow exec_assert(Warp *w, const Insn *insn, uint32_t active) {
  char text[160];
  const unsigned lane = lane_first(active);
  const int before = w->block->findings->count;
  read_text(w->block->launch, warp_param(w, insn->call.arg[0])[lane], text, sizeof text);
  const Flow end = finding_end(w, insn, EMU_ASSERT, active, "assertion `%s' failed", text);
  if (w->block->findings->count > before) say_place(w, insn, lane);
  return end;
}

/* A function of the device runtime, and how many arguments it reads. */
typedef struct {
  const char *name;
  int args;
  ExecFn exec;
} Builtin;

static const Builtin builtins[] = {{"vprintf", 2, exec_printf},
                                   {"__assertfail", 4, exec_assert},
                                   {"malloc", 1, exec_malloc},
                                   {"free", 1, exec_free},
                                   {"__cudaCDP2GetParameterBufferV2", 4, exec_child_buffer},
                                   {"__cudaCDP2LaunchDeviceV2", 2, exec_child_launch},
                                   {"__cudaCDP2StreamCreateWithFlags", 2, exec_child_stream},
                                   {"__cudaCDP2StreamDestroy", 0, exec_child_nothing},
                                   {"__cudaCDP2Malloc", 2, exec_child_malloc},
                                   {"__cudaCDP2Free", 1, exec_child_free},
                                   {"__cudaCDP2MemcpyAsync", 5, exec_child_copy},
                                   {"__cudaCDP2GetLastError", 0, exec_child_nothing},
                                   {"__cudaCDP2PeekAtLastError", 0, exec_child_nothing},
                                   {"__cudaCDP2GetErrorString", 0, exec_child_nothing},
                                   {"cudaGraphSetConditional", 2, exec_child_condition}};

static const Builtin *find_builtin(const char *name) {
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (strcmp(builtins[i].name, name) == 0) return &builtins[i];
  return NULL;
}

/* Constants have no slot, and a builtin reads its arguments from their slots. */
static bool has_constants(const CallOp *op) {
  for (int i = 0; i < op->args; i++)
    if (op->arg[i]->init) return true;
  return false;
}

static void decode_builtin(Decoder *d, const char *name) {
  const Builtin *builtin = find_builtin(name);
  if (!builtin)
    decode_fail(d, "function '%.60s' is not defined", name);
  else if (d->insn->call.args < builtin->args || has_constants(&d->insn->call))
    decode_fail(d, "%s needs arguments that are variables", name);
  else
    d->insn->fn = builtin->exec;
  d->ast->uses_heap |= builtin && builtin->exec != exec_printf && builtin->exec != exec_assert;
}

/* A symbol for a register or a constant that stands in place of a .param variable; `_` is a
 * register that is not read. */
static const Symbol *make_param(Decoder *d, const Operand *operand, bool result) {
  const bool wide = operand->kind == OPERAND_VECTOR, sink = operand->kind == OPERAND_SINK;
  const bool constant = operand->kind >= OPERAND_INT && operand->kind <= OPERAND_F64;
  const bool in_register = operand->kind == OPERAND_REG || wide || sink;
  Symbol *symbol = ARENA_NEW(d->arena, Symbol);
  if (!in_register && (!constant || result)) {
    decode_fail(d,
                "arguments other than .param variables, registers and numbers are not supported");
    return NULL;
  }
  *symbol = (Symbol){.kind = SYMBOL_REG, .bytes = wide ? 16 : 8};
  symbol->slot = sink ? d->scratch : wide ? operand->item[0].slot : operand->slot;
  if (constant) {
    symbol->init = arena_alloc(d->arena, sizeof operand->value);
    memcpy(symbol->init, &operand->value, sizeof operand->value);
  }
  return symbol;
}

static const Symbol *const *param_list(Decoder *d, const Operand *list, bool results) {
  const Symbol **symbols = ARENA_ARRAY(d->arena, const Symbol *, (size_t)list->items + 1);
  for (int i = 0; i < list->items && !d->failed; i++) {
    const Symbol *symbol = list->item[i].symbol;
    const bool variable = symbol && symbol->kind == SYMBOL_VAR && symbol->in_slots;
    symbols[i] = variable ? symbol : make_param(d, &list->item[i], results);
  }
  return symbols;
}

static void decode_callee(Decoder *d, int at) {
  const Operand *operand = decode_operand(d, at);
  Insn *insn = d->insn;
  CallOp *op = &insn->call;
  op->callee = -1;
  if (operand->kind == OPERAND_REG) {
    decode_sources(d, at, 1, ARITH_U64);
    insn->fn = exec_call_indirect;
    return;
  }
  const Symbol *symbol = operand->kind == OPERAND_SYMBOL ? operand->symbol : NULL;
  if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
    decode_fail(d, "the callee is not a function");
    return;
  }
  op->callee = d->program->function_of_index[symbol->function->index];
  insn->fn = exec_call;
  if (op->callee < 0) decode_builtin(d, symbol->name);
}

/* call {(results),} callee {, (arguments)} {, prototype} */
void decode_call(Decoder *d) {
  CallOp *op = &d->insn->call;
  d->insn->kind = INSN_CALL;
  int at = 0, count = d->statement->operands;
  const Operand *operand = decode_operand(d, 0);
  if (operand->kind == OPERAND_LIST) {
    op->result = param_list(d, operand, true);
    op->results = operand->items;
    at++;
  }
  if (at + 1 < count && decode_operand(d, at + 1)->kind == OPERAND_LIST) {
    op->arg = param_list(d, decode_operand(d, at + 1), false);
    op->args = decode_operand(d, at + 1)->items;
  }
  if (!d->failed) decode_callee(d, at);
}

/* --- ends --- */

static Flow exec_exit(Warp *w, const Insn *insn, uint32_t active) {
  return warp_exit(w, insn, active);
}

void decode_exit(Decoder *d) {
  if (!decode_count(d, 0, 0)) return;
  d->insn->kind = INSN_END;
  d->insn->fn = exec_exit;
}

/* A function's last instruction is its only return, which all others branch to: code/program.c. */
void decode_return(Decoder *d) {
  const FunctionCode *code = &d->program->function[d->function_index];
  if (d->function->is_entry) {
    decode_exit(d);
  } else if (d->insn == &d->program->insn[code->end - 1]) {
    d->insn->kind = INSN_END;
    d->insn->fn = exec_return;
  } else {
    branch_to(d, 1);
    d->insn->branch.targets[0] = code->end - 1;
    d->insn->fn = exec_branch;
  }
}

static Flow exec_trap(Warp *w, const Insn *insn, uint32_t active) {
  return finding_end(w, insn, EMU_TRAP, active, "the kernel executed trap");
}

void decode_trap(Decoder *d) {
  if (!decode_count(d, 0, 0)) return;
  d->insn->kind = INSN_END;
  d->insn->end.traps = true;
  d->insn->fn = exec_trap;
}
