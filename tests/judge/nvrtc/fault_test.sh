# Faults planted in a template or in its declaration must be found: exit 1, with the reason.
. tests/shell/check.bash
export KGEN_CACHE_DIR="${KGEN_TEST_CACHE:-$tmp/cache}"
shipped=$source_dir/templates

# fault FILE SED SAYS [SPEC]: with this edit of templates/FILE, the copy must fail and say so.
fault() {
  rm -rf templates; cp -r "$shipped" templates
  sed -i "$2" "templates/$1"
  if [ "$3" != 'no fault' ] && cmp -s "$shipped/$1" "templates/$1"; then
    check 1 "the edit '$2' changes nothing in $1"; return
  fi
  local want=1 says=$3
  if [ "$3" = 'no fault' ]; then want=0 says=''; fi
  expect $want "$says" --templates templates --device emulator --run --dry-run -q "$source_dir/specs/${4:-copy_f32}.yaml"
  if grep -q 'without the CUDA Toolkit\|NVRTC cannot be used' stderr; then echo skipped; exit 77; fi
}

fault copy.cu '' 'no fault'
fault copy.cu 's/out\[e\] = /out[e + 1] = /' 'out-of-bounds'
fault copy.cu 's/= in\[e\]/= in[e - 1]/' 'out-of-bounds'
fault copy.cu 's/(thread + j \* kThreads) \* kVector));$/((thread ^ 1) + j * kThreads) * kVector));/' 'copy_f32: wrong result at count='
fault copy.cu 's/e < count; e += kThreads) out/e < count - 1; e += kThreads) out/' 'never written'
fault copy.cu '/__syncthreads();/d' 'copy(_f32)?.cu:.*race'
fault copy.yaml 's/{name: drain, /{name: drain, times: 2, /' "measured wavefronts differ from the plan's: loads 64, not 128\$"
fault scan.cu '/if (tile == gridDim.x - 1) atomicAdd/d' 'out-of-bounds' scan_i32 # the next launch is not ready

# The arguments passed do not match the kernel's parameters.
misfit() { # SED SAYS
  rm -rf templates; cp -r "$shipped" templates
  sed -i "$1" templates/copy.yaml
  expect 6 "$2" --templates templates --device emulator --run --dry-run -q "$source_dir/specs/copy_f32.yaml"
}
misfit 's/^  args: .*/  args: [out]/' 'copy_f32 has 3 parameters, but the family.s args are 1'
misfit 's/{i64: count}/{i32: count}/' 'parameter 3 of copy_f32 has 8 bytes, but that of the family.s args 4'

verdict faults
