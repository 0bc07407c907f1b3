/* SPDX-License-Identifier: MIT */
#include "emu/run/race/global_rows.h"

static void unlock(GlobalAccess *t) {
  shadow_unlock(t->shadow, t->page);
  t->page = NULL;
}

/* False if the address is not watched. */
static bool lock_page(GlobalAccess *t, uint64_t address) {
  if (t->page && shadow_holds(t->page, address)) return true;
  shadow_unlock(t->shadow, t->page);
  t->page = shadow_lock(t->shadow, address);
  if (t->page && !t->page->lists && !t->page->word) unlock(t); /* memory ran out before */
  t->mark = t->page ? shadow_mark(t->shadow, t->page, t->now) : 0;
  if (t->mark) return true;
  unlock(t);
  return false;
}

Row rows_from(const GlobalAccess *t, unsigned lane) {
  const uint64_t at = t->at[lane];
  const unsigned room = (unsigned)((SHADOW_PAGE - at % SHADOW_PAGE) / t->bytes);
  unsigned lanes = 1;
  if (t->is_row) lanes = LANES - lane < room ? LANES - lane : room;
  while (!t->is_row && lane + lanes < LANES && lanes < room && t->active >> (lane + lanes) & 1 &&
         t->at[lane + lanes] == at + (uint64_t)lanes * t->bytes)
    lanes++;
  return (Row){at, lane, lanes, lanes * t->bytes / SHADOW_WORD, t->now.step - 2u};
}

/* --- marks --- */

/* Whether a mark is of the same warp, but of another lane than the one that touches its place
 * now. */
static bool is_mixed(const GlobalAccess *t, Mark mark, unsigned lane) {
  const Stamp *old = mark ? shadow_record(t->page, mark) : NULL;
  return old && old->block == t->now.block && old->thread == t->now.thread &&
         ((mark & MARK_LANE) != lane || old->step != t->now.step);
}

bool rows_are_uniform(const GlobalAccess *t, uint64_t sector, unsigned lane) {
  const bool any[MARKS] = {t->page->any_write, true, t->page->any_second};
  for (MarkKind kind = 0; kind < MARKS; kind++)
    if (any[kind] && is_mixed(t, *shadow_marks(t->page, kind, sector), lane)) return false;
  return !t->page->under || !is_mixed(t, t->page->under[sector % SHADOW_PAGE], lane);
}

static bool any_mark(const Mark *mark, unsigned words) {
  Mark any = 0;
  for (unsigned i = 0; i < words; i++) any |= mark[i];
  return any;
}

/* Splits the sectors that the row touches in part, or that no one comparison holds for, into words;
 * false if units of a byte are needed. */
static bool part_sectors(const GlobalAccess *t, const Row *row) {
  const uint64_t end = row->at + row->words * SHADOW_WORD;
  if (t->page->byte) return false;
  for (uint64_t at = row->at / SHADOW_SECTOR * SHADOW_SECTOR; at < end; at += SHADOW_SECTOR) {
    if (shadow_unit(t->page, at) != SHADOW_SECTOR) continue;
    const bool covered = at >= row->at && end - at >= SHADOW_SECTOR;
    const unsigned lane = row->lane + (unsigned)((at - row->at) >> t->now.step);
    if (covered && rows_are_uniform(t, at, lane)) continue;
    if (!shadow_split(t->shadow, t->page, at, SHADOW_WORD) || t->page->byte) return false;
  }
  return true;
}

/* Whether a reader happens before the access. BY_LANE: that depends on the lanes. */
typedef enum { KEPT, ORDERED, BY_LANE } Standing;

/* A reader of another block is kept, whatever orders the two. */
static Standing standing_of(const GlobalAccess *t, Mark mark) {
  if (mark <= MARK_LANE) return ORDERED;
  const Stamp *old = shadow_record(t->page, mark);
  if (old->block != t->now.block) return KEPT;
  const bool own = old->thread == t->now.thread;
  if (t->order.level) return old->tick < t->now.tick ? ORDERED : own ? BY_LANE : KEPT;
  const int slot = t->warp->block->first_slot + (int)(old->thread / LANES);
  if (t->order.tick[slot] >= old->tick && t->order.is_exact) return ORDERED;
  return own || !t->order.is_exact ? BY_LANE : KEPT;
}

static bool gives_way(const GlobalAccess *t, Standing standing, Mark old, Mark now) {
  if (standing != BY_LANE) return standing == ORDERED;
  const Stamp *record = shadow_record(t->page, old);
  if (record->thread == t->now.thread && (old & MARK_LANE) == (now & MARK_LANE)) return true;
  if (t->order.level || t->order.is_exact) return false;
  return order_has(t->warp, now & MARK_LANE,
                   t->warp->block->first_slot + (int)(record->thread / LANES), old & MARK_LANE,
                   record->tick);
}

/* Whether a word's new mark takes the place of its first reader, else of its second. */
static bool goes_first(const GlobalAccess *t, const Standing standing[2], const Mark old[2],
                       Mark now) {
  if (gives_way(t, standing[0], old[0], now)) return true;
  if (gives_way(t, standing[1], old[1], now)) return false;
  const uint32_t block = shadow_record(t->page, old[0])->block;
  return block == t->now.block && block != shadow_record(t->page, old[1])->block;
}

/* Marks the words [from, end) of a row, all of which have readers of the same two records, by the
 * rule of kind_of_read. */
static void note_alike(GlobalAccess *t, const Row *row, Mark *read, Mark *second, unsigned from,
                       unsigned end) {
  const Mark old[2] = {read[from], t->page->any_second ? second[from] : 0};
  const Standing standing[2] = {standing_of(t, old[0]), standing_of(t, old[1])};
  const bool by_lane = standing[0] == BY_LANE || (standing[0] == KEPT && standing[1] == BY_LANE);
  const bool first = !by_lane && goes_first(t, standing, old, 0);
  const Mark mark = t->mark + row->lane;
  t->page->any_second |= !first;
  for (unsigned i = from; i < end && by_lane; i++) {
    const Mark now = mark + (i >> row->shift), of[2] = {read[i], second[i]};
    *(goes_first(t, standing, of, now) ? &read[i] : &second[i]) = now;
  }
  Mark *to = first ? read : second;
  for (unsigned i = from; i < end && !by_lane; i++) to[i] = mark + (i >> row->shift);
}

static void note_reads(GlobalAccess *t, const Row *row) {
  const uint64_t word = row->at % SHADOW_PAGE / SHADOW_WORD;
  Mark *read = &t->page->word[MARK_READ][word], *second = &t->page->word[MARK_SECOND_READ][word];
  for (unsigned i = 0, end; i < row->words; i = end) {
    const bool two = t->page->any_second;
    for (end = i + 1; end < row->words; end++)
      if (((read[end] ^ read[i]) | (two ? second[end] ^ second[i] : 0)) > MARK_LANE) break;
    note_alike(t, row, read, second, i, end);
  }
}

static void note_writes(GlobalAccess *t, const Row *row) {
  Mark *write = &t->page->word[MARK_WRITE][row->at % SHADOW_PAGE / SHADOW_WORD];
  t->page->any_write = true;
  for (unsigned i = 0; i < row->words; i++) write[i] = t->mark + row->lane + (i >> row->shift);
}

/* --- the list --- */

static void mark_listed(Shadow *shadow, ShadowPage *page, const ShadowRow *listed) {
  GlobalAccess past = {.kind = listed->writes ? RACE_WRITE : RACE_READ,
                       .now = *shadow_record(page, listed->mark),
                       .order = {.level = true},
                       .shadow = shadow,
                       .page = page,
                       .mark = listed->mark & ~(Mark)MARK_LANE};
  const Row row = {.at = (page->number << SHADOW_PAGE_BITS) + listed->word * SHADOW_WORD,
                   .lane = listed->mark & MARK_LANE,
                   .words = listed->words,
                   .shift = past.now.step - 2u};
  part_sectors(&past, &row);
  (listed->writes ? note_writes : note_reads)(&past, &row);
}

/* Turns listed rows into marks; false when out of memory: then the page is watched no more. */
static bool catch_up(Shadow *shadow, ShadowPage *page) {
  const int rows = page->rows;
  page->rows = 0;
  if (!shadow_open_marks(shadow, page)) {
    page->lists = false;
    return false;
  }
  for (int i = 0; i < rows; i++) mark_listed(shadow, page, &page->row[i]);
  return true;
}

bool rows_open(GlobalAccess *t, uint64_t address) {
  if (!lock_page(t, address)) return false;
  if (t->page->lists) catch_up(t->shadow, t->page);
  t->page->lists = false;
  const bool marked = t->page->word != NULL;
  if (!marked) unlock(t);
  return marked;
}

/* The bits of `words` words from `word` on that lie in a part of a set. */
static uint64_t bits_of(unsigned part, unsigned word, unsigned words) {
  const unsigned first = part * SHADOW_BITS, end = word + words - first;
  const uint64_t from = word > first ? ~0ull << (word - first) : ~0ull;
  return end < SHADOW_BITS ? from & ((1ull << end) - 1) : from;
}

static bool has_any(const ShadowSet set, unsigned word, unsigned words) {
  uint64_t any = 0;
  for (unsigned i = word / SHADOW_BITS; i * SHADOW_BITS < word + words; i++)
    any |= set[i] & bits_of(i, word, words);
  return any;
}

static void add_all(ShadowSet set, unsigned word, unsigned words) {
  for (unsigned i = word / SHADOW_BITS; i * SHADOW_BITS < word + words; i++)
    set[i] |= bits_of(i, word, words);
}

/* Lists a row; false if it may race with what is known of the page, or if there is no room. */
static bool list(Shadow *shadow, ShadowPage *page, Mark mark, bool writes, unsigned word,
                 unsigned words) {
  const ShadowRow row = {mark, (uint16_t)word, (uint16_t)(words & 0x7fff), writes};
  if (!page->lists || has_any(writes ? page->touched : page->written, word, words)) return false;
  if (!shadow_list(shadow, page, row) &&
      (!catch_up(shadow, page) || !shadow_list(shadow, page, row)))
    return false;
  add_all(page->touched, word, words);
  if (writes) add_all(page->written, word, words);
  return true;
}

static bool list_row(const GlobalAccess *t, const Row *row) {
  const unsigned word = (unsigned)(row->at % SHADOW_PAGE / SHADOW_WORD);
  return t->order.level &&
         list(t->shadow, t->page, t->mark + row->lane, t->kind != RACE_READ, word, row->words);
}

bool rows_list_read(Shadow *shadow, Stamp lane_0, uint64_t at, unsigned bytes) {
  const unsigned word = (unsigned)(at % SHADOW_PAGE / SHADOW_WORD);
  const bool whole_words = at % SHADOW_WORD == 0 && 1u << lane_0.step >= SHADOW_WORD;
  if (!whole_words || at % SHADOW_PAGE + bytes > SHADOW_PAGE) return false;
  ShadowPage *page = shadow_lock(shadow, at);
  const Mark mark = page && page->lists ? shadow_mark(shadow, page, lane_0) : 0;
  const bool listed = mark && list(shadow, page, mark, false, word, bytes / SHADOW_WORD);
  shadow_unlock(shadow, page);
  return listed;
}

/* --- rows --- */

/* A lone block's read of words that nobody has written yet races with nothing; false for other
 * reads. */
static bool read_row(GlobalAccess *t, const Row *row) {
  if (!t->lone) return false;
  const Mark *write = &t->page->word[MARK_WRITE][row->at % SHADOW_PAGE / SHADOW_WORD];
  if (t->page->any_write && any_mark(write, row->words)) return false;
  if (!part_sectors(t, row)) return false;
  note_reads(t, row);
  return true;
}

/* A write of words that nobody has touched yet races with nothing; false for other writes. */
static bool write_row(GlobalAccess *t, const Row *row) {
  const uint64_t word = row->at % SHADOW_PAGE / SHADOW_WORD;
  const bool any[MARKS] = {t->page->any_write, true, t->page->any_second};
  for (MarkKind kind = 0; kind < MARKS; kind++)
    if (any[kind] && any_mark(&t->page->word[kind][word], row->words)) return false;
  if (!part_sectors(t, row)) return false;
  note_writes(t, row);
  return true;
}

bool rows_touch(GlobalAccess *t, const Row *row) {
  const bool listed = lock_page(t, row->at) && list_row(t, row);
  if (!listed && rows_open(t, row->at) && !(t->kind == RACE_READ ? read_row : write_row)(t, row))
    return false;
  for (unsigned i = 0; t->value && i < row->lanes; i++) touch_store(t, row->lane + i);
  return true;
}
