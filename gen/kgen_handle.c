#include "kgen_handle.h"

#include "emit/picture.h"

locale_t handle_enter(const Kgen *k) { return uselocale(k->numbers); }

void handle_leave(locale_t before) { uselocale(before); }

void handle_error(Kgen *k, const KgenError *e) {
  k->error = arena_grow(k->arena, k->error, k->errors, &k->capacity, sizeof *k->error);
  k->error[k->errors++] = *e;
}

void handle_take(Kgen *k, KgenErrorKind kind, const Diag *d) {
  int count;
  const DiagEntry *entry = diag_list(d, k->arena, &count);
  for (int i = 0; i < count; i++) {
    const Loc loc = entry[i].loc;
    const KgenError e = {.kind = kind,
                         .file = loc.source ? loc.source->path : NULL,
                         .line = loc.source ? loc.line : 0,
                         .col = loc.source && loc.line > 0 ? loc.col : 0,
                         .width = loc.source && loc.line > 0 ? loc.width : 0,
                         .message = entry[i].text,
                         .hint = entry[i].hint};
    handle_error(k, &e);
  }
  diag_print(d, &k->text, false);
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
