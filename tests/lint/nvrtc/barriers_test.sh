# Barriers reached at several lines, or skipped by threads that exit: notes, which --strict makes findings, alike in every format.
. tests/shell/check.bash
cases=$source_dir/tests/lint/cases/barriers.cu
skip=(--block 128 --arg buf:200xi32 --arg buf:400xi32:zero)
lint() { expect "$1" "$2" --lint "$cases" --kernel "$3" --grid 1 "${@:4}"; }
json() { python3 -c "import json,sys; d=json.load(open('stdout'))['lint']; assert $1, d['notes']"; }
"$KGEN" --lint "$cases" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

# --- one barrier, two lines ---
two=(--block 32,8 --arg buf:2048 --arg buf:1024)
lint 1 '1 note$' combine "${two[@]}"
holds "both sides" grep -q '^         line 15: warps 1, 3, 5, 7 wait here for the same barrier$' stdout
lint 1 . combine "${two[@]}" --json
holds "the note" json '[(n["kind"], n["line"], [(w["line"], w["text"]) for w in n["where"]]) for n in d["notes"]] == [("barrier", 11, [(15, "warps 1, 3, 5, 7 wait here for the same barrier")])]'
holds "its line is quoted" json '11 in [l["line"] for l in d["lines"]]'
lint 0 '0 findings$' fixed "${two[@]}"
lint 0 '0 findings$' roles --block 128 --arg buf:256 --arg buf:256
lint 0 '0 findings$' unrolled --block 128 --arg buf:512 --arg buf:512 --arg i32:8
lint 0 '0 findings, 1 note$' calls --block 128 --arg buf:512 --arg buf:512
lint 1 '1 finding$' calls --block 128 --arg buf:512 --arg buf:512 --strict

# --- threads that exit without it ---
lint 0 '28 of the block.s 128 threads have exited' once "${skip[@]}" --arg i32:100
lint 0 '56 of the block.s 128 threads have exited' find "${skip[@]}" --arg i32:200
lint 0 '0 findings$' once "${skip[@]}" --arg i32:128
lint 0 '0 findings$' all "${skip[@]}" --arg i32:100
lint 1 '1 finding$' after "${skip[@]}" --arg i32:200
lint 1 '1 finding$' once "${skip[@]}" --arg i32:100 --strict

# --- every format ---
lint 0 '^\| .* \| barrier +\| 28 of the block' once "${skip[@]}" --arg i32:100 --markdown
holds "counted" grep -q '0 findings, 1 note\*\*$' stdout
lint 0 . once "${skip[@]}" --arg i32:100 --sarif note.sarif
holds "a note in SARIF" python3 -c '
import json
r = json.load(open("note.sarif"))["runs"][0]["results"]
assert [(x["ruleId"], x["level"]) for x in r] == [("barrier", "note")], r'
lint 1 . combine "${two[@]}" --sarif two.sarif
holds "the other side in SARIF" python3 -c '
import json
r = [x for x in json.load(open("two.sarif"))["runs"][0]["results"] if x["level"] == "note"]
at = [(p["physicalLocation"]["region"]["startLine"], p["message"]["text"]) for p in r[0]["relatedLocations"]]
assert (15, "warps 1, 3, 5, 7 wait here for the same barrier") in at, at'
lint 1 . once "${skip[@]}" --arg i32:100 --strict --sarif strict.sarif
holds "an error in SARIF" grep -q '"level": "error",' strict.sarif
lint 0 . once "${skip[@]}" --arg i32:100 --html note.html
holds "on the page" grep -q '"notes": \[{' note.html

# --- a baseline tolerates nothing that --strict adds ---
lint 0 . once "${skip[@]}" --arg i32:100 --json
cp stdout was.json
lint 0 . once "${skip[@]}" --arg i32:100 --baseline was.json
lint 1 'barrier: 1, in was.json 0' once "${skip[@]}" --arg i32:100 --baseline was.json --strict
verdict barriers
