/* SPDX-License-Identifier: MIT */
#include "lint/input/kernel.h"

#include <string.h>

#include "base/diag.h"
#include "lint/input/name.h"
#include "lint/input/signature.h"
#include "lint/input/template.h"

/* Two instances may have equal names if they differ in parts that the reader of names leaves out,
 * or in their parameters' types. */
static bool is_ambiguous(const LintSource *s, const EmuKernel *k, int count, const EmuKernel *one) {
  int same = 0;
  const char *name = lint_name_plain(s->arena, one->name);
  for (int i = 0; i < count; i++) same += strcmp(lint_name_plain(s->arena, k[i].name), name) == 0;
  return same > 1;
}

static void put_kernel(const LintSource *s, const EmuKernel *k, Text *out) {
  text_printf(out, "  %s(", lint_name_plain(s->arena, k->name));
  for (int p = 0; p < k->params; p++) {
    const EmuParam *param = &k->param[p];
    text_printf(out, "%s%s", p ? ", " : "", param->type);
    if (param->type[0] == 'b') text_printf(out, "[%u]", param->bytes);
  }
  text_printf(out, "), %u bytes of shared memory", k->static_shared);
  if (k->line > 0) text_printf(out, ", line %d", k->line);
}

static void put_names(const LintSource *s, const EmuKernel *k, Text *out) {
  const char *signature = lint_signature_of(s->arena, k->name);
  if (signature) text_printf(out, "\n    --kernel '%s'", signature);
  text_printf(out, "\n    in PTX: %s", k->name);
}

/* Lists the kernels after the message that none of them matches. */
static void list_kernels(const LintSource *s, const EmuKernel *k, int count, Diag *why) {
  Text list = text_new(s->arena);
  for (int i = 0; i < count; i++) {
    put_kernel(s, &k[i], &list);
    if (is_ambiguous(s, k, count, &k[i])) put_names(s, &k[i], &list);
    text_puts(&list, "\n");
  }
  diag_more(why, list.s);
  if (!s->is_ptx && lint_template_any(s))
    diag_note(why, "a template has no kernel until it is named: --kernel 'NAME<ARGUMENTS>'");
}

static void suggest(const LintSource *s, const EmuKernel *k, int count, const char *name,
                    Diag *why) {
  const char **names = ARENA_ARRAY(s->arena, const char *, (size_t)count + 1);
  for (int i = 0; i < count; i++) names[i] = lint_name_plain(s->arena, k[i].name);
  const char *near = diag_nearest(name, names, count);
  diag_say(why, DIAG_ARGUMENT, "%s has no kernel %s%s%s%s%s", s->path, name,
           near ? "; did you mean " : "", near ? near : "", near ? "?" : "",
           count ? "" : " in its PTX");
}

/* True if kernel k is the requested one, by its PTX name or its C++ name. */
static bool is_meant(const LintSource *s, const EmuKernel *k, const char *name) {
  if (s->instance) return strcmp(k->name, s->instance) == 0;
  if (strchr(name, '(')) {
    const char *signature = lint_signature_of(s->arena, k->name);
    return signature && lint_signature_is(name, signature);
  }
  return strcmp(k->name, name) == 0 || lint_name_is(name, lint_name_plain(s->arena, k->name));
}

static const EmuKernel *find(const LintSource *s, const EmuKernel *k, int count, const char *name,
                             int *matches) {
  const EmuKernel *found = NULL;
  *matches = 0;
  for (int i = 0; i < count; i++) {
    if (!is_meant(s, &k[i], name)) continue;
    found = &k[i];
    ++*matches;
    if (strcmp(k[i].name, name) == 0) break;
  }
  return found;
}

static void refuse_nameless(const LintSource *s, int count, Diag *why) {
  if (count > 1)
    diag_say(why, DIAG_ARGUMENT, "%s has %d kernels: choose with --kernel", s->path, count);
  else
    diag_say(why, DIAG_ARGUMENT, "%s has %s", s->path,
             count ? "1 kernel: --grid, --block and an --arg for each parameter launch it"
                   : "no kernel");
}

static void refuse_ambiguous(const LintSource *s, const char *name, int matches, Diag *why) {
  diag_say(why, DIAG_ARGUMENT,
           "%d kernels of %s are called %s: give the parameters, too, or the name in PTX", matches,
           s->path, name);
}

const EmuKernel *lint_kernel_find(const LintSource *s, const EmuModule *m, const Options *o,
                                  Diag *why) {
  int count, matches = 0;
  const char *name = o->lint.kernel;
  const EmuKernel *k = emu_kernels(m, &count);
  if (!name && o->lint.grid && count == 1) return k;
  const EmuKernel *found = name ? find(s, k, count, name, &matches) : NULL;
  if (matches == 1 || (found && strcmp(found->name, name) == 0)) return found;
  if (!name)
    refuse_nameless(s, count, why);
  else if (matches > 1)
    refuse_ambiguous(s, name, matches, why);
  else
    suggest(s, k, count, name, why);
  Text choices = text_new(s->arena);
  if (name && !matches && !s->is_ptx && lint_template_list(s, name, &choices))
    diag_more(why, choices.s);
  list_kernels(s, k, count, why);
  return NULL;
}
