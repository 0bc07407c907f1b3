/* SPDX-License-Identifier: MIT */
/* words.c: the API functions by which streams write words of memory and wait for them. The first
 * version of each function has fewer flags than the second; they have the same meaning. */
#include "libcuda/state/call.h"
#include "libcuda/stream/pending.h"

static CUresult start(CUstream s, unsigned count, const WordOp *op, unsigned flags) {
  enum { MOST = 256 };
  if (flags || (count && !op) || count > MOST) return CUDA_ERROR_INVALID_VALUE;
  return pending_submit(s, &(Work){.kind = WORK_WORDS, .words = {count, op}});
}

CU_API CUresult cuStreamBatchMemOp(CUstream s, unsigned count, WordOp *op, unsigned flags) {
  SERVE_IN(s, NEED_HEALTH, start(s, count, op, flags));
}
PER_THREAD(cuStreamBatchMemOp, _ptsz, (CUstream s, unsigned count, WordOp *op, unsigned flags),
           (s, count, op, flags))

CU_API CUresult cuStreamBatchMemOp_v2(CUstream s, unsigned count, WordOp *op, unsigned flags) {
  SERVE_IN(s, NEED_HEALTH, start(s, count, op, flags));
}
PER_THREAD(cuStreamBatchMemOp_v2, _ptsz, (CUstream s, unsigned count, WordOp *op, unsigned flags),
           (s, count, op, flags))

static CUresult start_one(CUstream s, int operation, CUdeviceptr address, uint64_t value,
                          unsigned flags) {
  const WordOp op = {
      .word = {.operation = operation, .address = address, .value = value, .flags = flags}};
  return start(s, 1, &op, 0);
}

#define WORD_CALL(name, type, operation)                                                           \
  CU_API CUresult name(CUstream s, CUdeviceptr address, type value, unsigned flags) {              \
    SERVE_IN(s, NEED_HEALTH, start_one(s, operation, address, value, flags));                      \
  }                                                                                                \
  PER_THREAD(name, _ptsz, (CUstream s, CUdeviceptr address, type value, unsigned flags),           \
             (s, address, value, flags))

WORD_CALL(cuStreamWaitValue32, uint32_t, WORD_WAIT_32)
WORD_CALL(cuStreamWaitValue32_v2, uint32_t, WORD_WAIT_32)
WORD_CALL(cuStreamWaitValue64, uint64_t, WORD_WAIT_64)
WORD_CALL(cuStreamWaitValue64_v2, uint64_t, WORD_WAIT_64)
WORD_CALL(cuStreamWriteValue32, uint32_t, WORD_WRITE_32)
WORD_CALL(cuStreamWriteValue32_v2, uint32_t, WORD_WRITE_32)
WORD_CALL(cuStreamWriteValue64, uint64_t, WORD_WRITE_64)
WORD_CALL(cuStreamWriteValue64_v2, uint64_t, WORD_WRITE_64)
