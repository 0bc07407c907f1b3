# kgen --lint on files as users have them, and what kernels print: to stderr, whatever stdout holds.
. tests/shell/check.bash
lint=$source_dir/tests/lint/cases
"$KGEN" --lint "$lint/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

json() { python3 -c "import json; d=json.load(open('stdout')); assert $1, d"; }

user=(--lint "$lint/user.cu" --block 32)
io=(--arg buf:4096 --arg buf:4096)

# --- what another kernel of the file needs does not matter ---
headers=$("$KGEN" --version | sed -n 's/^headers: //p')
if [ -r "$headers/mma.h" ]; then
  exits 0 "${user[@]}" --kernel beside --grid 1 "${io[@]}"
  exits 5 "${user[@]}" --kernel everywhere --grid 1 "${io[@]}"
  holds "its line" grep -q "user.cu:$(grep -n REFUSED "$lint/user.cu" | cut -d: -f1): error: multimem" stderr
  holds "but no other kernel's" sh -c "! grep -q tex stderr"

  # --- printf ---
  exits 0 "${user[@]}" --kernel prints --grid 3 "${io[@]}"
  for b in 0 1 2; do for i in $(seq 0 31); do printf 'thread %d\nof block %d\n' "$i" $b; done; done | paste - - | sort >want
  holds "on stderr, call by call" sh -c 'paste - - <stderr | sort | cmp - want'
  holds "not on stdout" sh -c '! grep -q "^of block" stdout'
  exits 0 "${user[@]}" --kernel prints --grid 1 "${io[@]}" --json
  holds "JSON stays JSON" json 'd["lint"]["kernel"] == "prints"'
  holds "beside JSON" grep -q '^thread 31$' stderr
  exits 0 --lint "$lint/user.cu" --kernel prints_much --grid 1 --block 1 --arg i32:1050
  holds "what was dropped" grep -q '^kgen: the kernel printed more than 1048576 bytes: 2 calls dropped$' stderr

  # --- structures by value ---
  job='{buf:128,f32:1.5,f64:-2.25,buf:128:zero,i32:32}' four='{f32:1,f32:2,f32:3,f32:4}'
  by_value=("${user[@]}" --kernel by_value --grid 1)
  exits 0 "${by_value[@]}" --arg "$job" --arg "$four" --arg i32:7
  exits 1 "${by_value[@]}" --arg '{buf:128,f32:1.5,f64:-2.25,buf:124,i32:32}' --arg "$four" --arg i32:7
  holds "a member's buffer is checked" grep -q 'out-of-bounds: 4-byte global store 124 bytes' stdout
  exits 2 "${by_value[@]}" --arg "$job" --arg '{f32:1,f32:2,f32:3}' --arg i32:7
  holds "which does not fit" grep -q -e '--arg {f32:1,f32:2,f32:3}: does not fit parameter 2, b8 of 16 bytes' stderr
  for bad in '{}' '{' '{i32:1' '{i32:1,}' '{i32:1}}' '{{i32:1}}' '{,}' '{x:1}'; do
    exits 2 "${by_value[@]}" --arg "$job" --arg "$bad" --arg i32:7
  done

  # --- one finding a line and text, however many instructions it became ---
  exits 1 --lint "$lint/user.cu" --kernel unrolled --grid 1 --block 1024 "${io[@]}" --json
  line=$(grep -n UNROLLED "$lint/user.cu" | cut -d: -f1)
  holds "reads and writes" json "[(f['line'], f['kind'], f['message'].split()[0]) for f in d['lint']['findings']] == [($line, 'race', 'reads'), ($line, 'race', 'writes')]"
  holds "all counted" json "sum(f['count'] for f in d['lint']['findings']) > 2000"
fi

# --- of a family's kernel, too ---
cp -r "$source_dir/templates" templates
sed -i 's/^  Bits \*tile = /  if (blockIdx.x + threadIdx.x == 0) printf("says %d\\n", kBlockX);\n&/' templates/copy.cu
exits 0 --jit --run --device emulator --templates templates --dry-run --no-cache "$source_dir/specs/copy_f32.yaml"
holds "a family's kernel prints" grep -q '^says [0-9]*$' stderr
holds "not among the data" sh -c '! grep -q says stdout'

# --- CUDA 13 has CCCL in a separate directory ---
if [ -d "$headers/cccl" ]; then
  kernels=(pipes)
  if ! sanitized; then
    kernels+=(waits)
    exits 0 --lint "$lint/cccl.cu" --kernel count --grid 1 --block 32 --arg buf:128
    exits 0 --lint "$lint/cccl.cu" --kernel meets --grid 2 --block 64 --arg buf:512 --arg buf:512
  fi
  for kernel in "${kernels[@]}"; do
    exits 0 --lint "$lint/cccl.cu" --kernel $kernel --grid 1 --block 128 --arg buf:2048 --arg buf:512 --max-conflicts 0 --json
    holds "$kernel: waiting is no conflict" json 'd["lint"]["conflicts"] == 0 and d["lint"]["mbarrier_operations"] > 50'
    holds "$kernel: no row of it" json 'all((a["op"], a["bytes_per_lane"]) != ("atomic", 8) for a in d["lint"]["accesses"])'
  done
fi

verdict lint_user_nvrtc
