# kgen --lint on whole programs, which nvcc compiles where NVRTC stops at host headers.
. tests/shell/check.bash
export KGEN_CACHE_DIR="$tmp/cache"
[ -x "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" ] || { echo "skipped: no nvcc"; exit 77; }
lint=$source_dir/tests/lint/cases
launch=(--grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)
export TMPDIR=$tmp/scratch
mkdir scratch

expect 0 '4224 wavefronts, 3968 of them conflicts' --lint "$lint/program.cu" "${launch[@]}"
holds "the only instance" grep -q 'program.cu: transpose<float, 32>$' stdout
holds "the source line" grep -q '   11  for (int j = 0; j < 32; j += 8) out' stdout
expect 0 ' 0 of them conflicts' --lint "$lint/program.cu" --kernel 'transpose<float, 33>' "${launch[@]}"
expect 0 ' 0 of them conflicts' --lint "$lint/program.cu" --kernel 'transpose<float, 33>' "${launch[@]}" -v
holds "an instance's PTX is kept" grep -q "nvcc's PTX was in the cache" stderr
expect 0 ' 0 of them conflicts' --lint "$lint/../cases/program.cu" --kernel 'transpose<short, 34>' "${launch[@]}"
holds "the file itself, not another" sh -c '! grep -q "^  .*program.cu:$" stdout'
cp "$lint/program.cu" here.cu
expect 0 '3968 of them conflicts' --lint here.cu --kernel 'transpose<float, 32>' "${launch[@]}" --arch sm_80
holds "of a relative name" grep -q '^ *11  for' stdout

# an error in both compilers is reported by the one that got further
sed 's/dim3(2, 2)/dim4(2, 2)/' here.cu >typo.cu
expect 5 'dim4' --lint typo.cu "${launch[@]}"
holds "nvcc's verdict" grep -q '^kgen: nvcc rejects typo.cu' stderr
sed 's/<vector>/<no_such_header>/' here.cu >header.cu
expect 5 'hint: give --include DIR$' --lint header.cu "${launch[@]}"
printf '__global__ void k() { undeclared = 1; }\n' >plain.cu
expect 5 'NVRTC rejects plain.cu' --lint plain.cu --grid 1

# code that needs sm_90a gets that hint from nvcc, too
printf '#include <vector>\n__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }\n' >hopper.cu
expect 5 'hint: with --arch sm_90a it would be executed' --lint hopper.cu --grid 1 --block 128

# the launches of a file are compiled once for all kernels of templates
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
mkdir -p counted/bin
printf '#!/bin/sh\necho run >>%s\nexec %s "$@"\n' "$tmp/runs" "$nvcc" >counted/bin/nvcc
chmod +x counted/bin/nvcc
printf 'version: 1\nsource: here.cu\nlaunches:\n' >lint.yaml
for kernel in 'transpose<float, 32>' 'transpose<float, 33>' 'transpose<short, 34>'; do
  echo "  - {kernel: '$kernel', grid: [2, 2], block: [32, 8], args: ['buf:16384', 'buf:16384', 'i32:64']}" >>lint.yaml
done
CUDA_HOME=$tmp/counted expect 0 '3968 of them conflicts' --lint lint.yaml --no-cache
holds "three reports" test "$(grep -c ': transpose<' stdout)" = 3
holds "nvcc ran $(wc -l <runs) times" test "$(wc -l <runs)" = 1

# an nvcc that does nothing but complain
mkdir -p fake/bin
printf '#!/bin/sh\necho "no licence to compile"\nexit 3\n' >fake/bin/nvcc
chmod +x fake/bin/nvcc
CUDA_HOME=$tmp/fake expect 5 'no licence to compile' --lint here.cu "${launch[@]}"
printf '#!/bin/sh\necho "gcc: No such file or directory"\necho "nvcc fatal   : Failed to preprocess host compiler properties."\nexit 1\n' >fake/bin/nvcc
CUDA_HOME=$tmp/fake expect 6 '^kgen: nvcc cannot start its host compiler$' --lint here.cu "${launch[@]}"
holds "nvcc's own words" grep -q '^gcc: No such file' stderr
TMPDIR=$tmp/missing expect 5 'NVRTC rejects here.cu' --lint here.cu "${launch[@]}"
holds "why nvcc could not be asked" grep -q 'hint: give --include DIR' stderr
holds "nothing stays" test -z "$(ls -A scratch)"
verdict lint_nvcc
