# kgen --explain and --json of tiles whose plain form cannot run, and of lanes that share a word.
. tests/shell/check.bash

cat >misaligned.yaml <<'YAML'
version: 1
kernel: none
name: misaligned
dtype: f32
tile: [32, 13]
block: [32]
access:
  - {name: read, op: load, vector: 4, at: [tx, 0]}
YAML
expect 0 'aligned\? *no: rows of the plain tile start within vectors' --dry-run --explain misaligned.yaml
expect 0 'fix: *[0-9]* bytes of padding.*: without it vectors are not aligned' --dry-run --explain misaligned.yaml
expect 0 'rows start where vectors or aligned pieces are not aligned' --dry-run --explain misaligned.yaml
expect 0 'read +load +16 +1 +- +[0-9]+ +4' --dry-run --explain misaligned.yaml
expect 0 '"unswizzled": null' --dry-run --json misaligned.yaml
expect 0 '"why": "rule", "rule": "alignment"' --dry-run --json misaligned.yaml

cat >histogram.yaml <<'YAML'
version: 1
kernel: none
name: histogram
dtype: u32
tile: [64]
block: [32]
access:
  - {name: count, op: atomic, at: [tx % 2 * 32]}
YAML
expect 0 'bank 0 serves 32 lanes' --dry-run --explain histogram.yaml
sed -i 's,tx % 2 \* 32,7,' histogram.yaml
expect 0 '"wavefronts": 32, "ideal": 32' --dry-run --json histogram.yaml
expect 0 '"conflict_free": true' --dry-run --json histogram.yaml

# A pad of 16 bytes slows down copies that bypass L1; an XOR does not.
expect 0 "past L1: 128 wavefronts here, ideal 128; a pad of 16 bytes slows it to 336" \
  --dry-run --explain "$source_dir"/specs/copy_async_f16.yaml
expect 0 "past L1: 336 wavefronts here, ideal 128$" --dry-run --layout pad --explain "$source_dir"/specs/copy_async_f16.yaml
expect 0 '"cache": "cg"' --dry-run --json "$source_dir"/specs/copy_async_f16.yaml

# The access that is named is the one furthest above its ideal, not the one of most wavefronts; of a given layout under that layout.
cat >ideal.yaml <<'YAML'
version: 1
kernel: none
dtype: u32
tile: [64, 64]
dims: [bin, part]
block: [32]
layout: {expr: "bin * 64 + part"}
access:
  - {name: count, op: atomic, at: [0, tx / 8]}
  - {name: read, op: load, at: [tx / 16, tx % 16]}
YAML
sed 's/expr: .*"/pad: 0/' ideal.yaml >plain_ideal.yaml
for spec in ideal plain_ideal; do
  expect 0 "^  access 'read', instruction 0, group 0: bank 0 serves 2 words, lanes 0, 16$" --dry-run --explain $spec.yaml
  holds "not one at its ideal" sh -c "! grep -q \"^  access 'count'\" stdout"
  expect 0 "conflict\? *yes, 2 wavefronts for a group of access 'read'" --dry-run --explain $spec.yaml
done
# A row of the drawing is one of the tile, under the names that the spec gives, whatever the layout is.
expect 0 '^bin.part   0   1 ' --dry-run --explain ideal.yaml
expect 0 '^      63|\(64 rows\)' --dry-run --explain ideal.yaml
expect 0 '^ +1 \[ 0\] ' --dry-run --explain ideal.yaml
sed 's/64, 64/2, 8, 32/; s/bin, part/z, y, x/; s/\[0, tx . 8\]/[0, 0, tx \/ 8]/; s/\[tx . 16, /[0, tx \/ 16, /; /^layout/d' ideal.yaml >ranks.yaml
expect 0 '^z,y.x   0   1 ' --dry-run --explain ranks.yaml
expect 0 '^  1,0  ' --dry-run --explain ranks.yaml
sed '/^layout/d; s/64, 64/64, 32/' ideal.yaml >split.yaml
expect 0 'xor part \^ \(\(bin << 4\) & 16\)$' --dry-run split.yaml
# A collision that no layout separates is shown at a bank where lanes collide.
printf 'version: 1\nkernel: none\ndtype: f32\ntile: [2, 1024]\nblock: [16]\naccess:\n  - {name: read, op: load, at: [0, 3 + 32 * tx]}\n' >row.yaml
exits 0 --dry-run --explain --layout pad row.yaml
holds "not at one that serves none" sh -c '! grep -Eq "serves 0 |lanes  |, lanes of" stdout'

# Given layouts, and tiles that TMA cannot hold.
expect 0 'as C: int offset\(int row, int col\) \{ return row \* 32 \+ \(col \+ row\) % 32; \}' \
  --dry-run --explain "$source_dir"/specs/given_rotated_f32.yaml
expect 0 '"kind": "expr"' --dry-run --json "$source_dir"/specs/given_rotated_f32.yaml
expect 0 '"cute": \[3, 3, 3\],' --dry-run --json "$source_dir"/specs/given_cute_f16.yaml
expect 0 '"tma": "128B",' --dry-run --json "$source_dir"/specs/operand_wgmma_k_f16.yaml
sed 's/^layout: .*/layout: {pad: 2}/' "$source_dir"/specs/given_rotated_f32.yaml >padded.yaml
expect 0 'as specified: .*Better: strides 32, 1 with col .* 64 weighted wavefronts for 96' --dry-run --explain padded.yaml
expect 0 '"minimal": false' --dry-run --json padded.yaml
cat >columns.yaml <<'YAML'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
layout: {expr: "c1 * 32 + c0"}
block: [32]
access:
  - {op: load, at: [0, tx]}
YAML
expect 0 'conflict\? *no: the plain tile is conflict-free; the given layout is not, drop it' --dry-run --explain columns.yaml
sed 's/^layout: .*/layout: {cute: [2, 2, 2]}/' "$source_dir"/specs/given_rotated_f32.yaml >inside.yaml
expect 0 'as CuTe: Swizzle<2, 2, 2>' --dry-run --explain inside.yaml
# A negative S XORs a field of bits into one above it, as cute/swizzle.hpp does.
sed 's/^layout: .*/layout: {cute: [2, 1, -6]}/' "$source_dir"/specs/given_rotated_f32.yaml >up.yaml
expect 0 'return \(row \* 32 \+ col\) \^ \(\(\(row \* 32 \+ col\) & 6\) << 6\)' --dry-run --explain up.yaml
expect 0 'as CuTe: Swizzle<2, 1, -6>' --dry-run --explain up.yaml
sed 's/\[2, 64, 64\]/[64, 128]/; s/half, //' "$source_dir"/specs/operand_wgmma_mn_f16.yaml >wide.yaml
expect 3 'split its rows: tile: \[2, 64, 64\]' --dry-run wide.yaml
# Tiles that are plain fit, and so does any of them with its padding, but not all.
printf 'version: 1\nkernel: none\ntiles:\n' >pads.yaml
for t in a b; do echo "  $t: {dtype: f32, tile: [890, 32], layout: pad, access: [{pattern: column}]}" >>pads.yaml; done
expect 3 '^pads.yaml:5:3: error: 235008 bytes of shared memory, more than the 232448' --dry-run pads.yaml
holds "with what helps" grep -q 'hint: .*max_bytes' stderr
sed -i '5s/layout: pad/layout: {kind: pad, max_bytes: 116000}/' pads.yaml
exits 0 --dry-run pads.yaml
# The tensor maps of a family's launch swizzle: a tile that does not was a kernel with wrong results.
expect 3 "gemm_tma_f16.yaml:[0-9]+:9: error: layout 'none' has no swizzle, and TMA swizzles what this kernel copies" --dry-run --layout none "$source_dir"/specs/gemm_tma_f16.yaml
printf 'version: 1\nkernel: gemm_wgmma\ndtype: f16\ntiles: {c: {layout: {swizzle: none}}}\n' >flat.yaml
expect 3 '^flat.yaml:4:21: error: this layout has no swizzle' --dry-run flat.yaml
sed -i 's/swizzle: none/swizzle: tma128/' flat.yaml
exits 0 --dry-run flat.yaml
# A requested layout that is inadmissible is the error, with its reason.
printf 'version: 1\nkernel: none\ndtype: f16\ntile: [128, 64]\nlayout: none\naccess: [{op: wgmma_a}]\n' >plain.yaml
expect 3 "^plain.yaml:6:10: error: layout 'none' has no swizzle: wgmma reads rows of 16 bytes, not of 128$" --dry-run plain.yaml
holds "with what does" grep -q "hint: the mode 'tma128' does: layout: tma" stderr
sed -i 's/^layout: none/layout: {align: 128}/' plain.yaml
expect 3 "the mode 'tma128' of TMA moves pieces of 16 bytes, and align keeps 128 together" --dry-run plain.yaml
holds "what align is" grep -q 'hint: align is of pieces within the tile' stderr
sed 's/^tile: .*/tile: [8, 24]/; s/128}/32}/; s/wgmma_a/tma_load/' plain.yaml >rows.yaml
expect 3 "rows of 48 bytes are no multiple of align's 32, and TMA does not pad them" --dry-run rows.yaml
sed 's/^tile: .*/tile: [32, 64]/; s/^layout: .*/layout: {swizzle: tma64}/' "$source_dir"/specs/given_rotated_f32.yaml >swizzle.yaml
expect 3 'rows of 256 bytes are wider than the 64 of tma64' --dry-run swizzle.yaml
holds "a tile that this mode holds" grep -q 'hint: split its rows: tile: \[4, 32, 16\]' stderr
# Rows that 128 bytes do not divide are split to a narrower mode's.
printf 'version: 1\nkernel: none\ndtype: f32\ntile: [64, 48]\naccess: [{op: wgmma_b}]\n' >odd.yaml
expect 3 'split its rows: tile: \[3, 64, 16\]' --dry-run odd.yaml
# Rows that are shorter than the mode TMA parts by its bytes: packed ones are no box of it.
sed 's/^tile: .*/tile: [32, 16]/; s/tx\]/tx % 16]/; s/ty + 8\*j\]/ty]/; s/^layout: .*/layout: {swizzle: tma128}/' \
  "$source_dir"/specs/given_rotated_f32.yaml >packed.yaml
expect 0 '"tma": null' --dry-run --json packed.yaml
expect 0 'as CuTe: Swizzle<3, 2, 3>' --dry-run --explain packed.yaml
sed 's/^block/layout: {pad: 8}\nblock/' "$source_dir"/specs/operand_wgmma_k_f16.yaml >given.yaml
expect 3 'TMA and wgmma need one of their modes' --dry-run given.yaml
holds "with the one that does" grep -q "hint: the mode 'tma128' does: layout: tma" stderr
# Boxes that begin within the 8 rows of a swizzle.
cat >cut.yaml <<'YAML'
version: 1
kernel: none
dtype: f16
tile: [64, 64]
block: [128]
arch: sm_90a
access: [{name: fill, op: tma_load, box: [8, 64], for: {s: 7}, at: [s*8 + 1, 0]}]
YAML
expect 0 '"tma": "none"' --dry-run --json cut.yaml
sed 's/^block/layout: {swizzle: tma128}\nblock/' cut.yaml >cut128.yaml
expect 3 'none that they have for this tile' --dry-run cut128.yaml
sed 's/s\*8 + 1/s*8 + 8/' cut128.yaml >whole.yaml
expect 0 '"tma": "128B"' --dry-run --json whole.yaml
cat >family.yaml <<'YAML'
version: 1
kernel: transpose
dtype: f32
tile: [32, 32]
layout: {expr: "c0 * 32 + (c0 + c1) % 32"}
params: {vector: 1}
YAML
expect 3 "a kernel's layout is made of strides" --dry-run family.yaml
# A tile that only boxes access has no lanes to show.
expect 0 'boxes .*of TMA and wgmma never conflict' --dry-run --explain "$source_dir"/specs/operand_wgmma_k_f16.yaml
expect 0 '' --dry-run --svg boxes.svg "$source_dir"/specs/operand_wgmma_k_f16.yaml
# Lists of thousands are cut in JSON, and said to be; --json=full has all.
cat >lists.yaml <<'YAML'
version: 1
kernel: none
dtype: f32
tile: [4, 24, 24]
block: [8, 8]
layout: pad
access:
  - {name: a, for: {k: 4}, op: load, at: [k, ty, tx]}
  - {name: b, for: {k: 3}, op: load, at: [tx / 2, ty + 8 * k, tx]}
  - {name: c, for: {k: 3}, op: load, at: [ty / 2, tx, ty + 8 * k]}
YAML
entries='import json, sys
c = json.load(sys.stdin)["specs"][0]["certificate"]
print(len(c["witnesses"]), c.get("witnesses_left_out", 0))'
exits 0 --dry-run -q --json=full lists.yaml
read -r all none < <(python3 -c "$entries" <stdout)
check $((none != 0 || all <= 256)) "all entries: $all, and $none left out"
exits 0 --dry-run -q --json lists.yaml
read -r some left < <(python3 -c "$entries" <stdout)
check $((some != 256 || some + left != all)) "$some entries and $left left out, of $all"
verdict explain_test
