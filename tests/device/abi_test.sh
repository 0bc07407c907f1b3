# Compares kgen's declarations of CUDA's driver and of CUPTI with NVIDIA's headers.
. tests/shell/check.bash
headers=$("$KGEN" --version | sed -n 's/^headers: //p')
[ -r "$headers/cuda.h" ] || { echo "skipped: no cuda.h"; exit 77; }
compile() { "${CC:-cc}" -fsyntax-only -w -I"$source_dir/runtime" -I"$source_dir/gen" -isystem "$headers" "$1" >log 2>&1; }

# Ours are declared first: cuda.h then renames some by macros, as in what it declares itself.
cat >driver.c <<'E2'
#include "device/cuda_driver.h"
#define OURS(member, symbol, parameters) DriverResult (*our_##symbol) parameters;
DRIVER_CALLS(OURS)
#include <cuda.h>
#define SAME(member, symbol, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(*our_##symbol), __typeof__(symbol)), #symbol);
DRIVER_CALLS(SAME)
_Static_assert(CUDA_SUCCESS == 0 && (int)DRIVER_STREAM_NON_BLOCKING == CU_STREAM_NON_BLOCKING, "stream");
_Static_assert((int)DRIVER_DEVICE_L2_BYTES == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "L2");
_Static_assert((int)DRIVER_DEVICE_MAJOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "major");
_Static_assert((int)DRIVER_DEVICE_MINOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "minor");
_Static_assert((int)DRIVER_KERNEL_MAX_DYNAMIC_SHARED == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "shared");
_Static_assert((int)DRIVER_LAUNCH_CLUSTER == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "cluster");
_Static_assert((int)DRIVER_LAUNCH_PROGRAMMATIC == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, "programmatic");
_Static_assert((int)DRIVER_TENSOR_L2_256B == CU_TENSOR_MAP_L2_PROMOTION_L2_256B, "L2 of tensors");
_Static_assert(sizeof(DriverLaunchConfig) == sizeof(CUlaunchConfig) &&
  offsetof(DriverLaunchConfig, stream) == offsetof(CUlaunchConfig, hStream) &&
  offsetof(DriverLaunchConfig, attribute) == offsetof(CUlaunchConfig, attrs) &&
  offsetof(DriverLaunchConfig, attributes) == offsetof(CUlaunchConfig, numAttrs), "launch");
_Static_assert(sizeof(DriverLaunchAttribute) == sizeof(CUlaunchAttribute) &&
  offsetof(DriverLaunchAttribute, value) == offsetof(CUlaunchAttribute, value) &&
  offsetof(DriverLaunchAttribute, value.cluster.z) == offsetof(CUlaunchAttribute, value.clusterDim.z) &&
  offsetof(DriverLaunchAttribute, value.programmatic) == offsetof(CUlaunchAttribute, value.programmaticStreamSerializationAllowed) &&
  sizeof(((DriverLaunchAttribute *)0)->value.programmatic) == sizeof(((CUlaunchAttribute *)0)->value.programmaticStreamSerializationAllowed), "attribute");
#include "model/tensor_map.h"
_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES && (int)TENSOR_F64 == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 &&
  (int)TENSOR_TF32_FTZ == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ && CU_TENSOR_MAP_SWIZZLE_128B == 3 &&
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA == 1, "tensor maps");
E2
compile driver.c; check $? "the driver's API: $(grep -m 3 error log)"
mkdir wrong; sed 's/(DriverPointer memory))/(int memory))/' "$source_dir/runtime/device/cuda_driver.h" >wrong/cuda_driver.h
sed 's,device/cuda_driver.h,./wrong/cuda_driver.h,' driver.c >wrong.c
! compile wrong.c && grep -q cuMemFree log; check $? "a wrong parameter is not seen: $(head -3 log)"

if [ ! -r "$headers/cupti_range_profiler.h" ]; then
  echo "no headers of CUPTI here: its parameters are not checked"
  verdict device_abi; exit
fi
cat >cupti.cc <<'E2' # cupti_profiler_host.h is C++
#include <cstddef>
extern "C" {
#include "device/cupti_abi.h"
}
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define MEMBER(ours, theirs, member) \
  static_assert(offsetof(ours, member) == offsetof(theirs, member) && \
                sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->member), #theirs "." #member);
#define END(ours, theirs, last) static_assert(CUPTI_SIZE_TO(ours, last) == theirs##_STRUCT_SIZE, #theirs);
static_assert((int)CUPTI_INSUFFICIENT_PRIVILEGES == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "");
static_assert((int)CUPTI_RANGE_PROFILING == CUPTI_PROFILER_RANGE_PROFILING, "");
static_assert((int)CUPTI_RANGE_PROFILING == CUPTI_PROFILER_TYPE_RANGE_PROFILER, "");
static_assert((int)CUPTI_CONFIGURATION_IS_SUPPORTED == CUPTI_PROFILER_CONFIGURATION_SUPPORTED, "");
static_assert((int)CUPTI_AUTO_RANGE == CUPTI_AutoRange && (int)CUPTI_REPLAY_KERNEL == CUPTI_KernelReplay, "");
E2
# members STRUCT: the names of the members of one of ours.
members() {
  tac "$source_dir/runtime/device/cupti_abi.h" | sed -n "/^} $1;/,/^typedef struct {/p" | tac |
    sed 's,/\*.*,,; /^}/d' | grep ';' | sed 's/;.*//; s/.* \(.*,\)/\1/' | tr ',' '\n' | grep -o '[A-Za-z]*$'
}
while read -r ours theirs; do
  last=''
  for member in $(members "$ours"); do
    echo "MEMBER($ours, $theirs, $member)"
    last=$member
  done
  echo "END($ours, $theirs, $last)"
done >>cupti.cc <<'E2'
CuptiInitialize CUpti_Profiler_Initialize_Params
CuptiDeviceSupported CUpti_Profiler_DeviceSupported_Params
CuptiGetChipName CUpti_Device_GetChipName_Params
CuptiGetCounterAvailability CUpti_Profiler_GetCounterAvailability_Params
CuptiHostInitialize CUpti_Profiler_Host_Initialize_Params
CuptiHostDeinitialize CUpti_Profiler_Host_Deinitialize_Params
CuptiHostAddMetrics CUpti_Profiler_Host_ConfigAddMetrics_Params
CuptiHostGetConfigSize CUpti_Profiler_Host_GetConfigImageSize_Params
CuptiHostGetConfig CUpti_Profiler_Host_GetConfigImage_Params
CuptiHostEvaluate CUpti_Profiler_Host_EvaluateToGpuValues_Params
CuptiRangeEnable CUpti_RangeProfiler_Enable_Params
CuptiRangeObject CUpti_RangeProfiler_Disable_Params
CuptiRangeObject CUpti_RangeProfiler_Start_Params
CuptiRangeGetDataSize CUpti_RangeProfiler_GetCounterDataSize_Params
CuptiRangeInitializeData CUpti_RangeProfiler_CounterDataImage_Initialize_Params
CuptiRangeSetConfig CUpti_RangeProfiler_SetConfig_Params
CuptiRangeStop CUpti_RangeProfiler_Stop_Params
CuptiRangeDecode CUpti_RangeProfiler_DecodeData_Params
E2
compile cupti.cc; check $? "CUPTI: $(grep -m 3 error log)"
structs=$(grep -c "size_t structSize" "$source_dir/runtime/device/cupti_abi.h")
[ "$(grep '^END' cupti.cc | cut -d, -f1 | sort -u | wc -l)" = "$structs" ]
check $? "a struct is not compared"
sed 's/^END(CuptiRangeStop, CUpti_RangeProfiler_Stop/END(CuptiRangeDecode, CUpti_RangeProfiler_Stop/; s/isAllPassSubmitted)$/numOfRangeDropped)/' cupti.cc >wrong.cc
! compile wrong.cc; check $? "a wrong size is not seen"
verdict device_abi
