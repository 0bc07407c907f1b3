/* SPDX-License-Identifier: MIT */
#include "emu/translate/write_access.h"

static bool is_load(const Insn *insn) { return insn->d != NULL; }

static unsigned access_bytes(const MemoryOp *op) { return (unsigned)op->bytes * op->elements; }

/* --- data --- */

/* The prelude's name for reading an element into a 32-bit register. */
static const char *element(const MemoryOp *op, bool load) {
  static const char *const plain[] = {"8", "16", "32", "64"};
  static const char *const zero[] = {"u8", "u16", "32", "64"};
  static const char *const sign[] = {"s8", "s16", "32", "64"};
  const int log = __builtin_ctz(op->bytes);
  return !load ? plain[log] : op->is_signed ? sign[log] : zero[log];
}

/* True if all its data registers can be variables of the element's width. */
static bool fits_data(const State *s, const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  for (int i = 0; i < op->elements; i++) {
    const Ref ref = is_load(insn) ? insn->d[i] : insn->s[i];
    const int slot = state_slot(ref);
    const Width width = state_width(s, slot);
    if (slot < 0 && !is_load(insn) && ref >> REF_SHIFT == BANK_CONST) continue;
    if (width == WIDTH_NONE || (width == WIDTH_32 && op->bytes == 8)) return false;
  }
  return true;
}

/* Assigns element i of a load, from an expression of the element's own width, for the lanes in
 * m. */
static void assign(State *s, Arena *a, const Insn *insn, int i, const char *value) {
  const MemoryOp *op = &insn->memory;
  const int slot = state_slot(insn->d[i]);
  const bool wide = state_width(s, slot) == WIDTH_64;
  const char v = wide ? 'd' : 'r';
  if (wide && op->bytes < 8)
    value = arena_printf(a, "widen_%c32(%s)", op->is_signed ? 's' : 'u', value);
  if (s->held[slot].home < s->depth)
    value = arena_printf(a, "select_%d(%s, %c%d, m)", wide ? 64 : 32, value, v, slot);
  text_printf(&s->body, "    %c%d = %s;\n", v, slot, value);
}

/* The value of element i of a store, after loading its register. */
static const char *stored(State *s, Arena *a, const Insn *insn, int i) {
  const Ref ref = insn->s[i];
  const Width own = insn->memory.bytes == 8 ? WIDTH_64 : WIDTH_32;
  const Width width = state_slot(ref) < 0 ? own : state_width(s, state_slot(ref));
  const char *value = state_source(s, a, ref, width);
  return own == width ? value : arena_printf(a, "narrow_64(%s)", value);
}

static bool is_of_four(const MemoryOp *op) { return op->bytes == 4 && op->elements == 4; }

static void load_all(State *s, Arena *a, const Insn *insn, const char *place, int shared) {
  const MemoryOp *op = &insn->memory;
  const char *how = element(op, true);
  if (op->polls) text_puts(&s->body, "    w->polled = 1;\n");
  for (int i = 0; i < op->elements; i++) {
    const long long at = op->offset + (int64_t)i * op->bytes;
    assign(s, a, insn, i,
           is_of_four(op) ? arena_printf(a, "load_of_four(&%s, %lld, %d, %d)", place,
                                         (long long)op->offset, i, shared)
                          : arena_printf(a, "load_%s(&%s, %lld, %d)", how, place, at, shared));
  }
}

/* Stores all four words at once. */
static void store_four(State *s, Arena *a, const Insn *insn, const char *place, int shared) {
  text_printf(&s->body, "    store_four(&%s, %lld, %d", place, (long long)insn->memory.offset,
              shared);
  for (int i = 0; i < 4; i++) text_printf(&s->body, ", live_32(%s, m)", stored(s, a, insn, i));
  text_puts(&s->body, ");\n");
}

static void store_all(State *s, Arena *a, const Insn *insn, const char *place, int shared) {
  const MemoryOp *op = &insn->memory;
  if (is_of_four(op)) store_four(s, a, insn, place, shared);
  for (int i = 0; i < op->elements && !is_of_four(op); i++)
    text_printf(&s->body, "    store_%s(&%s, %lld, %d, live_%d(%s, m));\n", element(op, false),
                place, (long long)(op->offset + (int64_t)i * op->bytes), shared,
                op->bytes == 8 ? 64 : 32, stored(s, a, insn, i));
  if (op->space != EMU_LOCAL) text_puts(&s->body, "    w->changed = 1;\n");
}

/* Calls the interpreter's function, within a branch of the text. */
static void write_slow(State *s, const Insn *insn, const char *active) {
  int slot[MOST_NAMED];
  const int count = state_named(s, insn, slot, MOST_NAMED);
  for (int i = 0; i < count; i++) state_spill(s, slot[i]);
  text_printf(&s->body, "    w->execute(w->warp, %d, %s);\n", s->at, active);
}

/* Writes both paths: the fast one if the address is resolved, else the interpreter's. */
static void write_both(State *s, Arena *a, const Insn *insn, const char *place, int shared) {
  const MemoryOp *op = &insn->memory;
  const bool guarded = !insn_is_always(insn);
  const char *active = state_active(a, insn->guard);
  for (int i = 0; i < op->elements; i++) {
    if (!is_load(insn)) (void)stored(s, a, insn, i);
    if (is_load(insn) && state_is_partial(s, insn, state_slot(insn->d[i])))
      state_load(s, state_slot(insn->d[i]));
  }
  const char *only = shared && !is_load(insn) ? " && !w->looks" : "";
  text_printf(&s->body, guarded ? "  if (%s.kind%s && %s == m) {\n" : "  if (%s.kind%s) {\n", place,
              only, active);
  if (is_load(insn))
    load_all(s, a, insn, place, shared);
  else
    store_all(s, a, insn, place, shared);
  text_printf(&s->body, guarded ? "  } else if (%s) {\n" : "  } else {\n", active);
  write_slow(s, insn, active);
  for (int i = 0; is_load(insn) && i < op->elements; i++) {
    const int slot = state_slot(insn->d[i]);
    state_define(s, slot, true);
    state_reload(s, slot);
  }
  text_puts(&s->body, "  }\n");
}

/* --- addresses --- */

/* The range of the accesses that a leader resolves: code/bases.h. */
typedef struct {
  int64_t low, high, together;
  int count, elements; /* number of accesses; the largest number of elements of one */
} Group;

static Group group_of(const State *s, int32_t leader) {
  const MemoryOp *first = &s->program->insn[leader].memory;
  Group g = {first->offset, first->offset, first->offset, 1, first->elements};
  for (int32_t i = leader + 1; first->leads && i < s->region.end; i++) {
    const Insn *insn = &s->program->insn[i];
    if (insn->kind != INSN_ACCESS || insn->memory.follows != i - leader) continue;
    const int64_t offset = insn->memory.offset;
    g.low = offset < g.low ? offset : g.low;
    g.high = offset > g.high ? offset : g.high;
    g.together |= offset;
    g.elements = insn->memory.elements > g.elements ? insn->memory.elements : g.elements;
    g.count++;
  }
  return g;
}

static bool is_near(int64_t offset) { return offset > -(1 << 30) && offset < 1 << 30; }

/* The prelude's function that resolves the access, with its first arguments. */
static const char *placing(Arena *a, const MemoryOp *op, bool narrow) {
  if (op->space == EMU_SHARED) return narrow ? "place_shared(w, " : "place_shared_64(w, ";
  return op->space == EMU_CONST ? "place_within(&w->constants, "
                                : arena_printf(a, "place_global(w, %d, ", op->site);
}

/* Resolves local memory, from a 64-bit address or a variable. */
static const char *write_place_local(State *s, Arena *a, const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  const char *base =
      op->narrow || !is_near(op->offset) ? NULL : state_source(s, a, op->base, WIDTH_64);
  const char *place = arena_printf(a, "at%d", s->at);
  if (!base) return NULL;
  text_printf(&s->body, "  const Place %s = place_local(w, m, %s, %s, %lld, %u);\n", place, base,
              op->is_frame ? "w->local_frame" : "0", (long long)op->offset, access_bytes(op));
  return place;
}

/* Resolves a group of accesses at its first one; NULL if that is impossible. A group is a row
 * either for all of its accesses or for none: consecutive words are not a row of the pairs of
 * halves in them. */
static const char *write_place(State *s, Arena *a, const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  const bool shared = op->space == EMU_SHARED;
  const int32_t start = s->region.start;
  const bool follows = op->follows && s->at - op->follows >= start;
  const int32_t leader = follows ? s->at - op->follows : s->at;
  const Group g = group_of(s, leader);
  const bool narrow = op->narrow || (shared && op->base >> REF_SHIFT == BANK_CONST);
  if (!is_near(g.low) || !is_near(g.high) || (narrow && !shared)) return NULL;
  if (s->placed[leader - start]) return arena_printf(a, "at%d", leader);
  const char *place = arena_printf(a, "at%d", s->at);
  const char *base = state_source(s, a, op->base, narrow ? WIDTH_32 : WIDTH_64);
  if (!base) return NULL;
  text_printf(&s->body, "  const Place %s = %slive_%d(%s, m), %lld, %lld, %lld, %u, %d%s);\n",
              place, placing(a, op, narrow), narrow ? 32 : 64, base, (long long)g.low,
              (long long)g.high, (long long)g.together, access_bytes(op), g.elements,
              !shared       ? ""
              : g.count > 1 ? ", 1"
                            : ", 0");
  s->placed[s->at - start] = true;
  return place;
}

/* Writes parameter reads at constant addresses. */
static bool write_param(State *s, Arena *a, const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  if (op->base >> REF_SHIFT != BANK_CONST || !insn_is_always(insn)) return false;
  const uint64_t at = s->program->const_value[op->base & REF_INDEX] + (uint64_t)op->offset;
  const uint64_t bytes = access_bytes(op), end = s->program->param_bytes;
  if (at > end || end - at < bytes || at % bytes) return false;
  for (int i = 0; i < op->elements; i++) {
    state_define(s, state_slot(insn->d[i]), true);
    assign(s, a, insn, i,
           arena_printf(a, "param_%s(w, %llu)", element(op, true),
                        (unsigned long long)(at + (uint64_t)i * op->bytes)));
  }
  return true;
}

/* A load's registers must differ from each other and, if there are several, from its base. What the
 * host or other blocks may write meanwhile is read only by the interpreter. */
static bool is_simple(const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  for (int i = 0; is_load(insn) && i < op->elements; i++) {
    for (int k = 0; k < i; k++)
      if (insn->d[i] == insn->d[k]) return false;
  }
  return (!op->polls || op->space == EMU_SHARED) && (!op->is_frame || op->space == EMU_LOCAL);
}

bool write_access(State *s, Arena *a, const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  if (!is_simple(insn) || !fits_data(s, insn)) return false;
  const char *place = NULL;
  switch (op->space) {
  case EMU_PARAM: return is_load(insn) && write_param(s, a, insn);
  case EMU_LOCAL: place = write_place_local(s, a, insn); break;
  case EMU_SHARED:
  case EMU_CONST:
  case EMU_GLOBAL:
  case SPACE_GENERIC: place = write_place(s, a, insn); break;
  default: break;
  }
  if (!place) return false;
  write_both(s, a, insn, place, op->space == EMU_SHARED);
  return true;
}
