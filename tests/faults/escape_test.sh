# Foreign text that would steer a terminal, break a table or start a formula: paths, names and reports of others.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
# A color, a C1 control, a direction mark, a line break, markup.
evil=$'e\033[31m\302\233\342\200\256\n## <b>|'
# clean FILE: nothing in it but printable characters and line ends.
clean() {
  python3 - "$1" <<'E2'
import sys, unicodedata
text = open(sys.argv[1], encoding="utf-8").read()
bad = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")]
assert not bad, ascii(bad)
E2
}
# shows WHAT CODE ARGUMENT...: kgen's output is clean, and no line of it begins as the second line of the name does.
shows() {
  local what=$1 want=$2 got=0; shift 2
  "$KGEN" "$@" >stdout 2>stderr || got=$?
  [ $got = "$want" ]; check $? "$what: exit $got, want $want: $(head -3 stderr | cat -v)"
  clean stdout && clean stderr; check $? "$what: $(cat stdout stderr | cat -v | head -5)"
  ! grep -q '^## <b>' stdout stderr; check $? "$what: a line of its own: $(head -5 stderr | cat -v)"
}

python3 - "$evil" <<'E2'
import json, sys
spec = {"name": "tile", "tiles": [{"name": "tile", "bytes": 4096, "accesses": []}], "files": []}
def report(name): return {"version": 1, "specs": [dict(spec, name=name)]}
json.dump(report("tile"), open("old.json", "w"))
json.dump(report(sys.argv[1]), open("new.json", "w"), ensure_ascii=False)
json.dump(report('=HYPERLINK("x")'), open("formula.json", "w"))
E2
shows "a name in a report" 1 --compare old.json new.json
shows "a name in a report, as Markdown" 1 --compare old.json new.json --markdown
holds "markup in it is text" grep -qF '\#\# \<b\>\|' stdout
"$KGEN" --compare old.json new.json --csv >stdout; [ $? = 1 ]; check $? "CSV"
python3 -c '
import csv
rows = list(csv.DictReader(open("stdout", newline="")))
assert len(rows) == 2 and all(r["what"] == "is there" for r in rows), rows' ; check $? "CSV: $(cat -v stdout)"
"$KGEN" --compare old.json formula.json --csv >stdout
grep -qF "\"'=HYPERLINK(\"\"x\"\")\"" stdout; check $? "a formula in CSV: $(cat stdout)"

# A path, in each kind of message.
printf 'version: 1\nname: tile\ndtype: f33\n' >"$evil.yaml"
shows "a spec's path" 3 "$evil.yaml"
shows "a missing file" 2 --lint "$evil.cu" --grid 1
mkdir "$evil"; cp "$source_dir/tests/lint/cases/transpose.ptx" "$evil/k.ptx" 2>/dev/null || cp "$source_dir"/tests/lint/cases/transpose.ptx "$evil"
launch=(--kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)
shows "a kernel's file" 0 --lint "$evil/k.ptx" "${launch[@]}"
shows "a kernel's file, as Markdown" 0 --lint "$evil/k.ptx" "${launch[@]}" --markdown
shows "an option's value" 2 --arch "$evil"
shows "a folder of templates" 2 "$source_dir/specs/copy_f32.yaml" --templates "$evil"
printf "#!/bin/sh\nexit 1\n" >"$evil/false"; chmod +x "$evil/false"
shows "a program's path" 1 --exec -- "$evil/false"
shows "a program's path, as Markdown" 1 --exec --markdown -- "$evil/false"
shows "a program that is not there" 2 --exec -- "$evil/none"
verdict faults_escape
