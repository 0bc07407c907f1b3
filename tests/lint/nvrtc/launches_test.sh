# kgen --lint: arguments that point into buffers, share them and hold them; variables of the module; the compiler's flags.
. tests/shell/check.bash
lint=$source_dir/tests/lint/cases
"$KGEN" --lint "$lint/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
head -c 128 /dev/zero >zeros
head -c 100 /dev/zero >short
for i in $(seq 0 31); do printf "\\x$(printf %x "$i")\\0\\0\\0"; done >each
run=(--lint "$lint/launches.cu" --grid 1 --block 32)

# --- into a buffer, and two arguments on one ---
halves=("${run[@]}" --kernel halves --arg buf:128)
expect 0 '0 findings' "${halves[@]}" --arg buf:256 --arg at:2+128
expect 1 'out-of-bounds' "${halves[@]}" --arg buf:248 --arg at:2+128
expect 0 '0 findings' "${halves[@]}" --arg both=buf:256 --arg at:both+128
expect 0 '0 findings' "${halves[@]}" --arg at:both+0x80 --arg both=buf:256
expect 0 '0 findings' "${run[@]}" --kernel in_place --arg buf:128 --arg at:1
expect 1 'misaligned' "${run[@]}" --kernel in_place --arg buf:256 --arg at:1+2
expect 2 '^kgen: --arg at:both\+128: no buffer is called both' "${halves[@]}" --arg buf:256 --arg at:both+128
expect 2 '^kgen: --arg at:3: no buffer' "${halves[@]}" --arg buf:256 --arg at:3
expect 2 '^kgen: --arg at:2\+257: the buffer has only 256 bytes' "${halves[@]}" --arg buf:256 --arg at:2+257
for bad in at: at:+4 at:1+ at:1+x at:1+-4 buf:{} 'buf:{i32:1' 'buf:{x}' x=i32:1 '1x=buf:4'; do
  expect 2 'kgen: --arg' "${halves[@]}" --arg buf:256 --arg "$bad"
done

# --- pointers inside buffers, structures and variables ---
batch='{buf:{buf:128,x=buf:256,at:x+128},buf:128:zero,i32:3}' four='coefficient={f32:1,f32:2.5,f32:0,f32:0}'
batched=("${run[@]}" --kernel batched)
expect 0 '0 findings' "${batched[@]}" --arg "$batch" --variable "$four"
expect 1 'trap' "${batched[@]}" --arg "$batch"
expect 1 'out-of-bounds' "${batched[@]}" --arg "${batch/128,x/124,x}" --variable "$four"
expect 1 'out-of-bounds' "${batched[@]}" --arg "${batch/i32:3/i32:4}" --variable "$four"
expect 0 '0 findings' "${run[@]}" --kernel variables --arg buf:128 --variable offsets=data:each --variable 'job={buf:128,i32:32}'
# Only the part of a larger file that fits the buffer is read.
truncate -s 5G large; dd if=each of=large conv=notrunc status=none
expect 0 '0 findings' "${run[@]}" --kernel variables --arg buf:128 --variable offsets=data:large --variable 'job={buf:128,i32:32}'
rm large
expect 1 'race' "${run[@]}" --kernel variables --arg buf:128 --variable offsets=data:zeros --variable 'job={buf:128,i32:32}'
expect 1 'race' "${run[@]}" --kernel variables --arg buf:128 --variable offsets=data:random --variable 'job={buf:128,i32:32}'
expect 2 '^kgen: --variable coefficient=\{f32:1,f32:2\}: it has 16 bytes, 8 are given' "${batched[@]}" --arg "$batch" --variable 'coefficient={f32:1,f32:2}'
expect 2 '8 are given, a pointer to a new buffer; data:random or data:FILE fills it itself' "${batched[@]}" --arg "$batch" --variable coefficient=buf:16
expect 2 '^kgen: --variable none=i32:1: the module has no such variable; it has coefficient\[16\], offsets\[128\], job\[16\]' "${batched[@]}" --arg "$batch" --variable 'none=i32:1'
expect 2 'the file has only 100 bytes' "${batched[@]}" --arg "$batch" --variable offsets=data:short
for bad in coefficient =i32:1 coefficient= coefficient=x 'coefficient={' 'coefficient={f32:1,}'; do
  expect 2 'kgen: --variable' "${batched[@]}" --arg "$batch" --variable "$bad"
done

# --- the standard and flags ---
exact=("${run[@]}" --kernel exact --arg buf:128:zeros)
instructions() { grep -o '[0-9]* warp instructions' stdout | cut -d' ' -f1; }
expect 0 . "${exact[@]}" --arg i32:201703
exact_count=$(instructions)
expect 0 . "${exact[@]}" --arg i32:201703 --flag use_fast_math
holds "a fast sine is shorter" test "$(instructions)" -lt "$exact_count"
expect 0 . "${exact[@]}" --arg i32:202002 --std c++20
expect 1 trap "${exact[@]}" --arg i32:201703 --std c++20
expect 0 . "${exact[@]}" --arg i32:201703 --flag -G --flag diag-suppress=177,550
holds "unoptimised code is longer" test "$(instructions)" -gt "$exact_count"
expect 5 'unrecognized option --bogus' "${exact[@]}" --arg i32:0 --flag bogus
expect 5 'hint: .*--flag -rdc=true' "${exact[@]}" --arg i32:0 --flag rdc=true
expect 0 . "${exact[@]}" --arg i32:201703 --flag -rdc=true
for bad in '--use_fast_math --run' 'x;touch HURT' '$(touch HURT)' -ccbin=evil --arch=sm_80 -std=c++20 dlto --cubin -Iinclude -DA=1 \
  --output-file=out -MD keep; do
  expect 2 "^kgen: --flag .* is not passed on: " "${exact[@]}" --arg i32:0 "--flag=$bad"
done
holds "no shell has read it" test ! -e HURT
expect 2 "std" "${exact[@]}" --arg i32:0 --std 'c++20;touch HURT'
# --- blocks that wait for later ones when the time is up: no finding, and no waiting ---
waits=("${run[@]}" --kernel waits --grid 40 --arg buf:8:zero --arg buf:8192)
expect 0 '0 findings' "${waits[@]}"
expect 0 'the first [1-9][0-9]* of 40 blocks: --time-limit' "${waits[@]}" --time-limit 0
holds "no finding" grep -q '0 findings' stdout

# --- one instruction that races with several ---
line() { grep -n "$1" "$lint/launches.cu" | cut -d: -f1; }
writes=$(line 'word\[1\] = 2')
expect 1 "; also with line $writes\$" "${run[@]}" --kernel two_writers --block 96 --arg buf:384
expect 1 . "${run[@]}" --kernel two_writers --block 96 --arg buf:384 --json
tr -d '\n ' <stdout >joined
holds "lines in JSON" grep -Eq "\"other_lines\":\[($((writes - 1)),$writes|$writes,$((writes - 1)))\]" joined
# --- more patterns of an instruction than are kept: what is counted of a sample says so ---
cat >bins.cu <<'END'
__global__ void bins(const int *in, int *out) {
  __shared__ int bin[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) bin[i] = 0;
  __syncthreads();
  atomicAdd(&bin[in[blockIdx.x * blockDim.x + threadIdx.x] & 1023], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) atomicAdd(&out[i], bin[i]);
}
END
arrays() { python3 -c "import json; d=json.load(open('stdout'))['lint']; a=d['arrays'][0]; counted=sum(x['wavefronts'] for x in d['accesses']); assert $1, (a, counted)"; }
bins=(--lint bins.cu --block 256 --arg buf:81920 --arg buf:4096xi32:zero --json)
expect 0 . "${bins[@]}" --grid 80
holds "of a sample" arrays 'a["sampled"] and a["wavefronts"] < counted'
expect 0 . "${bins[@]}" --grid 8
holds "of all" arrays '"sampled" not in a and a["wavefronts"] == counted'
verdict lint_launches
