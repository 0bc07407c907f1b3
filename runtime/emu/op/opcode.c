/* The table of opcodes. */
#include "emu/op/opcode.h"

#include <string.h>

#include "emu/op/op_async.h"
#include "emu/op/op_barrier.h"
#include "emu/op/op_bulk.h"
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

typedef struct {
  const char *name;
  void (*decode)(Decoder *d);
} Opcode;

static const Opcode opcodes[] = {
    {"ld", decode_load},
    {"st", decode_store_or_async},
    {"ldu", decode_load},
    {"mov", decode_mov_or_wide},
    {"alloca", decode_alloca},
    {"stacksave", decode_stacksave},
    {"stackrestore", decode_stackrestore},
    {"tensormap", decode_tensormap},
    {"cvta", decode_cvta},
    {"isspacep", decode_isspacep},
    {"mapa", decode_mapa},
    {"getctarank", decode_mapa},
    {"bra", decode_branch},
    {"brx", decode_branch_table},
    {"call", decode_call},
    {"ret", decode_return},
    {"exit", decode_exit},
    {"trap", decode_trap},
    {"brkpt", decode_nothing},
    {"pmevent", decode_nothing},
    {"nanosleep", decode_nothing},
    {"prefetch", decode_nothing},
    {"prefetchu", decode_nothing},
    {"discard", decode_nothing},
    {"applypriority", decode_nothing},
    {"createpolicy", decode_nothing},
    {"setmaxnreg", decode_setmaxnreg},
    {"griddepcontrol", decode_griddepcontrol},
    {"membar", decode_fence},
    {"fence", decode_fence},
    {"atom", decode_atomic_or_wide},
    {"red", decode_red_or_async},
    {"bar", decode_barrier},
    {"barrier", decode_barrier},
    {"mbarrier", decode_mbarrier},
    {"shfl", decode_shfl},
    {"vote", decode_vote},
    {"match", decode_match},
    {"redux", decode_redux},
    {"activemask", decode_activemask},
    {"elect", decode_elect},
    {"ldmatrix", decode_ldmatrix},
    {"stmatrix", decode_stmatrix},
    {"movmatrix", decode_movmatrix},
    {"mma", decode_mma},
    {"wmma", decode_wmma},
    {"wgmma", decode_wgmma},
    {"tcgen05", decode_tcgen05},
    {"cp", decode_cp},
    {"tex", decode_tex},
    {"tld4", decode_tld4},
    {"txq", decode_image_query},
    {"suld", decode_suld},
    {"sust", decode_sust},
    {"sured", decode_sured},
    {"suq", decode_image_query},
};

static void refuse_unknown_modifiers(Decoder *d) {
  for (int i = 1; i < d->modifiers; i++) {
    if (!(d->taken >> i & 1)) decode_fail(d, "modifier .%.40s is not supported", d->modifier[i]);
  }
}

/* Whether it is logic on predicates, such as and.pred, which is no arithmetic. */
static bool on_predicates(const Decoder *d) {
  static const char *const names[] = {"and", "or", "xor", "not", "mov", NULL};
  if (d->modifiers != 2 || strcmp(d->modifier[1], "pred") != 0) return false;
  int i = 0;
  while (names[i] && strcmp(names[i], d->modifier[0]) != 0) i++;
  return names[i] != NULL;
}

void opcode_decode(Decoder *d) {
  if (on_predicates(d)) {
    decode_pred_logic(d);
    return;
  }
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
    if (strcmp(opcodes[i].name, d->modifier[0]) != 0) continue;
    opcodes[i].decode(d);
    refuse_unknown_modifiers(d);
    return;
  }
  if (d->modifier[0][0] == 'v') {
    decode_video(d);
    refuse_unknown_modifiers(d);
    return;
  }
  if (!decode_leader(d)) decode_arith(d);
}
