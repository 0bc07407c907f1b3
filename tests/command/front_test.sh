# kgen --front: what it lists is true, and each single change to an access that it names, written as a spec, costs what it says.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"

# says EXPRESSION...: Python of the first tile `d`, its points `p` and its changes `w`.
says() {
  holds "$*" python3 -c "
import json, sys
d = json.load(open('stdout'))['front'][0]; p = d['points']; w = d['what_if']
for e in sys.argv[1:]: assert eval(e), (e, d)" "$@"
}

# made SPEC EXPRESSION: what the spec costs: Python of its plan `s`, to equal the change that was named.
cost() { "$KGEN" --dry-run --json "$1" | python3 -c "
import json, sys
s = json.load(sys.stdin)['specs'][0]
print(sum(a['wavefronts'] for a in s['accesses']), s['layout']['bytes'])"; }
named() { python3 -c "
import json
w = [c for c in json.load(open('stdout'))['front'][0]['what_if'] if c['kind'] == '$1'][0]
print(w['wavefronts'], w['bytes'])"; }
same() { # same KIND SPEC: the best change of that kind, and the spec that makes it
  [ "$(named "$1")" = "$(cost "$2")" ]
  check $? "$1: named $(named "$1"), but it is $(cost "$2")"
}

# --- a given expression is shown as it is given ---
cat >given.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
layout: {expr: "c0 * 33 + c1"}
access:
  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8 * j]}
E2
expect 0 'chosen +4220 .* c0 \* 33 \+ c1$' --front given.yaml
expect 0 '^given,4220,.*,c0 \* 33 \+ c1,(yes|no),yes$' --front given.yaml --csv
expect 0 '' --front given.yaml --json
says '[(q["offset"], q["expr"], q["strides"], q["swizzle"]) for q in p if q["chosen"]] == [("c0 * 33 + c1",) * 2 + (None, [])]'

# --- of 228 KiB an SM holds three blocks of 64 KiB and what each block takes besides: the tile counts once ---
cat >large.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [128, 128]
block: [128, 2]
arch: sm_90
layout: {expr: "c0 * 128 + c1"}
access:
  - {name: fill, op: store, for: {j: 2}, at: [ty + 2 * j, tx]}
E2
expect 0 '' --front large.yaml --json
says '[(q["bytes"], q["blocks_per_sm"]) for q in p if q["chosen"]] == [(65536, 3)]'

# --- a trade: rows of 24 bytes ---
cat >u8.yaml <<'E2'
version: 1
kernel: none
dtype: u8
tile: [64, 24]
block: [24, 8]
access:
  - {name: fill, op: store, for: {j: 8}, at: [ty + 8 * j, tx]}
  - {name: drain, op: load, for: {j: 8}, at: [tid % 64, tid / 64 + 3 * j]}
E2
expect 0 '^\* chosen +[0-9]+ +[0-9]+' --front u8.yaml
expect 0 '' --front u8.yaml --json
says 'd["name"] == "u8" and d["tile"] is None and d["exact"]' \
  '[x["bytes"] for x in p] == sorted(x["bytes"] for x in p) and sum(x["chosen"] for x in p) == 1' \
  'all(any(y["bytes"] <= x["bytes"] and y["total_thousandths"] <= x["total_thousandths"] and y["best"] for y in p) for x in p)' \
  'not any(x["best"] and y["bytes"] <= x["bytes"] and y["total_thousandths"] < x["total_thousandths"] for x in p for y in p)' \
  'all(x["blocks_per_sm"] >= y["blocks_per_sm"] for x, y in zip(p, p[1:]))'
"$KGEN" --dry-run --json u8.yaml >plan.json
holds "the choice is the plan's" python3 -c "
import json
c = [x for x in json.load(open('stdout'))['front'][0]['points'] if x['chosen']][0]; s = json.load(open('plan.json'))['specs'][0]
assert (c['bytes'], c['wavefronts'], c['strides'], c['swizzle']) == (s['layout']['bytes'], sum(a['wavefronts'] for a in s['accesses']), s['layout']['strides'], s['layout']['swizzle'])"
expect 0 '^name,bytes,wavefronts,weighted,blocks_per_sm,layouts,offset,best,chosen$' --front u8.yaml --csv
holds "a line a point" python3 -c "import csv; r=list(csv.DictReader(open('stdout'))); assert len(r) > 20 and sum(x['chosen'] == 'yes' for x in r) == 1"
expect 0 '^\| \\\* chosen \| ' --front u8.yaml --markdown

# --- lanes in another order: a matrix operand with padded rows, as in docs/explanation/layouts-and-banks.md ---
spec() { cat <<E2
version: 1
kernel: none
dtype: $1
tile: $2
block: [32]
layout: $3
access:
  - $4
${5:+  - $5}
E2
}
fragment='{name: fragment, op: ldmatrix, for: {m: 8, k: 2}, at: [16 * m + lane % 16, 16 * k + lane / 16 * 8]}'
spec f16 '[128, 32]' pad '{name: fill, op: store, vector: 8, for: {j: 16}, at: [lane / 4 + 8 * j, lane % 4 * 8]}' "$fragment" >order.yaml
expect 0 '^fill +lane % 4 \+ lane / 4 % 2 \* 16 \+ lane / 8 \* 4 in the place of lane +128, ideal +10240 ' --front order.yaml
"$KGEN" --front order.yaml --json >stdout
says 'w[0]["kind"] == "lanes" and w[0]["reaches_ideal"] and d["changes_tried"] <= d["changes"]'
lane='(lane % 4 + lane / 4 % 2 * 16 + lane / 8 * 4)'
spec f16 '[128, 32]' pad "{name: fill, op: store, vector: 8, for: {j: 16}, at: [$lane / 4 + 8 * j, $lane % 4 * 8]}" "$fragment" >ordered.yaml
same lanes ordered.yaml

# --- a vector split: pairs need even rows, single words do not ---
spec f32 '[32, 33]' auto '{name: down, op: load, vector: 2, for: {j: 16}, at: [lane, 2 * j]}' >pair.yaml
"$KGEN" --front pair.yaml --json >stdout
says 'w[0]["change"] == "8-byte lanes split into 2 of 4 bytes" and w[0]["reaches_ideal"] and w[0]["bytes"] == 4224'
spec f32 '[32, 33]' auto '{name: down, op: load, for: {j: 16, p: 2}, at: [lane, 2 * j + p]}' >words.yaml
same split words.yaml

# --- lanes exchanged with iterations: an unpadded column becomes one of vectors ---
spec f32 '[32, 32]' none '{name: column, op: load, for: {j: 32}, at: [lane, j]}' >turns.yaml
expect 0 'lanes 1 apart and instructions 1 apart change places +512 ' --front turns.yaml
"$KGEN" --front turns.yaml --json >stdout
spec f32 '[32, 32]' none '{name: column, op: load, for: {j: 32}, at: [lane / 2 * 2 + j % 2, j / 2 * 2 + lane % 2]}' >turned.yaml
same turns turned.yaml

# --- what needs no change, and what cannot be ---
spec f32 '[32, 32]' auto '{name: row, op: load, for: {j: 32}, at: [j, lane]}' >free.yaml
"$KGEN" --front free.yaml --json >stdout
says 'w == [] and d["changes"] == 0'
expect 3 'unknown dtype' --front <(sed 's/f32/f33/' free.yaml)
expect 2 'does not go with --jit' --front free.yaml --jit
expect 0 '' --front free.yaml -q
holds "quiet" test ! -s stdout

verdict front
