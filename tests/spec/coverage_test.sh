# Elements that accesses leave unwritten or write twice, distinguished from elements that code outside of the spec may write.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"

# covers WANT NAME TILE BLOCK ACCESS...: the errors of that tile, as "KIND ELEMENTS FIRST ACCESS; ...".
covers() {
  local want=$1 name=$2 tile=$3 block=$4; shift 4
  {
    printf 'version: 1\nkernel: none\ndtype: %s\ntile: [%s]\nblock: [%s]\naccess:\n' "${dtype:-f32}" "$tile" "$block"
    printf '  - {%s}\n' "$@"
  } >"$name.yaml"
  exits 0 "$name.yaml" --dry-run --json
  local got
  got=$(python3 -c "
import json
found = json.load(open('stdout'))['specs'][0]['coverage']
print('; '.join('%s %d %s %s' % (e['kind'], e['elements'], ','.join(map(str, e['first'])), e['access']) for e in found))")
  [ "$got" = "$want" ]
  check $? "$name: got '$got', want '$want'"
}

column='name: drain, op: load, for: {k: 4}, at: [tx, ty + 8 * k]'
fill='name: fill, op: store, for: {j: 4}, at: [ty + 8 * j, tx]'
covers '' whole '32, 32' '32, 8' "$fill" "$column"
covers 'unwritten 512 0,16 drain' narrow '32, 32' '16, 8' "$fill" 'name: drain, op: load, for: {k: 8}, at: [tid % 32, tid / 32 + 4 * k]'
covers 'unwritten 512 16,0 drain' half '32, 32' '32, 8' 'name: fill, op: store, for: {j: 2}, at: [ty + 8 * j, tx]' "$column"
covers 'unwritten 32 0,31 drain' edge '32, 32' '32, 8' "$fill, when: tx < 31" "$column"
covers '' other '32, 32' '32, 8' "$fill, when: tx < 31" 'name: last, op: store, at: [tid, 31], when: tid < 32' "$column"
covers 'unwritten 64 1,0 late' two_readers '4, 32' '32' 'name: fill, op: store, for: {j: 2}, at: [2 * j, tx]' \
  'name: early, op: load, at: [0, tx]' 'name: late, op: load, for: {k: 4}, at: [k, tx]'
# Vectors, matrices and copies write all their elements.
covers '' vectors '8, 64' '32' 'name: fill, op: store, vector: 4, for: {j: 4}, at: [2 * j + lane / 16, lane % 16 * 4]' \
  'name: drain, op: load, for: {k: 16}, at: [k / 2, k % 2 * 32 + lane]'
covers 'unwritten 128 0,3 drain' scalars '8, 64' '32' 'name: fill, op: store, vector: 2, for: {j: 4}, at: [2 * j + lane / 16, lane % 16 * 4]' \
  'name: drain, op: load, for: {k: 4}, at: [2 * k + lane / 16, lane % 16 * 4 + 3]'
dtype=f16 covers '' matrices '16, 16' '32' 'name: fill, op: stmatrix, matrices: 4, at: [lane % 16, lane / 16 * 8]' \
  'name: drain, op: ldmatrix, matrices: 4, at: [lane % 16, lane / 16 * 8]'
dtype=f16 covers 'unwritten 128 0,8 drain' two_matrices '16, 16' '32' 'name: fill, op: stmatrix, matrices: 2, at: [lane % 16, 0]' \
  'name: drain, op: ldmatrix, matrices: 4, at: [lane % 16, lane / 16 * 8]'
covers 'unwritten 64 2,0 drain' copies '4, 32' '32' 'name: fill, op: cp_async, for: {j: 2}, at: [j, lane]' \
  'name: drain, op: load, for: {k: 4}, at: [k, lane]'
# Written twice by two accesses: not if a read is listed in between, or may be in a shared loop; not by the same thread; not by atomics.
again='name: again, op: store, at: [tid]' drains='name: drain, op: load, at: [tid]'
covers 'rewritten 31 1 again' two_stores '64' '32' 'name: fill, op: store, at: [tid + 1]' "$again" "$drains"
covers '' two_stores_read '64' '32' 'name: fill, op: store, at: [31 - tid]' "$drains" "$again" 'name: late, op: load, at: [tid]'
covers 'rewritten 32 0 again' two_stores_same '32' '32' 'name: fill, op: store, at: [31 - tid]' "$again" "$drains"
covers 'rewritten 16 0 again' two_stores_half '64' '32' 'name: fill, op: store, at: [31 - tid]' "$drains, when: tid >= 16" "$again" 'name: late, op: load, at: [tid]'
covers '' two_stores_own '64' '32' 'name: fill, op: store, at: [tid]' "$again" "$drains"
covers '' two_stores_loop '64' '32' 'name: fill, op: store, for: {s: 2}, at: [31 - tid]' 'name: again, op: store, for: {s: 2}, at: [tid]' \
  'name: drain, op: load, for: {s: 2}, at: [tid]'
covers '' update '64' '32' 'name: zero, op: store, for: {h: 2}, at: [63 - tid - 32 * h]' 'name: again, op: store, at: [tid]' \
  'name: drain, op: load, for: {h: 2}, at: [tid + 32 * h]'
covers '' store_atomic '64' '32' 'name: fill, op: store, at: [31 - tid]' 'name: count, op: atomic, at: [tid]' "$drains"
covers '' store_box '4, 32' '32' 'name: fill, op: store, at: [0, 31 - tid]' 'name: out, op: tma_store' 'name: again, op: store, at: [0, tid]'
# Boxes: without `at`, writes cover the whole tile, and reads require nothing.
covers '' boxes '4, 32' '32' 'name: fill, op: tma_load' 'name: drain, op: load, for: {k: 4}, at: [k, lane]'
covers 'unwritten 64 2,0 drain' two_boxes '4, 32' '32' 'name: fill, op: tma_load, for: {j: 2}, box: [1, 32], at: [j, 0]' \
  'name: drain, op: load, for: {k: 4}, at: [k, lane]'
covers '' out_of_boxes '4, 32' '32' 'name: fill, op: store, for: {j: 2}, at: [j, lane]' 'name: out, op: tma_store'
covers 'unwritten 32 3,0 out' one_box '4, 32' '32' 'name: fill, op: store, for: {j: 3}, at: [j, lane]' \
  'name: out, op: tma_store, box: [2, 32], for: {b: 2}, at: [2 * b, 0]'
# Parts that the spec does not show: code that fills the tile, further instructions of a listed access, operands of atomics.
covers '' reads_only '4, 32' '32' 'name: drain, op: load, for: {k: 4}, at: [k, lane]'
list=$(seq -s ', ' 0 31)
covers '' listed '4, 32' '32' "name: fill, op: store, lanes: [$list]" 'name: drain, op: load, for: {k: 4}, at: [k, lane]'
covers 'unwritten 32 0,0 one' listed_read '4, 32' '32' 'name: fill, op: store, for: {k: 3}, at: [k + 1, lane]' "name: one, op: load, lanes: [$list]"
covers '' counted '64' '32' 'name: count, op: atomic, at: [lane]' 'name: drain, op: load, at: [lane]'
covers '' set_elsewhere '64' '32' 'name: count, op: atomic, at: [lane]' 'name: drain, op: load, for: {k: 2}, at: [lane + 32 * k]'
covers 'unwritten 16 48 drain' not_set '64' '32' 'name: set, op: store, at: [lane]' 'name: count, op: atomic, at: [lane + 16]' \
  'name: drain, op: load, for: {k: 2}, at: [lane + 32 * k]'
# Written twice in one iteration, by lanes of one warp or by two warps.
covers 'rewritten 16 0 fill' lanes_twice '32' '32' 'name: fill, op: store, at: [lane % 16]' 'name: drain, op: load, at: [lane % 16]'
covers 'rewritten 32 0 fill' warps_twice '32' '64' 'name: fill, op: store, at: [tid % 32]' 'name: drain, op: load, at: [tid % 32]'
covers 'rewritten 1024 0,0 fill' blocks_twice '32, 32' '64, 8' 'name: fill, op: store, for: {j: 4}, at: [ty + 8 * j, tx % 32]' \
  'name: drain, op: load, for: {k: 2}, at: [tx % 32, ty + 8 * (2 * k + tx / 32)]'
# In several iterations: rows that overlap, but not the same thread again, nor a stage that reads what the one before it wrote.
covers 'rewritten 384 4,0 fill' overlap '20, 32' '32, 8' 'name: fill, op: store, for: {j: 4}, at: [ty + 4 * j, tx]' \
  'name: drain, op: load, for: {k: 4}, at: [ty + 4 * k, tx]'
covers '' again '8, 32' '32, 8' 'name: fill, op: store, for: {step: 4}, at: [ty, tx]' 'name: drain, op: load, for: {k: 8}, at: [k, tx]'
covers '' stages '64' '32' 'name: fill, op: store, for: {h: 2}, at: [tid + 32 * h]' \
  'name: left, op: load, for: {s: 6}, at: [2 * tid - tid % (1 << s)]' \
  'name: right, op: load, for: {s: 6}, at: [2 * tid - tid % (1 << s) + (1 << s)]' \
  'name: low, op: store, for: {s: 6}, at: [2 * tid - tid % (1 << s)]' 'name: high, op: store, for: {s: 6}, at: [2 * tid - tid % (1 << s) + (1 << s)]'
covers 'rewritten 42 2 low' unread_stages '64' '32' 'name: fill, op: store, for: {h: 2}, at: [tid + 32 * h]' \
  'name: left, op: load, for: {t: 6}, at: [2 * tid - tid % (1 << t)]' 'name: low, op: store, for: {s: 6}, at: [2 * tid - tid % (1 << s)]'
covers '' reads_after '32' '32' 'name: fill, op: store, for: {s: 2, i: 2}, at: [(lane + s) % 32], when: lane % 2 == i' \
  'name: drain, op: load, for: {s: 2}, at: [lane]'

# The location of the report.
exits 0 narrow.yaml --dry-run
said="512 elements are read but no access writes them; the first is (0, 16), read by 'drain'"
holds "a note" grep -qFx "kgen: narrow: note: $said" stderr
exits 0 narrow.yaml --dry-run -q
holds "none if it is to be quiet" test ! -s stderr
exits 0 narrow.yaml --dry-run --explain -q
holds "in the table" grep -qFx "    note: $said" stdout
exits 0 narrow.yaml -q -o out
holds "in the header" grep -qF " * Note: $said." out/narrow.h
printf 'version: 1\nkernel: none\nblock: [32]\ntiles:\n' >tiles.yaml
for tile in a b; do
  cat >>tiles.yaml <<E2
  $tile:
    dtype: f32
    tile: [2, 32]
    layout: {kind: auto, strict: $([ $tile = b ] && echo true || echo false)}
    access:
      - {name: fill, op: store, for: {j: ${rows:-2}}, at: [j, lane]}
      - {name: drain, op: load, for: {k: 2}, at: [k, lane]}
E2
  rows=1
done
exits 4 tiles.yaml -q -o strict
holds "an error of a strict tile" grep -qFx "kgen: tiles, tile b: strict: 32 elements are read but no access writes them; the first is (1, 0), read by 'drain'" stderr
holds "and not one file" test ! -e strict
sed -i 's/strict: true/strict: false/' tiles.yaml
exits 0 tiles.yaml --dry-run
holds "a note of another" grep -qF 'kgen: tiles, tile b: note: 32 elements' stderr
sed 's/^block.*/&\nlayout: {kind: auto, strict: true}/' lanes_twice.yaml >strict_twice.yaml
exits 4 strict_twice.yaml -q -o strict
holds "what is written twice" grep -qFx "kgen: strict_twice: strict: 16 elements are written by two threads with no read in between; the first is (0), by 'fill'" stderr

# No shipped spec has such an error, and no template with its defaults.
for template in "$source_dir"/templates/*.yaml; do
  name=$(basename "$template" .yaml)
  printf 'version: 1\nkernel: %s\nname: %s_default\n' "$name" "$name" >"default_$name.yaml"
done
exits 0 default_*.yaml "$source_dir"/specs/*.yaml --dry-run --json
holds "no error where there is none" python3 -c "
import json
for spec in json.load(open('stdout'))['specs']:
    for tile in spec.get('tiles', [spec]):
        assert tile['coverage'] == [], (spec['name'], tile.get('name'), tile['coverage'])"
verdict coverage
