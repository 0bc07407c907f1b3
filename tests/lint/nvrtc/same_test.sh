# kgen --same: a swizzle on both sides computes what the plain tile does; one on the read alone has no conflict and no finding,
# and computes something else.
. tests/shell/check.bash
file=$source_dir/tests/lint/cases/same.cu
"$KGEN" --lint "$file" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
launch=(--grid 1 --block 32,32 --arg in=buf:1024xf32 --arg out=buf:1024xf32)
same() { expect "$1" "$2" --same "$file:$3" "$file:$4" "${launch[@]}" "${@:5}"; }

same 0 '^the same$' plain both
holds "what it gains" grep -qE '^of them conflicts +992 +0$' stdout
expect 0 ' 0 of them conflicts; .* 0 findings' --lint "$file" --kernel one "${launch[@]}"
same 1 '^out: 992 of 1024 f32 differ, the first at 1: ' plain one
same 1 '^not the same$' plain rounded
same 0 'within the tolerance, the largest error [1-9]' plain rounded --tolerance 1e-6
same 1 '^out: 1 of 1024 f32 differ|^out: [0-9]+ of 1024 f32 differ' plain rounded --tolerance 1e-9
same 1 '^last: 1 of 4 bytes differ, the first at 0: 0x07, in B 0x08$' counted recounted
same 1 'nothing is shown' idle idle
same 0 'both write what was there before' again again
same 1 'nothing is shown' again half_again
same 1 'nothing is shown' again idle
expect 1 'not the same' --same "$file" "$file:one" --kernel plain "${launch[@]}"
same 2 'has no kernel none' plain none
verdict lint_same
