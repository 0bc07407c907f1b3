# --hang-states: all orders of barriers and mbarriers are searched for a hang. The run itself ends.
. tests/shell/check.bash
cp "$source_dir/tests/lint/cases/orders.cu" . || exit 1
"$KGEN" --lint orders.cu 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
lint() { expect "$1" "$2" lint orders.cu --kernel "$3" --grid 2 --block 96 --arg buf:256xi32:zero "${@:4}"; }
# pair NAME LINE: threads of the broken kernel wait at the line in some order.
pair() {
  lint 0 '' "$1_broken"
  lint 1 "in that order: threads like those of warp" "$1_broken" --hang-states 100000
  holds "$1: where" grep -q "line $2: then threads like those of warp [0-9] wait forever here" stdout
  lint 0 'no order of the barrier and mbarrier operations hangs: [0-9]+ operations in 1 kinds of blocks, [0-9]+ states' "$1_clean" --hang-states 100000
}
pair overrun 17
pair three_warps 20
pair ring 17
lint 0 'no order .* hangs' copies --hang-states 1000
lint 0 'no order hangs among the first 100 states, which is no proof' ring_clean --hang-states 100
lint 0 'orders are not searched: this depends on data \(line 20' depends_on_data --hang-states 1000
lint 0 'orders are not searched: a test of an mbarrier that fails does more than wait' polls_twice --hang-states 1000
lint 1 'this run ends, but another order of the block.s barrier and mbarrier operations' ring_broken --hang-states 100000 --markdown
lint 2 'hang-states 0: not a number' ring_clean --hang-states 0
verdict orders
