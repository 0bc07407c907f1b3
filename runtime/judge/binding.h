/* SPDX-License-Identifier: MIT */
/* binding.h: a problem bound to a device: its device buffers and marshalled arguments. The buffers
 * are allocated on the device until bound_free(); everything else is in the arena. */
#ifndef KGEN_JUDGE_BINDING_H
#define KGEN_JUDGE_BINDING_H

#include "device/backend.h"
#include "judge/check.h"

typedef struct {
  const Problem *problem;
  uint64_t *memory; /* one per buffer: the allocation, including guards */
  bool *borrowed;   /* the buffer belongs to another binding */
  ArgValue *value;
  const void **arg;
  size_t *arg_bytes;
  unsigned char *map; /* one encoded tensor map per argument */
  Launch launch;
} Bound;

/* Returns problem_shared_bytes(), or an error in d->error. */
bool bound_shared_bytes(Device *d, const Problem *p, int64_t tiles, unsigned *out);

/* Allocates the buffers, each between its guards, and points the kernel's arguments at them. False
 * on failure, with the reason in d->error. */
bool bound_make(Arena *a, Device *d, const Problem *p, void *module, unsigned shared_bytes,
                Bound *out);
/* Like bound_make(), using the buffers of `owner`, for a problem whose inputs and outputs are no
 * larger. Workspaces are separate, because each kernel leaves them in a different state. Also
 * returns false, without a reason, if a buffer is larger. */
bool bound_borrow(Arena *a, Device *d, const Problem *p, const Bound *owner, void *module,
                  unsigned shared_bytes, Bound *out);
void bound_free(Device *d, Bound *b);

/* Uploads the problem's inputs, zeros for workspaces, and poison for outputs and guards. */
bool bound_upload(Device *d, const Bound *b);
/* Fills the inputs of a problem without contents with one repeated block of random elements, and
 * clears workspaces: sufficient to time a kernel. */
bool bound_upload_random(Device *d, const Bound *b, uint64_t seed);
/* *used: launches since bound_upload() have changed a workspace, so that the next launch may behave
 * differently; on a GPU, true if there is a workspace. False if a call failed. */
bool bound_workspace_used(Device *d, const Bound *b, bool *used);
/* Downloads and checks every buffer. False if the download failed. */
bool bound_check(Device *d, const Bound *b, Check *out, Text *report);

#endif
