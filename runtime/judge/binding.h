/* binding.h: a problem bound to a device: its buffers there, its arguments marshalled. The buffers
 * are allocated on the device until bound_free; the rest lies in the arena. */
#ifndef KGEN_JUDGE_BINDING_H
#define KGEN_JUDGE_BINDING_H

#include "device/backend.h"
#include "judge/check.h"

typedef struct {
  const Problem *problem;
  uint64_t *memory; /* one per buffer: what was allocated, guards included */
  bool *borrowed;   /* borrowed, not its own */
  ArgValue *value;
  const void **arg;
  size_t *arg_bytes;
  unsigned char *map; /* one encoded tensor map per argument */
  Launch launch;
} Bound;

/* problem_shared_bytes with the reason in d->error. */
bool bound_shared_bytes(Device *d, const Problem *p, int64_t tiles, unsigned *out);

/* Allocates the buffers, each between its guards, and points the kernel's arguments at them. False
 * on failure, with the reason in d->error. */
bool bound_make(Arena *a, Device *d, const Problem *p, void *module, unsigned shared_bytes,
                Bound *out);
/* The same on the buffers of `owner`, for a problem whose inputs and outputs are no larger;
 * workspaces are its own, since each kernel leaves them in another state. False, without a reason,
 * also if one is larger. */
bool bound_borrow(Arena *a, Device *d, const Problem *p, const Bound *owner, void *module,
                  unsigned shared_bytes, Bound *out);
void bound_free(Device *d, Bound *b);

/* Inputs as the problem has them, workspaces zero, outputs and guards poison. */
bool bound_upload(Device *d, const Bound *b);
/* Inputs of a problem without contents, filled with one repeated piece of random elements, and
 * workspaces cleared: enough to time a kernel. */
bool bound_upload_random(Device *d, const Bound *b, uint64_t seed);
/* *used: launches since bound_upload have changed a workspace; on a GPU, where the next launch may
 * go another way, there is one. False if a call failed. */
bool bound_workspace_used(Device *d, const Bound *b, bool *used);
/* Downloads and checks every buffer. False if the download failed. */
bool bound_check(Device *d, const Bound *b, Check *out, Text *report);

#endif
