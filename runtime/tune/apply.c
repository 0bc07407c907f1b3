/* SPDX-License-Identifier: MIT */
#include "tune/apply.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/yaml_tree.h"
#include "batch.h"
#include "command/paths.h"
#include "device/backend.h"
#include "device/nvrtc.h"
#include "spec/spec_read.h"
#include "spec/spec_tune.h"
#include "tune/choose.h"

static const char emulator[] = "PTX emulator";

Apply apply_open(Arena *a, const Options *o, Diag *diag) {
  Apply p = {.arena = a, .options = o, .diag = diag};
  if (!o->no_wisdom) p.texts = wisdom_texts(a, paths_wisdom(a));
  return p;
}

/* --- the device --- */

/* H200 is not an H200 NVL; and the result does not depend on the order of the records. */
static bool is_closer(const char *device, const char *found) {
  if (!found || strlen(device) != strlen(found)) return !found || strlen(device) < strlen(found);
  return strcmp(device, found) < 0;
}

/* The device that was named: among the records' devices whose name contains it, ignoring case, the
 * closest one. */
static const char *named_device(const Apply *p, const Wisdom *w) {
  const char *found = NULL;
  for (int i = 0; i < w->count; i++) {
    const char *device = w->record[i].key.device;
    if (strcasestr(device, p->options->wisdom_of) && is_closer(device, found)) found = device;
  }
  return found;
}

/* The device of this machine, unless code is generated for another architecture. */
static const char *own_device(const Apply *p) {
  const Options *o = p->options;
  char arch[16];
  if (strcmp(o->device, "emulator") == 0) return emulator;
  const char *gpu = backend_gpu(p->arena, arch);
  const bool other = gpu && o->arch && strncmp(o->arch->name, arch, strlen(arch)) != 0;
  return other ? NULL : gpu;
}

static const char *device_of(Apply *p, const Wisdom *w) {
  if (p->options->wisdom_of) return named_device(p, w);
  if (!p->asked) p->device = own_device(p);
  p->asked = true;
  return p->device;
}

/* --- the spec --- */

static void use(Apply *p, const Choice *c, const WisdomKey *key, SpecOptions *out) {
  Setting *s = ARENA_ARRAY(p->arena, Setting, (size_t)c->set.count);
  for (int i = 0; i < c->set.count; i++)
    s[i] =
        (Setting){.name = c->set.param[i].name, .value = (int)c->set.param[i].value, .open = true};
  out->settings = c->set.count;
  out->setting = s;
  out->origin =
      arena_printf(p->arena, "wisdom of %s: %.4g %s", key->device, c->median, unit_name[key->unit]);
}

/* True if the set has values of the spec's axes only. */
static bool is_of_axes(const Spec *s, const Values *set) {
  for (int i = 0; i < set->count; i++) {
    const Param *v = &set->param[i];
    int axis = 0;
    while (axis < s->axes && strcmp(s->axis[axis].name, v->name) != 0) axis++;
    if (axis == s->axes || v->value < INT_MIN || v->value > INT_MAX) return false;
  }
  return true;
}

/* Uses the best configuration that is a valid spec; the others are counted, and anybody may have
 * written them. */
static bool use_best(Apply *p, const char *path, const Spec *spec, const WisdomKey *key,
                     const Choices *all, SpecOptions *options, int *impossible) {
  enum { MOST = 256 };
  for (int i = 0; i < all->count && !all->choice[i].invalid && *impossible < MOST; i++) {
    SpecOptions with = *options;
    const Choice *c = &all->choice[i];
    use(p, c, key, &with);
    with.read =
        is_of_axes(spec, &c->set) ? spec_read(p->arena, diag_new(p->arena), path, &with) : NULL;
    if (with.read) {
      *options = with;
      return true;
    }
    ++*impossible;
  }
  return false;
}

static Values as_it_stands(Arena *a, const Spec *s) {
  Param *param = ARENA_ARRAY(a, Param, (size_t)s->axes);
  int count = 0;
  for (int i = 0; i < s->axes; i++)
    if (!s->axis[i].given && s->axis[i].values)
      param[count++] = (Param){s->axis[i].name, tune_value(s, &s->axis[i])};
  return (Values){count, param};
}

static void apply_best(Apply *p, const char *path, const Spec *spec, const Wisdom *w,
                       const char *device, SpecOptions *options) {
  const Unit unit = strcmp(device, emulator) == 0 ? UNIT_COUNTS : UNIT_MS;
  const char *toolkit = nvrtc_version(p->arena);
  const WisdomKey key =
      choose_key(p->arena, spec, options->templates, device, toolkit ? toolkit : "", unit, false);
  const Values stands = as_it_stands(p->arena, spec);
  const Choices all = choose_all(p->arena, w, &key, &stands);
  int impossible = 0;
  const bool used = use_best(p, path, spec, &key, &all, options, &impossible);
  if (impossible && !p->options->quiet)
    diag_note(p->diag,
              "%s: %d configurations measured on %s are not valid for this spec, and not "
              "used: kgen --wisdom --prune drops stale records",
              spec->name, impossible, device);
  if (!used && all.stale && !p->options->quiet)
    diag_note(p->diag,
              "%s: %d measurements on %s are of another toolkit or template, and not used: "
              "kgen tune measures again",
              spec->name, all.stale, device);
}

void apply_wisdom(Apply *p, const char *path, SpecOptions *options) {
  if (p->texts.count == 0 || p->options->layout) return;
  /* Errors are reported when the spec is read again, from the same text: a pipe can be read only
   * once. */
  Diag *unreported = diag_new(p->arena);
  if (!options->source) options->source = yaml_source(p->arena, unreported, path);
  const Spec *spec = options->read = spec_read(p->arena, unreported, path, options);
  if (!spec || !spec->problem || spec->axes == 0) return;
  const char *hash = arena_printf(p->arena, "%016llx", (unsigned long long)spec->hash.spec);
  const Wisdom w = wisdom_parse(p->arena, &p->texts, hash);
  const char *device = w.count ? device_of(p, &w) : NULL;
  if (device) apply_best(p, path, spec, &w, device, options);
}
