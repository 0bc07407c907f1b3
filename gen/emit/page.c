/* SPDX-License-Identifier: MIT */
#include "emit/page.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/span.h"
#include "emit/plan_json.h"
#include "model/occupancy.h"

enum { MAX_PART = 1 << 20 };

/* --- the trade-off between bytes and wavefronts --- */

static int blocks_at(const PageBlock *b, int64_t bytes) {
  return occupancy_blocks(b->arch, b->threads, 0, b->other_bytes + tile_align(bytes));
}

static void put_point(Json *j, const FrontPoint *p, const PageBlock *b) {
  json_line(j, NULL);
  json_int(j, "bytes", p->bytes);
  json_int(j, "wavefronts", p->wavefronts);
  json_int(j, "total_thousandths", p->total);
  json_int(j, "blocks_per_sm", blocks_at(b, p->bytes));
  json_int(j, "layouts", p->layouts);
  if (p->best) json_bool(j, "best", true);
  if (p->chosen) json_bool(j, "chosen", true);
  if (!p->chosen || !b->mapped) layout_json(j, &p->layout);
  json_end(j);
}

/* Lists, for each number of blocks per SM in descending order, the largest tile in bytes that
 * allows it. */
static void put_steps(Json *j, const PageBlock *b) {
  json_array(j, "steps");
  for (int blocks = blocks_at(b, 0); blocks > 0; blocks--) {
    const int64_t bytes = occupancy_shared(b->arch, blocks) / TILE_ALIGN * TILE_ALIGN;
    json_line(j, NULL);
    json_int(j, "blocks_per_sm", blocks);
    json_int(j, "bytes", bytes - b->other_bytes);
    json_end(j);
  }
  json_end(j);
}

void page_front(Json *j, const Front *f, const PageBlock *b) {
  json_object(j, "front");
  json_bool(j, "exact", f->exact);
  json_bool(j, "complete", f->complete);
  put_steps(j, b);
  json_array(j, "points");
  for (int i = 0; i < f->points; i++) put_point(j, &f->point[i], b);
  json_ends(j, 2);
}

/* --- the page --- */

typedef struct {
  Arena *arena;
  Text *out, *why;
  const char *folder, *data;
} Page;

static const char *read_part(const Page *p, const char *file) {
  size_t size;
  const char *path = arena_printf(p->arena, "%s/%s", p->folder, file);
  const char *text = file_read(p->arena, path, MAX_PART, &size);
  if (!text) text_printf(p->why, "cannot read %s: %s", path, strerror(errno));
  return text;
}

/* Writes the JSON without line ends and indentation. Within a script element only its end tag may
 * begin with `<`, which JSON has only in strings. */
static void put_data(const Page *p) {
  for (const char *c = p->data; *c;) {
    const size_t n = strcspn(c, "<\n");
    text_add(p->out, c, n);
    c += n;
    if (*c == '<') text_puts(p->out, "\\u003c");
    if (*c == '<')
      c++;
    else
      c += strspn(c, "\n ");
  }
  text_puts(p->out, "\n");
}

/* The file name between `open` and the next quote on a line of the page. */
static const char *name_within(const Page *p, Span line, const char *open, Span *before,
                               Span *after) {
  const char *at = memmem(line.s, line.len, open, strlen(open));
  if (!at) return NULL;
  const char *name = at + strlen(open), *end = line.s + line.len;
  const char *quote = memchr(name, '"', (size_t)(end - name));
  if (!quote) return NULL;
  *before = (Span){line.s, (size_t)(at - line.s)};
  *after = (Span){quote + 1, (size_t)(end - quote - 1)};
  return arena_strndup(p->arena, name, (size_t)(quote - name));
}

/* A script element with a file name gets that file's text; an @import is replaced by what it
 * imports. So the directory works as a page by itself, and the result is one file. */
static bool put_line(const Page *p, Span line) {
  Span before, after;
  const char *script = name_within(p, line, " src=\"", &before, &after);
  const char *style = script ? NULL : name_within(p, line, "@import \"", &before, &after);
  const char *part = script || style ? read_part(p, script ? script : style) : NULL;
  if (!script && !style) {
    text_add(p->out, line.s, line.len);
    text_puts(p->out, "\n");
    return true;
  }
  if (!part) return false;
  const size_t tag = after.len ? 1 : 0; /* the `>` or the `;` */
  text_add(p->out, before.s, before.len);
  if (script) text_add(p->out, after.s, tag);
  text_printf(p->out, "\n%s", part);
  text_add(p->out, after.s + tag, after.len - tag);
  text_puts(p->out, "\n");
  return true;
}

const char *page_fill(Arena *a, const char *template_dir, const char *data, Text *why) {
  static const char marker[] = "kgen:data";
  Text out = text_new(a);
  const Page p = {a, &out, why, arena_printf(a, "%s/page", template_dir), data};
  const char *page = read_part(&p, "page.html");
  bool filled = false;
  while (page && *page) {
    const Span line = span_line(&page);
    if (!span_is(line, marker)) {
      if (!put_line(&p, line)) return NULL;
      continue;
    }
    put_data(&p);
    filled = true;
  }
  if (page && !filled) text_printf(why, "%s/page.html has no line %s", p.folder, marker);
  return filled ? out.s : NULL;
}
