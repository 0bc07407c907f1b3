/* SPDX-License-Identifier: MIT */
/* refusal.h: the output of --json if there is nothing to report. */
#ifndef KGEN_COMMAND_REFUSAL_H
#define KGEN_COMMAND_REFUSAL_H

#include "base/diag.h"
#include "base/json.h"

/* "error": {"exit": ..., "messages": [...]}: the messages line by line, without colours. */
void refusal_put(Json *j, int exit_code, const char *messages);
/* The whole object: {"version": 1, "error": {...}, "errors": [...]}; `errors`, or NULL, with their
 * fields. */
void refusal_json(Text *out, int exit_code, const char *messages, const Diag *errors);

#endif
