/* handle.h: the handles that a program may pass. One that it has destroyed, or an address that
 * never was a handle, must not be read: calls look it up here first. */
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

/* What lies at the address is of that kind from now on. */
void handle_add(const void *at, HandleKind kind);
void handle_drop(const void *at);
/* Whether it is one; NULL is none. */
bool handle_is(const void *at, HandleKind kind);

#endif
