# A few random specs of all families on the emulator; scripts/random_specs writes as many as one likes.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
holds "specs are written" "$source_dir/scripts/random_specs" 1 12 specs
check $(($(ls specs | wc -l) != 12)) "$(ls specs)"
"$source_dir/scripts/random_specs" 1 12 again
holds "a seed's specs are the same again" diff -r specs again
"$source_dir/scripts/random_specs" 1 1 none --only nothing >stdout 2>stderr
check $(($? == 0)) "a family that there is not"
"$KGEN" specs --jit --run --device emulator --no-wisdom -o out >stdout 2>stderr; code=$?
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
check $code "exit $code: $(cat stderr)"
verdict judge_random
