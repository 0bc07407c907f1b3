# Missing proxy fences: three classes, each with its kind; --ignore leaves a kind out, and --strict makes notes findings.
. tests/shell/check.bash
cases=$source_dir/tests/emu/cases/pairs.cu
lint() { expect "$1" "$2" --lint "$cases" --kernel "$3" --grid 1 --block 64 --arch sm_90a --arg buf:16384 --arg buf:16384:zero "${@:4}"; }
"$KGEN" --lint "$cases" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

lint 1 '1 finding$' store_then_bulk_store_broken
holds "its kind" grep -q '^         proxy: a bulk copy reads shared byte 0x0' stdout
lint 0 '0 findings$' store_then_bulk_store_broken --ignore proxy
lint 1 '1 finding$' store_then_bulk_store_broken --ignore proxy-write --ignore proxy-init
lint 0 '0 findings$' store_then_bulk_store_clean --strict

lint 0 '0 findings, 1 note$' load_then_bulk_load_broken
holds "its kind" grep -q '^         proxy-write: the async proxy writes shared byte' stdout
lint 1 '1 finding$' load_then_bulk_load_broken --strict
lint 0 '0 findings$' load_then_bulk_load_broken --strict --ignore proxy-write
lint 0 '0 findings$' load_then_bulk_load_clean --strict

lint 0 '0 findings, 1 note$' init_seen_by_copies_broken
holds "its kind" grep -q '^         proxy-init: the async proxy signals the mbarrier' stdout
lint 1 '1 finding$' init_seen_by_copies_broken --strict
lint 0 '0 findings$' init_seen_by_copies_broken --strict --ignore proxy-init
lint 0 '0 findings$' init_seen_by_copies_clean --strict

expect 2 'proxy-read' --lint "$cases" --kernel store_then_bulk_store_clean --ignore proxy-read
verdict proxies
