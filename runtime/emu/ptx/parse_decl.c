/* SPDX-License-Identifier: MIT */
#include "emu/ptx/parse_decl.h"

#include <string.h>

#include "base/number.h"
#include "emu/ptx/parse_constant.h"

enum { MAX_ALIGN = 1 << 16 };

static ArithType parse_type(Parser *p) {
  const Token *t = &p->token;
  ArithType type = ARITH_NONE;
  if (t->kind == TOKEN_WORD && t->text[0] == '.') {
    type = arith_type(t->text + 1, (unsigned)t->length - 1);
  }
  if (type == ARITH_NONE)
    ptx_fail(p, "no type, or none that is supported,");
  else
    ptx_advance(p);
  return type;
}

/* A variable of an opaque type holds a handle. */
static ArithType parse_variable_type(Parser *p) {
  const bool opaque = ptx_take_word(p, ".texref") || ptx_take_word(p, ".surfref");
  return opaque ? ARITH_B64 : parse_type(p);
}

static uint32_t parse_align(Parser *p) {
  int64_t align = ptx_int(p);
  if (align > MAX_ALIGN || !number_is_power(align)) {
    ptx_fail(p, "alignment is not a power of two up to 65536");
    return 1;
  }
  return (uint32_t)align;
}

/* Reads a kernel parameter's `.ptr .global .align 16`, of which only .ptr is kept. */
static bool parse_pointer(Parser *p) {
  if (!ptx_take_word(p, ".ptr")) return false;
  for (;;) {
    if (ptx_take_word(p, ".align"))
      parse_align(p);
    else if (!ptx_take_word(p, ".global") && !ptx_take_word(p, ".shared") &&
             !ptx_take_word(p, ".const") && !ptx_take_word(p, ".local")) {
      return true;
    }
  }
}

static unsigned parse_vector(Parser *p) {
  if (ptx_take_word(p, ".v2")) return 2;
  return ptx_take_word(p, ".v4") ? 4 : 1;
}

/* True if one of the attributes is .managed. */
static bool parse_attribute(Parser *p) {
  bool managed = false;
  if (!ptx_take_word(p, ".attribute")) return false;
  while (p->token.kind != TOKEN_END && !ptx_take(p, ')'))
    if (ptx_take_word(p, ".managed"))
      managed = true;
    else
      ptx_advance(p);
  return managed;
}

/* Multiplies the dimensions, and records an open one, such as the first dimension of a dynamic
 * array. */
static void parse_array(Parser *p, Symbol *var) {
  while (!p->failed && ptx_take(p, '[')) {
    if (ptx_take(p, ']')) {
      var->dynamic = true;
      var->bytes = 0;
      continue;
    }
    int64_t count = ptx_int(p);
    if (count < 0 || count > INT32_MAX || var->bytes * (uint64_t)count > INT32_MAX) {
      ptx_fail(p, "array too large");
      return;
    }
    var->bytes *= (uint64_t)count;
    ptx_expect(p, ']');
  }
}

static void add_variable(Parser *p, const Symbol *var) {
  bool existed;
  Symbol *own = ptx_scope_add(p->arena, p->scope, var->name, SYMBOL_VAR, &existed);
  if (existed && (own->kind != SYMBOL_VAR || p->function)) {
    ptx_fail(p, "'%s' declared twice", var->name);
    return;
  }
  Symbol *bucket = own->next_in_bucket, *next = own->next_var;
  *own = *var;
  own->next_in_bucket = bucket;
  own->next_var = next;
  own->scope = p->scope;
  if (existed) return;
  /* The module's memory also holds the .global and .const variables of functions. */
  const bool of_module = var->space == EMU_GLOBAL || var->space == EMU_CONST;
  const bool own_list = p->function && !of_module;
  Symbol **first = own_list ? &p->function->vars : &p->ast->vars;
  Symbol **last = own_list ? &p->function->last_var : &p->ast->last_var;
  if (*last)
    (*last)->next_var = own;
  else
    *first = own;
  *last = own;
}

/* The number of 8-byte slots of a variable; 0 after reporting that it is too large. */
static int slots_of(Parser *p, uint64_t bytes) {
  uint64_t slots = (bytes + 7) / 8;
  if (slots > (uint64_t)(EMU_MAX_REGISTERS - p->function->slots)) {
    ptx_fail(p, "more than %d registers in one function", EMU_MAX_REGISTERS);
    return 0;
  }
  return (int)slots;
}

/* Parameters of device functions, and those built for a call, are kept in registers, one slot per 8
 * bytes. */
static void place_in_slots(Parser *p, Symbol *var) {
  var->in_slots = true;
  var->slot = p->function->slots;
  p->function->slots += slots_of(p, var->bytes);
}

/* Parses what the variables of one declaration share. */
static Symbol parse_shared_part(Parser *p, EmuSpace space) {
  Symbol var = {.kind = SYMBOL_VAR, .space = space};
  var.managed = parse_attribute(p);
  if (ptx_take_word(p, ".align")) var.align = parse_align(p);
  var.managed |= parse_attribute(p);
  const unsigned vector = parse_vector(p);
  var.type = parse_variable_type(p);
  var.pointer = parse_pointer(p);
  if (ptx_take_word(p, ".align")) var.align = parse_align(p);
  var.bytes = (arith_bits(var.type) + 7) / 8 * vector;
  if (!var.align) var.align = var.bytes ? (uint32_t)var.bytes : 1;
  return var;
}

static Symbol *declare(Parser *p, Symbol var, bool is_extern) {
  var.line = p->token.line;
  var.name = ptx_name(p);
  parse_array(p, &var);
  if (is_extern && var.space != EMU_SHARED) {
    ptx_fail(p, "'%s' is external: linking is not supported", var.name);
  }
  if (p->failed) return NULL;
  add_variable(p, &var);
  return p->failed ? NULL : ptx_scope_find(p->scope, var.name);
}

/* The specification that a register declaration gives for each register. */
typedef struct {
  ArithType type;
  int vector;
} Register;

static Symbol *add_register(Parser *p, const char *name, Register reg, int count, bool range);

/* A parameter that is a register of the function; a call copies its slots. */
static Symbol *formal_register(Parser *p) {
  const ArithType type = parse_type(p);
  const char *name = ptx_name(p);
  if (type == ARITH_PRED || p->function->is_entry)
    ptx_fail(p, "a parameter '%s' in such a register is not supported", name);
  Symbol *formal = p->failed ? NULL : add_register(p, name, (Register){type, 1}, 1, false);
  if (formal) formal->bytes = type == ARITH_B128 ? 16 : 8;
  return formal;
}

Symbol *ptx_formal(Parser *p) {
  if (ptx_take_word(p, ".reg")) return formal_register(p);
  if (!ptx_take_word(p, ".param")) ptx_fail(p, "expected .param");
  Symbol *formal = declare(p, parse_shared_part(p, EMU_PARAM), false);
  if (formal && !p->function->is_entry) place_in_slots(p, formal);
  return formal;
}

/* --- initializers --- */

typedef struct {
  Symbol *var;
  uint64_t at, element;
} Fill;

/* The location of the next element; NULL after reporting that the variable is full. */
static uint8_t *fill_place(Parser *p, Fill *fill) {
  Symbol *var = fill->var;
  if (fill->at + fill->element > var->bytes) {
    ptx_fail(p, "initialiser of '%s' is longer than the variable", var->name);
    return NULL;
  }
  uint8_t *place = var->init + fill->at;
  fill->at += fill->element;
  return place;
}

static void fill_address(Parser *p, Fill *fill, uint64_t mask) {
  Relocation *r = ARENA_NEW(p->arena, Relocation);
  r->mask = mask;
  r->line = p->token.line;
  r->name = ptx_name(p);
  if (strcmp(r->name, "generic") == 0 && ptx_take(p, '(')) {
    r->generic = true;
    r->name = ptx_name(p);
    ptx_expect(p, ')');
  }
  if (ptx_take(p, '+'))
    r->addend = ptx_constant_int(p);
  else if (ptx_token_is_punct(&p->token, '-'))
    r->addend = ptx_constant_int(p);
  r->offset = fill->at;
  r->width = (int)fill->element;
  if (!fill_place(p, fill)) return;
  r->next = fill->var->relocations;
  fill->var->relocations = r;
}

/* Parses 0xFF00(x), the second byte of x's address: nvcc initializes packed structures with such
 * bytes. */
static void fill_masked(Parser *p, Fill *fill, Constant mask) {
  if (mask.kind != TOKEN_INT || !mask.value) ptx_fail(p, "no mask of an address before this,");
  fill_address(p, fill, mask.value);
  ptx_expect(p, ')');
}

static void fill_element(Parser *p, Fill *fill) {
  if (!ptx_is_constant(p)) {
    fill_address(p, fill, 0);
    return;
  }
  const Constant c = ptx_constant(p);
  const bool is_float = c.kind == TOKEN_F32 || c.kind == TOKEN_F64;
  const uint64_t bits =
      is_float ? ptx_float_bits(c.value, c.kind == TOKEN_F64, fill->var->type) : c.value;
  if (ptx_take(p, '(')) {
    fill_masked(p, fill, c);
    return;
  }
  uint8_t *place = p->failed ? NULL : fill_place(p, fill);
  if (place) memcpy(place, &bits, (size_t)fill->element);
}

static void initialise(Parser *p, Symbol *var) {
  Fill fill = {.var = var, .element = (arith_bits(var->type) + 7) / 8};
  if (fill.element > 8 || var->dynamic || var->space == EMU_SHARED) {
    ptx_fail(p, "this initialiser is not supported");
    return;
  }
  var->init = arena_alloc(p->arena, var->bytes ? var->bytes : 1);
  int depth = 0;
  do {
    while (ptx_take(p, '{')) depth++;
    if (!ptx_token_is_punct(&p->token, '}')) fill_element(p, &fill);
    while (depth > 0 && ptx_take(p, '}')) depth--;
  } while (!p->failed && depth > 0 && ptx_expect(p, ','));
}

void ptx_variables(Parser *p, EmuSpace space, bool is_extern) {
  const Symbol shared = parse_shared_part(p, space);
  const bool constant = space == EMU_GLOBAL || space == EMU_CONST;
  do {
    Symbol *var = declare(p, shared, is_extern);
    if (var && space == EMU_PARAM) place_in_slots(p, var);
    if (var && constant && ptx_take(p, '=')) initialise(p, var);
  } while (!p->failed && ptx_take(p, ','));
  ptx_expect(p, ';');
}

/* --- registers --- */

/* A slot holds 64 bits. */
static int slots_of_register(Register reg) {
  return reg.type == ARITH_B128 ? 2 * reg.vector : reg.vector;
}

static Symbol *add_register(Parser *p, const char *name, Register reg, int count, bool range) {
  Function *f = p->function;
  int *next = reg.type == ARITH_PRED ? &f->preds : &f->slots;
  if (count < 0 || count > (EMU_MAX_REGISTERS - *next) / slots_of_register(reg)) {
    ptx_fail(p, "more than %d registers in one function", EMU_MAX_REGISTERS);
    return NULL;
  }
  bool existed;
  Symbol *symbol = ptx_scope_add(p->arena, p->scope, name, SYMBOL_REG, &existed);
  if (existed) {
    ptx_fail(p, "register declared twice");
    return NULL;
  }
  symbol->type = reg.type;
  symbol->vector = reg.vector;
  symbol->slot = *next;
  symbol->count = range ? count : 0;
  symbol->scope = p->scope;
  *next += count * slots_of_register(reg);
  f->named_registers += count * reg.vector;
  return symbol;
}

static Register parse_register(Parser *p) {
  const int vector = (int)parse_vector(p);
  const ArithType type = parse_type(p);
  if (vector > 1 && (type == ARITH_PRED || type == ARITH_B128))
    ptx_fail(p, "no vectors of this type of register,");
  return (Register){type, vector};
}

void ptx_registers(Parser *p) {
  const Register reg = parse_register(p);
  do {
    const char *name = ptx_name(p);
    if (!p->failed && ptx_take(p, '<')) {
      int64_t count = ptx_int(p);
      if (count > EMU_MAX_REGISTERS) count = -1;
      if (!p->failed) {
        add_register(p, arena_printf(p->arena, "%s<", name), reg, (int)count, true);
      }
      ptx_expect(p, '>');
    } else if (!p->failed) {
      add_register(p, name, reg, 1, false);
    }
  } while (!p->failed && ptx_take(p, ','));
  ptx_expect(p, ';');
}
