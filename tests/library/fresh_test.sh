# A fresh clone on a machine without the CUDA Toolkit: without a network scripts/run generates and says what to do; with one it
# fetches NVRTC, and compiles, runs and checks. The toolkit is hidden in a mount namespace of this test's own.
. tests/shell/check.bash
! sanitized || { echo "skipped: the build without sanitizers shows this"; exit 77; }
if ! unshare -mn mount -t tmpfs none "$tmp" 2>/dev/null; then
  echo "skipped: no new mount namespaces here (unshare -m)"
  exit 77
fi

# What git has, as it stands now.
mkdir clone source
(cd "$source_dir" && git ls-files -z --cached --others --exclude-standard 2>/dev/null | tar c --null --ignore-failed-read -T - 2>/dev/null) | tar x -C clone
[ -e clone/scripts/run ] || { echo "skipped: not in a git repository"; exit 77; }

# without_toolkit UNSHARE-OPTION COMMAND...
without_toolkit() {
  unshare "$1" bash -c 'nothing=$1; shift
    for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda*; do
      [ ! -d "$root" ] || mount -t tmpfs none "$(readlink -f "$root")"
    done
    type -ap nvcc | while read -r nvcc; do mount --bind "$nothing" "$(readlink -f "$nvcc")"; done
    unset CUDA_HOME CUDA_PATH LD_LIBRARY_PATH
    exec "$@"' hide "$tmp/nothing" "${@:2}"
}
touch nothing
# The build is of what git has; the optimiser, two thirds of its time, is left out.
printf '#!/bin/sh\nexec "$@" -O0\n' >plainly; chmod +x plainly
export CMAKE_C_COMPILER_LAUNCHER=$tmp/plainly
specs=(specs/transpose_f32.yaml specs/gemm_f16_small.yaml specs/scan_i32.yaml)
cd clone || exit

without_toolkit -mn scripts/run --csv "${specs[@]}" >../offline.csv 2>../offline.err
check $? "offline: $(tail -n 5 ../offline.err)"
holds "offline: what could not be had" grep -q 'NVRTC could not be fetched' ../offline.err
holds "offline: what to do" grep -q 'Set CUDA_HOME to a CUDA Toolkit' ../offline.err
holds "offline: the sources" test -s out/gemm_f16_small.cu
holds "what scripts/run builds can be installed" cmake --install build --prefix ../installed
holds "the driver of --exec" test -e ../installed/lib/kgen/libcuda.so.1
without_toolkit -mn build/kgen --jit --dry-run "${specs[0]}" >../jit.log 2>&1
code=$?; [ $code = 6 ]; check $? "--jit without NVRTC: exit $code"

if ! python3 -m pip download --quiet --retries 1 --no-deps --dest ../pip nvidia-cuda-crt >/dev/null 2>&1; then
  echo "no way to PyPI here: what follows its packages is not checked"
  verdict library_fresh; exit
fi
without_toolkit -m scripts/run --csv "${specs[@]}" >../online.csv 2>../online.err
check $? "$(tail -n 5 ../online.err)"
holds "what is fetched" grep -q 'fetching NVIDIA.s packages nvidia-cuda-nvrtc' ../online.err
holds "each is right" test "$(cut -d, -f17 ../online.csv | grep -c yes)" = ${#specs[@]}
holds "nothing half-fetched stays" test -z "$(find build -maxdepth 1 -name 'fetch.*')"
without_toolkit -m build/kgen --version >../version
for part in "NVRTC: 13.0, $PWD/build/cuda/lib" "headers: $PWD/build/cuda/include"; do holds "$part" grep -q "^$part" ../version; done
without_toolkit -m scripts/install >../again
holds "a second time nothing is fetched" sh -c '! grep -q fetching ../again'
# Headers of all three packages: CUDA's own, those of its fragments, and CCCL's.
printf '#include <mma.h>\n#include <cuda_fp16.h>\n#include <cuda/atomic>\n__global__ void k(__half *p) { p[threadIdx.x] = 1; }\n' >../source/headers.cu
without_toolkit -m build/kgen --lint ../source/headers.cu --kernel k --grid 1 --block 32 --arg buf:64 >../lint 2>&1
check $? "headers: $(tail -n 3 ../lint)"
verdict library_fresh
