# The output of --init compiles and runs unchanged: for a few kernel templates, and for all with a small default tile, on the
# emulator.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
for kernel in banks member reduce transpose; do "$KGEN" --init $kernel >$kernel.yaml; done
expect 0 . --jit --run --device emulator --dry-run --json banks.yaml member.yaml reduce.yaml transpose.yaml
holds "all are correct" python3 -c '
import json
s = json.load(open("stdout"))["specs"]
assert len(s) == 4 and all(x["run"]["correct"] for x in s), s'
verdict init_run
