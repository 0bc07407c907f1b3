/* SPDX-License-Identifier: MIT */
#include "kgen_handle.h"

#include <string.h>

#include "emit/picture.h"

locale_t handle_enter(const Kgen *k) { return uselocale(k->numbers); }

void handle_leave(locale_t before) { uselocale(before); }

void handle_error(Kgen *k, const KgenError *e) {
  k->error = arena_grow(k->arena, k->error, k->errors, &k->capacity, sizeof *k->error);
  k->error[k->errors++] = *e;
}

/* The hint, followed by the lines that belong below the message. */
static const char *hint_of(Arena *a, const DiagEntry *e) {
  if (!e->more) return e->hint;
  size_t n = strlen(e->more);
  while (n && e->more[n - 1] == '\n') n--;
  const char *more = arena_strndup(a, e->more, n);
  return e->hint ? arena_printf(a, "%s\n%s", e->hint, more) : more;
}

/* of_files: the kind of errors that are in a file. */
static KgenErrorKind kind_of(DiagKind kind, KgenErrorKind of_files) {
  return kind == DIAG_ARGUMENT   ? KGEN_BAD_ARGUMENT
         : kind == DIAG_REJECTED ? KGEN_REJECTED
                                 : of_files;
}

static void take_records(Kgen *k, KgenErrorKind kind, const Diag *d) {
  int count;
  const DiagEntry *entry = diag_list(d, k->arena, &count);
  for (int i = 0; i < count; i++) {
    const Loc loc = entry[i].loc;
    const KgenError e = {.kind = kind_of(entry[i].kind, kind),
                         .file = loc.source ? loc.source->path : NULL,
                         .line = loc.source ? loc.line : 0,
                         .col = loc.source && loc.line > 0 ? loc.col : 0,
                         .width = loc.source && loc.line > 0 ? loc.width : 0,
                         .message = entry[i].text,
                         .hint = hint_of(k->arena, &entry[i])};
    handle_error(k, &e);
  }
}

void handle_take(Kgen *k, KgenErrorKind kind, const Diag *d) {
  take_records(k, kind, d);
  diag_print(d, &k->text, false);
}

void handle_take_written(Kgen *k, KgenErrorKind kind, const Diag *d) {
  take_records(k, kind, d);
  diag_write(d, &k->text);
}

bool handle_refuse(Kgen *k, KgenErrorKind kind, const char *fmt, ...) {
  Diag *d = diag_new(k->arena);
  va_list args;
  va_start(args, fmt);
  diag_error(d, (Loc){0}, "%s", arena_vprintf(k->arena, fmt, args));
  va_end(args);
  handle_take(k, kind, d);
  return false;
}

const char *handle_draw(Kgen *k, const Plan *plan) {
  Text why = text_new(k->arena);
  const locale_t before = handle_enter(k);
  const PlanTile *tile = picture_tile(plan, NULL);
  const char *svg = picture_svg(k->arena, plan, tile, templates_dir(k->templates), &why);
  handle_leave(before);
  if (!svg) handle_refuse(k, KGEN_BAD_ARGUMENT, "%s", why.s);
  return svg;
}
