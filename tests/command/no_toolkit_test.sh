# Without the CUDA Toolkit: every command says what is missing, once, with the exit code of a tool that is missing. The toolkit is
# hidden in a mount namespace of this test's own.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
if ! unshare -m mount -t tmpfs none "$tmp" 2>/dev/null; then
  echo "skipped: no new mount namespaces here (unshare -m)"
  exit 77
fi
touch nothing
without() { # without COMMAND...
  unshare -m bash -c 'nothing=$1; shift
    for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda* "$KGEN_BUILD/cuda"; do
      [ ! -d "$root" ] || mount -t tmpfs none "$(readlink -f "$root")"
    done
    type -ap nvcc | while read -r nvcc; do mount --bind "$nothing" "$(readlink -f "$nvcc")"; done
    unset CUDA_HOME CUDA_PATH LD_LIBRARY_PATH
    PATH=/usr/bin:/bin exec "$@"' hide "$tmp/nothing" "$@"
}
runs() { # runs CODE ARGUMENT...
  local want=$1 got=0; shift
  without "$KGEN" "$@" >stdout 2>stderr || got=$?
  [ $got = "$want" ]
  check $? "exit $got, want $want: $*
$(head -5 stderr)"
}
echo '__global__ void k(int *a) { a[threadIdx.x] = 1; }' >k.cu
if [ -n "$(without sh -c 'ldconfig -p 2>/dev/null | grep "libnvrtc\.so" | sed "s/.* => //" | xargs -r ls 2>/dev/null')" ]; then
  echo "skipped: NVRTC is also among the system's libraries"
  exit 77
fi

runs 6 --lint k.cu --kernel k --grid 1 --block 32 --arg buf:128
holds "which tools are missing" grep -q '^kgen: NVRTC cannot be used, nor nvcc' stderr
runs 6 --doctor
holds "how to get NVRTC, once" test "$(grep -c 'install the CUDA Toolkit, or pip install' stdout)" = 1
holds "and what needs it" grep -q '^NVRTC, CUDA headers, compiling, emulator: install' stdout
holds "nothing of what is optional" sh -c '! grep -q "pip install nvidia-cuda-cupti" stdout'
holds "a row takes one line of at most 110 columns" test "$(sed '/^$/,$d' stdout | wc -L)" -le 110
runs 6 --doctor -v
holds "-v: what is optional, too" grep -q '^CUPTI: .*pip install nvidia-cuda-cupti' stdout
runs 6 --doctor --json
holds "each finding has its advice in JSON" python3 -c "
import json; f = json.load(open('stdout'))['doctor']['findings']
assert sum('nvidia-cuda-nvrtc' in (x['get'] or '') for x in f) == 4, f"
verdict no_toolkit
