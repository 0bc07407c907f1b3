# kgen --html without a browser: when the page is written, that it is one file, and that data cannot break out of it.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"

cat >good.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
access:
  - {name: fill,  op: store, for: {j: 4}, at: [ty + 8*j, tx]}
  - {name: drain, op: load,  for: {j: 4}, at: [tx, ty + 8*j]} # </script><script>alert(1)</script><!--
E2

# data FILE CONDITION: a condition on the page's JSON, as d.
data() {
  python3 - "$1" "$2" <<'E2'
import json, re, sys
text = open(sys.argv[1]).read()
found = re.findall(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)
assert len(found) == 1, len(found)
d = json.loads(found[0])
assert eval(sys.argv[2]), d
E2
}

exits 0 good.yaml --html page.html
holds "sources are written beside it" test -s out/good.h
holds "the table stays" grep -q conflict-free stdout
holds "the page's data" data page.html 'd["version"] == 1 and d["kind"] == "specs" and d["report"]["specs"][0]["name"] == "good"'
holds "the command" data page.html 'd["command"] == "kgen good.yaml --html page.html"'
holds "the source, whatever it holds" data page.html '"</script><script>alert(1)" in d["report"]["specs"][0]["page"]["source"]["text"]'
holds "it stays within its element" test "$(grep -c 'alert(1)' page.html)" = 1 -a "$(grep -c '<script>alert' page.html)" = 0
holds "every part is in it" sh -c '! grep -nE "kgen:data|@import|<script [^>]*src=|<link" page.html'
holds "and it loads nothing" sh -c '! grep -E "(src|href)=\"?(https?:)?//|url\(\"?http|fetch\(|XMLHttpRequest" page.html'
cp page.html first.html; exits 0 good.yaml --html page.html
holds "deterministic" cmp page.html first.html
exits 0 good.yaml --dry-run --json -q --html two.html
cp stdout j.json
holds "the very report of --json" python3 -c "
import json, re
page = json.loads(re.search(r'id=\"data\">\n(.*?)</script>', open('two.html').read(), re.S)[1])['report']
for s in page['specs']: del s['page']
assert page == json.load(open('j.json'))"
mkdir "it's here"; exits 0 good.yaml --dry-run -q --html "it's here/p.html"
holds "a command that a shell would take" data "it's here/p.html" '__import__("shlex").split(d["command"])[-1] == "it\x27s here/p.html"'
exits 2 good.yaml --dry-run --html nowhere/p.html
holds "the reason" grep -q 'kgen: cannot write nowhere/p.html: No such file' stderr
sed 's/f32/f33/' good.yaml >bad.yaml; exits 3 bad.yaml --html bad.html
holds "no page of a bad spec" test ! -e bad.html
sed 's/^block.*/&\nlayout: {kind: none, strict: true}/' good.yaml >strict.yaml; exits 4 strict.yaml -q -o none --html strict.html
holds "a page of what strict refuses" data strict.html 'not d["report"]["specs"][0]["conflict_free"]'
exits 2 --pads --html p.html
exits 0 good.yaml --sweep pad=0..2 -q --html sweep.html
holds "a sweep's page" data sweep.html 'd["kind"] == "sweep" and [c["set"].get("pad") for c in d["report"]["sweep"]][:3] == [0, 1, 2]'
cp -r "$source_dir/templates" half; rm half/page/tile.js
exits 2 good.yaml --dry-run --templates half --html half.html
holds "a part that is missing" grep -q 'cannot read half/page/tile.js' stderr
holds "and no page" test ! -e half.html
lint=(--lint "$source_dir/tests/lint/cases/transpose.ptx" --kernel transpose --grid 2,2 --block 32,8)
exits 0 "${lint[@]}" --arg buf:16384 --arg buf:16384 --arg i32:64 -q --html lint.html
holds "a kernel's page" data lint.html 'd["kind"] == "lint" and d["report"]["lint"]["conflicts"] > 0 and d["arrays"][0]["lanes"] and d["sources"][0]["lines"]'
holds "the fix's layout" data lint.html 'd["arrays"][0]["chosen"]["kind"] == "xor"'
exits 0 good.yaml --html -
holds "a page on stdout, and nothing else" data stdout 'd["kind"] == "specs"'
holds "from its first character to its last" sh -c 'head -c 15 stdout | grep -qi "<!doctype html>" && tail -n 1 stdout | grep -q "</html>"'
holds "no file is called -" test ! -e -
exits 0 "${lint[@]}" --arg buf:16384 --arg buf:16384 --arg i32:64 --html -
holds "a kernel's page on stdout" data stdout 'd["kind"] == "lint"'
holds "without its report" sh -c '! grep -q "^kgen:\|^transpose" stdout'
exits 0 good.yaml --dry-run --explain --html ./-
holds "./- is a file" data ./- 'd["kind"] == "specs"'
rm ./-
exits 2 good.yaml --html - --json
holds "one writer of stdout" grep -q 'exclude each other' stderr
exits 2 good.yaml --html - --svg -
holds "of two files, too" grep -q 'two of --html, --svg and --sarif are to be written to stdout' stderr
exits 0 good.yaml --dry-run --html - --html last.html
holds "of an option given twice the last value counts" data last.html 'd["kind"] == "specs"'
holds "and stdout has the report" grep -q '^good' stdout
exits 0 good.yaml --dry-run -q --html unwanted.html --html -
holds "stdout has the page, then" data stdout 'd["kind"] == "specs"'
holds "and the first is not written" test ! -e unwanted.html
exits 3 bad.yaml --sarif -
holds "SARIF on stdout" python3 -c "import json; assert json.load(open('stdout'))['version'] == '2.1.0'"
# --- the picture ---
exits 0 good.yaml --dry-run --explain --svg -
holds "a picture on stdout, and nothing else" python3 -c "import xml.dom.minidom as m; assert m.parse('stdout').documentElement.tagName == 'svg'"
two=$source_dir/specs/gemm_f16_small.yaml
exits 0 good.yaml --dry-run -q --svg good.svg
holds "XML" python3 -c "import xml.dom.minidom as m; assert m.parse('good.svg').documentElement.tagName == 'svg'"
holds "32 banks, twice" test "$(grep -c '<path stroke=' good.svg)" = 64
holds "a column of lanes that wait, then of lanes that do not" test "$(grep -c 'class="waits"' good.svg)$(grep -c 'class="lane"' good.svg)" = 3232
exits 2 good.yaml "$two" --dry-run --svg none.svg
holds "which of the two" grep -q 'kgen: --svg is for one spec, not 2' stderr
exits 2 "$two" --dry-run --svg none.svg --tile c
holds "no such tile" grep -q 'kgen: gemm_f16_small has no tile c' stderr
holds "and no picture" test ! -e none.svg
for tile in a b; do
  exits 0 "$two" --dry-run -q --svg $tile.svg --tile $tile
  holds "tile $tile" grep -q "<title>Banks of gemm_f16_small, tile $tile," $tile.svg
done
exits 0 "$source_dir/specs/given_rotated_f32.yaml" --dry-run -q --svg given.svg
holds "a layout that is an expression" grep -q '>given: row \* 32 + (col + row) % 32<' given.svg
holds "and frees all its lanes" test "$(grep -c 'class="waits"' given.svg)$(grep -c 'class="lane"' given.svg)" = 3232
exits 0 "$source_dir/specs/operand_wgmma_k_f16.yaml" --dry-run -q --svg boxes.svg
holds "boxes have no lanes" test "$(grep -c 'class="lane"' boxes.svg)" = 0
for picture in banks:transpose_f32 pad:transpose_f32_pad fft:fft512; do
  exits 0 "$source_dir/specs/${picture#*:}.yaml" --dry-run -q --svg again.svg
  holds "docs/images/${picture%:*}.svg is what kgen draws" cmp again.svg "$source_dir/docs/images/${picture%:*}.svg"
done
verdict page_file
