# Costs and errors other than bank conflicts: atomics on one word, sources of copies, bases of swizzled tiles.
. tests/shell/check.bash
cases=$source_dir/tests/lint/cases
"$KGEN" --lint "$cases/contention.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
json() { holds "$1" python3 -c "import json,sys; d=json.load(open('stdout'))['lint']; assert $1, d"; }
has() { holds "$1" sh -c "tr -s ' \n' ' ' <stdout | grep -qE -- '$1'"; }
lacks() { holds "not $1" sh -c "! tr -s ' \n' ' ' <stdout | grep -qE -- '$1'"; }

# --- atomics ---
hot=(--lint "$cases/contention.cu" --grid 1 --block 128 --arg buf:128xi32:zero --arg buf:1024)
expect 0 . "${hot[@]}" --kernel histogram
has '128 wavefronts, ideal 128 same word: 124 of these wavefronts, since up to 32 lanes update one word'
expect 0 . "${hot[@]}" --kernel histogram --json
json '[(a["minimum"], a["same_word"], a["same_word_lanes"]) for a in d["accesses"] if a["op"] == "atomic"] == [(4, 124, 32)]'
expect 0 '\| same word: 124 of these' "${hot[@]}" --kernel histogram --markdown
expect 0 . "${hot[@]}" --kernel histogram --sarif hot.sarif
holds "in SARIF" grep -q '"ruleId": "contention"' hot.sarif
expect 0 . "${hot[@]}" --kernel histogram --html hot.html
holds "on the page" grep -q 'same word: 124 of these' hot.html
expect 0 . "${hot[@]}" --kernel spread
lacks 'same word'
expect 0 . "${hot[@]}" --kernel spread --sarif spread.sarif
holds "nothing in SARIF" sh -c '! grep -q "\"ruleId\": \"contention\"" spread.sarif'
expect 1 . --lint "$cases/contention.cu" --kernel taken --grid 1 --block 64 --arg buf:256:zero
has 'compete for one word, as for a lock'
lacks 'private copies'

# --- words of device memory ---
words=(--lint "$cases/contention.cu" --kernel total --grid 4 --block 128 --arg buf:128xi32:zero --arg out=buf:1024xi32:zero)
expect 0 . "${words[@]}"
has 'contended words 19 .* 512 of 1024 atomic updates of device memory go to one word, byte 12 of out: sum within'
expect 0 . "${words[@]}" --json
json '[(w["line"], w["buffer"], w["offset"], w["updates"], w["lock"]) for w in d["contended"]] == [(19, "out", 12, 512, False)]'
expect 0 '\| 512 of 1024 atomic updates' "${words[@]}" --markdown
expect 0 . "${hot[@]}" --kernel histogram --json
json 'd["contended"] == []'

# --- sources of copies ---
copy() { expect 0 . --lint "$cases/copy_source.cu" --kernel "$1" --grid 1 --block 128 --arg buf:131072 --arg buf:4096 "${@:2}"; }
copy ca
has 'source: at least 16 wavefronts for the bytes, 128 each; the source costs 112 more; the costliest takes 32, with cp.async.cg 8, with lanes in the order of the source.s addresses 8'
copy ca --json
json '[(a["minimum"], a["worst_with_cg"], a["worst_in_source_order"]) for a in d["accesses"] if a["op"] == "cp_async"] == [(16, 8, 8)]'
copy ca --sarif copy.sarif
holds "in SARIF" grep -q '"ruleId": "copy-source"' copy.sarif
copy cg
has 'the source costs 16 more; copy rows of 128 consecutive bytes'
sed 's/r \* 4096 + p/(r * 4 + p)/; s/\* 16;$/* 16;/; s/(r \* 4 + p) \* 16/(r * 4 + p) * 16/' "$cases/copy_source.cu" >rows.cu
expect 0 . --lint rows.cu --kernel cg --grid 1 --block 128 --arg buf:131072 --arg buf:4096
lacks 'source: at least'

# --- bases of swizzled tiles ---
box() { expect 0 "$2" --lint "$cases/swizzle_base.cu" --kernel copy --define "PAD=$1" --arch sm_90a --grid 1 --block 64 --smem 10240 \
  --arg "tmap:f16:dims=64x64:box=64x64:swizzle=${3-128}" --arg buf:8192 --arg buf:8192; }
box 128 '0 findings, 1 note$'
has 'a box with the 128-byte swizzle begins at shared 0x[0-9a-f]*, 128 bytes past a multiple of 1024: .* align the tile to 1024 bytes'
box 1024 '0 findings$'
box 512 '1 note$'
box 512 '0 findings$' 0
wgmma() { expect 0 "$2" --lint "$cases/swizzle_base.cu" --kernel product --define "ROW=$1" --arch sm_90a --grid 1 --block 128 --arg buf:12288 --arg buf:2048; }
wgmma 0 '0 findings$'
wgmma 8 '0 findings$'
wgmma 1 '0 findings, 1 note$'
has 'the descriptor of A begins at shared 0x80, row 1 of the 8 rows of the 128-byte swizzle, with base offset 0: align the tile to 1024 bytes'
verdict beyond
