/* SPDX-License-Identifier: MIT */
#include "solve/modes_solve.h"

#include <inttypes.h>

#include "model/address.h"

/* --- words --- */

static const char *verdict_text(Arena *a, const Tile *t, int mode, ModeVerdict v) {
  const int row = t->extent[t->rank - 1] * t->dtype->bytes;
  switch (v) {
  case MODE_RANK: return "a tile of one dimension has no rows";
  case MODE_PIECES: return arena_printf(a, "rows of %d bytes are no multiple of 16", row);
  case MODE_WIDE:
    return arena_printf(a, "rows of %d bytes are wider than its %d", row, mode_bytes[mode]);
  case MODE_NARROW:
    return arena_printf(a, "rows of %d bytes are shorter than its %d", row, mode_bytes[mode]);
  case MODE_CORE: return arena_printf(a, "wgmma reads rows of 16 bytes, not of %d", row);
  case MODE_CUT: return "boxes do not begin at multiples of 8 rows";
  case MODE_HOLDS: break;
  }
  return "";
}

/* The elements of the widest rows of a swizzle, of at most so many bytes, that a tile's rows are
 * made of; 0: none. */
static int width_of_split(const Tile *t, int most) {
  for (int m = MODES - 1; m > 0; m--) {
    const int width = mode_bytes[m] / t->dtype->bytes;
    if (mode_bytes[m] <= most && t->extent[t->rank - 1] % width == 0) return width;
  }
  return 0;
}

void modes_hint_split(Diag *d, const Tile *t, int most) {
  const int width = width_of_split(t, most), cols = t->extent[t->rank - 1];
  Arena *a = arena_new();
  Text s = text_new(a);
  if (width && cols > width && t->rank < KGEN_MAX_RANK) {
    for (int i = 0; i < t->rank - 2; i++) text_printf(&s, "%d, ", t->extent[i]);
    text_printf(&s, "%d, ", cols / width);
    if (t->rank > 1) text_printf(&s, "%d, ", t->extent[t->rank - 2]);
    diag_hint(d, "split its rows: tile: [%s%d]", s.s, width);
  }
  arena_free(a);
}

/* --- solving --- */

/* Layouts without terms alone, if those were asked for. */
static bool kind_admits(Want kind, int mode) {
  return mode == 0 || (kind != WANT_NONE && kind != WANT_PAD);
}

void modes_judge(Arena *a, const AccessSet *set, Mode out[MODES]) {
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, (size_t)set->accesses);
  for (int m = 0; m < MODES; m++) {
    out[m].verdict = mode_judge(set, m, &out[m].layout);
    out[m].admitted = out[m].verdict == MODE_HOLDS && layout_admissible(&out[m].layout, set);
    if (out[m].admitted) out[m].total = cost_count(set, &out[m].layout, cost);
  }
}

/* The cheapest; of equals the one without terms, or of fewer mask bits, which comes first. */
static int cheapest(const Mode mode[MODES], Want kind) {
  int best = -1;
  for (int m = 0; m < MODES; m++)
    if (mode[m].admitted && kind_admits(kind, m) && (best < 0 || mode[m].total < mode[best].total))
      best = m;
  return best;
}

/* What asks for a mode. */
static Loc asked_at(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].boxes) return set->access[i].loc;
  return set->tile->want.loc;
}

/* Of those that were asked for: one that holds the tile, though not admitted, or one that would if
 * the tile were split. */
static int nearest_mode(const Mode mode[MODES], Want kind) {
  int nearest = 0;
  for (int m = 0; m < MODES && kind_admits(kind, m); m++)
    if (mode[m].verdict == MODE_WIDE || mode[m].verdict == MODE_CUT) nearest = m;
  for (int m = 0; m < MODES && kind_admits(kind, m); m++)
    if (mode[m].verdict == MODE_HOLDS) nearest = m;
  return nearest;
}

/* A mode that would do, but was not asked for. */
static void hint_mode(Diag *d, const Mode mode[MODES]) {
  for (int m = MODES - 1; m >= 0; m--)
    if (mode[m].admitted) {
      diag_hint(d, "the mode '%s' does: layout: tma", mode_name[m]);
      return;
    }
}

void modes_hint_admitted(Arena *a, Diag *d, const AccessSet *set) {
  Mode mode[MODES];
  modes_judge(a, set, mode);
  hint_mode(d, mode);
}

/* A mode that holds the tile, but not a rule of the spec. The plain one has whole pieces of 16
 * bytes: only `align` may refuse it. */
static void report_rule(Diag *d, const AccessSet *set, int m) {
  enum { PIECE = 16 }; /* the bytes that every swizzle keeps together */
  const Tile *t = set->tile;
  const int align = t->want.align, row = t->extent[t->rank - 1] * t->dtype->bytes;
  const Loc loc = asked_at(set);
  if (m == 0)
    diag_error(d, loc, "rows of %d bytes are no multiple of align's %d, and TMA does not pad them",
               row, align);
  else if (align > PIECE)
    diag_error(d, loc, "the mode '%s' of TMA moves pieces of %d bytes, and align keeps %d together",
               mode_name[m], PIECE, align);
  else
    diag_error(d, loc, "the mode '%s' of TMA splits what a lane accesses", mode_name[m]);
  if (align > PIECE)
    diag_hint(d, "align is of pieces within the tile; the tile itself is aligned as TMA needs it");
}

static void report_none(Arena *a, Diag *d, const AccessSet *set, const Mode mode[MODES]) {
  const Tile *t = set->tile;
  const Want kind = t->want.kind;
  const int nearest = nearest_mode(mode, kind);
  const ModeVerdict verdict = mode[nearest].verdict;
  const char *why = verdict_text(a, t, nearest, verdict);
  const Loc loc = asked_at(set);
  if (verdict == MODE_HOLDS)
    report_rule(d, set, nearest);
  else if (kind_admits(kind, MODES - 1))
    diag_error(d, loc, "no mode of TMA and wgmma holds this tile: '%s': %s", mode_name[nearest],
               why);
  else
    diag_error(d, loc, "layout '%s' has no swizzle: %s", want_name[kind], why);
  if (verdict == MODE_WIDE) modes_hint_split(d, t, mode_bytes[MODES - 1]);
  if (!kind_admits(kind, MODES - 1)) hint_mode(d, mode);
}

/* The others that are admitted, refused for what they cost. */
static void refuse_others(CertificateBuilder *b, const AccessSet *set, const Mode mode[MODES],
                          int best) {
  for (int m = 0; m < MODES; m++) {
    int wavefronts;
    if (m == best || !mode[m].admitted || mode[m].total == mode[best].total) continue;
    if (!kind_admits(set->tile->want.kind, m)) continue;
    certificate_refuse(b, &mode[m].layout, collision_worst(set, &mode[m].layout, &wavefronts),
                       mode[m].total);
  }
}

const Solution *modes_solve(Arena *a, Diag *d, const AccessSet *set) {
  Mode mode[MODES];
  modes_judge(a, set, mode);
  const int best = cheapest(mode, set->tile->want.kind);
  if (best < 0) {
    report_none(a, d, set, mode);
    return NULL;
  }
  CertificateBuilder b = certificate_new(a, set);
  Solution *out = ARENA_NEW(a, Solution);
  out->layout = mode[best].layout;
  out->minimal = true;
  solution_count(a, set, out);
  refuse_others(&b, set, mode, best);
  solution_certify(out, &b, out->conflict_free ? out->total : 0);
  modes_append_claim(a, set, out);
  return out;
}

/* --- beside other layouts --- */

KgenLayout modes_prefer(Arena *a, const AccessSet *set, const KgenLayout *l, int64_t total) {
  Mode mode[MODES];
  if (l->terms != 1 || set->tile->want.kind == WANT_PAD || mode_of(set, l) >= 0) return *l;
  modes_judge(a, set, mode);
  for (int m = 1; m < MODES; m++)
    if (mode[m].admitted && mode[m].total == total &&
        kgen_elements(&mode[m].layout) == kgen_elements(l) &&
        address_operations(&mode[m].layout) <= address_operations(l) &&
        layout_mask_bits(&mode[m].layout) == layout_mask_bits(l))
      return mode[m].layout;
  return *l;
}

/* "none 1088, tma128 64" */
static const char *list_costs(Arena *a, const Mode mode[MODES]) {
  Text t = text_new(a);
  for (int m = 0; m < MODES; m++)
    if (mode[m].admitted)
      text_printf(&t, "%s'%s' %" PRId64, t.len ? ", " : "", mode_name[m],
                  mode[m].total / WEIGHT_ONE);
  return t.s;
}

static const char *refusals(Arena *a, const Tile *tile, const Mode mode[MODES]) {
  Text t = text_new(a);
  for (int m = 0; m < MODES; m++)
    if (mode[m].verdict != MODE_HOLDS)
      text_printf(&t, "; '%s': %s", mode_name[m], verdict_text(a, tile, m, mode[m].verdict));
  return t.s;
}

void modes_append_claim(Arena *a, const AccessSet *set, Solution *s) {
  const bool asked = set->tile->want.kind == WANT_TMA || mode_needed(set);
  Mode mode[MODES];
  const int own = s->map ? -1 : mode_of(set, &s->layout);
  Text t = text_new(a);
  text_puts(&t, s->certificate.claim);
  modes_judge(a, set, mode);
  const int best = cheapest(mode, WANT_AUTO);
  if (own >= 0)
    text_printf(&t, " It is TMA's mode '%s'", mode_name[own]);
  else if (best < 0)
    text_puts(&t, " No mode of TMA holds this tile");
  else if (mode[best].total <= s->total)
    text_printf(&t, " TMA's mode '%s' costs %s wavefronts", mode_name[best],
                mode[best].total < s->total ? "fewer" : "as few");
  else
    text_printf(&t, " No mode of TMA is as cheap, the best is '%s'", mode_name[best]);
  if (best >= 0 && (own < 0 || asked)) text_printf(&t, ": %s wavefronts", list_costs(a, mode));
  if (best < 0 || asked) text_puts(&t, refusals(a, set->tile, mode));
  text_puts(&t, ".");
  s->certificate.claim = t.s;
}
