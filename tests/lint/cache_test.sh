# nvcc's PTX is cached. nvcc's arguments, the files that it lists, and their contents decide if an entry is used. nvcc is a script
# here.
. tests/shell/check.bash
export KGEN_CACHE_DIR="$tmp/cache" CUDA_HOME="$tmp/toolkit" CALLS="$tmp/calls"
export PTX=$source_dir/tests/lint/cases/transpose.ptx PROGRAM="$tmp/a program" DEPENDS="$tmp/depends"
mkdir -p toolkit/bin "$PROGRAM"
cat >toolkit/bin/nvcc <<'E2'
#!/bin/sh
echo "$1" >>"$CALLS"
mode=$1
for word; do [ "$before" = -o ] && out=$word; before=$word; done
[ "$mode" = -M ] && exec cp "$DEPENDS" "$out"
exec cp "$PTX" "$out"
E2
chmod +x toolkit/bin/nvcc
printf '#include <vector>\n#include "with blank.h"\n' >"$PROGRAM/p.cu"
echo '#define N 1' >"$PROGRAM/with blank.h"
printf 'p.o : kgen_nvcc_source.cu \\\n    %s/p.cu \\\n    %s/with\\ blank.h\n' "${PROGRAM// /\\ }" "${PROGRAM// /\\ }" >depends

lint() { expect 0 '3968 of them conflicts' --lint "$PROGRAM/p.cu" --kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64 "$@"; }
# calls WHAT MODE...: how nvcc was called since the last time.
calls() { holds "$1: $(tr '\n' ' ' <calls)" test "$(tr '\n' ' ' <calls)" = "${*:2} "; : >calls; }

lint; calls "compiled" -M -ptx
lint -v; calls "kept" -M
holds "and told" grep -q "nvcc's PTX was in the cache" stderr
lint --no-cache; calls "compiled, as asked" -ptx
lint --define X=1; calls "another macro" -M -ptx
lint --std c++20; calls "another standard" -M -ptx
lint --include "$PROGRAM"; calls "another folder" -M -ptx
lint --flag fmad=false; calls "another flag" -M -ptx
echo '#define N 2' >"$PROGRAM/with blank.h"
lint; calls "another header" -M -ptx
echo '#define N 1' >"$PROGRAM/with blank.h"
lint; calls "the first one again" -M
echo '// more' >>"$PROGRAM/p.cu"
lint; calls "another program" -M -ptx
rm "$PROGRAM/with blank.h"
lint; calls "a header that is gone" -M -ptx
lint; calls "is never kept" -M -ptx
echo '#define N 1' >"$PROGRAM/with blank.h"
echo '# a newer one' >>toolkit/bin/nvcc
lint; calls "another nvcc" -M -ptx
verdict lint_cache
