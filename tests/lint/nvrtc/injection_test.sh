# nvcc passes its arguments through a shell; a user's name must never be executed. Directories, macros and headers work with any
# name.
. tests/shell/check.bash
export KGEN_CACHE_DIR="$tmp/cache"
[ -x "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" ] || { echo "skipped: no nvcc"; exit 77; }
mkdir scratch
export TMPDIR=$tmp/scratch

# Contains every character that a shell, a make rule or a C string interprets.
odd='a `touch HURT1` $(touch HURT2) "b" '\''c'\'' ;touch HURT3; \d
& touch HURT4 & |e #%,@'
mkdir -p "$odd/inc $(printf '\t')\"x"
inc="$odd/inc $(printf '\t')\"x"
cat >"$odd/program.cu" <<'EOF'
#include <vector>
#include "beside.h"
#include <deep.h>
__global__ void add(int *out) { out[threadIdx.x] = VALUE + BESIDE + deep(out); }
int main() { std::vector<int> v; add<<<1, 32>>>(v.data()); }
EOF
echo '#define BESIDE 1' >"$odd/beside.h"
echo '__device__ inline int deep(int *p) { return p[threadIdx.x]; } // DEEP' >"$inc/deep.h"
run=(--kernel add --grid 1 --block 32 --arg buf:128)
unhurt() { [ -z "$(find "$tmp" -name 'HURT*')" ] && [ -z "$(ls -A scratch)" ]; }

expect 0 '0 findings' --lint "$odd/program.cu" --include "$inc" --define VALUE=3 "${run[@]}"
holds "the program's own lines" grep -q '    4  __global__ void add' stdout
expect 0 '0 findings' --lint "$PWD/$odd/program.cu" --include "$PWD/$inc" --define VALUE=3 "${run[@]}"
cd "$odd" || exit
expect 0 '0 findings' --lint program.cu --include "${inc#"$odd/"}" --define VALUE=3 "${run[@]}"
cd "$tmp" || exit
holds "folders execute nothing" unhurt

for value in '$(touch HURT5)' '`touch HURT6`' '";touch HURT7;"' "\\';touch HURT8;" '3 && touch HURT9'; do
  exits 5 --lint "$odd/program.cu" --include "$inc" --define "VALUE=$value" "${run[@]}"
  holds "$value is a macro's text" unhurt
done
expect 0 '0 findings' --lint "$odd/program.cu" --include "$inc" --define 'VALUE=(sizeof("a b $(touch HURT10)") > 3 ? 4 : 5)' "${run[@]}"
expect 5 'nvcc rejects' --lint "$odd/program.cu" --include '`touch HURT11`' --define VALUE=3 "${run[@]}"
expect 5 . --lint "$odd/program.cu" --include "$inc" --define VALUE=3 "${run[@]}" --kernel 'add<$(touch HURT12)>'
cp "$odd/program.cu" 'p`touch HURT13` $(touch HURT14).cu'
sed -i 's/BESIDE/0/; /"beside.h"/d' p*.cu
expect 0 '0 findings' --lint p*.cu --include "$inc" --define VALUE=3 "${run[@]}"
mv p*.cu 'a"b.cu'
expect 5 'holds a quote' --lint 'a"b.cu' --include "$inc" --define VALUE=3 "${run[@]}"
mkdir "$odd/tmp"
cp "$odd/program.cu" back.cu
sed -i "s/beside.h/none.h/" back.cu && mv back.cu "$odd"
expect 5 '/back.cu' --lint "$odd/back.cu" --include "$inc" --define VALUE=3 "${run[@]}"
holds "the log names no link" sh -c '! grep kgen_folder stderr'
TMPDIR="$PWD/$odd/tmp" expect 0 '0 findings' --lint "$odd/program.cu" --include "$inc" --define VALUE=3 "${run[@]}"
holds "names execute nothing" unhurt
verdict lint_injection
