/* SPDX-License-Identifier: MIT */
/* handle.h: the valid handles. A destroyed handle, or an address that never was a handle, must not
 * be dereferenced; calls look handles up here first. */
#ifndef KGEN_LIBCUDA_STATE_HANDLE_H
#define KGEN_LIBCUDA_STATE_HANDLE_H

#include <stdbool.h>

typedef enum {
  HANDLE_NONE,
  HANDLE_FUNCTION,
  HANDLE_MODULE,
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_ARRAY,
  HANDLE_MIPMAP,
  HANDLE_GRAPH,
  HANDLE_NODE,
  HANDLE_EXEC,
  HANDLE_OBJECT,
  HANDLE_LINK,
  HANDLE_LOG
} HandleKind;

/* Registers the address as a handle of that kind. */
void handle_add(const void *at, HandleKind kind);
void handle_drop(const void *at);
/* True if the address is a handle of that kind; false for NULL. */
bool handle_is(const void *at, HandleKind kind);

#endif
