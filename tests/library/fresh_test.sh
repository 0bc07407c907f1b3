# A fresh clone on a machine without the CUDA Toolkit: without a network scripts/run generates and says what to do; with one it
# fetches NVRTC, and compiles, runs and checks. The toolkit is hidden in a mount namespace of this test's own.
. tests/shell/check.bash
! sanitized || { echo "skipped: the build without sanitizers shows this"; exit 77; }
if ! unshare -mn mount -t tmpfs none "$tmp" 2>/dev/null; then
  echo "skipped: no new mount namespaces here (unshare -m)"
  exit 77
fi

# Clones the files in git, in their current state.
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
# Builds the clone. Objects that the tested build made only from files that the clone also has are not compiled again; objects
# with directory names in them are, without optimization.
python3 - "$source_dir" clone "$KGEN_BUILD" >made <<'EOF'
import filecmp, json, os, re, sys

source, clone, build = sys.argv[1:]


def is_same(file, built):
    twin = os.path.join(clone, os.path.relpath(file, source))
    return os.path.isfile(twin) and os.path.getmtime(file) <= built and filecmp.cmp(file, twin, shallow=False)


for entry in json.load(open(f"{build}/compile_commands.json")):
    name = re.search(r" -o (\S+)", entry["command"])[1]
    object = os.path.join(entry["directory"], name)
    if not os.path.exists(object) or not os.path.exists(object + ".d"):
        continue
    words = open(object + ".d").read().replace("\\\n", " ").split()[1:]
    paths = [os.path.abspath(os.path.join(entry["directory"], word)) for word in words]
    files = [path for path in paths if path.startswith(source + "/")]
    folders = re.findall(r"-D(\w+)=\S*/", entry["command"])
    texts = "".join(open(file).read() for file in files)
    if all(is_same(file, os.path.getmtime(object)) for file in files) and not any(f in texts for f in folders):
        print(name)
EOF
cat >compile <<EOF
#!/bin/sh
for object; do case \$object in *.o) break ;; esac; done
if grep -qxF "\$object" "$tmp/made"; then
  cp "$KGEN_BUILD/\$object" "\$object" && cp "$KGEN_BUILD/\$object.d" "\$object.d"
else
  exec "\$@" -O0
fi
EOF
chmod +x compile
export CMAKE_C_COMPILER_LAUNCHER=$tmp/compile
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
# Headers of all three packages: CUDA's own, the one with mma.h, and CCCL's.
printf '#include <mma.h>\n#include <cuda_fp16.h>\n#include <cuda/atomic>\n__global__ void k(__half *p) { p[threadIdx.x] = 1; }\n' >../source/headers.cu
without_toolkit -m build/kgen --lint ../source/headers.cu --kernel k --grid 1 --block 32 --arg buf:64 >../lint 2>&1
check $? "headers: $(tail -n 3 ../lint)"
verdict library_fresh
