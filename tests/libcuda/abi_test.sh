# Compares the declarations of CUDA's driver API in libcuda.so.1 with NVIDIA's cuda.h: error numbers, constants of launches,
# functions, arrays and textures, sizes of structures, and offsets of their members, which have other names there.
. tests/shell/check.bash
headers=$("$KGEN" --version | sed -n 's/^headers: //p')
[ -r "$headers/cuda.h" ] || { echo "skipped: no cuda.h"; exit 77; }

# Structure, then member here and there.
pairs='CUuuid
CUlaunchAttribute id id, value value
CUlaunchConfig grid gridDimX, block blockDimX, shared_bytes sharedMemBytes, stream hStream, attribute attrs, attributes numAttrs
CUmemLocation type type, id id
CUDA_ARRAY_DESCRIPTOR width Width, height Height, format Format, channels NumChannels
CUDA_ARRAY3D_DESCRIPTOR width Width, height Height, depth Depth, format Format, channels NumChannels, flags Flags
CUDA_RESOURCE_DESC type resType, array res.array.hArray, memory.address res.pitch2D.devPtr, memory.format res.pitch2D.format, memory.channels res.pitch2D.numChannels, memory.width res.pitch2D.width, memory.height res.pitch2D.height, memory.pitch res.pitch2D.pitchInBytes, flags flags
CUDA_TEXTURE_DESC addressing addressMode, filter filterMode, flags flags, anisotropy maxAnisotropy, level_filter mipmapFilterMode, bias mipmapLevelBias, least_level minMipmapLevelClamp, most_level maxMipmapLevelClamp, border borderColor
CUDA_RESOURCE_VIEW_DESC format format, width width, height height, depth depth, first_level firstMipmapLevel, last_level lastMipmapLevel, first_layer firstLayer, last_layer lastLayer'
# Enumerators here and there.
numbers='LAUNCH_COOPERATIVE CU_LAUNCH_ATTRIBUTE_COOPERATIVE
LAUNCH_CLUSTER_DIMENSION CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
LAUNCH_PROGRAMMATIC CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
LAUNCH_PRIORITY CU_LAUNCH_ATTRIBUTE_PRIORITY
FUNCTION_MAX_THREADS CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
FUNCTION_MAX_DYNAMIC_SHARED CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
FUNCTION_CLUSTER_POLICY CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
FUNCTION_ATTRIBUTES CU_FUNC_ATTRIBUTE_MAX
MEMORY_UNIFIED CU_MEMORYTYPE_UNIFIED
FORMAT_FLOAT CU_AD_FORMAT_FLOAT
FORMAT_S8 CU_AD_FORMAT_SIGNED_INT8
ARRAY_LAYERED CUDA_ARRAY3D_LAYERED
ARRAY_CUBEMAP CUDA_ARRAY3D_CUBEMAP
ARRAY_GATHER CUDA_ARRAY3D_TEXTURE_GATHER
RESOURCE_PITCH CU_RESOURCE_TYPE_PITCH2D
TEXTURE_AS_INTEGERS CU_TRSF_READ_AS_INTEGER
TEXTURE_NORMALISED CU_TRSF_NORMALIZED_COORDINATES
TEXTURE_SRGB CU_TRSF_SRGB
TEXTURE_SEAMLESS CU_TRSF_SEAMLESS_CUBEMAP'

# facts HEADER COLUMN: a program that prints what that header says; column 1 is ours.
facts() {
  printf '#include <stddef.h>\n#include <stdio.h>\n#include <%s>\nint main(void) {\n' "$1"
  echo "$pairs" | while read -r struct members; do
    echo "printf(\"$struct %zu\\n\", sizeof($struct));"
    echo "$members" | tr ',' '\n' | while read -r names; do
      [ -z "$names" ] || echo "printf(\"$struct ${names% *} %zu\\n\", offsetof($struct, $(echo "$names" | cut -d' ' -f"$2")));"
    done
  done
  echo "$numbers" | while read -r names; do echo "printf(\"${names% *} %d\\n\", (int)$(echo "$names" | cut -d' ' -f"$2"));"; done
  echo 'return 0; }'
}
build() { "${CC:-cc}" -w -I"$source_dir/runtime" -I"$source_dir/gen" -isystem "$headers" "$1.c" -o "$1" 2>log; }

facts libcuda/abi.h 1 >ours.c; facts cuda.h 2 >theirs.c
build ours; check $? "ours: $(grep -m 3 error log)"
build theirs; check $? "cuda.h: $(grep -m 3 error log)"
./ours >ours.txt; ./theirs >theirs.txt
holds "there is something to compare" test "$(wc -l <ours.txt)" -gt 60
diff ours.txt theirs.txt >difference; check $? "ours and cuda.h: $(head -8 difference)"

printf '#include <cuda.h>\n#define ERROR(name, number, text) _Static_assert((int)name == number, #name);\n#include "libcuda/error.def"\n' >errors.c
"${CC:-cc}" -fsyntax-only -w -I"$source_dir/runtime" -isystem "$headers" errors.c 2>log; check $? "errors: $(grep -m 3 error log)"
sed -i 's/== number/== number + 1/' errors.c
! "${CC:-cc}" -fsyntax-only -w -I"$source_dir/runtime" -isystem "$headers" errors.c 2>log; check $? "a wrong number is not seen"
verdict libcuda_abi
