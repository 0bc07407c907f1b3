# A spec that cannot be run fails alone: the others of the call run, and so does what follows it.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
printf 'version: 1\nkernel: gemm_wgmma\nparams: {size: 11}\n' >odd.yaml
expect 3 '^odd.yaml:3:1[0-9]: error: the rows of A, B and C must be multiples of 16 bytes, which TMA needs' --dry-run odd.yaml
cp -r "$KGEN_TEMPLATES" broken
sed -i '/timed_n % 8 == 0",$/,+1d' broken/gemm_wgmma.yaml # the requirement that rejects the spec above
run() { exits "$1" --run --device emulator --json --templates broken "${@:2}"; }
run 3 odd.yaml -o alone
holds "nothing is written if no spec can be run" test ! -e alone
run 3 odd.yaml "$source_dir/specs/transpose_f32.yaml" -o both
holds "the reason" grep -q 'TMA does not take this tensor map' stderr
holds "which spec" grep -q '^kgen: odd cannot be run: it is only compiled$' stderr
holds "the other one ran" python3 -c "
import json; s = json.load(open('stdout'))['specs']
assert s[0]['run'] is None and s[0]['jit']['registers'] > 0, s[0]
assert s[1]['run']['correct'], s[1]"
verdict unfit
