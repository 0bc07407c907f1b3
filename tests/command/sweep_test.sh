# kgen --sweep and --pads without running anything: candidates, verdicts, mistakes.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"

# reads PYTHON: is true of d, the JSON on stdout, or of rows, the CSV there.
reads() {
  python3 -c "
import csv, io, json, sys
text = open('stdout').read()
d = json.loads(text) if text[0] == '{' else None
rows = [] if d else list(csv.DictReader(io.StringIO(text)))
assert $1" 2>python
  check $? "not so: $1
$(tail -1 python)"
}

# says TEXT: stderr holds it.
says() { grep -qF -- "$1" stderr; check $? "want '$1', got:
$(head -3 stderr)"; }

cat >column.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32]
params: {step: 1}
access:
  - {name: row, op: store, at: [0, tx]}
  - {name: column, op: load, at: [tx, 31 / step]}
E2
sed 's/name: column, op: load/name: column, op: load, vector: 2/; s/31/30/' column.yaml >pairs.yaml
printf 'version: 1\nkernel: none\ndtype: f32\ntile: [256]\nblock: [32]\naccess:\n  - {name: far, op: load, at: [8 * tx]}\n' >line.yaml
cat >tiles.yaml <<'E2'
version: 1
kernel: none
block: [32]
tiles:
  a: {dtype: f32, tile: [32, 32], access: [{name: row, op: store, at: [0, tx]}, {name: column, op: load, at: [tx, 0]}]}
  b: {dtype: f32, tile: [32, 32], access: [{name: column, op: load, at: [tx, 0]}]}
E2

# --- candidates ---
exits 0 --sweep pad=0..8 --json column.yaml
reads '[c["accesses"][1]["wavefronts"] for c in d["sweep"]] == [32, 1, 2, 1, 4, 1, 2, 1, 8, 1]'
reads '[c["accesses"][0]["wavefronts"] for c in d["sweep"]] == [1] * 10'
reads '[c["set"] for c in d["sweep"]] == [{"pad": p} for p in range(9)] + [{}]'
reads '[c["layout"]["strides"][0] for c in d["sweep"]] == list(range(32, 41)) + [32]'
reads '[c["chosen"] for c in d["sweep"]] == [False] * 9 + [True]'
reads 'not any(c["minimal"] for c in d["sweep"][:9]) and d["sweep"][9]["minimal"]'
sed 's/^access:/layout: pad\naccess:/' column.yaml >padded.yaml
exits 0 --sweep pad=0,1,4 --csv padded.yaml
reads '[(r["pad"], r["chosen"], r["wavefronts"]) for r in rows] == [("0", "no", "33"), ("1", "yes", "2"), ("4", "no", "5")]'
exits 0 --sweep pad=0..2,8 --csv pairs.yaml
reads '[r["pad"] for r in rows] == ["0", "1", "2", "8", ""]'
reads 'rows[1]["reason"] == "a pad of 1 splits or misaligns what a lane accesses" and rows[1]["wavefronts"] == ""'
reads '[r["wavefronts"] for r in rows[2:]] == ["3", "9", "3"]'
sed 's/^access:/layout: {max_bytes: 4224}\naccess:/' column.yaml >tight.yaml
exits 0 --sweep pad=1,2 --csv tight.yaml
reads 'rows[0]["reason"] == "" and rows[1]["reason"] == "a pad of 2 takes 4352 bytes, more than 4224"'
# TMA has no pads: such a candidate was listed with the tile's own layout.
exits 0 --sweep pad=0,4 --csv "$source_dir/specs/epilogue_tma_f32.yaml"
reads '[(r["pad"], r["bytes"], r["reason"][:30]) for r in rows] == [("0", "8192", ""), ("4", "", "TMA and wgmma need one of thei"), ("", "8192", "")]'
exits 0 --sweep step=1,2 --sweep pad=0,1 --json column.yaml
reads '[c["set"] for c in d["sweep"]] == [{"step": s, **p} for s in (1, 2) for p in ({"pad": 0}, {"pad": 1}, {})]'
exits 0 --sweep step=0,1 --csv column.yaml
reads '"divi" in rows[0]["reason"] and rows[1]["reason"] == "" and rows[1]["chosen"] == "yes"'
exits 0 --sweep pad=0,1 --csv line.yaml
reads '[r["wavefronts"] for r in rows] == ["8", "1", "1"]'
exits 0 --sweep pad=0,1 --sweep b.pad=0 --json tiles.yaml
reads '[[t["layout"]["strides"][0] for t in c["tiles"]] for c in d["sweep"][:2]] == [[32, 32], [33, 32]]'
exits 0 --sweep b.pad=0 --sweep pad=1 --json tiles.yaml
reads '[t["layout"]["strides"][0] for t in d["sweep"][0]["tiles"]] == [33, 32]'
exits 0 --sweep pad=0..8 column.yaml -o none
holds "the table" grep -q '^ *8 .*c0 \* 40 + c1$' stdout
holds "a sweep writes nothing" test ! -e none
sed 's/layout: pad/layout: {kind: none, strict: true}/' padded.yaml >strict.yaml
exits 0 --sweep pad=0 --csv strict.yaml

# --- errors ---
wrong() { exits 2 column.yaml --sweep "$1"; says "$2"; }
wrong pad 'not NAME=VALUES'
wrong pad= 'not NAME=VALUES'
wrong =1 'not NAME=VALUES'
wrong pad=1,,2 'not NAME=VALUES'
wrong pad=1.5 'not NAME=VALUES'
wrong pad=99999999999999999999 'not NAME=VALUES'
wrong pad=3..1 'a range goes upwards'
wrong pad=-1 'a pad is from 0 to 1024'
wrong pad=0..1025 'a pad is from 0 to 1024'
"$KGEN" --sweep pad=1024 --csv column.yaml >stdout 2>stderr; holds "the largest pad" sh -c '! grep -q "from 0 to 1024" stderr'
wrong step=0..256 'more than 256 values'
wrong stpe=1 'did you mean step?'
wrong a.pad=1 'has no such pad, param'
exits 2 column.yaml --sweep pad=0..15 --sweep step=1..17; says 'more than 256 combinations'
exits 2 column.yaml --sweep pad=0 --sweep pad=1; says 'given twice'
exits 2 column.yaml --sweep pad=0 --layout none; says 'a pad is a layout'
exits 2 column.yaml --sweep pad=0 --explain; says '--sweep does not go with --explain'
exits 2 column.yaml --sweep; says 'needs a value'
sed 's/f32/f33/' column.yaml >bad.yaml
exits 3 bad.yaml --sweep pad=0; says "did you mean"
exits 2 --pads column.yaml; says '--pads takes no SPEC'

# --- the table: what docs/howto/choose-a-pad.md shows, and copies only where something copies ---
exits 0 --sweep pad=0..8 "$source_dir/specs/transpose_f32.yaml"
page=$(sed -n '/^\$ kgen sweep .* pad=0..8$/,/^```/p' "$source_dir/docs/howto/choose-a-pad.md" | sed '1d;$d')
check "$(diff <(echo "$page") stdout >differ; echo $?)" "docs/howto/choose-a-pad.md shows another table: $(head -4 differ)"
expect 0 ' copies ' --sweep pad=0 "$source_dir/specs/gemm_f16.yaml"

# --- pads ---
exits 0 --pads --json
reads '{m["element"]: m["pad"] for m in d["pads"]["minimal"] if m["width"] == 128} == {"1 byte": 4, "2 bytes": 2, "4 bytes": 1, "8 bytes": 1, "3 floats": 1, "16 bytes": 1}'
reads '[k["claim"] for k in d["pads"]["known"] if not k["right"]] == ["float  [16][17]", "char   [32][129]", "half   [32][33]"]'
mv stdout pads.json
exits 0 --pads --csv
reads 'len([r for r in rows if r["table"] == "minimal"]) == 66 and all(None not in r for r in rows)'
# agrees TABLE LIST COLUMN=MEMBER...: each of these columns of the table's rows is that member of the JSON's list.
agrees() {
  local table=$1 list=$2 pair; shift 2
  for pair; do
    reads "[r['${pair%=*}'] for r in rows if r['table'] == '$table'] == \
      [{True: 'yes', False: 'no'}[v] if isinstance(v, bool) else '' if v is None else str(v)
       for v in (x['${pair#*=}'] for x in json.load(open('pads.json'))['pads']['$list'])]"
  done
}
agrees minimal minimal element=element bytes=bytes width=width load=unpadded ideal=ideal right_pad=pad
agrees known known claim=claim element=element rows=rows width=width pad=pad store=store load=load ideal=ideal right=right right_pad=right_pad
agrees rule rules claim=rule element=element right=right

verdict sweep
