# kgen --compare, --baseline, --sarif and --markdown as used by people and CI, without NVRTC.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
ptx=$source_dir/tests/lint/cases/transpose.ptx
launch=(--kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)

# says FILE EXPRESSION...: Python of the JSON `d` in the file, and of the first run's results `rs`, if it is SARIF.
says() {
  holds "$*" python3 -c '
import json, sys
d = json.load(open(sys.argv[1])); rs = d["runs"][0]["results"] if "runs" in d else None
for e in sys.argv[2:]: assert eval(e), (e, d)' "$@"
}

# valid FILE...: they are SARIF. $SARIF_SCHEMA, where set, names the standard's own schema, which is not here.
valid() {
  python3 - "$source_dir/tests/command/sarif.schema.json" ${SARIF_SCHEMA:-} "$@" >invalid 2>&1 <<'E2'
import json, sys, jsonschema
schemas = [json.load(open(f)) for f in sys.argv[1:] if f.endswith(".json")]
for file in sys.argv[1:]:
    if file.endswith(".json"): continue
    log = json.load(open(file))
    for schema in schemas: jsonschema.validate(log, schema)
    for run in log["runs"]:
        for result in run["results"]: assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"], file
E2
  check $? "$(tail -3 invalid)"
}

cat >tile.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
access:
  - {name: fill,  op: store, for: {j: 4}, at: [ty + 8*j, tx]}
  - {name: drain, op: load,  for: {j: 4}, at: [tx, ty + 8*j]}
E2

# --- specs: layouts and counts ---
"$KGEN" --dry-run --json tile.yaml >xor.json
"$KGEN" --dry-run --json --layout none tile.yaml >none.json
"$KGEN" --dry-run --json --layout pad tile.yaml >pad.json
expect 0 '^1 compared: 0 worse, 0 better, 0 changed otherwise$' --compare xor.json xor.json
expect 1 '^worse +tile, drain +wavefronts +32 +1024$' --compare xor.json none.json
holds "worse first" sh -c 'sed -n 2p stdout | grep -q "^worse"'
expect 0 '^better +tile, drain +wavefronts +1024 +32$' --compare none.json xor.json
expect 1 '^worse +tile +bytes of shared memory +4096 +4224$' --compare xor.json pad.json
holds "what is neither is told" grep -Eq '^changed +tile +layout +xor +pad$' stdout
expect 1 . --compare xor.json none.json --json
says stdout 'd["version"] == 1 and d["compare"]["worse"] == 2 and d["compare"]["compared"] == 1' \
  '{"verdict": "worse", "of": "tile", "what": "conflict-free", "was": "true", "is": "false"} in d["compare"]["changes"]'
expect 1 '^worse,"tile, drain",wavefronts,32,1024$' --compare xor.json none.json --csv
expect 1 '^\| worse \| tile, drain \| wavefronts \| 32 \| 1024 \|$' --compare xor.json none.json --markdown
expect 1 '' --compare xor.json none.json -q
holds "quiet" test ! -s stdout -a ! -s stderr
sed 's/"tile",/"\\\\ud83d \\ud83d\\uDe00",/' xor.json >pairs.json
expect 1 '^changed +.ud83d 😀 +is there +no +yes$' --compare xor.json pairs.json # "\\" begins no escape
sed 's/"tile",/"\\ud83d",/' xor.json >half.json
expect 2 'half.json:[0-9]+:[0-9]+: error: found invalid Unicode' --compare xor.json half.json
sed 's/"tile",/"other",/' xor.json >other.json
expect 1 '^worse +tile +is there +yes +no$' --compare xor.json other.json
holds "what is new" grep -Eq '^changed +other +is there +no +yes$' stdout
sed 's/, "op": "load"/, "op": "load", "more": [1, {"a": null}]/' xor.json >later.json
expect 0 '0 changed' --compare xor.json later.json
"$KGEN" --json --sweep pad=0..2 tile.yaml >sweep.json
expect 0 '^4 compared: 0 worse' --compare sweep.json sweep.json
sed '/"wavefronts": 32, "ideal": 32, "unswizzled": 1024/s/"wavefronts": 32/"wavefronts": 33/' sweep.json >sweep2.json
expect 1 '^worse +tile pad=1, drain +wavefronts +32 +33$' --compare sweep.json sweep2.json

# --- runs: times beyond noise, on one device only ---
timed() { # FILE MEDIAN NOISE [DEVICE [CORRECT]]
  cat >"$1" <<E2
{"version": 1, "specs": [{"name": "t", "run": {"backend": "cuda", "device": "${4:-GPU}", "correct": ${5:-true},
  "wavefronts": {"measured_load": 384, "measured_store": null}, "time_ms": {"median": $2, "min": 1, "noise": $3, "samples": 15}}}]}
E2
}
compiled() { # FILE SPILLED BLOCKS
  echo "{\"version\": 1, \"specs\": [{\"name\": \"t\", \"jit\": {\"registers\": 32, \"spill_bytes\": $2, \"blocks_per_sm\": $3}}]}" >"$1"
}
compiled base.json 8 4
compiled now.json 16 4; expect 1 '^worse +t +spilled bytes +8 +16$' --compare base.json now.json
compiled now.json 0 8; expect 0 '^better +t +spilled bytes +8 +0$' --compare base.json now.json
holds "more blocks are better" grep -Eq '^better +t +blocks on an SM +4 +8$' stdout
timed base.json 1.0 0.001
timed now.json 1.015 0.001; expect 0 '0 changed' --compare base.json now.json
expect 1 '^worse +t +median ms +1.0000 +1.0150$' --compare base.json now.json --tolerance 1
timed now.json 1.1 0.001; expect 1 'median ms' --compare base.json now.json
timed now.json 0.9 0.001; expect 0 '^better +t +median ms' --compare base.json now.json
timed now.json 1.1 0.1; expect 0 '0 changed' --compare base.json now.json
timed now.json 1.5 0.001 other; expect 0 '^changed +t +device +GPU +other$' --compare base.json now.json
holds "times of another device are no news" sh -c '! grep -q median stdout'
timed now.json 1.0 0.001 GPU false; expect 1 '^worse +t +correct +true +false$' --compare base.json now.json
echo '{"version": 1, "specs": [{"name": "t"}]}' >planned.json
expect 0 '^changed +t +was run +yes +no$' --compare base.json planned.json

# --- what is no report ---
echo '{"version": 1}' >empty.json; echo '{"version": 2, "specs": []}' >later.json; echo '{' >broken.json
expect 2 'two reports are needed' --compare base.json
expect 2 'two reports are needed' --compare base.json base.json base.json
expect 2 'none.json: error: cannot read the file' --compare base.json none-there/none.json
expect 2 '^empty.json:1:1: error: a report without' --compare empty.json base.json
expect 2 '^later.json:1:1: error: not a report' --compare base.json later.json
expect 2 '^broken.json:' --compare base.json broken.json
expect 2 'belongs to' --tolerance 1 tile.yaml

# --- a baseline: line by line ---
"$KGEN" --lint "$ptx" "${launch[@]}" --json >lint.json
says lint.json '[l["text"] for l in d["lint"]["lines"] if "ld.shared" in l["text"]][0].startswith("ld.shared.f32")'
expect 0 . --lint "$ptx" "${launch[@]}" --baseline lint.json
{ sed -n 1,3p "$ptx"; echo '// a line more'; sed '1,3d' "$ptx"; } >moved.ptx
expect 0 '' --lint moved.ptx "${launch[@]}" --baseline lint.json -q
holds "moved lines are the same" test ! -s stderr
sed 's/"wavefronts": 1024,/"wavefronts": 1023,/' lint.json >strict.json
expect 1 ':[0-9]+: conflicts: 992, in strict.json 991$' --lint moved.ptx "${launch[@]}" --baseline strict.json
holds "each of four lines" test "$(grep -c ': conflicts: 992, in' stderr)" = 4
sed 's/"wavefronts": 1024,/"wavefronts": 1025,/' lint.json >loose.json
expect 0 'better than loose.json in 4 places: a new baseline would hold that' --lint "$ptx" "${launch[@]}" --baseline loose.json
expect 0 '4 better' --compare loose.json lint.json
expect 1 '^worse.*conflicts +991 +992$' --compare strict.json lint.json
small=(--kernel transpose --grid 2,2 --block 32,8 --arg buf:16380 --arg buf:16384 --arg i32:64)
"$KGEN" --lint "$ptx" "${small[@]}" --json >faults.json
expect 1 'out-of-bounds: 1, in lint.json 0$' --lint "$ptx" "${small[@]}" --baseline lint.json
expect 0 . --lint "$ptx" "${small[@]}" --baseline faults.json
expect 1 'more than --max-conflicts 3967' --lint "$ptx" "${launch[@]}" --baseline lint.json --max-conflicts 3967
expect 2 'cannot read the file' --lint "$ptx" "${launch[@]}" --baseline none-there.json
expect 2 'xor.json: not a report of --lint' --lint "$ptx" "${launch[@]}" --baseline xor.json
"$KGEN" --lint "$ptx" --grid 1 --block 32 --json >refused.json 2>stderr
expect 1 '^worse.*is checked +yes +no$' --compare lint.json refused.json

# --- kernels of one name in two files, and of two sizes of a cluster ---
launches() { # FILE WAVEFRONTS...: of f in a.cu, in b.cu, and there in clusters of 2
  local file=$1 entry='"kernel": "f", "grid": [1, 1, 1], "block": [32, 1, 1]' row='"line": 1, "op": "store", "ideal": 1, "wavefronts"'
  cat >"$file" <<E2
{"version": 1, "lint": [{"file": "a.cu", $entry, "accesses": [{$row: $2}]}, {"file": "b.cu", $entry, "accesses": [{$row: $3}]},
  {"file": "b.cu", $entry, "cluster": [2, 1, 1], "accesses": [{$row: $4}]}]}
E2
}
launches three.json 32 1 2
expect 0 '^3 compared: 0 worse, 0 better, 0 changed otherwise$' --compare three.json three.json
launches worse.json 32 32 2
expect 1 '^worse +b.cu:1 +conflicts +0 +31$' --compare three.json worse.json
sed 's/a.cu/c.cu/' three.json >elsewhere.json
expect 0 '^3 compared: 0 worse, 0 better, 0 changed otherwise$' --compare three.json elsewhere.json

# --- SARIF ---
expect 0 . --lint "$ptx" "${launch[@]}" --sarif lint.sarif
says lint.sarif '[(r["ruleId"], r["level"]) for r in rs] == [("bank-conflict", "warning")] * 4' \
  'len({r["partialFingerprints"]["kgenLine/v1"] for r in rs}) == 4'
says lint.sarif 'all("baselineState" not in r for r in rs)'
expect 1 . --lint "$ptx" "${launch[@]}" --baseline strict.json --sarif strict.sarif
says strict.sarif '[r["baselineState"] for r in rs] == ["updated"] * 4'
expect 1 . --lint "$ptx" "${small[@]}" --baseline lint.json --sarif faults.sarif
says faults.sarif '[(r["level"], r["baselineState"]) for r in rs if r["ruleId"] == "out-of-bounds"] == [("error", "new")]'
expect 2 . --lint "$ptx" --kernel none "${launch[@]:2}" --sarif refused.sarif
says refused.sarif 'not d["runs"][0]["invocations"][0]["executionSuccessful"] and "has no kernel none" in d["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]'
mkdir 'a b'; sed 's/op: load/op: laod/; s/f32/f33/' tile.yaml >'a b/tile.yaml'
expect 3 . 'a b/tile.yaml' --sarif spec.sarif
says spec.sarif '[r["locations"][0]["physicalLocation"]["region"] for r in rs] == [{"startLine": 3, "startColumn": 8, "endColumn": 11}, {"startLine": 8, "startColumn": 23, "endColumn": 27}]' \
  'rs[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/tile.yaml"'
says spec.sarif '"did you mean" in rs[1]["message"]["text"]'
expect 0 . tile.yaml --dry-run --sarif clean.sarif
says clean.sarif 'rs == []'
expect 2 'cannot write no-such-folder/x.sarif' tile.yaml --dry-run --sarif no-such-folder/x.sarif

# --- Markdown ---
expect 0 '^\| tile \| f32 32x32 \| 4096 \| 0 \| 1056 \| 64 \| 64 \| yes \| yes \| xor' tile.yaml --dry-run --markdown
holds "aligned" grep -Fxq '| --- | --- | --: | --: | --: | --: | --: | --- | --- | --- |' stdout
expect 0 '\*\*3968 conflicts, 0 findings\*\*$' --lint "$ptx" "${launch[@]}" --markdown
holds "one number of cells in all rows of a table" python3 - <<'E2'
import re
for table in open("stdout").read().split("\n\n"):
    rows = [r for r in table.split("\n") if r.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", r)) for r in rows}) <= 1, table
E2
expect 2 'exclude each other' tile.yaml --markdown --json

# --- the example of docs/examples/ci ---
mkdir -p repo/ci repo/src && cp "$source_dir/docs/examples/ci/lint.sh" repo/ci && cp "$ptx" repo/src/transpose.ptx
sed -i 's/transpose.cu/transpose.ptx/' repo/ci/lint.sh
example() { PATH=$(dirname "$KGEN"):$PATH GITHUB_STEP_SUMMARY=$tmp/summary.md repo/ci/lint.sh "$@" 2>stderr; }
holds "without a baseline it fails" sh -c '! "$@"' - env PATH="$(dirname "$KGEN"):$PATH" repo/ci/lint.sh
holds "it writes baselines" example --renew
holds "and passes" example
cp repo/ci/transpose.json before.json; sed -i 's/st\.shared/st.shred/' repo/src/transpose.ptx
holds "what does not compile gives no baseline" sh -c '! "$@"' - env PATH="$(dirname "$KGEN"):$PATH" repo/ci/lint.sh --renew
holds "and leaves the one that there is" cmp before.json repo/ci/transpose.json
cp "$ptx" repo/src/transpose.ptx
holds "with a summary" grep -q '3968 conflicts' summary.md
sed -i 's/"wavefronts": 1024,/"wavefronts": 1023,/' repo/ci/transpose.json
holds "and fails on what is worse" sh -c '! "$@"' - env PATH="$(dirname "$KGEN"):$PATH" repo/ci/lint.sh
holds "the workflow is YAML" python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))["jobs"]["lint"]["steps"]' "$source_dir/docs/examples/ci/lint.yml"

valid lint.sarif strict.sarif faults.sarif refused.sarif spec.sarif clean.sarif repo/sarif/transpose.sarif

verdict compare
