/* SPDX-License-Identifier: MIT */
#include "emu/ptx/parse_body.h"

#include <stdio.h>
#include <string.h>

#include "emu/ptx/parse_constant.h"
#include "emu/ptx/parse_decl.h"
#include "emu/ptx/parse_loc.h"

enum { MAX_OPERANDS = 32, MAX_ITEMS = 128, MAX_DEPTH = 256, MAX_STATEMENTS = 1 << 20 };

/* --- operands --- */

/* Finds %r12 in the innermost range that includes it, such as %r<20>; NULL if there is none. */
static Symbol *find_in_range(const Scope *scope, const char *name, int *index) {
  size_t length = strlen(name), stem = length;
  while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') stem--;
  if (stem == length || length - stem > 7 || stem > 100) return NULL;
  char key[112];
  snprintf(key, sizeof key, "%.*s<", (int)stem, name);
  int number = 0;
  for (size_t i = stem; i < length; i++) number = number * 10 + (name[i] - '0');
  *index = number;
  Symbol *range = ptx_scope_find(scope, key);
  while (range && number >= range->count) range = ptx_scope_find(range->scope->parent, key);
  return range;
}

/* Finds a name in the innermost scope that declares it: libdevice declares its own %r1 within the
 * scope of %r<20>. */
static Symbol *find_named(const Scope *scope, const char *name, int *index) {
  Symbol *symbol = ptx_scope_find(scope, name), *range = find_in_range(scope, name, index);
  if (range && (!symbol || range->scope->depth > symbol->scope->depth)) return range;
  *index = 0;
  return symbol;
}

/* Lists all parts of one register: two of 64 bits, or the elements of a vector. */
static void operand_parts(Parser *p, Operand *operand, const Symbol *symbol, int index) {
  const bool wide = symbol->type == ARITH_B128;
  const ArithType type = wide ? ARITH_B64 : symbol->type;
  const int parts = wide ? 2 : symbol->vector;
  operand->kind = OPERAND_VECTOR;
  operand->items = parts;
  operand->item = ARENA_ARRAY(p->arena, Operand, (size_t)parts);
  for (int i = 0; i < parts; i++)
    operand->item[i] =
        (Operand){.kind = OPERAND_REG, .type = type, .slot = symbol->slot + parts * index + i};
}

static void operand_register(Operand *operand, const Symbol *symbol, int slot) {
  operand->kind = symbol->type == ARITH_PRED ? OPERAND_PRED : OPERAND_REG;
  operand->type = symbol->type;
  operand->slot = symbol->slot + slot;
}

/* The element of a vector selected by .x to .w or .r to .a; -1 for other names. */
static int element_of(const Symbol *symbol, const char *name) {
  static const char letters[] = "xyzwrgba";
  const char *found = name[0] && !name[1] ? strchr(letters, name[0]) : NULL;
  const int element = found ? (int)(found - letters) % 4 : -1;
  return element < symbol->vector ? element : -1;
}

/* Parses r1.h0, the part of a register that a video instruction reads, or v.x, a vector element. */
static bool parse_part(Parser *p, Operand *operand) {
  int index = 0;
  const char *dot = strchr(operand->name, '.');
  if (!dot || dot == operand->name) return false;
  const char *whole = arena_printf(p->arena, "%.*s", (int)(dot - operand->name), operand->name);
  const Symbol *symbol = find_named(p->scope, whole, &index);
  if (!symbol || symbol->kind != SYMBOL_REG) return false;
  const int element = symbol->vector > 1 ? element_of(symbol, dot + 1) : 0;
  if (element < 0) ptx_fail(p, "'%s': no such element", operand->name);
  if (symbol->vector == 1) operand->selector = dot + 1;
  operand_register(operand, symbol, index * symbol->vector + element);
  return true;
}

static Operand parse_named(Parser *p) {
  Operand operand = {.kind = OPERAND_SYMBOL, .scope = p->scope, .name = ptx_name(p)};
  int index = 0;
  Symbol *symbol = find_named(p->scope, operand.name, &index);
  if (!symbol && parse_part(p, &operand)) return operand;
  if (strcmp(operand.name, "_") == 0) {
    operand.kind = OPERAND_SINK;
  } else if (symbol && symbol->kind == SYMBOL_REG &&
             (symbol->type == ARITH_B128 || symbol->vector > 1)) {
    operand_parts(p, &operand, symbol, index);
  } else if (symbol && symbol->kind == SYMBOL_REG) {
    operand_register(&operand, symbol, index);
  } else if (!symbol && operand.name[0] == '%') {
    operand.kind = OPERAND_SPECIAL;
  } else {
    operand.symbol = symbol;
    if (ptx_take(p, '+')) operand.value = (uint64_t)ptx_constant_int(p);
  }
  return operand;
}

static Operand parse_number(Parser *p) {
  const Constant c = ptx_constant(p);
  const OperandKind kind = c.kind == TOKEN_F32   ? OPERAND_F32
                           : c.kind == TOKEN_F64 ? OPERAND_F64
                                                 : OPERAND_INT;
  return (Operand){.kind = kind, .value = c.value};
}

/* Parses a constant, or a name with or without a sign. */
static Operand parse_item(Parser *p) {
  if (ptx_is_constant(p)) return parse_number(p);
  const bool negated = ptx_take(p, '-') || ptx_take(p, '!');
  Operand operand = parse_named(p);
  operand.negated = negated;
  return operand;
}

/* Reads {a, b, ...} or (a, b, ...), whose items are only names and numbers. */
static Operand parse_group(Parser *p, OperandKind kind, char close) {
  Operand items[MAX_ITEMS];
  Operand operand = {.kind = kind};
  while (!p->failed && !ptx_take(p, close)) {
    if (operand.items && !ptx_expect(p, ',')) break;
    if (operand.items == MAX_ITEMS) {
      ptx_fail(p, "more than %d items in a list", MAX_ITEMS);
      break;
    }
    items[operand.items++] = parse_item(p);
  }
  operand.item = ARENA_ARRAY(p->arena, Operand, (size_t)operand.items + 1);
  if (operand.items) memcpy(operand.item, items, (size_t)operand.items * sizeof *items);
  return operand;
}

/* Parses [address], or [texture {, sampler}, {coordinates}]. */
static Operand parse_memory(Parser *p) {
  enum { MOST = 3 };
  Operand operand = {.kind = OPERAND_MEMORY, .items = 1};
  operand.item = ARENA_ARRAY(p->arena, Operand, MOST);
  operand.item[0] = parse_item(p);
  if (ptx_take(p, '+'))
    operand.value = (uint64_t)ptx_constant_int(p);
  else if (ptx_token_is_punct(&p->token, '-'))
    operand.value = (uint64_t)ptx_constant_int(p);
  operand.value += operand.item[0].kind == OPERAND_SYMBOL ? operand.item[0].value : 0;
  while (!p->failed && operand.items < MOST && ptx_take(p, ','))
    operand.item[operand.items++] =
        ptx_take(p, '{') ? parse_group(p, OPERAND_VECTOR, '}') : parse_item(p);
  ptx_expect(p, ']');
  return operand;
}

/* Parses the q of p|q, or of {a, b}|q. */
static void parse_second(Parser *p, Operand *operand) {
  if (!ptx_take(p, '|')) return;
  operand->second = ARENA_NEW(p->arena, Operand);
  *operand->second = parse_named(p);
}

static Operand parse_vector(Parser *p) {
  Operand operand = parse_group(p, OPERAND_VECTOR, '}');
  parse_second(p, &operand);
  return operand;
}

/* Only calls have lists in parentheses; elsewhere a parenthesis starts a constant. */
static Operand parse_operand(Parser *p, bool of_call) {
  if (ptx_take(p, '{')) return parse_vector(p);
  if (of_call && ptx_take(p, '(')) return parse_group(p, OPERAND_LIST, ')');
  if (ptx_take(p, '[')) return parse_memory(p);
  Operand operand = parse_item(p);
  if (operand.kind != OPERAND_INT) parse_second(p, &operand);
  return operand;
}

/* --- statements --- */

static Operand *parse_guard(Parser *p) {
  if (!ptx_take(p, '@')) return NULL;
  bool negated = ptx_take(p, '!');
  Operand *guard = ARENA_NEW(p->arena, Operand);
  *guard = parse_named(p);
  guard->negated = negated;
  if (guard->kind != OPERAND_PRED) ptx_fail(p, "the guard is not a predicate register");
  return guard;
}

static int parse_operands(Parser *p, bool of_call, Operand operand[MAX_OPERANDS]) {
  int count = 0;
  if (ptx_token_is_punct(&p->token, ';')) return 0;
  do {
    if (count == MAX_OPERANDS) {
      ptx_fail(p, "more than %d operands", MAX_OPERANDS);
      return count;
    }
    operand[count++] = parse_operand(p, of_call);
  } while (!p->failed && ptx_take(p, ','));
  return count;
}

static bool is_call(const char *opcode) { return strncmp(opcode, "call", 4) == 0; }

static void mark_addresses(const Statement *s) {
  if (is_call(s->opcode)) return;
  for (int i = 0; i < s->operands; i++) {
    const Symbol *symbol = s->operand[i].symbol;
    if (symbol && symbol->kind == SYMBOL_FUNCTION) symbol->function->address_taken = true;
  }
}

static void add_statement(Parser *p, const Statement *s) {
  Function *f = p->function;
  if (f->statements == MAX_STATEMENTS) {
    ptx_fail(p, "more than %d instructions in a function", MAX_STATEMENTS);
    return;
  }
  f->statement =
      ptx_array_grow(p->arena, f->statement, f->statements, &f->capacity, sizeof *f->statement);
  f->statement[f->statements++] = *s;
}

static void parse_instruction(Parser *p) {
  Operand operand[MAX_OPERANDS];
  Statement s = {.line = p->token.line, .loc = p->loc};
  s.guard = parse_guard(p);
  s.opcode = ptx_name(p);
  if (!p->failed) s.operands = parse_operands(p, is_call(s.opcode), operand);
  if (!p->failed) ptx_expect(p, ';');
  if (p->failed) return;
  s.operand = ARENA_ARRAY(p->arena, Operand, (size_t)s.operands + 1);
  if (s.operands) memcpy(s.operand, operand, (size_t)s.operands * sizeof *operand);
  mark_addresses(&s);
  add_statement(p, &s);
}

static void parse_targets(Parser *p, Symbol *symbol) {
  int capacity = 0;
  symbol->kind = SYMBOL_TARGETS;
  do {
    symbol->target_name = ptx_array_grow(p->arena, symbol->target_name, symbol->count, &capacity,
                                         sizeof *symbol->target_name);
    symbol->target_name[symbol->count++] = ptx_name(p);
  } while (!p->failed && ptx_take(p, ','));
  ptx_expect(p, ';');
}

static void parse_label(Parser *p) {
  bool existed;
  const char *name = ptx_name(p);
  Symbol *symbol = ptx_scope_add(p->arena, p->scope, name, SYMBOL_LABEL, &existed);
  if (existed) ptx_fail(p, "label '%s' defined twice", name);
  symbol->statement = p->function->statements;
  ptx_expect(p, ':');
  if (ptx_take_word(p, ".branchtargets"))
    parse_targets(p, symbol);
  else if (ptx_take_word(p, ".calltargets"))
    parse_targets(p, symbol);
  else if (ptx_take_word(p, ".callprototype"))
    ptx_skip_statement(p); /* it adds nothing to the operands of the call */
}

static bool parse_variables(Parser *p) {
  static const struct {
    const char *directive;
    EmuSpace space;
  } spaces[] = {{".shared", EMU_SHARED},
                {".local", EMU_LOCAL},
                {".param", EMU_PARAM},
                {".global", EMU_GLOBAL},
                {".const", EMU_CONST}};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    if (!ptx_token_is(&p->token, spaces[i].directive)) continue;
    ptx_advance(p);
    ptx_variables(p, spaces[i].space, false);
    return true;
  }
  return false;
}

static void parse_statement(Parser *p) {
  if (p->token.kind == TOKEN_WORD && ptx_token_is_punct(&p->ahead, ':'))
    parse_label(p);
  else if (ptx_take_word(p, ".reg"))
    ptx_registers(p);
  else if (ptx_take_word(p, ".loc"))
    ptx_loc(p);
  else if (ptx_token_is(&p->token, ".pragma"))
    ptx_skip_statement(p);
  else if (!parse_variables(p) && !ptx_take(p, ';'))
    parse_instruction(p);
}

void ptx_body(Parser *p, Function *function) {
  int depth = 1;
  while (p->token.kind != TOKEN_END) {
    if (ptx_take(p, '{')) {
      if (++depth > MAX_DEPTH) ptx_fail(p, "blocks nested deeper than %d", MAX_DEPTH);
      p->scope = ptx_scope_new(p->arena, p->scope, 1);
    } else if (ptx_take(p, '}')) {
      if (--depth == 0) return;
      p->scope = p->scope->parent;
    } else {
      parse_statement(p);
    }
    ptx_recover(p);
  }
  ptx_fail(p, "function '%s' has no end", function->name);
}
