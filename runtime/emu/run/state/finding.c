/* SPDX-License-Identifier: MIT */
#include "emu/run/state/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Found *find(Findings *list, EmuFindingKind kind, const Insn *insn, bool note) {
  for (int i = 0; i < list->count; i++) {
    Found *found = &list->found[i];
    const EmuFinding *f = &found->finding;
    if (found->insn == insn && f->kind == kind && f->note == note) return found;
  }
  return NULL;
}

/* Invalid memory accesses end an unchecked launch, as they do on a GPU. Kinds that end every launch
 * call block_stop() themselves; all other kinds are only reported. */
static bool is_fault(EmuFindingKind kind) {
  return kind == EMU_OUT_OF_BOUNDS || kind == EMU_MISALIGNED || kind == EMU_EXITED;
}

/* The kinds that an unchecked launch reports. */
static bool is_reported_unchecked(EmuFindingKind kind) {
  return is_fault(kind) || kind == EMU_MAX_STEPS || kind == EMU_TRAP || kind == EMU_ASSERT ||
         kind == EMU_STACK || kind == EMU_BARRIER;
}

/* Notes take at most half of the room, so that they do not displace findings. */
static bool may_add(const Findings *list, bool note) {
  int notes = 0;
  for (int i = 0; note && i < list->count; i++) notes += list->found[i].finding.note;
  return list->count < MAX_FINDINGS && notes < MAX_FINDINGS / 2;
}

static bool has_room(Block *block, Findings *list, bool note) {
  if (!may_add(list, note)) return false;
  if (list->count < list->capacity) return true;
  const int capacity = list->capacity ? 2 * list->capacity : 4;
  Found *grown = realloc(list->found, (size_t)capacity * sizeof *grown);
  if (!grown) atomic_store(&block->launch->out_of_memory, true);
  if (!grown) return false;
  list->found = grown;
  list->capacity = capacity;
  return true;
}

/* Records the call stack of a lane. Only possible if the lane executes `insn` now: a finding may
 * also concern an earlier instruction, or another block. Directly recursive calls are recorded
 * once. */
static void note_calls(Block *block, const Insn *insn, uint32_t thread, EmuFinding *f) {
  const Program *p = block->program;
  const Warp *w = &block->warp[thread / LANES];
  const Split *split = w->now;
  const unsigned lane = thread % LANES;
  if (!split || !(split->mask >> lane & 1)) return;
  const FunctionCode *function = &p->function[split->frame.function];
  if (insn < p->insn + function->entry || insn >= p->insn + function->end) return;
  const Insn *last = NULL;
  for (int depth = split->depth; depth > 0 && f->calls < EMU_CALLS; depth--) {
    const Insn *call = &w->code[w->returns[depth - 1][lane].pc - 1];
    if (call == last) continue;
    last = call;
    const SourceLoc at = insn_source(p, call);
    f->call[f->calls++] = (EmuCall){ast_file(p->ast, at.file), at.line, call->statement->line};
  }
}

/* Records the block and thread that a finding belongs to. */
static void set_thread(Block *block, Found *found, uint64_t number, uint32_t thread) {
  EmuFinding *f = &found->finding;
  found->block = number;
  f->calls = 0;
  if (number == block->number) note_calls(block, found->insn, thread, f);
  block_thread(block, thread, f->thread);
  block_index(block->launch, number, f->block);
  block->findings->current = (int)(found - block->findings->found);
}

/* What an access names; EMU_SPACES for a generic address and for other instructions. */
static EmuSpace space_of(const Insn *insn) {
  return insn->kind == INSN_ACCESS && insn->memory.space < EMU_SPACES ? (EmuSpace)insn->memory.space
                                                                      : EMU_SPACES;
}

static bool add(Block *block, EmuFindingKind kind, bool note, const Insn *insn, uint64_t number,
                uint32_t thread, uint64_t count) {
  Findings *list = block->findings;
  Found *found = find(list, kind, insn, note);
  if (found) {
    found->finding.count += count;
    return false;
  }
  if (!has_room(block, list, note)) return false;
  found = &list->found[list->count++];
  SourceLoc source = insn_source(block->program, insn);
  *found = (Found){.insn = insn};
  found->finding = (EmuFinding){.kind = kind,
                                .space = space_of(insn),
                                .note = note,
                                .file = ast_file(block->program->ast, source.file),
                                .line = source.line,
                                .ptx_line = insn->statement->line,
                                .count = count};
  set_thread(block, found, number, thread);
  return true;
}

bool finding_add_at(Block *block, EmuFindingKind kind, const Insn *insn, uint64_t number,
                    uint32_t thread, uint64_t count) {
  if (block->unchecked && !is_reported_unchecked(kind)) return false;
  if (block->unchecked && is_fault(kind)) block_stop(block);
  return add(block, kind, false, insn, number, thread, count);
}

bool finding_add_note(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                      uint64_t count) {
  return !block->unchecked && add(block, kind, true, insn, block->number, thread, count);
}

/* Puts the line that the message names before the lines recorded earlier. */
static void put_other_first(EmuFinding *f, EmuLocation at, const Insn *other) {
  EmuLocation old[EMU_OTHERS];
  const int others = f->others;
  memcpy(old, f->other, sizeof old);
  f->others = 0;
  f->other_ptx_line = other->statement->line;
  if (at.line) finding_other(f, at);
  for (int i = 0; i < others; i++) finding_other(f, old[i]);
}

static void add_other_side(const Program *p, EmuFinding *f, const Insn *other, bool is_named) {
  const SourceLoc source = insn_source(p, other);
  const EmuLocation at = {ast_file(p->ast, source.file), source.line};
  if (is_named)
    put_other_first(f, at, other);
  else if (at.line)
    finding_other(f, at);
}

bool finding_add_race(Block *block, EmuSpace space, const Insn *insn, const Insn *other,
                      uint64_t number, uint32_t thread, bool of_warp) {
  const bool first = finding_add_at(block, EMU_RACE, insn, number, thread, 1);
  Found *found = find(block->findings, EMU_RACE, insn, false);
  if (!found) return false;
  if (first) found->finding.space = space;
  const bool instead = !first && found->of_warp && !of_warp;
  if (first || instead) found->of_warp = of_warp;
  if (instead) set_thread(block, found, number, thread);
  add_other_side(block->program, &found->finding, other, first || instead);
  return first || instead;
}

static bool races_with_line(const EmuFinding *f, const EmuFinding *other) {
  for (int i = 0; i < f->others; i++)
    if (f->other[i].line == other->line && f->other[i].file == other->file) return true;
  return false;
}

/* Only the last atomic before a read is recorded, and it often belongs to the reader's own warp.
 * The race between warps is then reported at the atomic. */
static bool races_between_warps(const Found *all, int count, const EmuFinding *f) {
  for (int i = 0; i < count; i++) {
    const EmuFinding *other = &all[i].finding;
    if (other->kind == EMU_RACE && !all[i].of_warp && races_with_line(other, f)) return true;
  }
  return false;
}

/* A race between warps, or a missed barrier, may come of a barrier that was reached at two lines:
 * names both. */
static void name_shared(const Found *all, int count, Found *found) {
  EmuFinding *f = &found->finding;
  if (f->note || found->of_warp || (f->kind != EMU_RACE && f->kind != EMU_BARRIER)) return;
  for (int i = 0; i < count; i++) {
    const EmuFinding *note = &all[i].finding;
    if (!all[i].shared || f->wheres == EMU_WHERES) continue;
    EmuWhere *w = &f->where[f->wheres++];
    *w = (EmuWhere){.at = {note->file, note->line}, .ptx_line = note->ptx_line};
    snprintf(w->text, sizeof w->text,
             "some warps reached a barrier here while others reached it at line %d: see the note",
             note->where[0].at.line);
  }
}

void finding_advise(Found *all, int count) {
  for (int i = 0; i < count; i++) {
    EmuFinding *f = &all[i].finding;
    name_shared(all, count, &all[i]);
    const size_t length = strlen(f->message);
    if (all[i].of_warp && !races_between_warps(all, count, f))
      snprintf(f->message + length, sizeof f->message - length,
               ": lanes of one warp need __syncwarp()");
  }
}

bool finding_add(Block *block, EmuFindingKind kind, const Insn *insn, uint32_t thread,
                 uint64_t count) {
  return finding_add_at(block, kind, insn, block->number, thread, count);
}

void finding_other(EmuFinding *f, EmuLocation other) {
  for (int i = 0; i < f->others; i++)
    if (f->other[i].line == other.line && f->other[i].file == other.file) return;
  if (f->others < EMU_OTHERS) f->other[f->others++] = other;
}

void finding_other_at(Block *block, EmuLocation other, int ptx_line) {
  EmuFinding *f = &block->findings->found[block->findings->current].finding;
  if (other.line) finding_other(f, other);
  f->other_ptx_line = ptx_line;
}

static void describe(Block *block, const char *fmt, va_list args) {
  EmuFinding *finding = &block->findings->found[block->findings->current].finding;
  vsnprintf(finding->message, sizeof finding->message, fmt, args);
}

void finding_describe(Block *block, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  describe(block, fmt, args);
  va_end(args);
}

const char *finding_warps(uint32_t warps, char out[WARPS_TEXT]) {
  int n = snprintf(out, WARPS_TEXT, lane_count(warps) == 1 ? "warp" : "warps");
  for (unsigned first = 0, last; first < MAX_WARPS; first = last + 1) {
    last = first;
    if (!(warps >> first & 1)) continue;
    while (last + 1 < MAX_WARPS && warps >> (last + 1) & 1) last++;
    const char *comma = n > 5 ? "," : "";
    if (n < WARPS_TEXT) n += snprintf(out + n, (size_t)(WARPS_TEXT - n), "%s %u", comma, first);
    if (last > first && n < WARPS_TEXT)
      n += snprintf(out + n, (size_t)(WARPS_TEXT - n), "-%u", last);
  }
  return out;
}

void finding_where(Block *block, const Insn *insn, const char *fmt, ...) {
  EmuFinding *f = &block->findings->found[block->findings->current].finding;
  if (f->wheres == EMU_WHERES) return;
  EmuWhere *where = &f->where[f->wheres++];
  *where = (EmuWhere){0};
  if (insn) {
    const SourceLoc at = insn_source(block->program, insn);
    where->at = (EmuLocation){ast_file(block->program->ast, at.file), at.line};
    where->ptx_line = insn->statement->line;
  }
  va_list args;
  va_start(args, fmt);
  vsnprintf(where->text, sizeof where->text, fmt, args);
  va_end(args);
}

void finding_report(Warp *w, const Insn *insn, EmuFindingKind kind, unsigned lane, const char *fmt,
                    ...) {
  va_list args;
  va_start(args, fmt);
  if (finding_add(w->block, kind, insn, warp_thread(w, lane), 1)) describe(w->block, fmt, args);
  va_end(args);
}

Flow finding_end(Warp *w, const Insn *insn, EmuFindingKind kind, uint32_t lanes, const char *fmt,
                 ...) {
  const uint32_t thread = warp_thread(w, lane_first(lanes));
  va_list args;
  va_start(args, fmt);
  if (finding_add(w->block, kind, insn, thread, lane_count(lanes))) describe(w->block, fmt, args);
  va_end(args);
  block_stop(w->block);
  return FLOW_WAIT;
}
