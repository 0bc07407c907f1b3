/* SPDX-License-Identifier: MIT */
#include "emu/translate/state.h"

static const char type[] = {[WIDTH_32] = 'r', [WIDTH_64] = 'd'};
static const int bits[] = {[WIDTH_32] = 32, [WIDTH_64] = 64};

Width state_width(const State *s, int slot) {
  return slot >= 0 && slot < s->function->slots ? (Width)s->named[slot].width : WIDTH_NONE;
}

int state_slot(Ref ref) { return ref >> REF_SHIFT == BANK_FRAME ? (int)(ref & REF_INDEX) : -1; }

static void get(State *s, int slot) {
  const Width width = state_width(s, slot);
  text_printf(&s->body, "  %c%d = get_%d(f + %d);\n", type[width], slot, bits[width],
              slot * EMU_LANES);
  s->held[slot].declared = true;
}

static void put(State *s, int slot) {
  const Width width = state_width(s, slot);
  text_printf(&s->body, "  keep_%d(f + %d, %c%d, m);\n", bits[width], slot * EMU_LANES, type[width],
              slot);
}

void state_load(State *s, int slot) {
  if (s->held[slot].valid) return;
  get(s, slot);
  Held *h = &s->held[slot];
  h->valid = true;
  h->dirty = false;
  h->live_in |= !h->version;
}

/* Code that reads memory instead needs the value from before the region, too: in a loop, the value
 * that the previous iteration left in a variable. */
void state_spill(State *s, int slot) {
  Held *h = &s->held[slot];
  h->live_in |= !h->valid && !h->version;
  if (h->valid && h->dirty) put(s, slot);
}

void state_store(State *s, int slot) {
  state_spill(s, slot);
  s->held[slot].dirty = false;
}

void state_reload(State *s, int slot) {
  const Width width = state_width(s, slot);
  if (!s->held[slot].valid) return;
  if (s->held[slot].home >= s->depth)
    get(s, slot);
  else
    text_printf(&s->body, "  %c%d = select_%d(get_%d(f + %d), %c%d, m);\n", type[width], slot,
                bits[width], bits[width], slot * EMU_LANES, type[width], slot);
}

void state_leave(State *s) {
  for (int i = 0; i < s->function->slots; i++) {
    if (!s->held[i].valid || !s->held[i].dirty) continue;
    if (state_width(s, i) == WIDTH_32)
      text_printf(&s->body, "    leave_32(f + %d, r%d.a, r%d.b, m);\n", i * EMU_LANES, i, i);
    else
      text_printf(&s->body, "    leave_64(f + %d, d%d.a, d%d.b, d%d.c, d%d.d, m);\n", i * EMU_LANES,
                  i, i, i, i);
  }
}

void state_forget(State *s, int slot) {
  s->held[slot].valid = s->held[slot].dirty = false;
  s->held[slot].version++;
}

void state_define(State *s, int slot, bool whole) {
  if (!whole) state_load(s, slot);
  Held *h = &s->held[slot];
  h->declared = h->valid = h->dirty = true;
  h->version++;
}

static const char *constant(const State *s, Arena *a, Ref ref, Width width) {
  const uint64_t value = s->program->const_value[ref & REF_INDEX];
  return arena_printf(a, "all_%d(0x%llxu)", bits[width],
                      (unsigned long long)(width == WIDTH_32 ? (uint32_t)value : value));
}

const char *state_source(State *s, Arena *a, Ref ref, Width width) {
  const int slot = state_slot(ref);
  const unsigned index = (ref & REF_INDEX) * EMU_LANES;
  if (slot >= 0) {
    if (state_width(s, slot) != width) return NULL;
    state_load(s, slot);
    return arena_printf(a, "%c%d", type[width], slot);
  }
  switch (ref >> REF_SHIFT) {
  case BANK_CONST: return constant(s, a, ref, width);
  case BANK_SPECIAL: return arena_printf(a, "get_%d(w->special + %u)", bits[width], index);
  case BANK_BLOCK: return arena_printf(a, "get_%d(w->block + %u)", bits[width], index);
  default: return NULL;
  }
}

const char *state_pred(Arena *a, PredRef p) {
  if (p.slot < 0) return p.negated ? "0u" : "EVERY";
  return arena_printf(a, p.negated ? "~p%d" : "p%d", p.slot);
}

bool state_is_guarded(const State *s, const Insn *insn) {
  return s->depth || !insn_is_always(insn);
}

bool state_is_partial(const State *s, const Insn *insn, int slot) {
  return s->held[slot].home < s->depth || !insn_is_always(insn);
}

const char *state_active(Arena *a, PredRef p) {
  return p.slot < 0 && !p.negated ? "m" : arena_printf(a, "(%s & m)", state_pred(a, p));
}

int state_named_in(const State *s, const Operand *o, int *slot, int count, int most) {
  bool known = o->kind != OPERAND_REG || state_width(s, o->slot) == WIDTH_NONE;
  for (int i = 0; i < count; i++) known |= slot[i] == o->slot;
  if (!known && count < most) slot[count++] = o->slot;
  for (int i = 0; i < o->items; i++) count = state_named_in(s, &o->item[i], slot, count, most);
  return o->second ? state_named_in(s, o->second, slot, count, most) : count;
}

int state_named(const State *s, const Insn *insn, int *slot, int most) {
  int count = 0;
  for (int i = 0; i < insn->statement->operands; i++)
    count = state_named_in(s, &insn->statement->operand[i], slot, count, most);
  return count;
}
