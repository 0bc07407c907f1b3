/* SPDX-License-Identifier: MIT */
/* The table of opcodes: each form of an instruction that does not only compute. */
#include "emu/op/opcode.h"

#include <string.h>

#include "emu/arith/arith_resolve.h"
#include "emu/op/modifiers.h"
#include "emu/op/op_async.h"
#include "emu/op/op_atomic.h"
#include "emu/op/op_barrier.h"
#include "emu/op/op_bulk.h"
#include "emu/op/op_clc.h"
#include "emu/op/op_fence.h"
#include "emu/op/op_flow.h"
#include "emu/op/op_grid.h"
#include "emu/op/op_image.h"
#include "emu/op/op_leader.h"
#include "emu/op/op_matrix.h"
#include "emu/op/op_mbarrier.h"
#include "emu/op/op_memory.h"
#include "emu/op/op_move.h"
#include "emu/op/op_stack.h"
#include "emu/op/op_surface.h"
#include "emu/op/op_tcgen05.h"
#include "emu/op/op_tensormap.h"
#include "emu/op/op_texture.h"
#include "emu/op/op_video.h"
#include "emu/op/op_warp.h"
#include "emu/op/op_wgmma.h"
#include "emu/op/op_wide.h"
#include "emu/op/op_wmma.h"

/* Parts of forms. */
#define SCOPE   "[cta|cluster|gpu|sys]"
#define SHARED  "[shared|shared::cta]"
#define CLUSTER "[shared|shared::cta|shared::cluster]"
#define SPACE                                                                                      \
  "[const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster]"
#define STORE_SPACE "[global|local|param|param::func|shared|shared::cta|shared::cluster]"
#define TYPE        "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define POLICY      "[L2::cache_hint]"
#define HINTS                                                                                      \
  "[L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate] "         \
  "[L2::evict_normal|L2::evict_first|L2::evict_last] " POLICY
#define PREFETCH  "[L2::64B|L2::128B|L2::256B]"
#define ORDER     "[relaxed|acquire|release|acq_rel]"
#define ATOM_TYPE "b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64"
#define REDUCE    "add|min|max|inc|dec|and|or|xor"
#define ATOM_AT   SCOPE " [global|shared|shared::cta|shared::cluster] "
#define ATOM      ORDER " " ATOM_AT
#define RANK      "1d|2d|3d|4d|5d"
#define BLOCKS    "[cta|cluster]"
#define TX        "mbarrier::complete_tx::bytes"
#define RESTRICT  "[sync_restrict::shared::cta|sync_restrict::shared::cluster]"
#define PROXY     "proxy async [global|shared::cta|shared::cluster]"

#define SHAPE  "1d|2d|3d|a1d|a2d"
#define BEYOND "[trap|clamp|zero]"
#define QUERY  "width|height|depth|channel_data_type|channel_order|array_size"

/* Rows with the same name are tried in this order. */
static const Opcode opcodes[] = {
    {"ld",
     "[weak|volatile|relaxed|acquire] [mmio] " SCOPE " " SPACE
     " [ca|cg|cs|lu|cv] [nc] [unified] " HINTS " " PREFETCH " [v2|v4|v8] " TYPE,
     decode_load, "d, [a]", "load; cache hints have no effect"},
    {"ldu", "[global] [v2|v4] " TYPE, decode_load, "d, [a]", "load of a value that all lanes read"},
    {"st", "async [weak] [shared::cluster] " TX " [v2|v4] b32|b64|u32|u64|s32|s64|f32|f64",
     decode_store_async, "[a], b, [mbarrier]", "store to another block, counted by its mbarrier"},
    {"st",
     "[weak|volatile|relaxed|release] [mmio] " SCOPE " " STORE_SPACE " [wb|cg|cs|wt] " HINTS
     " [v2|v4|v8] " TYPE,
     decode_store, "[a], b", "store; cache hints have no effect"},
    {"mov", "pred", decode_pred_logic, "p, q", "copy of a predicate"},
    {"mov", "b128", decode_mov_wide, "d, a", "128 bits as two registers of 64"},
    {"mov", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", decode_mov, "d, a",
     "copy; the address of a variable; packs or unpacks a vector"},
    {"and", "pred", decode_pred_logic, "p, q, r", "and of predicates"},
    {"or", "pred", decode_pred_logic, "p, q, r", "or of predicates"},
    {"xor", "pred", decode_pred_logic, "p, q, r", "exclusive or of predicates"},
    {"not", "pred", decode_pred_logic, "p, q", "complement of a predicate"},
    {"alloca", "u32|u64", decode_alloca, "d, bytes[, alignment]", "local memory of the function"},
    {"stacksave", "u32|u64", decode_stacksave, "d", "the top of alloca's memory"},
    {"stackrestore", "u32|u64", decode_stackrestore, "a", "releases alloca's memory down to a"},
    {"tensormap",
     "replace tile global_address|rank|box_dim|global_dim|global_stride|element_stride|"
     "elemtype|interleave_layout|swizzle_mode|fill_mode [global|shared::cta] b1024 b32|b64",
     decode_tensormap, "[map][, dimension], value", "changes a field of a tensor map"},
    {"tensormap",
     "cp_fenceproxy global shared::cta tensormap::generic release " SCOPE " sync aligned",
     decode_tensormap, "[to], [from], 128", "copies a tensor map, with a fence"},
    {"cvta", "[to] const|global|local|param|param::entry|shared|shared::cta|shared::cluster u64",
     decode_cvta, "d, a", "an address of a state space as a generic one, or back"},
    {"isspacep", "const|global|local|param|param::entry|shared|shared::cta|shared::cluster",
     decode_isspacep, "p, a", "true if a generic address is in the state space"},
    {"mapa", "[shared::cluster] u32|u64", decode_mapa, "d, a, rank",
     "the address of a variable in another block of the cluster"},
    {"getctarank", "[shared::cluster] u32|u64", decode_mapa, "d, a",
     "the rank of an address's block"},
    {"bra", "[uni]", decode_branch, "label", "branch"},
    {"brx", "idx [uni]", decode_branch_table, "index, targets", "branch by a table"},
    {"call", "[uni]", decode_call, "[(results),] function[, (arguments)][, prototype]", "call"},
    {"ret", "[uni]", decode_return, "", "return; in a kernel, exit"},
    {"exit", "", decode_exit, "", "ends the thread"},
    {"trap", "", decode_trap, "", "ends the launch with an error"},
    {"brkpt", "", decode_nothing, "", "no effect"},
    {"pmevent", "[mask]", decode_nothing, "number", "no effect"},
    {"nanosleep", "u32", decode_nothing, "t", "no effect"},
    {"prefetch", "[global|local] L1|L2|L2::evict_last|L2::evict_normal", decode_nothing, "[a]",
     "no effect"},
    {"prefetch", "[const|param] tensormap", decode_nothing, "[map]", "no effect"},
    {"prefetchu", "L1", decode_nothing, "[a]", "no effect"},
    {"discard", "[global] L2", decode_nothing, "[a], 128", "no effect"},
    {"applypriority", "[global] L2::evict_normal", decode_nothing, "[a], 128", "no effect"},
    {"createpolicy",
     "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "[L2::evict_first|L2::evict_unchanged] b64",
     decode_nothing, "d[, fraction]", "no effect"},
    {"createpolicy",
     "range [global] L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
     "[L2::evict_first|L2::evict_unchanged] b64",
     decode_nothing, "d, [a], bytes, bytes", "no effect"},
    {"createpolicy", "cvt L2 b64", decode_nothing, "d, property", "no effect"},
    {"setmaxnreg", "inc|dec sync aligned u32", decode_setmaxnreg, "count",
     "the number of registers per thread"},
    {"griddepcontrol", "wait|launch_dependents", decode_griddepcontrol, "",
     "waits for the preceding launch; lets the next one begin"},
    {"membar", "proxy alias", decode_fence, "", "no effect"},
    {"membar", "cta|gl|sys", decode_fence, "", "fence"},
    {"fence", PROXY, decode_fence, "", "orders accesses of the generic and the async proxy"},
    {"fence", "proxy alias", decode_fence, "", "no effect"},
    {"fence",
     "proxy async::generic acquire|release "
     "sync_restrict::shared::cta|sync_restrict::shared::cluster cluster",
     decode_fence, "", "orders accesses of the generic and the async proxy"},
    {"fence", "proxy tensormap::generic acquire|release " SCOPE, decode_fence, "[[map], 128]",
     "orders the use of a tensor map after its change"},
    {"fence", "[sc|acq_rel|acquire|release] " RESTRICT " [mbarrier_init] cta|cluster|gpu|sys",
     decode_fence, "", "fence"},
    {"atom", ATOM "exch|cas b128 " POLICY, decode_atomic_wide, "d, [a], b[, c]",
     "exchange or compare-and-swap of 128 bits"},
    {"atom", ATOM REDUCE "|exch|cas [noftz] " POLICY " [v2|v4|v8] b16|" ATOM_TYPE, decode_atomic,
     "d, [a], b[, c]", "atomic operation; d is the value before it"},
    {"red", "async relaxed cluster [shared::cluster] " TX " " REDUCE " b32|u32|s32|u64",
     decode_red_async, "[a], b, [mbarrier]",
     "atomic operation in another block, counted by its mbarrier"},
    {"red", "[relaxed|release] " ATOM_AT REDUCE " [noftz] " POLICY " [v2|v4|v8] " ATOM_TYPE,
     decode_atomic, "[a], b", "atomic operation without a result"},
    {"bar", "warp sync", decode_warp_barrier, "members", "barrier of lanes of a warp"},
    {"bar", "[cta] sync|arrive", decode_barrier, "barrier[, threads]", "barrier of the block"},
    {"bar", "[cta] red popc|and|or u32|pred", decode_barrier, "d, barrier[, threads], p",
     "barrier that combines predicates"},
    {"barrier", "cluster arrive [release|relaxed] [aligned]", decode_cluster_barrier, "",
     "arrives at the barrier of the cluster"},
    {"barrier", "cluster wait [acquire] [aligned]", decode_cluster_barrier, "",
     "waits for the barrier of the cluster"},
    {"barrier", "[cta] sync|arrive [aligned]", decode_barrier, "barrier[, threads]",
     "barrier of the block"},
    {"barrier", "[cta] red popc|and|or [aligned] u32|pred", decode_barrier,
     "d, barrier[, threads], p", "barrier that combines predicates"},
    {"mbarrier", "init " SHARED " b64", decode_mbarrier, "[a], count", "initializes an mbarrier"},
    {"mbarrier", "inval " SHARED " b64", decode_mbarrier, "[a]", "invalidates an mbarrier"},
    {"mbarrier", "expect_tx|complete_tx [relaxed] " BLOCKS " " CLUSTER " b64", decode_mbarrier,
     "[a], bytes", "changes the number of bytes that a phase expects"},
    {"mbarrier",
     "arrive|arrive_drop [expect_tx|noComplete] [release|relaxed] " BLOCKS " " CLUSTER " b64",
     decode_mbarrier, "[state,] [a][, count]", "arrives, with or without expected bytes"},
    {"mbarrier", "test_wait|try_wait [parity] [acquire|relaxed] " BLOCKS " " SHARED " b64",
     decode_mbarrier, "p, [a], state[, time]", "true if the phase is complete"},
    {"mbarrier", "pending_count b64", decode_mbarrier, "d, state", "arrivals that a phase lacks"},
    {"shfl", "sync up|down|bfly|idx b32", decode_shfl, "d[|p], a, b, c, members",
     "a register of another lane"},
    {"vote", "sync all|any|uni pred", decode_vote, "p, q, members", "vote on a predicate"},
    {"vote", "sync ballot b32", decode_vote, "d, q, members", "the lanes whose predicate is true"},
    {"match", "any|all sync b32|b64", decode_match, "d[|p], a, members",
     "the lanes with equal values"},
    {"redux", "sync add|min|max u32|s32", decode_redux, "d, a, members", "reduction over lanes"},
    {"redux", "sync and|or|xor b32", decode_redux, "d, a, members", "reduction over lanes"},
    {"activemask", "b32", decode_activemask, "d", "the lanes that execute the instruction"},
    {"elect", "sync", decode_elect, "d|p, members", "elects one lane"},
    {"ldmatrix", "sync aligned m8n8 x1|x2|x4 [trans] " SHARED " b16", decode_ldmatrix, "d, [a]",
     "8x8 matrices from shared memory"},
    {"stmatrix", "sync aligned m8n8 x1|x2|x4 [trans] " SHARED " b16", decode_stmatrix, "[a], b",
     "8x8 matrices to shared memory"},
    {"movmatrix", "sync aligned m8n8 trans b16", decode_movmatrix, "d, a", "transposes a matrix"},
    {"cp", "async commit_group", decode_cp_async, "", "closes a group of copies"},
    {"cp", "async wait_all", decode_cp_async, "", "waits for all copies"},
    {"cp", "async wait_group", decode_cp_async, "n", "waits for all groups but the last n"},
    {"cp", "async mbarrier arrive [noinc] " SHARED " b64", decode_mbarrier, "[mbarrier]",
     "arrives once the thread's copies are complete"},
    {"cp", "async ca|cg shared|shared::cta global " POLICY " " PREFETCH, decode_cp_async,
     "[to], [from], bytes[, bytes read][, policy]", "asynchronous copy of 4, 8 or 16 bytes"},
    {"cp", "async bulk commit_group", decode_bulk, "", "closes a group of bulk copies"},
    {"cp", "async bulk wait_group [read]", decode_bulk, "n", "waits for bulk copies"},
    {"cp", "async bulk prefetch L2 global " POLICY, decode_bulk, "[a], bytes", "no effect"},
    {"cp", "async bulk prefetch tensor " RANK " L2 global [tile] " POLICY, decode_bulk,
     "[map, {...}]", "no effect"},
    {"cp", "async bulk global shared::cta|shared::cluster " TX " [multicast::cluster] " POLICY,
     decode_bulk, "[to], [from], bytes, [mbarrier][, blocks]", "bulk copy to shared memory"},
    {"cp", "async bulk shared::cta shared::cluster " TX, decode_bulk,
     "[to], [from], bytes, [mbarrier]", "bulk copy between blocks of a cluster"},
    {"cp", "async bulk global shared::cta bulk_group " POLICY, decode_bulk, "[to], [from], bytes",
     "bulk copy to global memory"},
    {"cp",
     "async bulk tensor " RANK " global shared::cta|shared::cluster [tile] " TX
     " [multicast::cluster] [cta_group::1|cta_group::2] " POLICY,
     decode_bulk, "[to], [map, {...}], [mbarrier][, blocks]",
     "box of a tensor to shared memory (TMA)"},
    {"cp", "async bulk tensor " RANK " global shared::cta [tile] bulk_group " POLICY, decode_bulk,
     "[map, {...}], [from]", "box of a tensor to global memory (TMA)"},
    {"cp", "reduce async bulk shared::cluster shared::cta " TX " " REDUCE " b32|u32|s32|u64",
     decode_bulk, "[to], [from], bytes, [mbarrier]", "bulk reduction in another block"},
    {"cp",
     "reduce async bulk global shared::cta bulk_group " POLICY " " REDUCE
     " [noftz] b32|b64|u32|u64|s32|s64|f16|bf16|f32|f64",
     decode_bulk, "[to], [from], bytes", "bulk reduction in global memory"},
    {"cp",
     "reduce async bulk tensor " RANK " global shared::cta " REDUCE " [tile] bulk_group " POLICY,
     decode_bulk, "[map, {...}], [from]", "reduction of a tensor's box (TMA)"},
    {"mma", NULL, decode_mma, "d, a, b, c[, metadata, selector]", "matrix product of a warp"},
    {"wmma", NULL, decode_wmma, "", "matrix product of a warp, its loads and stores"},
    {"wgmma", "fence sync aligned", decode_wgmma, "", "orders accesses of registers and wgmma"},
    {"wgmma", "commit_group sync aligned", decode_wgmma, "", "closes a group of products"},
    {"wgmma", "wait_group sync aligned", decode_wgmma, "n", "waits for all groups but the last n"},
    {"wgmma", NULL, decode_wgmma, "d, a, b, scales[, layouts]", "matrix product of four warps"},
    {"tcgen05", NULL, decode_tcgen05, "", "matrix product from and to tensor memory"},
    {"clusterlaunchcontrol", "try_cancel async [shared::cta] " TX " [multicast::cluster::all] b128",
     decode_cluster_control, "[to], [mbarrier]", "takes over the work of a cluster"},
    {"clusterlaunchcontrol", "query_cancel is_canceled pred b128", decode_cluster_control,
     "p, response", "true if there was such a cluster"},
    {"clusterlaunchcontrol",
     "query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128",
     decode_cluster_control, "d, response", "an index of its first block"},
    {"clusterlaunchcontrol", "query_cancel get_first_ctaid v4 b32 b128", decode_cluster_control,
     "{d, ...}, response", "the index of its first block"},
    {"tex", "[base|level|grad] " SHAPE "|cube|acube v4 f32|s32|u32|f16 f32|s32", decode_tex,
     "d[|p], [texture, {...}][, level or gradients][, offsets]", "texture fetch"},
    {"tex", "[base|level|grad] " SHAPE "|cube|acube v2 f16x2 f32|s32", decode_tex,
     "d[|p], [texture, {...}][, level or gradients][, offsets]", "texture fetch"},
    {"tld4", "r|g|b|a 2d|a2d|cube|acube v4 f32|s32|u32 f32", decode_tld4,
     "d[|p], [texture, {...}][, offsets]", "four texels of one channel"},
    {"txq",
     "[level] " QUERY
     "|normalized_coords|num_mipmap_levels|num_samples|force_unnormalized_coords|filter_mode|"
     "addr_mode_0|addr_mode_1|addr_mode_2 b32",
     decode_image_query, "d, [texture][, level]", "a property of a texture"},
    {"suld", "b " SHAPE " [ca|cg|cs|cv] " BEYOND " [v2|v4] b8|b16|b32|b64", decode_suld,
     "d, [surface, {...}]", "load from a surface"},
    {"sust", "b " SHAPE " [wb|cg|cs|wt] " BEYOND " [v2|v4] b8|b16|b32|b64", decode_sust,
     "[surface, {...}], b", "store to a surface"},
    {"sust", "p " SHAPE " [wb|cg|cs|wt] " BEYOND " [v2|v4] b32", decode_sust, "[surface, {...}], b",
     "store to a surface, converted to its format"},
    {"sured", "b|p add|min|max|and|or " SHAPE " " BEYOND " b32|b64|u32|u64|s32|s64", decode_sured,
     "[surface, {...}], b", "atomic operation on a surface"},
    {"suq", QUERY " b32", decode_image_query, "d, [surface]", "a property of a surface"},
};

const Opcode *opcode_rows(size_t *count) {
  *count = sizeof opcodes / sizeof *opcodes;
  return opcodes;
}

static void reject_unknown_modifiers(Decoder *d) {
  for (int i = 1; i < d->modifiers; i++) {
    if (!(d->taken >> i & 1)) decode_fail(d, "modifier .%.40s is not supported", d->modifier[i]);
  }
}

/* The row whose form the statement has; *nearest: of the others with its name, the one that fits
 * best. */
static const Opcode *find_row(Decoder *d, const Opcode **nearest) {
  const char *name = d->modifier[0];
  int most = 0, fit;
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
    const Opcode *row = &opcodes[i];
    if (row->name[0] != name[0] || strcmp(row->name, name) != 0) continue;
    if (!row->form || modifiers_match(d, row->form, &fit)) return row;
    if (*nearest && fit <= most) continue;
    most = fit;
    *nearest = row;
  }
  return NULL;
}

/* and, or, xor and not are logic of predicates or arithmetic. */
void opcode_decode(Decoder *d) {
  const Opcode *nearest = NULL, *row = find_row(d, &nearest);
  ArithInsn insn;
  if (row) {
    row->decode(d);
    if (!row->form) reject_unknown_modifiers(d);
  } else if (nearest && arith_resolve(d->modifier[0], &insn) == ARITH_UNKNOWN) {
    modifiers_explain(d, nearest->form);
  } else if (d->modifier[0][0] == 'v') {
    decode_video(d);
    reject_unknown_modifiers(d);
  } else if (!decode_leader(d)) {
    decode_arith(d);
  }
}
