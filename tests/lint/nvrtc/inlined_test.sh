# The location of inlined code: the innermost line in the user's own file, else in the user's directories, with the calls that led
# there, including calls of functions that are not inlined.
. tests/shell/check.bash
lint=$source_dir/tests/lint/cases
"$KGEN" --lint "$lint/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
json() { python3 -c "import json,sys; d=json.load(open('stdout'))['lint']; assert $1, d"; }
run=(--lint "$lint/inlined.cu" --grid 1 --arg buf:4096 --arg buf:4096)

expect 0 '992 of them conflicts' "${run[@]}" --kernel 'entry<32>' --block 32,32
holds "the line that does it, not the launch's" grep -q '      3  tile\[threadIdx.x\]\[threadIdx.y\] = in' stdout
holds "its file" grep -q '^  .*inlined/copy.h:$' stdout
holds "and its callers" grep -q '^ *called from agent.h:5, agent.h:10$' stdout
expect 0 . "${run[@]}" --kernel 'entry<32>' --block 32,32 --json
holds "for programs" json '[([c["file"].split("/")[-1], c["line"]]) for a in d["accesses"] if a["op"] == "store" for c in a["called_from"]] == [["agent.h", 5], ["agent.h", 10]]'
holds "no callers where nothing was inlined" json 'all("called_from" not in a for a in d["accesses"] if a["op"] == "load")'
expect 0 . "${run[@]}" --kernel mine --block 32
holds "the user's own line, not that of __ldg" grep -q '      3  __device__ int helper' stdout
holds "called from the same file" grep -q 'called from inlined.cu:4$' stdout
holds "nothing of the toolkit's" sh -c '! grep -q "hpp:" stdout'
expect 1 'out-of-bounds' --lint "$lint/inlined.cu" --kernel 'entry<32>' --grid 1 --block 32,32 --arg buf:4000 --arg buf:4096
holds "findings, too" sh -c 'sed -n "/^findings/,\$p" stdout | grep -q "called from agent.h:5, agent.h:10"'
# --- a line of the user's own file whose code is in the user's header ---
expect 0 '      7  fill<32>\(tile, in\); // its code is of copy.h' "${run[@]}" --kernel direct --block 32,32
holds "where the code stands" grep -q '^ *code of copy.h:3$' stdout
expect 0 . "${run[@]}" --kernel direct --block 32,32 --json
holds "for programs" json '[[(p["file"].split("/")[-1], p["line"]) for p in a["inlined"]] for a in d["accesses"] + d["global"] if a["line"] == 7] == [[("copy.h", 3)]] * 2'
holds "calls of findings and of global memory, too" json 'all("called_from" not in a for a in d["global"])'
expect 1 'out-of-bounds' --lint "$lint/inlined.cu" --kernel direct --grid 1 --block 32,32 --arg buf:4000 --arg buf:4096 --json --sarif found.sarif --html page.html
holds "a finding, too" json '[(p["file"].split("/")[-1], p["line"]) for p in d["findings"][0]["inlined"]] == [("copy.h", 3)]'
holds "SARIF" python3 -c 'import json; r=json.load(open("found.sarif"))["runs"][0]["results"]; assert any("copy.h" in json.dumps(x.get("relatedLocations", [])) for x in r)'
holds "the page's data" grep -q 'inlined.*copy.h' page.html
# --- 41 calls deep, and a side of a race in another file ---
expect 1 ' 14  Deep<40>::put' --lint "$lint/inlined.cu" --kernel deep --grid 1 --block 64 --arg buf:256
holds "the other side's file" grep -q 'reads at deep.h:8, no' stdout
holds "one line for calls of itself" grep -q '^ *code of deep.h:6, deep.h:3$' stdout
meets=(--lint "$lint/inlined.cu" --kernel meets --grid 1 --block 96 --arg buf:384)
expect 1 '; also with deep.h:9$' "${meets[@]}"
expect 1 . "${meets[@]}" --json
holds "for programs" json '["deep.h"] == [p["file"].split("/")[-1] for f in d["findings"] for p in f.get("other_places", []) if "file" in p and p["line"] == 9]'
# --- a helper that two lines call: both are reported ---
expect 0 '^ *called from inlined.cu:22$' "${run[@]}" --kernel twice --block 32,32
holds "the other call" grep -q '^ *and from inlined.cu:23$' stdout
expect 0 . "${run[@]}" --kernel twice --block 32,32 --json --sarif twice.sarif --html twice.html
holds "for programs" json '[([c["line"] for c in a["called_from"]], [c["line"] for c in a["also_called_from"]]) for a in d["accesses"] if a["line"] == 17] == [([22], [23])]'
holds "SARIF" python3 -c 'import json; r=json.load(open("twice.sarif"))["runs"][0]["results"]; assert any(["22", "23"] == [str(p["physicalLocation"]["region"]["startLine"]) for p in x.get("relatedLocations", [])] for x in r), r'
# --- a function that is not inlined: the calls that its thread was in ---
cat >called.cu <<'E2'
__device__ __noinline__ void put(int *to, int i) {
  to[i] = i;
}
__device__ __noinline__ void far(int *to, int i) {
  put(to, i);
  to[0] = 1;
}
extern "C" __global__ void k(int *out) {
  put(out, 0);
  far(out, 1000);
}
E2
expect 1 '^ *called from called.cu:5, called.cu:10$' --lint called.cu --kernel k --grid 1 --block 1 --arg buf:64
expect 1 . --lint called.cu --kernel k --grid 1 --block 1 --arg buf:64 --json
holds "for programs" json '[[c["line"] for c in f["called_from"]] for f in d["findings"]] == [[5, 10]]'
cat >deep.cu <<'E2'
__device__ __noinline__ void down(int *to, int n) {
  if (n == 0) to[1000] = 1;
  else down(to, n - 1);
  to[n & 3] = n;
}
extern "C" __global__ void k(int *out, int n) {
  down(out, n);
}
E2
expect 1 '^ *called from deep.cu:3, deep.cu:7$' --lint deep.cu --kernel k --grid 1 --block 1 --arg buf:64 --arg i32:40
verdict lint_inlined
