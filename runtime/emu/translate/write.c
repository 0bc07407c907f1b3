/* SPDX-License-Identifier: MIT */
#include "emu/translate/write.h"

#include <string.h>

#include "emu/translate/form.h"
#include "emu/translate/write_access.h"

/* --- results --- */

/* `g`: the guard before the instruction, which may assign to that predicate. */
static void assign_pred(State *s, const Insn *insn, int32_t slot, const char *g,
                        const char *value) {
  if (slot < 0) return;
  if (state_is_guarded(s, insn)) {
    text_printf(&s->body, "  p%d = (p%d & ~(%s)) | ((%s) & (%s));\n", slot, slot, g, value, g);
  } else {
    text_printf(&s->body, "  p%d = %s;\n", slot, value);
  }
  text_printf(&s->body, "  keep_pred(w, %d, p%d, m);\n", slot, slot);
}

/* Assigns to a register of that width; `value` may refer to its old value. */
static void assign(State *s, Arena *a, const Insn *insn, Ref ref, const char *value) {
  const int slot = state_slot(ref);
  const bool wide = state_width(s, slot) == WIDTH_64;
  const char v = wide ? 'd' : 'r';
  const bool partial = state_is_partial(s, insn, slot);
  state_define(s, slot, !partial);
  if (partial)
    text_printf(&s->body, "  %c%d = select_%d(%s, %c%d, %s);\n", v, slot, wide ? 64 : 32, value, v,
                slot, state_active(a, insn->guard));
  else
    text_printf(&s->body, "  %c%d = %s;\n", v, slot, value);
}

static bool is_register(const State *s, Ref ref, Width width) {
  return state_slot(ref) >= 0 && state_width(s, state_slot(ref)) == width;
}

/* --- arithmetic --- */

/* Operand `k` of the shape: value operands in order, then a predicate. */
static const char *operand(State *s, Arena *a, const Insn *insn, const Form *form, int k) {
  const Ref ref = k < insn->n_s ? insn->s[k] : 0;
  const char letter = form->shape[k + 1];
  if (letter == 'p') return state_pred(a, insn->p_in);
  if (letter == 'k') {
    if (ref >> REF_SHIFT != BANK_CONST) return NULL;
    return arena_printf(a, "%d", (int)(s->program->const_value[ref & REF_INDEX] & UINT16_MAX));
  }
  const char *value = state_source(s, a, ref, letter == 'l' ? WIDTH_64 : WIDTH_32);
  return value && form->flush && letter == 'f' ? arena_printf(a, "flush_f32(%s)", value) : value;
}

static const char *expression(State *s, Arena *a, const Insn *insn, const Form *form) {
  Text out = text_new(a);
  text_printf(&out, "%s(", form->function);
  for (int k = 0; form->shape[k + 1]; k++) {
    const char *value = operand(s, a, insn, form, k);
    if (!value) return NULL;
    text_printf(&out, "%s%s", k ? ", " : "", value);
  }
  text_puts(&out, ")");
  const char *value = out.s;
  if (form->saturate) value = arena_printf(a, "saturate_f32(%s)", value);
  return form->flush && form->shape[0] == 'f' ? arena_printf(a, "flush_f32(%s)", value) : value;
}

static void write_comparison(State *s, Arena *a, const Insn *insn, const char *value) {
  static const char *const sign[] = {[ARITH_AND] = "&", [ARITH_OR] = "|", [ARITH_XOR] = "^"};
  const int logic = insn->arith.logic;
  const char *t = arena_printf(a, "t%d", s->at), *not_t = arena_printf(a, "~t%d", s->at);
  text_printf(&s->body, "  const uint32_t %s = %s;\n", t, value);
  if (logic) {
    text_printf(&s->body, "  const uint32_t c%d = %s;\n", s->at, state_pred(a, insn->p_in));
    t = arena_printf(a, "%s %s c%d", t, sign[logic], s->at);
    not_t = arena_printf(a, "%s %s c%d", not_t, sign[logic], s->at);
  }
  const char *g = state_active(a, insn->guard);
  if (!insn_is_always(insn)) text_printf(&s->body, "  const uint32_t g%d = %s;\n", s->at, g);
  if (!insn_is_always(insn)) g = arena_printf(a, "g%d", s->at);
  assign_pred(s, insn, insn->p_out[0], g, t);
  assign_pred(s, insn, insn->p_out[1], g, not_t);
}

static bool write_arith(State *s, Arena *a, const Insn *insn) {
  Form form;
  if (!form_find(a, &insn->arith, &form)) return false;
  const bool sets = form.shape[0] == 'p';
  const Width width = form.shape[0] == 'l' ? WIDTH_64 : WIDTH_32;
  if (!sets && !is_register(s, insn->d[0], width)) return false;
  const char *value = expression(s, a, insn, &form);
  if (!value) return false;
  if (sets)
    write_comparison(s, a, insn, value);
  else
    assign(s, a, insn, insn->d[0], value);
  return true;
}

/* --- moves --- */

static bool write_move(State *s, Arena *a, const Insn *insn) {
  const int slot = state_slot(insn->d[0]);
  const Width width = state_width(s, slot);
  const bool adds = insn->move.addend || insn->move.of_frame;
  if (width == WIDTH_NONE || (adds && width != WIDTH_64)) return false;
  const char *value = state_source(s, a, insn->s[0], width);
  if (!value) return false;
  if (adds)
    value = arena_printf(a, "add_64(%s, all_64(%s0x%llxu))", value,
                         insn->move.of_frame ? "w->local_frame + " : "",
                         (unsigned long long)insn->move.addend);
  assign(s, a, insn, insn->d[0], value);
  return true;
}

static bool write_pack(State *s, Arena *a, const Insn *insn) {
  const bool wide = insn->pack.bits == 32;
  if ((!wide && insn->pack.bits != 16) || insn->n_s != 2 ||
      !is_register(s, insn->d[0], wide ? WIDTH_64 : WIDTH_32))
    return false;
  const char *low = state_source(s, a, insn->s[0], WIDTH_32);
  const char *high = state_source(s, a, insn->s[1], WIDTH_32);
  if (!low || !high) return false;
  assign(s, a, insn, insn->d[0], arena_printf(a, "pack_%d(%s, %s)", insn->pack.bits, low, high));
  return true;
}

static bool write_unpack(State *s, Arena *a, const Insn *insn) {
  const bool wide = insn->pack.bits == 32;
  if ((!wide && insn->pack.bits != 16) || insn->n_d != 2 || insn->d[0] == insn->d[1] ||
      !is_register(s, insn->d[0], WIDTH_32) || !is_register(s, insn->d[1], WIDTH_32))
    return false;
  const char *from = state_source(s, a, insn->s[0], wide ? WIDTH_64 : WIDTH_32);
  if (!from) return false;
  const char *kind = wide ? "R64" : "R32", *copy = arena_printf(a, "u%d", s->at);
  text_printf(&s->body, "  const %s %s = %s;\n", kind, copy, from);
  assign(s, a, insn, insn->d[0], arena_printf(a, wide ? "narrow_64(%s)" : "zero_16(%s)", copy));
  assign(s, a, insn, insn->d[1], arena_printf(a, wide ? "upper_32(%s)" : "upper_16(%s)", copy));
  return true;
}

static bool write_logic(State *s, Arena *a, const Insn *insn) {
  static const char *const sign[] = {[ARITH_AND] = "&", [ARITH_OR] = "|", [ARITH_XOR] = "^"};
  const char *first = state_pred(a, insn->p_in);
  if (insn->logic.logic)
    first = arena_printf(a, "%s %s %s", first, sign[insn->logic.logic],
                         state_pred(a, insn->logic.second));
  assign_pred(s, insn, insn->p_out[0], state_active(a, insn->guard), first);
  return true;
}

/* --- warp-wide instructions --- */

static void put_indices(Text *out, const uint8_t *from) {
  text_puts(out, "SIMD(set_epi32)(");
  for (int last = EMU_LANES / 2 - 1, i = last; i >= 0; i--)
    text_printf(out, i < last ? ", %d" : "%d", from[i]);
  text_puts(out, ")");
}

static bool write_meet(State *s, Arena *a, const Insn *insn) {
  const ShflMap *map = insn->meet.map;
  if (!map || !is_register(s, insn->d[0], WIDTH_32)) return false;
  const char *from = state_source(s, a, insn->s[0], WIDTH_32);
  if (!from) return false;
  Text value = text_new(a);
  text_printf(&value, "shuffle_32(%s, ", from);
  put_indices(&value, map->from);
  text_puts(&value, ", ");
  put_indices(&value, map->from + EMU_LANES / 2);
  text_puts(&value, ")");
  assign(s, a, insn, insn->d[0], value.s);
  assign_pred(s, insn, insn->p_out[0], "EVERY", arena_printf(a, "0x%xu", map->within));
  return true;
}

/* --- instructions left to the interpreter --- */

/* Within a part of some lanes: the values that other lanes hold in variables stay there. */
static void call_within(State *s, const int *slot, int count, const char *active) {
  for (int i = 0; i < count; i++) state_spill(s, slot[i]);
  text_printf(&s->body, "  if (%s)\n    w->execute(w->warp, %d, %s);\n", active, s->at, active);
  for (int i = 0; i < count; i++) {
    const bool own = s->held[slot[i]].home >= s->depth;
    if (own) state_define(s, slot[i], true);
    s->held[slot[i]].version++;
    state_reload(s, slot[i]);
  }
}

static void write_call(State *s, Arena *a, const Insn *insn) {
  int slot[MOST_NAMED];
  const int count = state_named(s, insn, slot, MOST_NAMED);
  const char *active = state_active(a, insn->guard);
  if (s->depth) {
    call_within(s, slot, count, active);
  } else {
    for (int i = 0; i < count; i++) state_store(s, slot[i]);
    if (!insn_is_always(insn)) text_printf(&s->body, "  if (%s)\n", active);
    text_printf(&s->body, "    w->execute(w->warp, %d, %s);\n", s->at, active);
    for (int i = 0; i < count; i++) state_forget(s, slot[i]);
  }
  for (int i = 0; i < 2; i++)
    if (insn->p_out[i] >= 0)
      text_printf(&s->body, "  p%d = w->pred[%d];\n", insn->p_out[i], insn->p_out[i]);
}

static bool write_own(State *s, Arena *a, const Insn *insn) {
  switch (insn->kind) {
  case INSN_ARITH: return write_arith(s, a, insn);
  case INSN_MOVE: return write_move(s, a, insn);
  case INSN_PACK: return insn->n_d == 1 ? write_pack(s, a, insn) : write_unpack(s, a, insn);
  case INSN_LOGIC: return write_logic(s, a, insn);
  case INSN_ACCESS: return write_access(s, a, insn);
  case INSN_MEET: return write_meet(s, a, insn);
  default: return false;
  }
}

static void write_insn(State *s, Arena *a, const Insn *insn) {
  s->steps++;
  if (!insn_is_always(insn))
    text_printf(&s->body, "  lanes += lanes_of(%s);\n", state_active(a, insn->guard));
  else
    s->unguarded++;
  if (!write_own(s, a, insn)) write_call(s, a, insn);
}

static void write_counts(State *s) {
  text_printf(&s->body, "  left -= %d;\n  lanes += %d * each;\n", s->steps, s->unguarded);
  s->steps = s->unguarded = 0;
}

/* --- instructions that a branch skips --- */

static void write_insns(State *s, Arena *a, int32_t from, int32_t to);

/* True if the first statement that refers to the register writes it in all lanes and does not read
 * it. */
static bool begins_with_write(const State *s, int slot) {
  const Insn *insn = &s->program->insn[s->named[slot].first];
  const Statement *first = insn->statement;
  int read[MOST_NAMED], count = 0;
  const bool writes = insn->n_d == 1 && insn_is_always(insn) && insn->kind != INSN_ATOMIC &&
                      first->operand[0].kind == OPERAND_REG && first->operand[0].slot == slot;
  for (int i = 1; i < first->operands; i++)
    count = state_named_in(s, &first->operand[i], read, count, MOST_NAMED);
  bool reads = insn->kind != INSN_ARITH && insn->kind != INSN_MOVE && insn->kind != INSN_ACCESS;
  for (int i = 0; i < count; i++) reads |= read[i] == slot;
  return writes && !reads;
}

/* True if a branch after `from` skips the register's first statement but not its last: lanes may
 * arrive there with the value from an earlier iteration. */
static bool is_kept(const State *s, const Named *n, int32_t from) {
  for (int32_t i = from; i < n->first; i++) {
    const Insn *insn = &s->program->insn[i];
    if (insn->kind != INSN_BRANCH) continue;
    const int32_t to = insn->branch.targets[0];
    if (to > n->first && to <= n->last) return true;
  }
  return false;
}

static bool is_of_part(const State *s, int slot, int32_t from, int32_t to) {
  const Named *n = &s->named[slot];
  return n->first >= from && n->last < to && begins_with_write(s, slot) && !is_kept(s, n, from);
}

/* Registers that only this part refers to need no value from outside; all others have one. */
static void enter_part(State *s, int32_t from, int32_t to) {
  for (int32_t i = from; i < to; i++) {
    int slot[MOST_NAMED];
    const int count = state_named(s, &s->program->insn[i], slot, MOST_NAMED);
    for (int k = 0; k < count; k++) {
      if (is_of_part(s, slot[k], from, to))
        s->held[slot[k]].home = s->depth + 1;
      else
        state_load(s, slot[k]);
    }
  }
  s->depth++;
}

static void leave_part(State *s) {
  for (int i = 0; i < s->function->slots; i++)
    if (s->held[i].home == s->depth) s->held[i].valid = s->held[i].dirty = false;
  s->depth--;
}

/* The interpreter executes the part if lanes wait to reconverge in it or after it, or if the time
 * slice would end while lanes are diverged. */
static void write_part(State *s, Arena *a, const Insn *branch) {
  const int32_t at = s->at, to = branch->branch.targets[0], steps = to - at - 1;
  const char *g = state_active(a, branch->guard);
  write_counts(s);
  text_printf(&s->body, "  const uint32_t h%d = m & ~%s;\n", at, g);
  text_printf(&s->body,
              "  if (left <= 1 || (w->joins && w->meets(w->warp, %d, %d)) ||\n"
              "      (h%d && h%d != m && left <= %d)) {\n",
              at, to, at, at, steps + 2);
  state_leave(s);
  text_puts(&s->body, "    w->left = left;\n    w->lane_steps += (uint64_t)lanes;\n");
  text_printf(&s->body, "    return %d;\n  }\n  left--;\n  lanes += lanes_of(%s);\n", at, g);
  enter_part(s, at + 1, to);
  text_printf(&s->body, "  if (h%d) {\n  const uint32_t m = h%d;\n", at, at);
  text_puts(&s->body, "  const int64_t each = lanes_of(m);\n");
  write_insns(s, a, at + 1, to);
  write_counts(s);
  text_puts(&s->body, "  }\n");
  leave_part(s);
}

static void write_insns(State *s, Arena *a, int32_t from, int32_t to) {
  for (s->at = from; s->at < to;) {
    const Insn *insn = &s->program->insn[s->at];
    const bool parts = insn->kind == INSN_BRANCH;
    const int32_t next = parts ? insn->branch.targets[0] : s->at + 1;
    if (parts)
      write_part(s, a, insn);
    else
      write_insn(s, a, insn);
    s->at = next;
  }
}

/* --- a region --- */

static State begin(Arena *a, const Program *p, const FunctionCode *f, const Named *named,
                   Region region) {
  return (State){.program = p,
                 .function = f,
                 .named = named,
                 .region = region,
                 .held = ARENA_ARRAY(a, Held, (size_t)f->slots + 2),
                 .placed = ARENA_ARRAY(a, bool, (size_t)(region.end - region.start) + 1),
                 .body = text_new(a)};
}

static void write_body(State *s, Arena *a) {
  text_puts(&s->body, "  ++*w->run;\n");
  write_insns(s, a, s->region.start, s->region.end);
  write_counts(s);
}

static bool loops(const State *s) {
  return s->region.branches && s->program->insn[s->region.end].branch.targets[0] == s->region.start;
}

/* Values that an iteration needs from the one before are in variables when the loop starts, and
 * again when it ends. */
static State write_loop(Arena *a, const State *once) {
  State s = begin(a, once->program, once->function, once->named, once->region);
  const int slots = s.function->slots;
  for (int i = 0; i < slots; i++) {
    if (!once->held[i].live_in) continue;
    state_load(&s, i);
    s.held[i].dirty = once->held[i].version > 0;
  }
  text_puts(&s.body, "  for (;;) {\n");
  write_body(&s, a);
  for (int i = 0; i < slots; i++)
    if (once->held[i].live_in) state_load(&s, i);
  return s;
}

/* Writes the final branch; the interpreter executes it if lanes diverge. */
static void write_branch(State *s, Arena *a) {
  const int32_t at = s->region.end;
  const Insn *insn = &s->program->insn[at];
  const char *g = state_active(a, insn->guard), *leave = loops(s) ? "break" : "goto out";
  text_printf(&s->body, "  next = %d;\n  if (left <= 0) %s;\n", at, leave);
  if (!insn_is_always(insn)) text_printf(&s->body, "  if (%s != 0 && %s != m) %s;\n", g, g, leave);
  text_printf(&s->body, "  left--;\n  lanes += lanes_of(%s);\n", g);
  text_printf(&s->body, "  next = %s ? %d : %d;\n", g, insn->branch.targets[0], at + 1);
  if (loops(s)) text_printf(&s->body, "  if (next == %d && left > 0) continue;\n", s->region.start);
  text_puts(&s->body, "  if (left <= 0) next = ~next;\n");
  if (loops(s)) text_puts(&s->body, "  break;\n  }\n");
}

/* True if a register is written before it is read, and only used in this region. */
static bool is_local(const State *s, int slot) {
  const Named *n = &s->named[slot];
  return n->first >= s->region.start && n->last < s->region.end && !s->held[slot].live_in;
}

static void write_end(State *s, Arena *a) {
  const bool once = s->region.branches && !loops(s);
  if (s->region.branches) write_branch(s, a);
  if (once) text_puts(&s->body, "out:;\n");
  for (int i = 0; i < s->function->slots; i++)
    if (!is_local(s, i)) state_store(s, i);
}

static void declare_pred(bool *declared, Text *out, int32_t slot) {
  if (slot < 0 || declared[slot]) return;
  declared[slot] = true;
  text_printf(out, "  uint32_t p%d = w->pred[%d];\n", slot, slot);
}

static void declare(Arena *a, const State *s, Text *out) {
  bool *declared = ARENA_ARRAY(a, bool, (size_t)s->function->preds + 1);
  for (int32_t i = s->region.start; i < s->region.end + s->region.branches; i++) {
    const Insn *insn = &s->program->insn[i];
    declare_pred(declared, out, insn->guard.slot);
    declare_pred(declared, out, insn->p_in.slot);
    for (int k = 0; k < 2; k++) declare_pred(declared, out, insn->p_out[k]);
    if (insn->kind == INSN_LOGIC) declare_pred(declared, out, insn->logic.second.slot);
  }
  for (int i = 0; i < s->function->slots; i++)
    if (s->held[i].declared)
      text_printf(out, s->named[i].width == WIDTH_64 ? "  R64 d%d;\n" : "  R32 r%d;\n", i);
}

static void write_region(Arena *a, const Program *p, const FunctionCode *f, const Named *named,
                         Region region, Text *out) {
  State s = begin(a, p, f, named, region);
  if (loops(&s)) {
    write_body(&s, a);
    s = write_loop(a, &s);
  } else {
    write_body(&s, a);
  }
  write_end(&s, a);
  text_printf(out, "static int32_t run_%d(NativeWarp *w) {\n", region.start);
  text_puts(out, "  uint64_t *const f = w->frame;\n  int64_t left = w->left;\n");
  text_puts(out, "  const uint32_t m = w->mask;\n  const int64_t each = lanes_of(m);\n");
  text_printf(out, "  int64_t lanes = 0;\n  int32_t next = %d;\n", region.end);
  declare(a, &s, out);
  text_add(out, s.body.s, s.body.len);
  text_puts(out, "  w->left = left;\n");
  text_puts(out, "  w->lane_steps += (uint64_t)lanes;\n  (void)f;\n  return next;\n}\n\n");
}

/* --- a program --- */

int write_program(Arena *a, const Program *p, Text *out) {
  const Regions all = regions_find(a, p);
  const Named *named = NULL;
  for (int i = 0, function = -1; i < all.count; i++) {
    const int of = p->insn[all.region[i].start].function;
    if (of != function) named = registers_find(a, p, &p->function[of]);
    function = of;
    write_region(a, p, &p->function[of], named, all.region[i], out);
  }
  text_puts(out, "const NativeEntry native_runs[] = {\n");
  for (int i = 0; i < all.count; i++)
    text_printf(out, "  {%d, %d, run_%d},\n", all.region[i].start, all.region[i].whole,
                all.region[i].start);
  text_puts(out, "  {0, 0, 0}};\n");
  return all.count;
}
