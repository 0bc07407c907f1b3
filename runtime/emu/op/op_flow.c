/* Branches, calls, and the ends of threads. */
#include "emu/op/op_flow.h"

#include <stdio.h>
#include <string.h>

#include "emu/op/op_child.h"
#include "emu/op/op_heap.h"
#include "emu/op/op_printf.h"
#include "emu/op/op_stack.h"
#include "emu/run/finding.h"
#include "emu/run/undef_set.h"
#include "emu/run/warp.h"

/* --- branches --- */

static Flow exec_branch(Warp *w, const Insn *insn, uint32_t active) {
  const BranchOp *op = &insn->branch;
  warp_diverge(w, active, op->targets[0], w->now->pc + 1, op->join);
  return FLOW_JUMP;
}

static Flow exec_branch_table(Warp *w, const Insn *insn, uint32_t active) {
  const BranchOp *op = &insn->branch;
  Split *split = w->now;
  uint32_t idle = split->mask & ~active;
  const uint64_t *index = warp_reg(w, insn->s[0]);
  int32_t here = split->pc;
  while (active) {
    uint32_t which = (uint32_t)index[lane_first(active)], same = 0;
    if (which >= (uint32_t)op->count) {
      Block *block = w->block;
      if (finding_add(block, EMU_OUT_OF_BOUNDS, insn, warp_thread(w, lane_first(active)), 1)) {
        finding_describe(block, "brx.idx with index %u into %d targets", which, op->count);
      }
      block_stop(w->block);
      return FLOW_WAIT;
    }
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
  decode_take(d, "uni");
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
  decode_take(d, "uni");
  if (!decode_take(d, "idx")) decode_fail(d, "only brx.idx is supported");
  if (!decode_count(d, 2, 2)) return;
  const Operand *list = decode_operand(d, 1);
  const Symbol *targets = list->scope ? ptx_scope_find(list->scope, list->name) : NULL;
  if (!targets || targets->kind != SYMBOL_TARGETS) {
    decode_fail(d, "the second operand is not a list of targets");
    return;
  }
  Ref *s = decode_refs(d, 1);
  s[0] = decode_source(d, decode_operand(d, 0), ARITH_U32);
  d->insn->s = s;
  branch_to(d, targets->count);
  for (int i = 0; i < targets->count; i++) {
    d->insn->branch.targets[i] =
        entry_of(d) + decode_label(d, targets->scope, targets->target_name[i]);
  }
  d->insn->fn = exec_branch_table;
}

/* --- calls --- */

static int slots_of(const Symbol *symbol) { return (int)((symbol->bytes + 7) / 8); }

/* A register receives only the bytes of a variable that is shorter. */
static uint64_t bits_held(const Symbol *from, int slot) {
  const uint64_t bytes = from->bytes - (uint64_t)slot * 8;
  return bytes < 8 ? (1ull << bytes * 8) - 1 : UINT64_MAX;
}

/* Copies one .param variable or register to another one in a different frame, up to the shorter
 * length. */
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

static Flow out_of_stack(Warp *w, const Insn *insn) {
  Block *block = w->block;
  if (finding_add(block, EMU_STACK, insn, warp_thread(w, lane_first(w->now->mask)), 1)) {
    finding_describe(block, "call %d levels deep: no more registers or local memory",
                     w->now->depth + 1);
  }
  block_stop(w->block);
  return FLOW_WAIT;
}

/* Copies what the current split's lanes pass, from the caller's frame on, to the new frame. */
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
  if (!warp_reserve(w, f, new, split->depth + 1)) return out_of_stack(w, insn);
  FOR_LANES(lane, split->mask) w->returns[split->depth][lane] = (Return){split->pc + 1, old};
  warp_set_frame(w, new);
  if (!w->block->unjudged) local_enter(&w->local, split->mask, new.local, f->local_bytes);
  stack_enter(w, f, split->mask);
  pass_arguments(w, insn, f, w->slots + (size_t)old.slot * LANES);
  split->depth++;
  split->pc = f->entry;
  return FLOW_JUMP;
}

/* Lanes that do not call wait after the call for those that do. */
static bool keep_only(Warp *w, uint32_t active) {
  Split *split = w->now;
  if (active == split->mask) return false;
  int32_t here = split->pc;
  warp_diverge(w, active, here, here + 1, here + 1);
  return true;
}

static Flow exec_call(Warp *w, const Insn *insn, uint32_t active) {
  if (keep_only(w, active)) return FLOW_GONE;
  return enter(w, insn, insn->call.callee);
}

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
  Block *block = w->block;
  if (finding_add(block, EMU_OUT_OF_BOUNDS, insn, warp_thread(w, lane_first(active)), 1)) {
    finding_describe(block, "call of 0x%llx, which is not a function", (unsigned long long)first);
  }
  block_stop(w->block);
  return FLOW_WAIT;
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

/* __assertfail(message, file, line, function, char size) */
static Flow exec_assert(Warp *w, const Insn *insn, uint32_t active) {
  Block *block = w->block;
  unsigned lane = lane_first(active);
  if (finding_add(block, EMU_ASSERT, insn, warp_thread(w, lane), lane_count(active))) {
    char text[160];
    const Symbol *message = insn->call.arg[0];
    read_text(block->launch, w->base[BANK_FRAME][(size_t)message->slot * LANES + lane], text,
              sizeof text);
    finding_describe(block, "assertion `%s' failed", text);
  }
  block_stop(w->block);
  return FLOW_WAIT;
}

/* Functions of the device runtime. */
typedef struct {
  const char *name;
  int args;
  ExecFn exec;
} Builtin;

static const Builtin builtins[] = {{"vprintf", 2, exec_printf},
                                   {"__assertfail", 1, exec_assert},
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
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
    if (strcmp(builtins[i].name, name) == 0) return &builtins[i];
  }
  return NULL;
}

/* Builtins access the slots of variables themselves. */
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

/* A register or a constant in place of a .param variable; `_` is a register that is not read. */
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

static void decode_callee(Decoder *d, const Operand *operand) {
  Insn *insn = d->insn;
  CallOp *op = &insn->call;
  op->callee = -1;
  if (operand->kind == OPERAND_REG) {
    Ref *s = decode_refs(d, 1);
    s[0] = decode_source(d, operand, ARITH_U64);
    insn->s = s;
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

/* call (results), callee, (arguments), prototype: all but the callee may be absent. */
void decode_call(Decoder *d) {
  CallOp *op = &d->insn->call;
  d->insn->kind = INSN_CALL;
  decode_take(d, "uni");
  int at = 0, count = d->statement->operands;
  const Operand *operand = decode_operand(d, 0);
  if (operand->kind == OPERAND_LIST) {
    op->result = param_list(d, operand, true);
    op->results = operand->items;
    at++;
  }
  const Operand *callee = decode_operand(d, at);
  if (at + 1 < count && decode_operand(d, at + 1)->kind == OPERAND_LIST) {
    op->arg = param_list(d, decode_operand(d, at + 1), false);
    op->args = decode_operand(d, at + 1)->items;
  }
  if (!d->failed) decode_callee(d, callee);
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

void decode_return(Decoder *d) {
  decode_take(d, "uni");
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
  Block *block = w->block;
  if (finding_add(block, EMU_TRAP, insn, warp_thread(w, lane_first(active)), lane_count(active))) {
    finding_describe(block, "the kernel executed trap");
  }
  block_stop(w->block);
  return FLOW_WAIT;
}

void decode_trap(Decoder *d) {
  if (!decode_count(d, 0, 0)) return;
  d->insn->kind = INSN_END;
  d->insn->end.traps = true;
  d->insn->fn = exec_trap;
}
