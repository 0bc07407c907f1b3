/* conditions.h: conditional nodes, whose bodies run as a word of memory says. */
#ifndef KGEN_LIBCUDA_STREAM_CONDITIONS_H
#define KGEN_LIBCUDA_STREAM_CONDITIONS_H

#include "libcuda/stream/node_work.h"

/* Adds a node with empty bodies, which p->body then lists for the program to fill. */
CUresult graph_add_condition(CUgraphNode *out, Graph *g, Node *const *dep, size_t deps,
                             ConditionParams *p);

#endif
