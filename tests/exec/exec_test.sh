# kgen --exec of a program that calls the driver itself: what is reported, in every form, and how it exits.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" TMPDIR=$tmp/sessions
mkdir "$TMPDIR"

# json CONDITION: on the report of the last run, as d.
json() { python3 -c "import json; d=json.load(open('stdout')); assert $1, d"; }
kinds='[f["kind"] for f in d["exec"]["host"]]'

# --- its status, its streams ---
exits 0 --exec -- "$program" clean
holds "what it prints stays on stdout" grep -qx right stdout
holds "and nothing else is there" test "$(wc -l <stdout)" = 1
holds "a clean kernel takes a line" grep -q 'clean: fill, grid 1x1x1, block 1024x1x1$' stderr
holds "the last line" grep -q '^kgen: 0 conflicts, 0 findings; the program.s status is 0$' stderr
expect 97 '' --exec -q -- "$program" nothing
holds "its standard input is its own" sh -c 'echo hello | "$0" --exec -q -- "$1" echo 2>/dev/null | grep -qx hello' "$KGEN" "$program"
expect 1 'nothing was checked: .* did not call CUDA' --exec -- "$program" echo
exits 0 --exec --launches 0 -- "$program" echo
exits 0 --exec --launches 0 -q -- "$program" clean
expect 1 "nothing was checked: --kernels 'none' matches none of the kernels that ran: fill$" --exec --kernels none -- "$program" clean
expect 1 'nothing was checked: --skip 9 leaves out all 1 launches$' --exec --skip 9 -- "$program" clean
expect 1 'nothing was checked: no kernel was launched' --exec --no-leaks -- "$program" leak
expect 3 'nothing was checked: a module was refused: it holds machine code alone' --exec -- "$program" refused
holds "its status where the end of children is ignored" env --ignore-signal=CHLD "$KGEN" --exec -q -- "$program" clean
expect 3 '0 kernels checked in 0 launches' --exec -- "$program" idle
expect 2 'cannot start' --exec -- ./no-such-program
expect 2 '^kgen: a program is needed: kgen exec' --exec
expect 2 'takes no SPEC: .*; the program stands after --$' --exec "$program"
expect 0 'emulated sm_100f$' --exec --as sm_100f -- "$program" clean
expect 0 'emulated sm_120f$' --exec --as sm_120f -- "$program" clean
expect 2 'Unmatched' --exec --kernels 'a(' -- "$program" clean

# --- findings ---
expect 1 'race: writes shared byte' --exec -- "$program" race
holds "the clean kernel, too" grep -q 'clean: fill' stderr
expect 9 '' --exec -q --error-exit 9 -- "$program" race
expect 7 '' --exec -q --error-exit 0 -- "$program" race
expect 1 '1 kernel checked in 1 launch;' --exec -- "$program" crash
holds "what was seen before the crash" grep -q 'race: writes shared byte' stderr
expect 137 '' --exec --error-exit 0 -q -- "$program" crash
expect 1 '2 kernels checked in 2 launches; emulated sm_90$' --exec -- "$program" replaced
holds "what was seen before exec" grep -q 'race: writes shared byte' stderr
expect 1 'leak: 4096 bytes of device memory are never freed; 3 times, 12288 bytes in all' --exec -- "$program" leak
expect 0 '0 findings; the program.s status is 0$' --exec --no-leaks --launches 0 -- "$program" leak
mkdir tools # a compiler has inlined nvcc's stub and the runtime's template into the call
cat >tools/addr2line <<'END'
#!/bin/sh
for a; do
  case $a in 0x*) printf '%s\nmain\n/tmp/x.cudafe1.stub.c:9\nput\n/src/put.cu:7\nmain\n/cuda/include/cuda_runtime.h:705\ntake\n/src/take.cu:28\n' "$a" ;; esac
done
END
chmod +x tools/addr2line
PATH=$PWD/tools:$PATH expect 1 'in take at take.cu:28; [0-9]+ calls in all: -v$' --exec -- "$program" leak
holds "one of its calls" sh -c '! grep -q "by " stderr'
PATH=$PWD/tools:$PATH expect 1 'in take at take.cu:28$' --exec -v -- "$program" leak
calls=$(grep -c "^         by " stderr)
holds "all of them with -v: $calls" test "$calls" $(sanitized && echo -ge || echo -eq) 3 # sanitizers add their own
# addr2line runs only for call stacks that are shown.
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/asked" >tools/addr2line
PATH=$PWD/tools:$PATH "$KGEN" exec "$program" clean >/dev/null 2>&1
holds "a clean run shows no call stack" test ! -e asked
PATH=$PWD/tools:$PATH "$KGEN" exec -q "$program" race >/dev/null 2>&1
holds "-q shows none" test ! -e asked
PATH=$PWD/tools:$PATH "$KGEN" exec "$program" race >/dev/null 2>&1
holds "a finding shows its own" test -e asked
rm asked
PATH=$PWD/tools:$PATH "$KGEN" exec --json "$program" clean >/dev/null 2>&1
holds "JSON has all" test -e asked

strip -o stripped "$program" # the function before is all that addr2line can say
cat >tools/addr2line <<'END'
#!/bin/sh
for a; do case $a in 0x*) printf '%s\nbefore\n??:0\n' "$a" ;; esac; done
END
PATH=$PWD/tools:$PATH expect 1 'in before at exec_program[+]0x' --exec -- "$program" leak
# With sanitizers the program exports functions of theirs.
sanitized || PATH=$PWD/tools:$PATH expect 1 'in stripped[+]0x' --exec -- ./stripped leak
expect 3 'with -lineinfo, which keeps PTX beside machine code' --exec -- "$program" refused
holds "no leak of a program that ends without its kernels" sh -c '! grep -q leak: stderr'
expect 1 'is spinning: ' --exec --max-steps 20000 -- "$program" polls
expect 0 '1 kernel checked in 1 launch;' --exec -- "$program" answered
for end in unanswered unanswered-reset; do
  expect 1 'race: writes shared byte 0' --exec -- "$program" $end
  holds "the kernel that waited" grep -q '^still waited as the program ended them: races_and_polls$' stderr
  holds "its instructions" grep -q 'block 64x1x1, sm_90, [1-9][0-9]* warp instructions$' stderr
done
expect 1 '^still waited as the program ended them: races_and_polls$' --exec -- "$program" unanswered-exit
exits 1 --exec --json -- "$program" unanswered-exit
holds "the kernel that waited, after _exit" json "d['exec']['still_waited'] == ['races_and_polls']"
exits 0 --exec --json -- "$program" answered
holds "none that was answered" json "d['exec']['still_waited'] == []"
expect 1 'exclude the kernel with --kernels or --skip' --exec --max-steps 20000 -- "$program" polls-in-graph
expect 1 'leak: a block that heap takes by malloc at PTX line [0-9]* is never freed; 2 times, 80 bytes in all' --exec -- "$program" heap
holds "what is behind the block" grep -q '4-byte global store 40 bytes past the start of a block of 40 bytes of malloc' stderr
expect 1 'of 40 bytes of malloc' --exec -- "$program" heap-ends
holds "no leak of what ended with its context" sh -c '! grep -q leak: stderr'
expect 1 'double-free: 4096 bytes of device memory are freed a second time' --exec -- "$program" bad-free
holds "an address within" grep -q 'invalid-free: an address 256 bytes into device memory is freed' stderr
expect 1 'ignored-error: the launch of fill failed with CUDA_ERROR_INVALID_VALUE; launches and copies that followed: 1' --exec -- "$program" ignored
exits 0 --exec -q -- "$program" looked

expect 1 'uninitialised: reads byte 2048 of device memory #1, of 4096 bytes, which nothing wrote' --exec -- "$program" unwritten
holds "the rest was set" grep -q 'thread (512, 0, 0) of block (0, 0, 0), the first of 512$' stderr

# --- what ends a launch ---
expect 1 'barrier: deadlock: 32 of 1024 threads have arrived at barrier' --exec -- "$program" stuck
holds "no leak of what cannot be freed" sh -c '! grep -q leak: stderr'
expect 1 'fault: stuck ended at PTX line [0-9]*, unchecked: deadlock: 32 of 1024 threads' --exec --launches 0 -- "$program" stuck
exits 1 --exec --json --launches 0 -- "$program" stuck
holds "its status, and a fault" json "d['exec']['status'] == 0 and $kinds == ['fault']"
expect 1 'invalid-free|double-free' --exec --json -- "$program" reset
holds "no leak" json "$kinds == ['double-free']"

# --- equal launches ---
exits 0 --exec --json -- "$program" conflict
holds "one object on stdout" json 'd["version"] == 1 and d["exec"]["status"] == 0 and d["exec"]["launches_judged"] == 6'
holds "by kernel and size" json '[(l["kernel"], l["shared_bytes"], l["launches"]) for l in d["lint"]] == [("column", 4096, 5), ("column", 4112, 1)]'
holds "counts are summed" json 'd["lint"][0]["conflicts"] == 5 * 31 * 32 and d["exec"]["conflicts"] == sum(l["conflicts"] for l in d["lint"])'
cp stdout old.json
exits 0 --exec --json -- "$program" places
holds "both places" json '(d["lint"][0]["launches"], len(d["lint"][0]["also_from"])) == (3, 1) and d["lint"][0]["also_from"][0] != d["lint"][0]["launched_from"]'
expect 0 'and from places' --exec -- "$program" places
expect 1 'more than --max-conflicts' --exec -q --max-conflicts 100 -- "$program" conflict
exits 0 --exec -q --baseline old.json -- "$program" conflict
expect 1 'race' --exec -q --baseline old.json -- "$program" race
exits 1 --exec --json -- "$program" race
holds "the program's own output is kept off the report" json 'd["exec"]["status"] == 7'
cp stdout race.json
expect 1 'conflicts: 4960, in race.json 0' --exec -q --baseline race.json -- "$program" conflict
expect 1 'race' --compare old.json race.json

# --- filters ---
exits 7 --exec --json --kernels '^fill$' -- "$program" race
holds "only that kernel" json '[l["kernel"] for l in d["lint"]] == ["fill"] and d["exec"]["launches_not_judged"] == 1'
exits 0 --exec --json --skip 5 -- "$program" conflict
holds "the first are left out" json '[l["shared_bytes"] for l in d["lint"]] == [4112]'
exits 0 --exec --json --launches 2 -- "$program" conflict
holds "no more than two" json 'd["lint"][0]["launches"] == 2 and len(d["lint"]) == 1'

# --- launches saved as directories ---
exits 7 --exec -q --error-exit 0 --save saved -- "$program" race
holds "one a launch" test "$(cd saved && echo *)" = "0001-fill 0002-race"
expect 2 '^kgen: hint: it holds directories of launches: name one, such as saved/0001-fill$' --lint saved
expect 2 '^kgen: hint: it holds directories of launches: name one, such as saved/0001-fill$' --same saved saved
exits 0 --lint saved/0001-fill
holds "the same outputs" grep -q 'memory0: 4096 bytes equal' stdout
expect 1 'race: writes shared byte' --lint saved/0002-race
exits 0 --same saved/0001-fill saved/0001-fill
holds "a saved launch is the same as itself" grep -q '^the same$' stdout
exits 7 --exec -q --error-exit 0 --save again -- "$program" race
exits 0 --same saved/0001-fill again/0001-fill
holds "and as itself in another run" grep -q '^the same$' stdout
sed -i 's/st.global.u32 \[%rd3\], %r1/add.u32 %r1, %r1, 1; st.global.u32 [%rd3], %r1/' again/0001-fill/kernel.ptx
expect 1 'not the same' --same saved/0001-fill again/0001-fill
expect 2 'Directory not empty' --exec --save saved -- "$program" race
exits 1 --exec -q --save through -- "$program" through # the block is never freed
for launch in 0001-through 0002-through 0004-through; do
  expect 0 '^ *memory0: 4096 bytes equal$' --lint through/$launch
done
holds "what cannot be repeated is told" grep -q 'blocks of malloc, which a kernel cannot free here: 1$' through/0004-through/lint.yaml
exits 0 --exec -q --save waited -- "$program" answered
expect 0 ' 0 findings$' --lint waited/0001-polls --max-steps 20000
holds "what others wrote meanwhile" grep -q '^    # It waited for others\.' waited/0001-polls/lint.yaml
exits 0 --exec -q --save counted -- "$program" count
exits 0 --lint counted/0003-count
holds "with variables as they were" grep -q 'memory0: 4096 bytes equal' stdout

"$KGEN" --exec -q --error-exit 0 --save textures -- "$KGEN_BUILD/tests/libcuda_texture" >stdout 2>stderr
holds "launches with textures and surfaces: $(ls textures)" test "$(ls textures | wc -l)" -gt 3
for folder in textures/*; do
  "$KGEN" --lint "$folder" >stdout 2>&1
  holds "$folder is repeated" grep -q 'bytes equal' stdout
done

# --- two processes ---
exits 1 --exec --json -- "$program" fork
holds "both are reported" json 'd["exec"]["processes"] == 2 and sorted({l["kernel"] for l in d["lint"]}) == ["column", "fill", "race"]'

twice="'$program' leak; '$program' leak"
exits 1 --exec --json -- sh -c "$twice"
holds "one leak of both" json '[(h["count"], h["bytes"]) for h in d["exec"]["host"]] == [(6, 24576)]'
exits 7 --exec --json --kernels none -- sh -c "'$program' race; '$program' race"
holds "those not judged of both" json 'd["exec"]["launches_not_judged"] == 4'
exits 1 --exec --json -- sh -c "'$program' race; '$program' conflict"
holds "one process's launches, then the next one's" json '[l["kernel"] for l in d["lint"]] == ["fill", "race", "column", "column"]'
exits 1 --exec -q --save apart -- sh -c "cd / && '$program' race"
holds "saved where kgen was started" test -n "$(ls apart)"

# --- other forms ---
exits 1 --exec --markdown --sarif out.sarif --html page.html -- "$program" race
holds "Markdown" grep -q '^### .*: race$' stdout
holds "SARIF" python3 -c 'import json; r=json.load(open("out.sarif"))["runs"][0]; assert "race" in {x["ruleId"] for x in r["results"]}'
holds "a page" grep -q '"kind": "exec"' page.html
exits 1 --exec --sarif leak.sarif -q -- "$program" leak
holds "of the host, too" python3 -c 'import json; r=json.load(open("leak.sarif"))["runs"][0]; assert [x["ruleId"] for x in r["results"]] == ["leak"]'
holds "no session stays behind" test -z "$(ls -A "$TMPDIR")"
verdict exec_test
