/* SPDX-License-Identifier: MIT */
#include "emu/code/special_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emu/code/code.h"

typedef struct {
  const char *name;
  Special special;
} SpecialName;

static const SpecialName special_names[] = {
    {"%tid.x", SPECIAL_TID_X},
    {"%tid.y", SPECIAL_TID_Y},
    {"%tid.z", SPECIAL_TID_Z},
    {"%ntid.x", SPECIAL_BLOCK_X},
    {"%ntid.y", SPECIAL_BLOCK_Y},
    {"%ntid.z", SPECIAL_BLOCK_Z},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%nctaid.x", SPECIAL_GRID_X},
    {"%nctaid.y", SPECIAL_GRID_Y},
    {"%nctaid.z", SPECIAL_GRID_Z},
    {"%laneid", SPECIAL_LANE},
    {"%warpid", SPECIAL_WARP},
    {"%nwarpid", SPECIAL_WARPS},
    {"%lanemask_eq", SPECIAL_MASK_EQ},
    {"%lanemask_le", SPECIAL_MASK_LE},
    {"%lanemask_lt", SPECIAL_MASK_LT},
    {"%lanemask_ge", SPECIAL_MASK_GE},
    {"%lanemask_gt", SPECIAL_MASK_GT},
    {"%smid", SPECIAL_SM},
    {"%nsmid", SPECIAL_SMS},
    {"%gridid", SPECIAL_GRID_ID},
    {"%envreg1", SPECIAL_GRID_SPACE_HIGH},
    {"%envreg2", SPECIAL_GRID_SPACE_LOW},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM},
    {"%total_smem_size", SPECIAL_TOTAL_SMEM},
    {"%aggr_smem_size", SPECIAL_AGGREGATE_SMEM},
    {"%reserved_smem_offset_begin", SPECIAL_RESERVED_BEGIN},
    {"%reserved_smem_offset_end", SPECIAL_RESERVED_END},
    {"%reserved_smem_offset_cap", SPECIAL_RESERVED_BYTES},
    {"%reserved_smem_offset_0", SPECIAL_RESERVED_0},
    {"%reserved_smem_offset_1", SPECIAL_RESERVED_1},
    {"%current_graph_exec", SPECIAL_ZERO},
    {"%clusterid.x", SPECIAL_CLUSTER_X},
    {"%clusterid.y", SPECIAL_CLUSTER_Y},
    {"%clusterid.z", SPECIAL_CLUSTER_Z},
    {"%nclusterid.x", SPECIAL_CLUSTERS_X},
    {"%nclusterid.y", SPECIAL_CLUSTERS_Y},
    {"%nclusterid.z", SPECIAL_CLUSTERS_Z},
    {"%cluster_ctaid.x", SPECIAL_IN_CLUSTER_X},
    {"%cluster_ctaid.y", SPECIAL_IN_CLUSTER_Y},
    {"%cluster_ctaid.z", SPECIAL_IN_CLUSTER_Z},
    {"%cluster_nctaid.x", SPECIAL_CLUSTER_SIZE_X},
    {"%cluster_nctaid.y", SPECIAL_CLUSTER_SIZE_Y},
    {"%cluster_nctaid.z", SPECIAL_CLUSTER_SIZE_Z},
    {"%cluster_ctarank", SPECIAL_CLUSTER_RANK},
    {"%cluster_nctarank", SPECIAL_CLUSTER_RANKS},
    {"%is_explicit_cluster", SPECIAL_EXPLICIT_CLUSTER},
};

/* Numbered registers: %envreg0 to 31, of which only two have a documented meaning, and the
 * performance counters %pm0 to 7 and %pm0_64 to 7_64, which do not count here. */
static bool is_numbered(const char *name, const char *prefix, const char *suffix, long count) {
  const size_t length = strlen(prefix);
  char *end;
  if (strncmp(name, prefix, length) != 0 || !isdigit((unsigned char)name[length])) return false;
  const long number = strtol(name + length, &end, 10);
  return number < count && strcmp(end, suffix) == 0;
}

int special_find(const char *name) {
  enum { ENVIRONMENT = 32, COUNTERS = 8 };
  for (size_t i = 0; i < sizeof special_names / sizeof *special_names; i++)
    if (strcmp(special_names[i].name, name) == 0) return (int)special_names[i].special;
  const bool zero = is_numbered(name, "%envreg", "", ENVIRONMENT) ||
                    is_numbered(name, "%pm", "", COUNTERS) ||
                    is_numbered(name, "%pm", "_64", COUNTERS);
  return zero ? (int)SPECIAL_ZERO : -1;
}
