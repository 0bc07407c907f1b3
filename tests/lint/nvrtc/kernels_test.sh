# kgen --lint on CUDA C++: the textbook transpose and its two fixes, names, every kind of finding.
. tests/shell/check.bash
lint=$source_dir/tests/lint/cases emu=$source_dir/tests/emu/cases
"$KGEN" --lint "$lint/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

json() { python3 -c "import json,sys; d=json.load(open('stdout'))['lint']; assert $1, d"; }

launch=(--grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)

# --- the transpose, and both fixes applied by hand ---
expect 0 '32-way|32 wavefronts' --lint "$lint/transpose.cu" --kernel transpose "${launch[@]}"
holds "the source line" grep -q '    8  for (int j = 0; j < 32; j += 8) out' stdout
holds "a pad" grep -q 'tile\[32\]\[33\]: pad each row of 32 4-byte elements by 1: 4224 -> 256' stdout
holds "an XOR" grep -q 'tile\[row\]\[col ^ (row & 31)\], rows of 32 4-byte elements: 4224 -> 256' stdout
holds "at most 100 columns" sh -c "! grep -E '^.{101}' stdout"
cp stdout first; "$KGEN" --lint "$lint/transpose.cu" --kernel transpose "${launch[@]}" >second
holds "the same every time" cmp first second
expect 0 . --lint "$lint/transpose.cu" "${launch[@]}" --json
holds "by source line" json '[(a["line"], a["op"], a["bytes_per_lane"], a["instructions"], a["wavefronts"], a["ideal"]) for a in d["accesses"]] == [(5, "store", 4, 128, 128, 128), (8, "load", 4, 128, 4096, 128)]'
holds "worst lanes" json 'd["accesses"][1]["worst_lanes"] == list(range(32)) and d["accesses"][0]["worst_lanes"] == [] and d["accesses"][0]["fix"] is None'
for fix in pad xor; do
  expect 0 ' 0 of them conflicts' --lint "$lint/transpose_$fix.cu" --kernel transpose "${launch[@]}" --max-conflicts 0
  holds "256 wavefronts as promised" grep -q '^256 wavefronts' stdout
done
expect 1 . --lint "$lint/transpose.cu" "${launch[@]}" --max-conflicts 0
sanitized || for arch in sm_75 sm_80 sm_120; do expect 0 '3968 of them' --lint "$lint/transpose.cu" "${launch[@]}" --arch $arch; done

# --- names, headers, macros, parameters ---
names=(--lint "$lint/names.cu" --define SCALE=3)
expect 0 '992 of them conflicts' "${names[@]}" --kernel 'scale<float, 32>' --grid 1 --block 32 --arg buf:4096 --arg buf:4096
holds "its name" grep -q 'scale<float, 32>$' stdout
expect 0 '992 of them conflicts' "${names[@]}" --kernel 'scale<float,32>' --grid 1 --block 32 --arg buf:4096 --arg buf:4096
expect 0 ' 0 of them conflicts' "${names[@]}" --kernel 'scale<double, 2>' --grid 1 --block 2 --arg buf:4096 --arg buf:4096
expect 0 ' 0 of them conflicts' "${names[@]}" --kernel inner::mixed --grid 1 --block 32 --smem 128 --arg buf:128 --arg i32:-1 --arg i32:7 --arg i32:0x10 --arg i64:5 --arg f32:1.5 --arg f64:-2e3
expect 2 'does not fit parameter 2,' "${names[@]}" --kernel mixed --grid 1 --block 32 --smem 128 --arg buf:128 --arg i32:300 --arg i32:7 --arg i32:1 --arg i64:5 --arg f32:1 --arg f64:2
expect 1 'out-of-bounds' "${names[@]}" --kernel mixed --grid 1 --block 32 --smem 124 --arg buf:128 --arg i32:1 --arg i32:7 --arg i32:1 --arg i64:5 --arg f32:1 --arg f64:2
expect 2 'a template has no kernel until it is named' "${names[@]}"
holds "kernels are listed" grep -q 'inner::mixed(u64, ' stderr
expect 2 'a template has no kernel until it is named' "${names[@]}" --kernel scale --grid 1 --block 32
expect 5 'undefined' "${names[@]}" --kernel 'scale<flaot, 32>' --grid 1 --block 32
expect 5 'SCALE is not defined' --lint "$lint/names.cu" --grid 1 --block 32
cp "$lint/names.cu" moved.cu; mkdir inc; cp "$lint/names.h" inc
expect 5 'hint: give --include DIR' --lint moved.cu --define SCALE=3
expect 0 . --lint moved.cu --define SCALE=3 --include inc --kernel scattered --grid 1 --block 32 --arg buf:1024 --arg buf:128
holds "32 sectors where 4 would do" grep -q 'not coalesced: 32.0 sectors a request where 4.0 would do' stdout
expect 0 . --lint moved.cu --define SCALE=3 --include inc --kernel scattered --grid 1 --block 32 --arg buf:1024 --arg buf:128 --json
holds "global rows" json '[(g["op"], g["requests"], g["sectors"], g["ideal_sectors"], g["used_share"]) for g in d["global"]] == [("load", 1, 32, 4, 0.125), ("store", 1, 4, 4, 1)]'
expect 5 'error' --lint "$lint/transpose_pad.cu" --define transpose=+ --grid 1 --block 1

# --- kernel selection: what is missing, and how to distinguish the kernels ---
cat >overloads.cu <<'EOF'
// template <int No> __global__ void scale(in a comment);
template <typename T, int N, bool B = (3 > 2)>
__global__ void __launch_bounds__(256)
scale(T *a, const char *s = "{;") { a[threadIdx.x] *= N; }
namespace ns { template <class... Ts> __global__ void pack(Ts... t) {} }
__global__ void add(int *a) { *a = 1; }
__global__ void add(float *a) { *a = 1; }
EOF
over=(--lint overloads.cu --grid 1 --block 1 --arg buf:4)
expect 5 "^  line 2: template <typename T, int N, bool B = \(3 > 2\)> __global__ void __launch_bounds__\(256\) scale\(.*: it lacks int N\$" "${over[@]}" --kernel 'scale<int>'
expect 2 'it lacks typename T, int N$' "${over[@]}" --kernel scale
expect 5 'line 5: .* pack\(Ts... t\)$' "${over[@]}" --kernel 'pack<int>'
expect 5 'names no kernel that the file declares' "${over[@]}" --kernel 'none<int>'
expect 2 '2 kernels of overloads.cu are called add' "${over[@]}" --kernel add
holds "by their names in PTX" grep -q '^    in PTX: _Z3addPf$' stderr
expect 0 'add$' "${over[@]}" --kernel _Z3addPf
expect 5 '' "${over[@]}" --kernel 'scale<int>' --json
holds "JSON without a report says why" json 'd["error"]["exit"] == 5 and "kgen: NVRTC rejects overloads.cu" in d["error"]["messages"] and d["kernel"] == "scale<int>"'

# --- code for another architecture may be what the emulator executes ---
cat >paths.cu <<'EOF'
extern "C" __global__ void k(int *a) {
#if __CUDA_ARCH__ >= 900
  asm volatile("wgmma.fence.sync.aligned;");
#elif __CUDA_ARCH__ < 800
#error "for sm_80 and newer"
#endif
  a[threadIdx.x] = 1;
}
EOF
expect 5 'hint: with --arch sm_90a it would be executed' --lint paths.cu --grid 1 --block 32 --arg buf:128
expect 5 'wgmma.fence.sync.aligned: exists on sm_90a alone, and this is PTX for sm_90 ' --lint paths.cu --grid 1 --block 32 --arg buf:128
expect 0 '0 findings' --lint paths.cu --grid 1 --block 32 --arg buf:128 --arch sm_90a
expect 0 '0 findings' --lint paths.cu --grid 1 --block 32 --arg buf:128 --arch sm_80
expect 5 'hint: with --arch sm_80' --lint paths.cu --grid 1 --block 32 --arg buf:128 --arch sm_75
cat >features.cu <<'EOF'
extern "C" __global__ void features(int *a) {
#ifndef __CUDA_ARCH_FEAT_SM100_ALL
  asm volatile("tcgen05.fence::after_thread_sync.nothing;");
#endif
  a[threadIdx.x] = 1;
}
EOF
expect 5 'hint: with --arch sm_100a it would be executed' --lint features.cu --grid 1 --block 32 --arg buf:128
expect 0 '0 findings' --lint features.cu --grid 1 --block 32 --arg buf:128 --arch sm_100a
echo 'extern "C" __global__ void plain(int *a) { a[threadIdx.x] = 1; }' >plain.cu
for arch in sm_100f sm_103f sm_120f; do
  expect 0 "$arch," --lint plain.cu --grid 1 --block 32 --arg buf:128 --arch $arch
done

# --- TMA and clusters ---
tma=(--lint "$lint/tma.cu" --block 32 --arg buf:512 --arch sm_90)
expect 0 '^2 bulk copies took 4 wavefronts' "${tma[@]}" --kernel waits --grid 2 --cluster 2 --arg tmap:i32:dims=13x16:box=8x8
expect 0 '0 findings' "${tma[@]}" --kernel waits --grid 2 --cluster 2 --arg t=tmap:f32:dims=13x16:box=8x8:strides=64:steps=1x1:zero:fill=nan
expect 0 '0 findings' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i32:dims=8x8:box=8x8:swizzle=32:at=1+0
expect 1 'bulk copy of line 1[5-8] still writes' "${tma[@]}" --kernel forgets --grid 1 --arg tmap:i32:dims=13x16:box=8x8
expect 2 'rows are not a multiple of 16' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i32:dims=13x16:box=3x8
expect 2 'as many as dims' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i32:dims=13x16:box=8
expect 2 'DTYPE as in specs' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i33:dims=13x16:box=8x8
expect 2 'swizzle=0, 32, 64 or 128' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i32:dims=13x16:box=8x8:swizzle=x
expect 2 'no buffer is called nobody' "${tma[@]}" --kernel waits --grid 1 --arg tmap:i32:dims=13x16:box=8x8:at=nobody
expect 2 'not a multiple of the cluster' "${tma[@]}" --kernel waits --grid 3 --cluster 2 --arg tmap:i32:dims=13x16:box=8x8
expect 2 ': not X,Y,Z' "${tma[@]}" --kernel waits --grid 2 --cluster 0 --arg tmap:i32:dims=13x16:box=8x8

# --- an unsupported instruction affects only the kernel that needs it ---
beside=(--lint "$lint/beside.cu" --grid 1 --block 32 --arg buf:512)
expect 0 '0 findings' "${beside[@]}" --kernel plain
expect 0 '0 findings' --lint "$lint/beside.cu" --grid 2 --block 32 --arg buf:512 --kernel clustered
for kernel in multicast first second; do
  expect 5 "the emulator does not execute $kernel\$" "${beside[@]}" --kernel $kernel
  holds "$kernel: one error" test "$(grep -c ': error: ' stderr)" = 1
done

# --- what ptxas joins: 256, 128 and 65 wavefronts were counted on an H200 ---
io=(--arg buf:8192 --arg buf:8192)
expect 0 'may join 32 of these into 8 of up to 16 bytes: 256 instead of 1024' "${names[@]}" --kernel 'scale<float, 32>' --grid 1 --block 32 "${io[@]}"
expect 0 'may join 32 of these into 16 of up to 8 bytes: 16 instead of 32' --lint "$emu/clean.cu" --kernel named_barriers --grid 1 --block 96 "${io[@]}"
expect 0 'may join 2 of these into 1 of 8 bytes: 1 instead of 2' --lint "$emu/clean.cu" --kernel lock_within_warp --grid 1 --block 64 "${io[@]}"
for kernel in 'read_scalar<32, 32>' 'colsum<32>' reduce_multiples; do
  expect 0 . --lint "$lint/seeds.cu" --kernel "$kernel" --grid 1 --block 32 "${io[@]}"
  holds "$kernel: nothing is joined" sh -c '! grep "may join" stdout'
done

# --- the seeds: known wavefronts, and what helps ---
seed() { # KERNEL GRID BLOCK EXCESS PATTERN-OF-THE-FIX
  expect 0 "$5" --lint "$emu/seeds.cu" --kernel "$1" --grid "$2" --block "$3" "${@:6}" --json
  holds "$1: $4 conflicts" json "d['conflicts'] == $4"
}
two=(--arg buf:65536 --arg buf:65536)
seed ideal_f32 1 32 0 '"arrays": \[\]' "${two[@]}"
seed one_bank_f32 1 32 62 'tile\[row\]\[col . \(row & 31\)\]' "${two[@]}"
seed one_bank_f64 1 32 60 'tile\[row\]\[col . \(row & 15\)\]' "${two[@]}"
seed reduce_interleaved 16 256 1680 'sdata\[i . \(\(i >> 5\) & 7\)\].*600|sdata\[i \+ i / 32\]' "${two[@]}"
holds "35 excess stores a block" json '[a["wavefronts"] - a["ideal"] for a in d["accesses"] if a["op"] == "store" and a["fix"]] == [35 * 16]'
holds "the ideal after the fix" json 'd["arrays"][0]["fixed_wavefronts"] == d["arrays"][0]["ideal"]'
seed reduce_sequential 16 256 0 '"arrays": \[\]' "${two[@]}"
three=(--arg buf:65536 --arg buf:65536 --arg i32:64)
if ! sanitized; then
  seed transpose_short_32 2,2 32,8 1920 'tile\[32\]\[34\]: pad each row of 32 2-byte elements by 2' "${three[@]}"
  seed transpose_char_129 2,2 32,8 384 'tile\[32\]\[132\]: pad each row of 129 1-byte elements by 3' "${three[@]}"
  seed transpose_char_132 2,2 32,8 0 '"arrays": \[\]' "${three[@]}"
fi

# --- every kind of finding: its line, thread and block ---
finding() { # KIND KERNEL BLOCK THREAD IN-BLOCK ARGUMENT...
  local line; line=$(grep -n "FAULT $2\$" "$emu/faults.cu" | cut -d: -f1)
  expect 1 "\"kind\": \"$1\"" --lint "$emu/faults.cu" --kernel "$2" --grid 4 --block "$3" --json "${@:6}"
  holds "$2: at line $line" json "any(f['kind'] == '$1' and f['line'] == $line and f['thread'] == [$4, 0, 0] and f['block'] == [$5, 0, 0] for f in d['findings'])"
}
io=(--arg buf:1024 --arg buf:1024)
finding race race_missing_barrier 64 32 0 "${io[@]}"
finding race race_two_writers 64 1 0 --arg buf:1024
finding out-of-bounds overrun_global 64 63 3 "${io[@]}"
finding out-of-bounds overrun_shared 64 63 0 "${io[@]}"
finding misaligned misaligned 64 1 0 "${io[@]}"
finding uninitialised uninitialised 64 17 0 "${io[@]}"
finding barrier barrier_in_branch 64 48 0 "${io[@]}"
finding max-steps endless 64 0 0 --arg buf:1024:zero --arg buf:1024 --max-steps 10000 --grid 1
finding stack stack_overflow 32 0 0 "${io[@]}"
head -c 1024 /dev/zero | tr '\0' '\t' >nines
sed -i 's/\t/\t\x00\x00\x00/g' nines
finding trap traps 64 0 0 --arg buf:1024:nines --arg buf:1024

# --- correct kernels stay clean; emu_clean has them with sanitizers ---
sanitized || for kernel in warp_sum_shfl warp_sum_shared double_buffer histogram scan; do
  expect 0 '0 findings' --lint "$emu/clean.cu" --kernel $kernel --grid 1 --block 64 --arg buf:65536 --arg buf:65536
done

# --- programmatic dependent launch: one launch waits for nothing ---
cat >early.cu <<'CUDA'
extern "C" __global__ void early(int *p) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  p[threadIdx.x]++;
}
CUDA
expect 0 '0 findings' --lint early.cu --grid 1 --block 32 --arg buf:128

verdict lint_nvrtc
