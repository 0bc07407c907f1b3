# lint.yaml: launches with generated, saved and expected data; each error in a file is reported at its location.
. tests/shell/check.bash
cp "$source_dir/tests/lint/cases/transpose.ptx" .
launches() { python3 -c "import json; d={l['name']: l for l in json.load(open('stdout'))['lint']}; assert $1, d"; }

python3 - <<'E2'
import struct
open("want.bin", "wb").write(struct.pack("<4096f", *[i % 64 * 64 + i // 64 for i in range(4096)]))
open("args.bin", "wb").write(struct.pack("<QQi", 0x400000000000, 0x400000100000, 64))
E2
cat >lint.yaml <<'E2'
version: 1
source: transpose.ptx
launches:
  - name: small
    kernel: transpose
    grid: [2, 2]
    block: [32, 8]
    args:
      - {name: in, dtype: f32, count: 4096, fill: iota}
      - {name: out, dtype: f32, count: 4096, fill: zero}
      - i32: 64
    expect:
      out: want.bin
  - name: saved # as a program left it: pointers are bytes, and their targets have fixed addresses
    kernel: transpose
    grid: [2, 2]
    block: [32, 8]
    memory:
      - {name: in, at: 0x400000000000, bytes: 16384, file: want.bin}
      - {name: out, at: 0x400000100000, bytes: 16384}
    args:
      - {raw: 8, file: args.bin}
      - {raw: 8, file: args.bin, offset: 8}
      - {raw: 4, file: args.bin, offset: 16}
    expect:
      out: {dtype: f32, fill: iota, tolerance: 1e-6}
E2

# --- which launches are checked ---
expect 0 '^ *out: 4096 f32 equal$' --lint lint.yaml
holds "both" test "$(grep -c '3968 of them conflicts' stdout)" = 2
holds "by their names" grep -q '^  launch saved$' stdout
expect 0 . --lint . --json
holds "for programs" launches 'list(d) == ["small", "saved"] and all(l["conflicts"] == 3968 and l["outputs"][0]["different"] == 0 for l in d.values())'
cp stdout base.json
expect 0 '' --lint . --baseline base.json -q
sed 's/"wavefronts": 1024/"wavefronts": 900/' base.json >strict.json
expect 1 'conflicts: 992, in strict.json 868' --lint . --baseline strict.json -q
expect 0 . --lint lint.yaml --kernel saved --json
holds "one of them" launches 'list(d) == ["saved"]'
sed 's/fill: iota}/fill: permutation, seed: 7}/' lint.yaml >other.yaml
expect 1 'out: 409[0-9] of 4096 f32 differ, the first at [0-9]+: [0-9.]+ \(0x' --lint other.yaml --kernel small
expect 1 . --lint other.yaml --kernel small --json --sarif small.sarif
holds "where they differ" launches '4000 < d["small"]["outputs"][0]["different"] and "got" in d["small"]["outputs"][0]'
expect 1 'more than --max-conflicts 3967' --lint lint.yaml --max-conflicts 3967
expect 0 'launch small' --lint lint.yaml --html page.html --kernel small
expect 2 'choose with --kernel' --lint lint.yaml --html page.html

# --- several launches against a baseline: equal ones in their order, none is left out ---
cat >stride.ptx <<'E2'
.version 8.0
.target sm_90
.address_size 64
.visible .entry stride(.param .u32 words) {
	.reg .b32 %r<4>;
	.shared .align 4 .b8 tile[4096];
	mov.u32 %r0, %tid.x;
	ld.param.u32 %r1, [words];
	mul.lo.s32 %r2, %r0, %r1;
	shl.b32 %r2, %r2, 2;
	mov.u32 %r3, tile;
	add.s32 %r3, %r3, %r2;
	st.shared.u32 [%r3], %r0;
	ret;
}
E2
strides() { # FILE NAME=STRIDE...: a launch each; NAME may be empty
  local file=$1 name; shift
  printf 'version: 1\nsource: stride.ptx\nlaunches:\n' >"$file"
  for launch; do
    name=${launch%=*}
    echo "  - {${name:+name: $name, }kernel: stride, grid: 1, block: 32, args: ['i32:${launch#*=}']}" >>"$file"
  done
}
strides one.yaml =32 =1; strides both.yaml =32 =32; strides mixed.yaml =1 =2
strides named.yaml small=1 large=1; strides renamed.yaml small=1 Large=32; strides resized.yaml small=1 large=32
for f in one both mixed named resized; do "$KGEN" --lint $f.yaml --json >$f.json; done
expect 1 'conflicts: 31, in one.json 0' --lint both.yaml --baseline one.json -q
expect 1 '^worse .*conflicts +0 +31$' --compare one.json both.json
for f in one both mixed named; do
  expect 0 '' --lint $f.yaml --baseline $f.json -q
  holds "$f has not changed" test ! -s stderr
  expect 0 '0 worse, 0 better, 0 changed' --compare $f.json $f.json
done
expect 1 'conflicts: 31, in named.json 0' --lint resized.yaml --baseline named.json -q
expect 1 '^kgen: named.json has no such launch: Large stride \[1, 1, 1\]' --lint renamed.yaml --baseline named.json -q --sarif renamed.sarif
holds "what is wrong with it is new" grep -q '"baselineState": "new"' renamed.sarif
"$KGEN" --lint stride.ptx --grid 1 --block 32 --arg i32:32 --json >single.json
expect 1 'conflicts +0 +31$' --compare named.json single.json
expect 1 'has no such launch: stride' --lint stride.ptx --grid 1 --block 32 --arg i32:32 --baseline named.json -q
echo '{"version": 1, "lint": []}' >nothing.json
expect 2 'nothing.json: not a report of --lint' --lint named.yaml --baseline nothing.json
strides twice.yaml small=1 small=2
expect 3 "^twice.yaml:5:12: error: the launch on line 4 is called 'small', too" --lint twice.yaml

# --- files are relative to the directory of lint.yaml, wherever kgen is called ---
mkdir deep && mv lint.yaml want.bin args.bin transpose.ptx deep
expect 0 '' --lint deep/lint.yaml -q
expect 0 '' --lint deep -q
expect 1 '' --lint deep/lint.yaml --kernel small --max-conflicts 0 -q --repro repro
rm -rf gone && mv deep gone
holds "a launch is repeated from its folder" sh -c "sh repro/run.sh; test \$? = 1"
mv gone deep
mv deep/* .

# --- the schema takes what the reader takes ---
expect 0 'a lint.yaml of kgen' --schema lint
cp stdout schema.json
expect 2 'schema lint' --schema none
cat >valid.py <<'E2'
import json, sys, jsonschema, yaml
check = jsonschema.Draft7Validator(json.load(open("schema.json")))
sys.exit(not check.is_valid(yaml.safe_load(open(sys.argv[1]))))
E2
if python3 -c 'import jsonschema, yaml' 2>/dev/null; then
  holds "this file" python3 valid.py lint.yaml
  sed 's/grid: /gird: /' lint.yaml >gird.yaml
  holds "not one with an unknown key" sh -c '! python3 valid.py gird.yaml'
  sed 's/raw: 8/raw: 8, bytes: 8/' lint.yaml >two.yaml
  holds "nor a value of two kinds" sh -c '! python3 valid.py two.yaml'
fi

# --- generators ---
copy() { # NAME VALUE: what the kernel's first argument holds
  printf 'version: 1\nsource: transpose.ptx\nlaunches:\n  - {grid: [2, 2], block: [32, 8], args: [%s, "buf:16384", "i32:64"]}\n' "$2" >$1.yaml
  expect 0 '' --lint $1.yaml -q --dump a=$1.bin
}
copy range '{name: a, dtype: i32, count: 4096, range: [-3, 5]}'
copy permutation '{name: a, dtype: u32, count: 4096, fill: permutation}'
copy steps '{name: a, dtype: f16, count: 8192, fill: iota, start: 1, step: -0.5}'
copy again '{name: a, dtype: i32, count: 4096, range: [-3, 5]}'
copy seeded '{name: a, dtype: i32, count: 4096, range: [-3, 5], seed: 3}'
copy constant '{name: a, dtype: bf16, count: 8192, value: 1.5}'
copy text 'a=buf:4096xf32:random=-1..1'
copy halves 'a=buf:8192xf16'
holds "what they hold" python3 - <<'E2'
import math, struct
load = lambda name, form: struct.unpack(f"<{8192 if form in 'eH' else 4096}{form}", open(name + ".bin", "rb").read())
r = load("range", "i"); assert set(r) == set(range(-3, 5)), set(r)
assert sorted(load("permutation", "I")) == list(range(4096)) != list(load("permutation", "I"))
assert load("steps", "e")[:3] == (1, 0.5, 0)
assert load("again", "i") == r != load("seeded", "i")
assert set(load("constant", "H")) == {0x3fc0}
assert all(-1 <= v < 1 for v in load("text", "f"))
assert all(1 / 16 <= abs(v) < 1 for v in load("halves", "e"))
E2
holds_bytes() { # VALUE HEX: what the kernel's first argument holds, which it reads beyond
  exits 1 --lint transpose.ptx --grid 1 --block 1 --arg "a=buf:$1" --arg buf:4 --arg i32:1 -q --dump a=a.bin
  holds "$1 is $2" test "$(od -An -v -tx1 a.bin | tr -d ' \n')" = "$2"
}
holds_not() { # VALUE PATTERN
  expect 2 "^kgen: --arg a=buf:$1: $2" --lint transpose.ptx --grid 1 --block 1 --arg "a=buf:$1" --arg buf:4 --arg i32:1
}
holds_bytes 1xi64:constant=9007199254740993 0100000000002000
holds_bytes 1xi64:constant=9223372036854775807 ffffffffffffff7f
holds_bytes 1xi64:constant=-9223372036854775808 0000000000000080
holds_bytes 2xu64:iota=18446744073709551614 feffffffffffffffffffffffffffffff
holds_bytes 3xu8:iota=255..-1 fffefd
holds_bytes 1xi32:constant=1e3 e8030000
holds_bytes 1xf32:constant=-0.0 00000080
holds_not 1xi64:constant=9223372036854775808 'i64 does not hold 9223372036854775808'
holds_not 1xu8:constant=300 'u8 does not hold 300'
holds_not 1xi32:constant=3000000000 'i32 does not hold 3000000000'
holds_not 1xu8:constant=nan 'u8 does not hold nan'
holds_not 1xi32:iota=0..0.5 'i32 does not hold steps of 0.5'
holds_not 300xu8:iota 'u8 does not hold the last of them, 299'
holds_not 300xi8:permutation 'i8 does not hold 0 to 299 apart'
holds_not 3000xf16:permutation 'f16 does not hold 0 to 2999 apart'
holds_not 2xi32:random=-1e19..1e19 'i32 does not hold all from -1'
exits 1 --lint transpose.ptx --grid 1 --block 1 --arg a=buf:64xi8:random=-128..128 --arg buf:4 --arg i32:1 -q

# --- one name, one buffer ---
expect 2 '^kgen: --arg a=buf:8: another buffer is called a, too' --lint transpose.ptx --grid 1 --block 1 --arg a=buf:4 --arg a=buf:8 --arg i32:1
printf 'version: 1\nsource: transpose.ptx\nlaunches:\n  - {grid: 1, block: 1, args: ["a=buf:4", {bytes: 4, name: a}, "i32:1"]}\n' >named_twice.yaml
expect 3 '^named_twice.yaml:4:60: error: another buffer is called a, too' --lint named_twice.yaml

# --- what is expected ---
wanted() { # FILE EXPECTATION: of a buffer that holds zeros
  printf 'version: 1\nsource: transpose.ptx\nlaunches:\n  - {grid: 1, block: 1, args: [{name: a, dtype: f32, count: 1, fill: zero}, "buf:4", "i32:1"], expect: {a: %s}}\n' "$2" >"$1"
}
for tolerance in -1 nan inf 1001; do
  wanted wanted.yaml "{fill: constant, value: 5, tolerance: $tolerance}"
  expect 3 '^wanted.yaml:4:[0-9]+: error: tolerance must be from 0 to 1000' --lint wanted.yaml
done
wanted wanted.yaml '{fill: constant, value: -0.0}'
expect 1 'a: 1 of 1 f32 differ' --lint wanted.yaml
wanted wanted.yaml '{dtype: u8, fill: constant, value: 300}'
expect 3 'u8 does not hold 300' --lint wanted.yaml

cat >sparse.yaml <<'E2'
version: 1
source: transpose.ptx
launches:
  - grid: [2, 2]
    block: [32, 8]
    memory:
      - {name: columns, dtype: i32, count: 2000, fill: csr_columns, rows: rows, columns: 50}
    args: [{name: rows, dtype: i32, count: 4096, fill: csr_rows, nonzeros: 2000, columns: 50}, "buf:16384", "i32:64"]
E2
expect 0 '' --lint sparse.yaml -q --dump rows=rows.bin --dump columns=columns.bin
holds "a sparse matrix" python3 - <<'E2'
import struct
rows = struct.unpack("<4096i", open("rows.bin", "rb").read()); columns = struct.unpack("<2000i", open("columns.bin", "rb").read())
assert rows[0] == 0 and rows[-1] == 2000 and list(rows) == sorted(rows)
for a, b in zip(rows, rows[1:]):
    row = columns[a:b]
    assert list(row) == sorted(set(row)) and all(0 <= c < 50 for c in row)
E2
expect 2 'no buffer is called z' --lint sparse.yaml -q --dump z=z.bin
expect 2 ': not BUFFER=FILE' --lint sparse.yaml -q --dump rows

# --- every error at its location; no launch is checked ---
cat >bad.yaml <<'E2'
version: 2
sauce: transpose.ptx
arch: sm_91
launches:
  - kernel: transpose
    grid: [0, 2]
    args:
      - {name: in, dtype: f33, count: 4096}
      - {count: 5}
      - buf:0
      - {i32: 1.5}
      - {bytes: 16, hold: [i32:1]}
      - {fill: iota}
      - {bytes: 10, dtype: f32}
      - {raw: 8, fill: zero}
      - {dtype: f32, count: 4, range: [2, 1]}
      - {dtype: i32, count: 4, fill: csr_columns}
    memory:
      - i32:1
      - {at: 5, bytes: 4}
    expect: {out: {tolerance: x}}
E2
expect 3 "bad.yaml:2:1: error: unknown key 'sauce'" --lint bad.yaml
holds "all of them" diff - <(sed -n 's/^bad.yaml:\([0-9]*:[0-9]*\): error: .*/\1/p' stderr) <<'E2'
1:1
1:10
2:1
3:7
5:5
6:12
8:27
9:17
10:9
11:15
12:21
13:9
14:9
15:18
16:9
17:9
19:9
20:14
21:31
E2
expect 3 'bad.yaml:1:1: error: the launches stand in this file: no --grid' --lint bad.yaml --grid 1
expect 3 "no launch is called 'none'" --lint lint.yaml --kernel none
expect 3 . --lint bad.yaml --json
holds "for programs" python3 -c 'import json; d=json.load(open("stdout"))["lint"]; assert d["error"]["exit"] == 3'
misfit() { # VALUE PATTERN: an argument that only the kernel shows to be wrong
  printf 'version: 1\nsource: transpose.ptx\nlaunches:\n  - {grid: 1, block: 32, args: [%s, "buf:4", "i32:1"]}\n' "$1" >misfit.yaml
  expect 3 "misfit.yaml:4:[0-9]+: error: $2" --lint misfit.yaml
}
misfit '{i32: 1}' 'does not fit parameter 1, u64 of 8 bytes'
misfit 'buf:4:nosuch' 'nosuch: No such file'
misfit '{at: zz}' 'no buffer is called zz'
misfit '{struct: []}' 'does not fit parameter 1, u64 of 8 bytes'
misfit '{raw: 8}, {raw: 4}' 'the kernel has 3 parameters, 4 args given'
expect 2 'Is a directory' --lint / --grid 1 --block 1
printf 'version: 1\nsource: nosuch.cu\nlaunches:\n  - {grid: 1, blok: 32}\n' >nowhere.yaml
expect 3 '^nowhere.yaml:2:9: error: nosuch.cu: No such file or directory$' --lint nowhere.yaml
holds "all of them at once" grep -q "^nowhere.yaml:4:15: error: unknown key 'blok'" stderr
sed -i 's/nosuch.cu/./' nowhere.yaml
expect 3 '^nowhere.yaml:2:9: error: [.]: Is a directory$' --lint nowhere.yaml
verdict lint_file
