# The command as a user sees it: flags, exit codes, files, streams.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
unset CUDA_VISIBLE_DEVICES

# runs CODE COMMAND...: the exit code of a command with kgen in it.
runs() {
  local want=$1 got=0; shift
  "$@" >stdout 2>stderr || got=$?
  [ $got = "$want" ]
  check $? "exit $got, want $want: $*
$(head -5 stderr)"
}

json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); assert $2, d" "$1"; }

cat >good.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
access:
  - {name: fill,  op: store, for: {j: 4}, at: [ty + 8*j, tx]}
  - {name: drain, op: load,  for: {j: 4}, at: [tx, ty + 8*j]}
E2
cat >bad.yaml <<'E2'
version: 1
kernel: none
dtype: f33
tile: [32, 32]
block: [32, 8]
access:
  - {name: fill, op: stor, at: [ty, tx]}
E2
cat >strict.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32]
layout: {kind: none, strict: true}
access:
  - {name: column, op: load, at: [tx, 0]}
E2
printf 'version: 1\nkernel: transpose\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\nparams: {vector: 1}\n' >family.yaml

# --- help, version, usage ---
exits 2
holds "one screen" test "$(wc -l <stderr)" = 19 -a ! -s stdout
holds "nothing is written without a word" test -z "$(ls -A | grep -vx 'std...\|.*\.yaml')"
cp stderr screen; exits 0 --help
holds "help on stdout is the same screen" cmp stdout screen
exits 0 help; holds "so is help" cmp stdout screen
holds "help names the exit codes" grep -q '6 CUDA or a tool is missing, 77 no GPU' stdout
exits 0 help gen
holds "the options of a command" grep -q -- --dry-run stdout
exits 0 help lint
holds "help names structures" grep -q '{MEMBER,...} for a structure' stdout
expect 2 '^kgen: help lnt: there is no such command; did you mean lint\?$' help lnt
expect 2 '^kgen: help shout: there is no such command$' help shout
for verb in tune front; do
  expect 2 "^kgen: $verb takes SPEC..., which is missing$" $verb
done
printf '__global__ void k() {}\n' >kernel.cu
expect 2 '^kgen: kernel.cu is no spec: kgen lint kernel.cu checks a kernel$' explain kernel.cu
expect 3 "this is a spec: a lint.yaml has 'source' and 'launches'$" lint good.yaml
holds "one error" test "$(grep -c 'error:' stderr)" = 1
expect 2 '^kgen: there is no command and no file explian; did you mean explain\?$' explian good.yaml --csv
expect 3 '^./explian: error: cannot read the file' ./explian
expect 3 '^yaml: error: cannot read the file' yaml
cp good.yaml explian; exits 0 explian --dry-run; rm explian
expect 2 '^kgen: no SPEC is given: kgen gen takes all of specs/$' -q
exits 0 --version
holds "version" grep -Eq '^kgen [0-9]+\.[0-9]+' stdout
for part in NVRTC headers nvcc driver CUPTI; do holds "what was found of $part" grep -q "^$part: ." stdout; done
nvcc=$(sed -n 's/^nvcc: //p' stdout)
exits 0 --version --json
holds "what was found, for programs" json stdout "list(d['cuda']) == ['nvrtc', 'headers', 'nvcc', 'driver', 'cupti'] and (d['cuda']['nvcc'] or 'none but what is in \$PATH') == '$nvcc'"
exits 2 --jsn good.yaml
holds "near-miss hint" grep -q 'did you mean --json?' stderr
holds "nothing on stdout" test ! -s stdout
exits 2 --device gpu good.yaml
holds "choices are listed" grep -q 'auto, cuda, emulator' stderr
exits 2 --arch sm_91 good.yaml
holds "near-miss architecture" grep -q 'did you mean sm_' stderr
exits 2 --seed x good.yaml
exits 2 --seed -1 good.yaml
exits 2 --json --csv good.yaml
holds "refused in JSON" grep -q 'exclude each other' stdout
exits 2 --json=yes good.yaml
holds "in JSON, too" grep -q '"kgen: --json=yes: the only value is full"' stdout
exits 2 -o
exits 2 -z good.yaml
mkdir empty; exits 2 empty
exits 2 --templates /nonexistent/x -o
exits 2 --templates empty family.yaml
holds "the folder without templates" grep -q '^kgen: empty holds no templates' stderr
runs 2 env KGEN_TEMPLATES=/nonexistent/x "$KGEN" good.yaml
holds "no out/ after usage errors" test ! -e out

# --- generating ---
exits 0 good.yaml
holds "out/ is the default" test -s out/good.h -a -s out/good.json
holds "a table" grep -q 'conflict-free' stdout
exits 0 good.yaml family.yaml -o made/deep
holds "folders are made" test -s made/deep/good.h -a -s made/deep/family.cu
holds "nothing temporary stays" test -z "$(find made -name '.*')"
holds "the JSON beside it" json made/deep/family.json 'd["version"] == 1 and d["specs"][0]["files"] == ["family.cu"] and d["specs"][0]["conflict_free"]'
cp -r made again; exits 0 family.yaml good.yaml -q -o again/deep
holds "quiet" test ! -s stdout -a ! -s stderr
holds "deterministic" diff -r made again
exits 0 good.yaml --dry-run -omade2
holds "a dry run writes nothing" test ! -e made2
exits 0 --json -o j good.yaml family.yaml
cp stdout all.json
holds "JSON" json all.json '[s["name"] for s in d["specs"]] == ["good", "family"] and d["specs"][1]["files"] == ["j/family.cu"]'
exits 0 --json -o "$(printf 'odd "\377')" good.yaml
cp stdout odd.json; holds "JSON of an odd folder" json odd.json 'd["specs"][0]["files"] == ["odd \"\ufffd/good.h"]'
holds "JSON ends with its object" test "$(tail -n 1 all.json)" = '}'
holds "JSON without run" json all.json 'all("run" not in s for s in d["specs"])'
exits 0 --csv --dry-run good.yaml family.yaml
holds "CSV" python3 -c "import csv; r=list(csv.DictReader(open('stdout'))); assert [x['name'] for x in r]==['good','family'] and r[0]['correct']=='', r"
cat >parts.yaml <<'E2'
version: 1
kernel: none
tiles:
  a: {dtype: f32, tile: [25], access: [{pattern: row}]}
  b: {dtype: f32, tile: [3], access: [{pattern: row}]}
E2
exits 0 --csv --dry-run parts.yaml
holds "the bytes of CSV" python3 -c "import csv; r=list(csv.DictReader(open('stdout'))); assert r[0]['bytes'] == '112', r"
exits 0 --json --dry-run parts.yaml
cp stdout b.json; holds "the same in JSON" json b.json 'd["specs"][0]["shared_bytes"] == 112'
exits 0 --explain --dry-run good.yaml
holds "an explanation" test -s stdout
holds "no colour in a file" sh -c '! grep -q "$(printf "\033")" stdout'
exits 0 --explain --dry-run --color always good.yaml
holds "colour when asked" grep -q "$(printf '\033')" stdout
holds "each bank its own" python3 -c "
import re
t = open('stdout').read(); pairs = set(re.findall(r'\x1b\[38;5;(\d+)m *(\d+)\x1b', t))
assert len(pairs) == len({c for c, b in pairs}) == len({b for c, b in pairs}) >= 15, pairs"
sed "s/$(printf '\033')\[[0-9;]*m//g" stdout >bare; "$KGEN" --explain --dry-run --color never good.yaml >plain
holds "colour changes nothing else" cmp bare plain
NO_COLOR=1 exits 0 --explain --dry-run --color always good.yaml
holds "asked for, in spite of NO_COLOR" grep -q "$(printf '\033')" stdout
watched() { python3 -c "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)" "$@" </dev/null; }
holds "colour on a terminal" sh -c 'grep -q "$(printf "\033")"' <<<"$(TERM=xterm watched "$KGEN" --explain --dry-run good.yaml 2>&1)"
holds "but where NO_COLOR says no" sh -c '! grep -q "$(printf "\033")"' <<<"$(NO_COLOR=1 TERM=xterm watched "$KGEN" --explain --dry-run good.yaml 2>&1)"
exits 0 --explain --json --dry-run good.yaml
cp stdout e.json; holds "explanation apart from data" json e.json 'len(d["specs"]) == 1'
exits 0 --layout none --json --dry-run good.yaml
cp stdout n.json; holds "--layout none" json n.json 'd["specs"][0]["layout"]["kind"] == "none"'
exits 0 -- good.yaml
mkdir dir; cp good.yaml dir/b.yaml; cp good.yaml dir/a.yaml
exits 0 dir --json --dry-run
cp stdout d.json; holds "a folder of specs, sorted" json d.json '[s["name"] for s in d["specs"]] == ["a", "b"]'
(cd "$source_dir" && "$KGEN" --json --dry-run >"$tmp/s.json" 2>"$tmp/stderr"); code=$?
holds "no SPEC: all of specs/" json s.json "len(d['specs']) == $(ls "$source_dir"/specs/*.yaml | wc -l) and $code == 0"

# --- verbs: each is what its options are ---
same() { # same "WORDS" "WORDS": stdout, but for times, and exit code
  local first=0 second=0
  # shellcheck disable=SC2086 # words
  "$KGEN" $1 >first 2>first.err || first=$?
  # shellcheck disable=SC2086
  "$KGEN" $2 >second 2>second.err || second=$?
  sed -Ei 's/ +[0-9]+[.][0-9]+//g' first second
  [ $first = $second ] && cmp -s first second
  check $? "kgen $1 ($first) is not kgen $2 ($second): $(diff first second | head -5)$(head -3 first.err second.err)"
}
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one() { ret; }\n.visible .entry two() { ret; }\n' >two.ptx
same 'good.yaml -o verb1' 'gen good.yaml -o verb1'
same 'good.yaml --dry-run --svg - ' 'gen good.yaml --dry-run --svg -'
same '--explain --dry-run good.yaml' 'explain good.yaml'
same '--explain --dry-run --layout pad --json good.yaml' 'explain --layout pad --json good.yaml'
holds "explain writes nothing" test ! -e out/good.cu -a ! -e explain
same '--sweep pad=0..2 --sweep pad=4 good.yaml --csv' 'sweep good.yaml --set pad=0..2 --csv --set pad=4'
same '--front good.yaml' 'front good.yaml'
same '--wisdom' wisdom
same '--wisdom' 'wisdom list'
same '--wisdom --t4' 'wisdom t4'
same '--init none' 'init none'
same '--init nope' 'init nope'
same '--schema' 'schema spec'
same '--schema lint' 'schema lint'
same '--pads --csv' 'pads --csv'
same '--version --json' 'version --json'
same '--lint two.ptx --kernel two --grid 1 --block 32' 'lint two.ptx:two --grid 1 --block 32'
same '--lint two.ptx --kernel two --grid 1 --block 32' 'lint two.ptx:two --kernel two --grid 1 --block 32'
expect 2 '^kgen: --kernel one, but FILE:two: give the kernel once$' lint two.ptx:two --kernel one --grid 1 --block 32
same '--lint two.ptx --kernel one --grid 1 --block 32 --json' 'lint --kernel one --grid 1 --block 32 --json two.ptx'
same '--same two.ptx:one two.ptx:two --grid 1 --block 32' 'same two.ptx:one two.ptx:two --grid 1 --block 32'
same '--compare all.json all.json --tolerance 3' 'compare all.json --time-tolerance 3 all.json'
same '--exec --as sm_80 -- ./nosuch' 'exec --arch sm_80 ./nosuch'
program=$KGEN_BUILD/tests/exec_program
expect 97 '' exec -q "$program" nothing
expect 97 '' exec -q -- "$program" nothing
printf '#!/bin/sh\necho "$@"\n' >words; chmod +x words
expect 1 '^--json -q lint$' exec ./words --json -q lint
cp good.yaml lint.yaml # a file called like a verb, but for its dot; and one called like a verb
exits 0 lint.yaml --dry-run; cp good.yaml run
exits 0 ./run --dry-run --csv; holds "./run is a file" grep -q '^run,' stdout
expect 2 'lint takes FILE\[:KERNEL\], which is missing' lint
expect 2 '^kgen: wisdom merge needs a FILE$' wisdom merge
expect 2 'lint takes FILE\[:KERNEL\], not b.ptx' lint two.ptx b.ptx
expect 2 'compare takes OLD.json NEW.json, which is missing' compare all.json
expect 2 'exec takes \[--\] PROGRAM \[ARGUMENT\]..., which is missing' exec -q
expect 2 'pads takes no operand, not x' pads x
expect 2 'wisdom lst: not list, merge, prune or t4' wisdom lst
expect 2 'wisdom prune takes no file: x' wisdom prune x
expect 2 '^kgen: gen has no option --run: write kgen run SPEC$' gen --run good.yaml
expect 2 '^kgen: tune has no option --free: write kgen tune --all$' tune --free good.yaml
expect 2 '^kgen: compare has no option --tolerance: write kgen compare --time-tolerance PERCENT$' compare --tolerance 3 a b
expect 2 '^kgen: gen has no option --grid: it belongs to kgen lint, kgen same$' gen --grid 1 good.yaml
expect 2 '^kgen: unknown option --brid; did you mean --grid\?$' lint --brid 1 two.ptx
holds "where help is" grep -q '^try kgen help lint$' stderr
(cd "$source_dir" && "$KGEN" gen --dry-run -q && "$KGEN" gen -o "$tmp/all" -q && "$KGEN" -q -o "$tmp/all2") 2>stderr
check $? "gen without a SPEC: $(head -3 stderr)"
holds "all of specs/" test "$(ls all/*.json | wc -l)" = "$(ls "$source_dir"/specs/*.yaml | wc -l)"
holds "so does -o" diff -rq all all2

# --- JSON, whatever the end ---
refused() { # EXIT MESSAGE ARGUMENT...: one object with the messages of stderr
  local code=$1 message=$2; shift 2
  exits "$code" --json "$@"; cp stdout refused.json
  holds "JSON of $*" json refused.json "list(d) == ['version', 'error', 'errors'] and d['errors'] and d['error']['exit'] == $code and d['error']['messages'] == open('stderr').read().splitlines()"
  holds "$message of $*" grep -q "$message" refused.json
}
refused 3 "bad.yaml:3:8: error: unknown dtype 'f33'" good.yaml bad.yaml
refused 3 'nosuch.yaml: error: cannot read' nosuch.yaml
refused 3 'unknown dtype' --front bad.yaml
refused 3 'unknown dtype' --sweep pad=0 bad.yaml
refused 2 'unknown option --bogus' --bogus good.yaml
refused 2 'kgen: sweep of zz: good has no such pad, parameter or size' --sweep zz=1 good.yaml
refused 2 'cannot write' good.yaml -o good.yaml
refused 2 'cannot read' --compare nosuch.json nosuch.json
refused 2 'cannot start' --exec -- ./nosuch
exits 3 --json --color always bad.yaml; cp stdout colour.json
holds "no colours in JSON" json colour.json 'd["error"]["messages"][0].startswith("bad.yaml:3:8: error: ")'
holds "the error has fields" json colour.json 'd["errors"][0]["kind"] == "input" and d["errors"][0]["file"] == "bad.yaml" and (d["errors"][0]["line"], d["errors"][0]["col"]) == (3, 8)'
exits 2 lint --grd 3 k.cu --json
holds "so does an option" json stdout 'd["errors"] == [{"kind": "argument", "message": "unknown option --grd; did you mean --grid?"}]'

# --- the source to stdout; files that stay the same ---
exits 0 family.yaml -o -
holds "the source" cmp stdout made/deep/family.cu
holds "no folder of that name" test ! -e -
exits 0 good.yaml -o- --explain -q
holds "nothing but the source" cmp stdout made/deep/good.h
exits 2 good.yaml family.yaml -o -
holds "which of the two" grep -q 'kgen: -o - is for one spec, not 2' stderr
exits 2 good.yaml --json -o -
exits 0 good.yaml -o ./-
holds "a folder of that name" test -s ./-/good.h
touch -d '2001-01-01' made/deep/*; echo >made/deep/good.json
exits 0 good.yaml family.yaml -q -o made/deep
holds "what is the same keeps its times" test -z "$(find made/deep -newermt 2001-01-02 ! -name good.json -type f)"
holds "what is not is written" cmp made/deep/good.json again/deep/good.json

# --- all or nothing ---
exits 3 good.yaml bad.yaml -o none1
holds "nothing is written if one spec is bad" test ! -e none1
holds "line and column" grep -Eq '^bad.yaml:3:[0-9]+: error: ' stderr
holds "every error at once" grep -Eq '^bad.yaml:7:[0-9]+: error: ' stderr
holds "a caret" grep -q '\^' stderr
cp out/good.h before.h; sed 's/32, 32/32, 64/; s/f32/f34/' good.yaml >good2.yaml
exits 3 good2.yaml -o out
holds "old files stand" cmp out/good.h before.h
mkdir elsewhere; cp good.yaml elsewhere
exits 3 good.yaml elsewhere/good.yaml --dry-run
holds "a name given twice" grep -q "the name 'good' is taken" stderr
exits 0 good.yaml ./good.yaml elsewhere/../good.yaml --dry-run --csv
holds "a spec named twice is taken once" test "$(grep -c '^good,' stdout)" = 1
exits 0 dir dir/a.yaml ./dir --dry-run --csv
holds "also one that its folder names" test "$(wc -l <stdout)" = 3
# An error in a spec's block is reported there; the errors of the kernel template's formulas that it causes are not.
for wrong in 'rowsum: [1024]' 'rowsum: [16]'; do
  printf 'version: 1\nkernel: %s\nblock: %s\n' "${wrong%%:*}" "${wrong#*: }" >block.yaml
  exits 3 block.yaml --dry-run
  holds "one error for $wrong" test "$(grep -c 'error:' stderr)" = 1
done
exits 3 nosuch.yaml
exits 3 /dev/null
exits 4 strict.yaml good.yaml -o none4
holds "strict names the access" grep -q "access 'column' takes 32 wavefronts, ideal 1" stderr
holds "nothing is written if strict fails" test ! -e none4
expect 4 "access 'column', instruction 0, group 0: bank 0 serves 32 words" explain strict.yaml
exits 4 --json strict.yaml -o none4
cp stdout strict.json
holds "strict still gives JSON" json strict.json 'd["specs"][0]["files"] == [] and not d["specs"][0]["conflict_free"] and d["specs"][0]["certificate"]["claim"]'
holds "nothing is written with it" test ! -e none4
printf '\357\273\277' | cat - good.yaml >mark.yaml; exits 0 --dry-run mark.yaml
printf '\357\273\277' | cat - bad.yaml >mark.yaml; exits 3 mark.yaml
holds "columns after a byte order mark" grep -q '^mark.yaml:3:8: error: ' stderr
for name in Elem kLayout KgenLayout printf min size_t dim3 cudaError_t stdin EOF LONG_MAX atomicAdd; do
  sed "2a name: $name" family.yaml >taken.yaml
  exits 0 taken.yaml -o none5
  holds "the kernel of $name" grep -q "^#define KERNEL ${name}_kernel\$" none5/$name.cu
done
sed '/^version/a name: scan_warp' "$source_dir/specs/scan_f32.yaml" >taken.yaml; exits 3 taken.yaml -o none6
holds "the place of a name that the template uses" grep -q "^taken.yaml:[0-9]*:7: error: name 'scan_warp' is used" stderr
sed '2a name: transpose' family.yaml >own.yaml; exits 0 --dry-run own.yaml

# --- as large as a block may be ---
printf 'version: 1\nkernel: none\ndtype: u8\ntile: [232448]\naccess: [{at: lane * 7000}]\n' >large.yaml
exits 0 --csv --dry-run large.yaml
sed 's/232448/232449/' large.yaml >larger.yaml; exits 3 larger.yaml
holds "the limit is the memory" grep -q 'the tile takes 232449 bytes of shared memory' stderr

# --- a spec's own names go before ours ---
cat >own.yaml <<'E2'
version: 1
kernel: none
dtype: f32
params: {threads: 64, esize: 2, bx: 5, warps: threads * 3}
tile: [warps, 32]
block: [threads]
access:
  - {op: store, for: {by: 3}, at: [tid + by * threads, esize + bx - 7]}
  - {op: load, pattern: row}
E2
exits 0 --json --dry-run own.yaml
cp stdout own.json
holds "own names" json own.json 'd["specs"][0]["tile"] == [192, 32] and [a["instructions"] for a in d["specs"][0]["accesses"]] == [6, 192]'

# --- specs that are no plain files: each may be read once only ---
piped() { cat good.yaml | "$@"; }
runs 0 piped "$KGEN" --json --dry-run /dev/stdin
cp stdout p.json; holds "a pipe" json p.json '[s["name"] for s in d["specs"]] == ["stdin"]'
runs 0 piped "$KGEN" --json --dry-run -
cp stdout p.json; holds "- is stdin, whatever is called so" json p.json '[s["name"] for s in d["specs"]] == ["stdin"]'
runs 0 piped "$KGEN" --sweep pad=0..1 /dev/stdin
holds "a sweep of a pipe" grep -q 'c0 \* 33' stdout
sed '1a name: substituted' good.yaml >named.yaml
exits 0 --csv --dry-run <(cat named.yaml) good.yaml
holds "both specs" test "$(grep -c '^substituted,\|^good,' stdout)" = 2
exits 3 --dry-run <(cat good.yaml)
holds "a pipe's number is no name" grep -q "give the kernel its own with 'name:'" stderr
mkfifo nobody; runs 3 "$KGEN" nobody
ln -s good.yaml link.yaml; exits 0 --dry-run link.yaml

touch file; exits 2 good.yaml -o file
exits 2 good.yaml -o file/below
mkdir -p blocked/good.json; exits 2 good.yaml -o blocked
holds "nothing half-written" test "$(ls -A blocked)" = good.json

# --- every spec on every architecture with tensor cores; what a family cannot do ---
mapfile -t any_arch < <(grep -L 'tma_\|_tma\|wgmma' "$source_dir"/specs/*.yaml) # others are Hopper's, and refused by name
archs=(sm_80 sm_86 sm_89 sm_100 sm_120)
! sanitized || { archs=(sm_80); any_arch=("${any_arch[@]::12}"); } # emit_plan plans all of them
for arch in "${archs[@]}"; do exits 0 --dry-run -q --arch $arch "${any_arch[@]}"; done
expect 3 'wgmma_a needs sm_90a: sm_100 has no wgmma' --dry-run --arch sm_100 "$source_dir"/specs/operand_wgmma_k_f16.yaml
cp -r "$source_dir/templates" cracked && sed -i 's/^let:/let: (/' cracked/transpose.yaml
exits 3 --dry-run --templates cracked "$source_dir"/specs/transpose_f32.yaml "$source_dir"/specs/transpose_f64.yaml
printf 'version: 1\nkernel: scan_rows\ndtype: i32\nblock: [1]\n' >one.yaml
expect 3 'the block must have more than one thread' --dry-run one.yaml

for arch in sm_100f sm_103f sm_110f sm_120f sm_121f; do exits 0 --dry-run -q --arch $arch good.yaml; done
expect 2 'did you mean sm_120\?' --dry-run --arch sm_120g good.yaml
cat >trans.yaml <<'E2'
version: 1
kernel: none
arch: sm_120f
dtype: f16
tile: [32, 32]
access:
  - {name: plain,   op: ldmatrix, at: [lane, 0]}
  - {name: key,     op: ldmatrix, trans: true, at: [lane, 0]}
  - {name: dotted,  op: ldmatrix.trans, at: [lane, 0]}
  - {name: written, op: stmatrix.trans, at: [lane, 0]}
E2
exits 0 --dry-run --json trans.yaml
cp stdout trans.json; holds "transposed matrices cost the same" json trans.json 'len({(a["op"][2:], a["wavefronts"]) for a in d["specs"][0]["accesses"]}) == 1'

# --- streams ---
! "$KGEN" --json --dry-run good.yaml >/dev/full 2>stderr; check $? "full stdout: exit 0"
holds "a full stdout is told" grep -q 'cannot write to stdout' stderr
! "$KGEN" --json -o closed good.yaml >&- 2>stderr; check $? "closed stdout: exit 0"
holds "files are not written into" sh -c '! grep -q certificate closed/good.h'

# --- messages ---
expect 2 '^kgen: two of --html, --svg and --sarif are to be written to one.svg$' --html one.svg --svg one.svg --dry-run good.yaml
holds "neither is written" test ! -e one.svg
expect 2 '^kgen: --init does not go with --json$' --init none --json
exits 0 --version --json
holds "an object" json stdout 'd["version"] == 1 and d["kgen"][0].isdigit()'
expect 2 '^kgen: init: there is no kernel template softmax; one of: none, aos_to_soa, .*, vector_read$' --init softmax
expect 2 '; did you mean transpose\?$' --init transpsoe
{ sed 1q good.yaml; echo 'name: good'; sed 1d good.yaml; } >taken.yaml
expect 3 "^taken.yaml:2:7: error: the name 'good' is taken by good.yaml" --dry-run good.yaml taken.yaml
sed '/^block/a layout: {cute: [5, 0, 10]}' good.yaml >dead.yaml
exits 0 --dry-run --json dead.yaml
holds "a term without rows is none" json stdout 'd["specs"][0]["layout"]["kind"] == "none" and d["specs"][0]["layout"]["swizzle"] == []'
sed 's/10\]/5]/' dead.yaml >alive.yaml
exits 0 --dry-run --json alive.yaml
holds "one with rows stays" json stdout 'd["specs"][0]["layout"]["cute"] == [5, 0, 5]'

# --- outputs that are no regular files stay what they are ---
mkfifo pipe
for option in --svg --html --sarif; do
  timeout 20 cat pipe >got & "$KGEN" $option pipe --dry-run -q good.yaml; check $? "$option into a pipe"
  wait $!; holds "$option writes into the pipe" test -p pipe -a -s got
done
if mknod null c 1 3 2>/dev/null && { : >null; } 2>/dev/null; then
  for option in --svg --html --sarif; do exits 0 $option null --dry-run good.yaml; done
  holds "a device stays one" test -c null
fi
mkdir links real
touch real/page real/good.h; chmod 640 real/page; ln -s ../real/page links/page; ln -s ../real/good.h links/good.h; ln -s ../real/new links/new
exits 0 --html links/page --svg links/new -o links good.yaml
holds "links stay links" test -L links/page -a -L links/good.h -a -L links/new
holds "and what they lead to is written" test -s real/page -a -s real/good.h -a -s real/new
holds "with the mode that it had" test "$(stat -c %a real/page)" = 640
chmod 600 links/good.json; echo '{}' >links/good.json
exits 0 -o links good.yaml
holds "so has a plan" test "$(stat -c %a links/good.json)" = 600 -a "$(wc -c <links/good.json)" -gt 3

# --- compiling ---
"$KGEN" --jit family.yaml -o jit >stdout 2>stderr; code=$?
if grep -q 'NVRTC cannot be used' stderr; then
  echo "no NVRTC here: compiling is not checked"
else
  holds "--jit" test $code = 0
  holds "registers" grep -q 'registers' stdout
  exits 0 --jit --json --dry-run family.yaml
  cp stdout jit.json; holds "a hit" json jit.json 'd["specs"][0]["jit"]["cached"]'
  exits 0 --jit --no-cache --json --dry-run --arch sm_80 family.yaml
  cp stdout jit.json; holds "no hit" json jit.json 'not d["specs"][0]["jit"]["cached"]'
  exits 0 --run --device emulator --json --dry-run <(sed "1a name: piped" family.yaml)
  cp stdout run.json; holds "the control of a pipe" json run.json 'd["specs"][0]["run"]["control"]["correct"]'
  sed 's/none/transpose/; /^block/a params: {vector: 4}' good.yaml >contract.yaml
  exits 0 --run --device emulator --json --dry-run contract.yaml
  holds "accesses that are not the kernel's are told" grep -q "the spec's accesses are not the kernel's" stderr
  same '--run --device emulator --dry-run family.yaml' 'run --device emulator --dry-run family.yaml'
  exits 0 run --compile-only --json --dry-run family.yaml
  cp stdout jit.json; holds "run --compile-only" json jit.json '"jit" in d["specs"][0] and "run" not in d["specs"][0]'
  exits 0 --jit good.yaml --dry-run
  holds "a header has nothing to compile" grep -q 'nothing to compile' stderr
  cp -r "$source_dir/templates" broken
  echo 'this is not C++' >>broken/transpose.cu
  exits 5 --jit --templates broken family.yaml --dry-run
  holds "the compiler's log names the file" grep -Eq 'family.cu\([0-9]+\): error' stderr
  mkdir -p fake/lib64; "${CC:-cc}" -shared -o fake/lib64/libnvrtc.so -x c /dev/null
  runs 6 env CUDA_HOME="$tmp/fake" "$KGEN" --jit --no-cache --dry-run family.yaml
  holds "an NVRTC that rejects nothing, as it cannot be used" grep -q 'NVRTC cannot be used' stderr
  if ! ls /dev/nvidia0 >/dev/null 2>&1; then
    exits 77 --run --device cuda family.yaml -o gpu
    holds "the reason" grep -Eq 'libcuda.so.1: |cuInit' stderr
    holds "nothing is written" test ! -e gpu
  fi
fi

verdict cli
