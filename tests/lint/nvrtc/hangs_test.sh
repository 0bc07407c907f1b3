# Launches that cannot end: the report names what each barrier and mbarrier lacks, which threads wait, and where the missing ones
# are. Each kernel of cases/hangs.cu has a correct twin.
. tests/shell/check.bash
cases=$source_dir/tests/lint/cases/hangs.cu
"$KGEN" --lint "$cases" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
at() { grep -n -- "// $1\$" "$cases" | cut -d: -f1; }
lint() { expect "$1" . --lint "$cases" --kernel "$2" --arch sm_90a --grid "$3" --block "$4" "${@:5}" --arg buf:1024:zero; }
# has LINE PATTERN: the text of a finding or of one of its further places, wrapped lines joined.
has() { holds "$1" sh -c "tr -s ' \n' ' ' <stdout | grep -qE -- '$1'"; }
first=$(at 'CROSSED first') second=$(at 'CROSSED second')

lint 1 'crossed<1>' 1 64
has "barrier: deadlock: 32 of 64 threads have arrived at barrier 1; thread \(32, 0, 0\) never arrives"
has "line $first: warp 0 waits here at barrier 1"
has "line $second: warp 1, missing, waits here at barrier 2"
has "cycle of waiting: warp 0 waits at barrier 1 \(line $first\) for warp 1 that waits at barrier 2 \(line $second\) for warp 0"
lint 1 'crossed<1>' 1 64 --json
holds "in JSON" python3 -c "
import json
f = json.load(open('stdout'))['lint']['findings']
assert [(x['line'], x['where'][1]) for x in f][0] == ($first, {'line': $second, 'text': 'warp 1, missing, waits here at barrier 2'}), f"
lint 0 'crossed<0>' 1 64

producer=$(at 'RING producer') consumer=$(at 'RING consumer')
lint 1 'ring<1>' 1 64
has "phase 1 of the mbarrier at shared 0x[08] \(initialized at line 3, called at line [0-9]*\) never completes: 32 of 32 arrivals are missing"
has "warp 1, which arrived in the preceding phase, waits here for phase 2 of the mbarrier at shared 0x[08] \(called at line $consumer\)"
has "cycle of waiting: warp 0 waits for phase 1 .* for warp 1 that waits for phase 2 .* for warp 0"
has "2 findings *$"
lint 0 'ring<0>' 1 64

lint 1 'arrivals<1>' 1 64
has "phase 0 of the mbarrier .* never completes: 1 of 2 arrivals are missing"
has "arrived in this phase: warp 0"
has "line $(at 'ARRIVALS missing'): warp 1, which did not arrive, waits here at barrier 0"
lint 0 'arrivals<0>' 1 64

lint 1 'bytes<1>' 1 64 --arg buf:1024
has "0 of 1 arrivals are missing, 256 of 512 expected bytes have arrived"
has "the bytes are expected here: no copy that is in flight brings them \(called at line $(at 'BYTES expect')\)"
lint 0 'bytes<0>' 1 64 --arg buf:1024

lint 1 'clustered<1>' 2 64
has "deadlock: 96 of the cluster.s 128 threads have arrived in phase 0 of its barrier"
has "warp 0 of block \(1, 0, 0\), missing, waits here at barrier 3"
has "warps 0-1 of block \(0, 0, 0\) wait here at the cluster.s barrier"
lint 0 'clustered<0>' 2 64

lint 1 'exited<1>' 1 96
has "64 of 96 threads have arrived at barrier 1; thread \(64, 0, 0\) has exited"
has "line [0-9]*: warp 2 exited here"
lint 0 'exited<0>' 1 96

lint 1 'flag<1>' 1 64 --max-steps 20000
has "max-steps: warp 0 is spinning: no warp changed memory"
has "line $(at 'FLAG others'): warp 1 waits here at barrier 0"
lint 0 'flag<0>' 1 64

# --- a barrier that two lines share is named where it does harm ---
two=$source_dir/tests/lint/cases/barriers.cu
expect 1 . --lint "$two" --kernel combine --grid 1 --block 32,8 --arg buf:2048 --arg buf:1024
has "race: reads shared byte .* line 11: some warps reached a barrier here while others reached it at line 15: see the note"
verdict hangs
