/* SPDX-License-Identifier: MIT */
/* conditions.h: conditional nodes, which run a body depending on a word of memory. */
#ifndef KGEN_LIBCUDA_STREAM_CONDITIONS_H
#define KGEN_LIBCUDA_STREAM_CONDITIONS_H

#include "libcuda/stream/node_work.h"

/* Adds a node with empty bodies; p->body then lists them for the program to fill. */
CUresult graph_add_condition(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                             ConditionParams *p);

#endif
