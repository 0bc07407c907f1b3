/* SPDX-License-Identifier: MIT */
#include "lint/report/host.h"

#include <stdlib.h>
#include <string.h>

const char *const lint_host_name[LINT_HOST_KINDS] = {
    [LINT_LEAK] = "leak",
    [LINT_DOUBLE_FREE] = "double-free",
    [LINT_INVALID_FREE] = "invalid-free",
    [LINT_IGNORED_ERROR] = "ignored-error",
    [LINT_FAULT] = "fault",
};

const char *const lint_host_about[LINT_HOST_KINDS] = {
    [LINT_LEAK] = "Device, pinned, managed or heap memory is still allocated at the program's end.",
    [LINT_DOUBLE_FREE] = "Device memory is freed that has been freed before.",
    [LINT_INVALID_FREE] = "An address is freed that no allocation begins at.",
    [LINT_IGNORED_ERROR] = "A call of CUDA fails, and the program goes on.",
    [LINT_FAULT] = "An unchecked launch is ended by a fault, or would never end.",
};

/* True if the findings are equal. Memory that kernels allocate has no call stack of the host, so
 * such findings are distinguished by their messages. */
bool lint_host_same(const LintHostFinding *a, const LintHostFinding *b) {
  return a->kind == b->kind && lint_stack_same(&a->from, &b->from) &&
         (a->from.count > 0 || strcmp(a->message, b->message) == 0);
}

void lint_host_put(Json *j, const LintHostFinding *f) {
  json_object(j, NULL);
  json_string(j, "kind", lint_host_name[f->kind]);
  json_string(j, "message", f->message);
  json_int(j, "count", (int64_t)f->count);
  json_int(j, "bytes", (int64_t)f->bytes);
  lint_stack_put(j, "stack", &f->from);
  json_end(j);
}

bool lint_host_read(Arena *a, const Yaml *of, LintHostFinding *out) {
  const Yaml *kind = yaml_get(of, "kind"), *message = yaml_get(of, "message");
  if (!kind || kind->kind != YAML_TEXT || !message || message->kind != YAML_TEXT) return false;
  for (int k = 0; k < LINT_HOST_KINDS; k++) {
    if (strcmp(kind->text, lint_host_name[k]) != 0) continue;
    *out = (LintHostFinding){.kind = (LintHostKind)k,
                             .message = message->text,
                             .count = yaml_number(of, "count"),
                             .bytes = yaml_number(of, "bytes"),
                             .from = lint_stack_read(a, yaml_get(of, "stack"))};
    return true;
  }
  return false;
}
