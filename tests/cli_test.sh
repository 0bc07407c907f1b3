# The command as a user meets it: flags, exit codes, files, streams.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
unset CUDA_VISIBLE_DEVICES

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
exits 0 --help
holds "help on stdout" grep -q -- --dry-run stdout
holds "help names the exit codes" grep -q 77 stdout
exits 0 --version
holds "version" grep -Eq '^kgen [0-9]+\.[0-9]+' stdout
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
exits 2 --json=yes good.yaml
exits 2 -o
exits 2 -z good.yaml
mkdir empty; exits 2 empty
exits 2 --templates /nonexistent/x -o
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
holds "JSON without run" json all.json 'all("run" not in s for s in d["specs"])'
exits 0 --csv --dry-run good.yaml family.yaml
holds "CSV" python3 -c "import csv; r=list(csv.DictReader(open('stdout'))); assert [x['name'] for x in r]==['good','family'] and r[0]['correct']=='', r"
exits 0 --explain --dry-run good.yaml
holds "an explanation" test -s stdout
holds "no colour in a file" sh -c '! grep -q "$(printf "\033")" stdout'
exits 0 --explain --dry-run --color always good.yaml
holds "colour when asked" grep -q "$(printf '\033')" stdout
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

# --- all or nothing ---
exits 3 good.yaml bad.yaml -o none1
holds "nothing is written if one spec is bad" test ! -e none1
holds "line and column" grep -Eq '^bad.yaml:3:[0-9]+: error: ' stderr
holds "every error at once" grep -Eq '^bad.yaml:7:[0-9]+: error: ' stderr
holds "a caret" grep -q '\^' stderr
cp out/good.h before.h; sed 's/32, 32/32, 64/; s/f32/f34/' good.yaml >good2.yaml
exits 3 good2.yaml -o out
holds "old files stand" cmp out/good.h before.h
exits 3 good.yaml good.yaml --dry-run
holds "a name given twice" grep -q "the name 'good' is taken" stderr
exits 3 nosuch.yaml
exits 3 /dev/null
exits 4 strict.yaml good.yaml -o none4
holds "strict names the access" grep -q "access 'column' takes 32 wavefronts, ideal 1" stderr
holds "nothing is written if strict fails" test ! -e none4
exits 4 --json strict.yaml -o none4
cp stdout strict.json
holds "strict still gives JSON" json strict.json 'd["specs"][0]["files"] == [] and not d["specs"][0]["conflict_free"] and d["specs"][0]["certificate"]["claim"]'
holds "nothing is written with it" test ! -e none4
printf '\357\273\277' | cat - good.yaml >mark.yaml; exits 0 --dry-run mark.yaml
printf '\357\273\277' | cat - bad.yaml >mark.yaml; exits 3 mark.yaml
holds "columns behind a byte order mark" grep -q '^mark.yaml:3:8: error: ' stderr
for name in Elem kLayout KgenLayout kBlockX kRows KGEN_FN std printf abs min max sin assert size_t \
  dim3 cudaError_t; do
  sed "2a name: $name" family.yaml >taken.yaml
  exits 3 taken.yaml -o none5
  holds "the place of $name" grep -q "^taken.yaml:3:7: error: name '$name' is " stderr
done
cp family.yaml min.yaml; exits 3 min.yaml -o none5
holds "nothing is written with a taken name" test ! -e none5
sed '2a name: transpose' family.yaml >own.yaml; exits 0 --dry-run own.yaml
touch file; exits 2 good.yaml -o file
exits 2 good.yaml -o file/below
mkdir -p blocked/good.json; exits 2 good.yaml -o blocked
holds "nothing half-written" test "$(ls -A blocked)" = good.json

# --- streams ---
! "$KGEN" --json --dry-run good.yaml >/dev/full 2>stderr; check $? "full stdout: exit 0"
holds "a full stdout is told" grep -q 'cannot write to stdout' stderr
! "$KGEN" --json -o closed good.yaml >&- 2>stderr; check $? "closed stdout: exit 0"
holds "files are not written into" sh -c '! grep -q certificate closed/good.h'

# --- compiling ---
"$KGEN" --jit family.yaml -o jit >stdout 2>stderr; code=$?
if grep -q 'without the CUDA Toolkit' stderr; then
  holds "a pure generator refuses --jit" test $code = 2
elif grep -q 'NVRTC cannot be used' stderr; then
  echo "no NVRTC here: compiling is not checked"
else
  holds "--jit" test $code = 0
  holds "registers" grep -q 'registers' stdout
  exits 0 --jit --json --dry-run family.yaml
  cp stdout jit.json; holds "a hit" json jit.json 'd["specs"][0]["jit"]["cached"] and d["specs"][0]["jit"]["ms"] < 2'
  exits 0 --jit --no-cache --json --dry-run --arch sm_80 family.yaml
  cp stdout jit.json; holds "no hit" json jit.json 'not d["specs"][0]["jit"]["cached"]'
  exits 0 --jit good.yaml --dry-run
  holds "a header has nothing to compile" grep -q 'nothing to compile' stderr
  cp -r "$source_dir/templates" broken
  echo 'this is not C++' >>broken/transpose.cu
  exits 5 --jit --templates broken family.yaml --dry-run
  holds "the compiler's log names the file" grep -Eq 'family.cu\([0-9]+\): error' stderr
  if ! ls /dev/nvidia0 >/dev/null 2>&1; then
    exits 77 --run --device cuda family.yaml -o gpu
    holds "the reason" grep -q cudaGetDeviceCount stderr
    holds "nothing is written" test ! -e gpu
  fi
fi

verdict cli
